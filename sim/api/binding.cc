#include "sim/api/binding.h"

#include <fmt/format.h>

#include "sim/api/pod_condition.h"
#include "sim/api/status.h"

namespace tamp::world::api {
namespace {

Outcome refused(std::string_view pod, std::string_view why) {
  Resource binding = *Registry().find(ResourceId::Pods);
  binding.plural = "pods/binding";
  return conflict(binding, pod, why);
}

void merge(Tree& pod, const char* key, const Tree& added) {
  if (added.empty()) return;
  Tree& map = pod.ensure({"metadata", key});
  for (const Tree::Member& member : added.members()) map.set(member.key, member.value);
}

// Pods learn from their node where they are.
void tell_topology(Tree& pod, const ObjectPtr& node) {
  if (!node) return;
  for (const char* key : {"topology.kubernetes.io/zone", "topology.kubernetes.io/region"})
    if (const Tree* value = node->metadata()["labels"].find(key))
      pod.ensure({"metadata", "labels"}).set(key, *value);
}

}  // namespace

Outcome bind_pod(Backend& backend, std::string_view ns, std::string_view name, const Tree& binding,
                 const Writing& writing, bool tells_topology) {
  const Resource& pods = *backend.registry.find(ResourceId::Pods);
  const Tree& target = binding["target"];
  const std::string_view kind = target["kind"].string();
  // The real server answers a Binding that is invalid with an error of no reason.
  if (!kind.empty() && kind != "Node")
    return failed(500, "",
                  fmt::format("target.kind: Unsupported value: \"{}\": supported values: \"Node\"", kind));
  if (target["name"].string().empty()) return failed(500, "", "target.name: Required value");

  const ObjectPtr current = backend.store.get(ResourceId::Pods, ns, name);
  if (!current) return not_found(pods, name);
  const std::string_view uid = binding["metadata"]["uid"].string();
  if (!uid.empty() && uid != current->uid())
    return conflict(pods, name,
                    fmt::format("Precondition failed: UID in precondition: {}, UID in object meta: {}", uid,
                                current->uid()));
  if (current->terminating())
    return refused(name, fmt::format("pod {} is being deleted, cannot be assigned to a host", name));
  if (const std::string_view node = current->spec()["nodeName"].string(); !node.empty())
    return refused(name, fmt::format("pod {} is already assigned to node \"{}\"", name, node));
  if (!current->spec()["schedulingGates"].empty())
    return refused(name, fmt::format("pod {} has non-empty .spec.schedulingGates", name));

  Tree pod = current->tree();
  pod.ensure({"spec", "nodeName"}) = target["name"];
  pod.ensure("status").erase("nominatedNodeName");
  merge(pod, "annotations", binding["metadata"]["annotations"]);
  merge(pod, "labels", binding["metadata"]["labels"]);
  if (tells_topology) tell_topology(pod, backend.store.get(ResourceId::Nodes, {}, target["name"].string()));
  set_pod_condition(pod, "PodScheduled", "True", {}, {}, backend.now);
  if (writing.dry_run) return {201, std::make_shared<const Object>(std::move(pod)), {}};
  return {201, backend.store.put(ResourceId::Pods, std::move(pod)), {}};
}

}  // namespace tamp::world::api

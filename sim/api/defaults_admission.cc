// The mutating admission plugins of a server with default settings, in their order.
#include <string>

#include "sim/api/defaults.h"
#include "wire/quantity.h"

namespace tamp::world::api {
namespace {

constexpr std::string_view kTokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";

Refusal forbid(std::string_view resources, const Tree& object, std::string why) {
  std::string message(resources);
  const std::string_view name = object.at({"metadata", "name"}).string();
  // The message quotes the name that a new object has so far: with generateName none.
  message.append(" \"").append(name).append("\" is forbidden: ").append(std::move(why));
  return {403, "Forbidden", std::move(message)};
}

std::string_view namespace_of(const Tree& object) { return object.at({"metadata", "namespace"}).string(); }

// ---- ServiceAccount

std::string volume_name(const Lookup& lookup) {
  // Without vowels and digits that look like letters, so that no words come out.
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string name = "kube-api-access-";
  for (int i = 0; i < 5; ++i) name += kLetters[lookup.choose(kLetters.size())];
  return name;
}

// All but its name; made once, as every pod has one.
const Tree& token_volume() {
  static const Tree kVolume = [] {
    constexpr std::int64_t kTokenSeconds = 3607, kReadableByAll = 0644;
    Tree token = Tree::object({{"expirationSeconds", kTokenSeconds}, {"path", "token"}});
    Tree authority =
        Tree::object({{"name", "kube-root-ca.crt"},
                      {"items", Tree::Array{Tree::object({{"key", "ca.crt"}, {"path", "ca.crt"}})}}});
    Tree field = Tree::object({{"apiVersion", "v1"}, {"fieldPath", "metadata.namespace"}});
    Tree own =
        Tree::object({{"items", Tree::Array{Tree::object({{"path", "namespace"}, {"fieldRef", field}})}}});
    Tree sources =
        Tree::Array{Tree::object({{"serviceAccountToken", token}}), Tree::object({{"configMap", authority}}),
                    Tree::object({{"downwardAPI", own}})};
    return Tree::object(
        {{"name", ""}, {"projected", Tree::object({{"defaultMode", kReadableByAll}, {"sources", sources}})}});
  }();
  return kVolume;
}

bool mounts_token(const Tree& container) {
  for (const Tree& mount : container["volumeMounts"].elements()) {
    if (mount["mountPath"].string() == kTokenPath) return true;
  }
  return false;
}

void mount_token(Tree& spec, const Lookup& lookup) {
  std::string name;
  bool there = false;
  for (const Tree& volume : std::as_const(spec)["volumes"].elements()) {
    if (!volume["name"].string().starts_with("kube-api-access-")) continue;
    name = volume["name"].string();
    there = true;
    break;
  }
  if (!there) name = volume_name(lookup);
  bool needed = false;
  for (std::string_view kind : {"initContainers", "containers"}) {
    Tree* containers = spec.find(kind);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Tree& container : containers->elements()) {
      if (!container.is_object() || mounts_token(container)) continue;
      container.ensure("volumeMounts")
          .append(Tree::object({{"mountPath", kTokenPath}, {"name", name}, {"readOnly", true}}));
      needed = true;
    }
  }
  if (needed && !there) spec.ensure("volumes").append(token_volume()).set("name", name);
}

std::optional<Refusal> service_account(Tree& pod, const Lookup& lookup) {
  if (pod.at({"metadata", "annotations"}).has("kubernetes.io/config.mirror")) return {};
  Tree& spec = pod.ensure("spec");
  if (spec["serviceAccountName"].string().empty()) {
    spec.set("serviceAccountName", "default");
    spec.set("serviceAccount", "default");
  }
  const std::string name(spec["serviceAccountName"].string());
  const Tree* account = lookup.get(ResourceId::ServiceAccounts, namespace_of(pod), name);
  if (account == nullptr) {
    return forbid("pods", pod,
                  "error looking up service account " + std::string(namespace_of(pod)) + "/" + name +
                      ": serviceaccount \"" + name + "\" not found");
  }
  const Tree& own = spec["automountServiceAccountToken"];
  const Tree& general = (*account)["automountServiceAccountToken"];
  if (own.is_null() ? general.boolean(true) : own.boolean()) mount_token(spec, lookup);
  if (std::as_const(spec)["imagePullSecrets"].empty() && !(*account)["imagePullSecrets"].empty()) {
    spec.set("imagePullSecrets", Tree((*account)["imagePullSecrets"]));
  }
  return {};
}

// ---- Priority

const Tree* default_priority_class(const Lookup& lookup) {
  const Tree* found = nullptr;
  lookup.each(ResourceId::PriorityClasses, [&](const Tree& each) {
    if (!each["globalDefault"].boolean()) return;
    if (found == nullptr || each["value"].integer() < (*found)["value"].integer()) found = &each;
  });
  return found;
}

std::optional<Refusal> priority(Tree& pod, const Lookup& lookup) {
  Tree& spec = pod.ensure("spec");
  const std::string name(spec["priorityClassName"].string());
  const Tree* of =
      name.empty() ? default_priority_class(lookup) : lookup.get(ResourceId::PriorityClasses, {}, name);
  if (of == nullptr && !name.empty()) {
    return forbid("pods", pod, "no PriorityClass with name " + name + " was found");
  }
  const std::int64_t value = of != nullptr ? (*of)["value"].integer() : 0;
  const std::string policy(of != nullptr ? (*of)["preemptionPolicy"].string() : "PreemptLowerPriority");
  if (const Tree* given = spec.find("priority");
      given != nullptr && !given->is_null() && given->integer() != value) {
    return forbid("pods", pod,
                  "the integer value of priority (" + std::to_string(given->integer()) +
                      ") must not be provided in pod spec; priority admission controller computed " +
                      std::to_string(value) + " from the given PriorityClass name");
  }
  if (of != nullptr) spec.set("priorityClassName", std::string((*of)["metadata"]["name"].string()));
  spec.set("priority", value);
  if (policy.empty()) return {};
  if (const std::string_view given = spec["preemptionPolicy"].string(); !given.empty() && given != policy) {
    return forbid("pods", pod,
                  "the string value of PreemptionPolicy (" + std::string(given) +
                      ") must not be provided in pod spec; priority admission controller computed " + policy +
                      " from the given PriorityClass name");
  }
  spec.set("preemptionPolicy", policy);
  return {};
}

std::optional<Refusal> only_one_default(const Tree& priority_class, const Lookup& lookup, bool update) {
  if (!priority_class["globalDefault"].boolean()) return {};
  const Tree* present = default_priority_class(lookup);
  if (present == nullptr) return {};
  const std::string_view name = (*present)["metadata"]["name"].string();
  if (update && name == priority_class.at({"metadata", "name"}).string()) return {};
  return Refusal{403, "Forbidden",
                 "priorityclasses.scheduling.k8s.io \"" +
                     std::string(priority_class.at({"metadata", "name"}).string()) +
                     "\" is forbidden: PriorityClass " + std::string(name) +
                     " is already marked as default. Only one default can exist"};
}

// ---- DefaultTolerationSeconds

void tolerate_failing_nodes(Tree& pod) {
  Tree& spec = pod.ensure("spec");
  bool not_ready = false, unreachable = false;
  for (const Tree& toleration : std::as_const(spec)["tolerations"].elements()) {
    const std::string_view key = toleration["key"].string(), effect = toleration["effect"].string();
    if (!effect.empty() && effect != "NoExecute") continue;
    not_ready |= key.empty() || key == kNotReady;
    unreachable |= key.empty() || key == kUnreachable;
  }
  const auto add = [&](std::string_view key) {
    static const Tree kFiveMinutes = Tree::object(
        {{"effect", "NoExecute"}, {"key", ""}, {"operator", "Exists"}, {"tolerationSeconds", 300}});
    spec.ensure("tolerations").append(kFiveMinutes).set("key", key);
  };
  if (!not_ready) add(kNotReady);
  if (!unreachable) add(kUnreachable);
}

// ---- RuntimeClass

// No runtime class is ever there.
std::optional<Refusal> runtime_class(const Tree& pod) {
  const Tree& spec = pod["spec"];
  const std::string name(spec["runtimeClassName"].string());
  if (!name.empty()) return forbid("pods", pod, "pod rejected: RuntimeClass \"" + name + "\" not found");
  if (spec["overhead"].empty()) return {};
  return forbid("pods", pod,
                "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
}

// ---- storage

void add_finalizer(Tree& object, std::string_view finalizer) {
  Tree& finalizers = object.ensure({"metadata", "finalizers"});
  for (const Tree& known : std::as_const(finalizers).elements()) {
    if (known.string() == finalizer) return;
  }
  finalizers.append(finalizer);
}

void default_storage_class(Tree& claim, const Lookup& lookup) {
  if (claim.at({"metadata", "annotations"}).has("volume.beta.kubernetes.io/storage-class")) return;
  Tree& spec = claim.ensure("spec");
  if (!spec["storageClassName"].is_null()) return;
  const Tree* newest = nullptr;
  lookup.each(ResourceId::StorageClasses, [&](const Tree& each) {
    const Tree& notes = each.at({"metadata", "annotations"});
    if (notes["storageclass.kubernetes.io/is-default-class"].string() != "true" &&
        notes["storageclass.beta.kubernetes.io/is-default-class"].string() != "true") {
      return;
    }
    // RFC 3339 in UTC sorts as text; of two that are equally new the first name.
    const auto age = [](const Tree& of) { return of.at({"metadata", "creationTimestamp"}).string(); };
    if (newest == nullptr || age(each) > age(*newest)) newest = &each;
  });
  if (newest != nullptr) spec.set("storageClassName", std::string((*newest)["metadata"]["name"].string()));
}

std::optional<Refusal> resize_claim(const Tree& old, const Tree& updated, const Lookup& lookup) {
  const auto size = [](const Tree& claim) -> wire::Int128 {
    auto quantity = wire::parse_quantity(claim.at({"spec", "resources", "requests", "storage"}).string());
    return quantity.ok() ? quantity->nanos : 0;
  };
  if (size(updated) <= size(old)) return {};
  if (old.at({"status", "phase"}).string() != "Bound")
    return forbid("persistentvolumeclaims", updated, "Only bound persistent volume claims can be expanded");
  const Tree* of =
      lookup.get(ResourceId::StorageClasses, {}, updated.at({"spec", "storageClassName"}).string());
  if (of != nullptr && (*of)["allowVolumeExpansion"].boolean()) return {};
  return forbid(
      "persistentvolumeclaims", updated,
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must "
      "support resize");
}

void take_labels_of_node(Tree& pod, const Lookup& lookup) {
  const std::string_view name = pod.at({"spec", "nodeName"}).string();
  if (name.empty()) return;
  if (const Tree* node = lookup.get(ResourceId::Nodes, {}, name)) copy_topology_labels(*node, pod);
}

std::optional<Refusal> admit_pod(Tree& pod, const Lookup& lookup) {
  if (auto refusal = service_account(pod, lookup)) return refusal;
  if (auto refusal = priority(pod, lookup)) return refusal;
  tolerate_failing_nodes(pod);
  if (auto refusal = runtime_class(pod)) return refusal;
  take_labels_of_node(pod, lookup);
  return {};
}

void taint_as_not_ready(Tree& node) {
  Tree& taints = node.ensure({"spec", "taints"});
  for (const Tree& taint : std::as_const(taints).elements()) {
    if (taint["key"].string() == kNotReady && taint["effect"].string() == "NoSchedule") return;
  }
  taints.append(Tree::object({{"effect", "NoSchedule"}, {"key", kNotReady}}));
}

}  // namespace

void copy_topology_labels(const Tree& node, Tree& pod) {
  for (std::string_view key : {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}) {
    if (const Tree* value = node.at({"metadata", "labels"}).find(key)) {
      pod.ensure({"metadata", "labels"}).set(key, Tree(*value));
    }
  }
}

std::optional<Refusal> admit_create(ResourceId resource, Tree& object, const Lookup& lookup) {
  switch (resource) {
    case ResourceId::Pods:
      return admit_pod(object, lookup);
    case ResourceId::Nodes:
      taint_as_not_ready(object);
      return {};
    case ResourceId::PersistentVolumes:
      add_finalizer(object, "kubernetes.io/pv-protection");
      return {};
    case ResourceId::PersistentVolumeClaims:
      default_storage_class(object, lookup);
      add_finalizer(object, "kubernetes.io/pvc-protection");
      return {};
    default:
      return {};
  }
}

std::optional<Refusal> admit_update(ResourceId resource, const Tree& old, Tree& updated,
                                    std::string_view subresource) {
  if (!subresource.empty()) return {};
  switch (resource) {
    case ResourceId::Pods: {
      Tree& spec = updated.ensure("spec");
      for (std::string_view key : {"priority", "preemptionPolicy"}) {
        const Tree& before = old["spec"][key];
        if (spec[key].is_null() && !before.is_null()) spec.set(key, Tree(before));
      }
      tolerate_failing_nodes(updated);
      return {};
    }
    default:
      return {};
  }
}

std::optional<Refusal> admit_valid(ResourceId resource, const Tree* old, const Tree& object,
                                   const Lookup& lookup, std::string_view subresource) {
  if (!subresource.empty()) return {};
  switch (resource) {
    case ResourceId::PriorityClasses:
      return only_one_default(object, lookup, old != nullptr);
    case ResourceId::PersistentVolumeClaims:
      return old != nullptr ? resize_claim(*old, object, lookup) : std::nullopt;
    default:
      return {};
  }
}

}  // namespace tamp::world::api

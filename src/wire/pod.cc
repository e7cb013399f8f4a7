#include "wire/pod.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/metadata.h"
#include "wire/pod_spec.h"
#include "wire/pod_volume.h"

namespace tamp::wire {
namespace {

constexpr Words<PodPhase> kPhases[] = {{"Pending", PodPhase::Pending},
                                       {"Running", PodPhase::Running},
                                       {"Succeeded", PodPhase::Succeeded},
                                       {"Failed", PodPhase::Failed},
                                       {"Unknown", PodPhase::Unknown}};

// A year. Nothing waits longer for a pod, and seconds must fit into a Duration.
constexpr std::int64_t kLongestGrace = 365 * 24 * 3600;

void decode_conditions(Decoder& d, Value status, Pod& pod) {
  for (const Value condition : d.objects(status, "conditions")) {
    const auto type = condition.get("type").string();
    const auto state = condition.get("status").string();
    if (type == "Ready") {
      pod.ready = state == "True";
      pod.ready_false = state == "False";
    } else if (type == "PodScheduled") {
      pod.unschedulable = state == "False" && condition.get("reason").string() == "Unschedulable";
      if (state == "True") pod.scheduled = d.time(condition, "lastTransitionTime");
    }
  }
}

void decode_containers(Decoder& d, Value status, Pod& pod) {
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    for (const Value container : d.objects(status, list)) {
      pod.restarts = saturating_sum(
          pod.restarts, std::max<std::int64_t>(0, d.integer(container, "restartCount").value_or(0)));
      const Value waiting = d.object(d.object(container, "state"), "waiting");
      pod.crash_looping |= waiting.get("reason").string() == "CrashLoopBackOff";
    }
  }
}

std::optional<Time> newest_termination(Decoder& d, Value status) {
  std::optional<Time> newest;
  for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
    for (const Value container : d.objects(status, list)) {
      const Value terminated = d.object(d.object(container, "state"), "terminated");
      const auto finished = d.time(terminated, "finishedAt");
      if (finished && (!newest || *newest < *finished)) newest = finished;
    }
  }
  return newest;
}

}  // namespace

void decode_pod(Decoder& d, Symbol ns, Symbol name) {
  const Value metadata = d.object(d.root(), "metadata");
  const Value spec = d.object(d.root(), "spec");
  const Value status = d.object(d.root(), "status");
  Cluster& cluster = d.cluster();

  Pod pod;
  pod.ns = ns;
  pod.name = name;
  pod.uid = d.symbol(metadata, "uid");
  pod.created = d.time(metadata, "creationTimestamp");
  pod.deleted = d.time(metadata, "deletionTimestamp");
  pod.labels = cluster.intern_labels(d.labels(metadata, "labels"));

  const Owner owner = decode_owner(d, metadata);
  pod.owner_kind = owner.kind;
  pod.has_controller = owner.controller;
  pod.owner_name = owner.name;
  pod.owner_uid = owner.uid;

  if (const Value annotations = d.object(metadata, "annotations"); annotations.present()) {
    pod.mirror = annotations.get("kubernetes.io/config.mirror").present();
    pod.do_not_disrupt = d.symbol(annotations, "karpenter.sh/do-not-disrupt");
    pod.do_not_evict = d.symbol(annotations, "karpenter.sh/do-not-evict");
    pod.safe_to_evict = d.symbol(annotations, "cluster-autoscaler.kubernetes.io/safe-to-evict");
    pod.safe_local_volumes =
        d.symbol(annotations, "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes");
    pod.deletion_cost = d.symbol(annotations, "controller.kubernetes.io/pod-deletion-cost");
  }
  pod.mirror |= owner.kind == OwnerKind::Node;

  pod.spec = cluster.intern_spec(decode_pod_spec(d, spec, status));
  pod.priority = d.integer32(spec, "priority");
  pod.priority_class = d.symbol(spec, "priorityClassName");
  pod.volumes = decode_pod_volumes(d, spec, name);

  const std::string_view node = d.text(spec, "nodeName");
  pod.phase =
      d.word<PodPhase>(status, "phase", kPhases, node.empty() ? PodPhase::Pending : PodPhase::Running);
  pod.started = d.time(status, "startTime");
  pod.nominated_node = d.symbol(status, "nominatedNodeName");
  decode_conditions(d, status, pod);
  decode_containers(d, status, pod);
  // A deletion may have set another period than the spec. The default is the API server's.
  const auto grace = d.integer(spec, "terminationGracePeriodSeconds");
  const auto deletion = d.integer(metadata, "deletionGracePeriodSeconds");
  pod.grace =
      Duration::seconds(std::clamp<std::int64_t>(deletion.value_or(grace.value_or(30)), 0, kLongestGrace));
  if (pod.terminal()) pod.finished = newest_termination(d, status);

  if (!node.empty())
    cluster.bindings.emplace_back(static_cast<std::uint32_t>(cluster.pods.size()), d.intern(node));
  cluster.pods.push_back(std::move(pod));
}

}  // namespace tamp::wire

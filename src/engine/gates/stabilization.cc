#include "gates/stabilization.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/message_format.h"

namespace tamp::gates {
namespace {

std::string_view kind_name(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::Deployment:
      return "Deployment";
    case WorkloadKind::ReplicaSet:
      return "ReplicaSet";
    case WorkloadKind::ReplicationController:
      return "ReplicationController";
    case WorkloadKind::StatefulSet:
      return "StatefulSet";
    case WorkloadKind::Job:
      return "Job";
  }
  return "";
}

}  // namespace

Stability stability(const situation::Context& context) {
  const Cluster& cluster = context.cluster;
  if (!context.last_node_deleted) return {true, "no node was deleted lately"};
  const Duration since = context.now - *context.last_node_deleted;
  if (since >= kStabilizationWindow)
    return {true, fmt::format("the last node was deleted {} ago, the window is {}", Span{since},
                              Span{kStabilizationWindow})};
  const auto unsettled = [&](const std::string& what) {
    return Stability{
        false, fmt::format("a node was deleted {} ago and {}; the window closes at {}", Span{since}, what,
                           Moment{*context.last_node_deleted + kStabilizationWindow})};
  };

  const auto pending = [](const Pod& pod) { return !pod.bound() && pod.active(); };
  if (const auto pod = std::ranges::find_if(cluster.pods, pending); pod != cluster.pods.end())
    return unsettled(fmt::format("pod {} is pending", PodName{cluster, *pod}));

  // A Job that has not finished is no sign of a missing pod.
  const auto unready = [](const Workload& w) {
    return w.kind != WorkloadKind::Job && !w.deleting && w.ready < w.desired;
  };
  if (const auto w = std::ranges::find_if(cluster.workloads, unready); w != cluster.workloads.end())
    return unsettled(fmt::format("{} {}/{} has {} of {} pods ready", kind_name(w->kind), cluster.text(w->ns),
                                 cluster.text(w->name), w->ready, w->desired));
  return {true, fmt::format("a node was deleted {} ago, but nothing is pending and all controllers are ready",
                            Span{since})};
}

}  // namespace tamp::gates

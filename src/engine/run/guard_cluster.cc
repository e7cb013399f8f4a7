// Guards over the policy, the watches, and the nodes that a run has to do with.
#include <fmt/format.h>

#include <algorithm>

#include "run/guard.h"
#include "run/mark_names.h"
#include "run/turn.h"

namespace tamp::run::guards {
namespace {

bool is_victim(const Run& run, std::string_view node) {
  return std::any_of(run.victims.begin(), run.victims.end(), [&](const Victim& v) { return v.node == node; });
}

bool done(const Run& run, MutationKind kind, std::string_view node) {
  const Mutation* const m = run.journal.last(kind, "", node);
  return m != nullptr && m->state == MutationState::Done;
}

// A protection that we set and that is not there any more, or says something else. "" if all are there.
std::string_view lost_protection(const Cluster& cluster, const Mutation& protect, const Node& node) {
  const Symbol values[] = {node.marks.do_not_disrupt, node.marks.scale_down_disabled,
                           node.marks.removal_disabled};
  for (std::size_t i = 0; i < std::size(kProtections); ++i) {
    const bool ours =
        std::find(protect.added.begin(), protect.added.end(), kProtections[i]) != protect.added.end();
    if (ours && values[i] != cluster.known.true_) return kProtections[i];
  }
  return "";
}

bool tainted(const Cluster& cluster, const Node& node) {
  return std::any_of(node.taints.begin(), node.taints.end(), [&](const Taint& t) {
    return cluster.text(t.key) == kTaint && t.effect == TaintEffect::NoSchedule;
  });
}

}  // namespace

Finding kill_switch(const Run& run, const Sight& sight) {
  if (!sight.policy_present) return stop("kill-switch", "NotActing", "the policy is gone");
  if (!sight.acts) return stop("kill-switch", "NotActing", "the policy's mode is not Act any more");
  const Cluster& cluster = sight.cluster;
  const auto paused = [&](std::string_view name, std::string_view uid) {
    const Node* const node = find_node(cluster, name, uid);
    return node != nullptr && node->marks.pause == cluster.known.true_;
  };
  for (const Victim& v : run.victims)
    if (paused(v.node, v.uid)) return stop("kill-switch", "Paused", fmt::format("node {} is paused", v.node));
  for (const Survivor& s : run.survivors)
    if (paused(s.node, s.uid)) return stop("kill-switch", "Paused", fmt::format("node {} is paused", s.node));
  if (sight.paused) return wait("kill-switch", "Paused", "the policy is paused");
  return std::nullopt;
}

Finding watches(Run& run, const Sight& sight) {
  auto& since = run.guards.distrusted_since;
  if (sight.distrust.empty()) {
    since.reset();
    return std::nullopt;
  }
  if (!since) since = sight.now;
  if (sight.now - *since < sight.limits.blind_patience) return wait("watches", "WatchesLost", sight.distrust);
  return stop("watches", "WatchesLost",
              fmt::format("{}, for {}", sight.distrust, format_duration(sight.limits.blind_patience)));
}

Finding cluster_health(const Run& run, const Sight& sight) {
  const Cluster& cluster = sight.cluster;
  std::int64_t nodes = 0, unready = 0;
  for (const Node& node : cluster.nodes) {
    // Nodes that go, ours and others', are not ready by right.
    if (going(cluster, node) || is_victim(run, cluster.text(node.name))) continue;
    ++nodes;
    if (!node.ready.is_true()) ++unready;
  }
  if (static_cast<double>(unready) <= static_cast<double>(nodes) * sight.limits.unhealthy_nodes)
    return std::nullopt;
  return stop("cluster-health", "ClusterUnhealthy",
              fmt::format("{} of {} nodes are not ready, the limit is {:.0f}%", unready, nodes,
                          sight.limits.unhealthy_nodes * 100));
}

Finding survivor(const Run& run, const Sight& sight) {
  for (const Survivor& s : run.survivors) {
    const Node* const node = find_node(sight.cluster, s.node, s.uid);
    const char* problem = nullptr;
    if (node == nullptr)
      problem = "is gone";
    else if (going(sight.cluster, *node))
      problem = "is being removed";
    else if (!node->ready.is_true())
      problem = "is not ready";
    if (problem != nullptr)
      return stop("survivor", "SurvivorLost", fmt::format("survivor {} {}", s.node, problem));
  }
  return std::nullopt;
}

Finding interference(const Run& run, const Sight& sight) {
  const Cluster& cluster = sight.cluster;
  for (const Survivor& s : run.survivors) {
    const Node* const node = find_node(cluster, s.node, s.uid);
    if (node == nullptr || !done(run, MutationKind::Protect, s.node)) continue;
    // Once it is being released our marks go by our own hand.
    if (run.journal.last(MutationKind::Release, "", s.node) != nullptr) continue;
    const std::string_view lost =
        lost_protection(cluster, *run.journal.last(MutationKind::Protect, "", s.node), *node);
    if (!lost.empty())
      return stop("interference", "Interference",
                  fmt::format("somebody took {} off survivor {}", lost, s.node));
  }
  for (const Victim& v : run.victims) {
    const Node* const node = find_node(cluster, v.node, v.uid);
    if (node == nullptr || !done(run, MutationKind::Cordon, v.node)) continue;
    if (run.journal.last(MutationKind::Release, "", v.node) != nullptr ||
        run.journal.last(MutationKind::Leave, "", v.node) != nullptr)
      continue;
    const bool taint_set = done(run, MutationKind::Taint, v.node);
    if (taint_set && !tainted(cluster, *node))
      return stop("interference", "Interference", fmt::format("somebody took our taint off node {}", v.node));
    if (!taint_set && !node->unschedulable)
      return stop("interference", "Interference", fmt::format("somebody uncordoned node {}", v.node));
  }
  return std::nullopt;
}

}  // namespace tamp::run::guards

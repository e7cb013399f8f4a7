// Will the autoscaler that is there really remove the emptied node? Otherwise a drain saves nothing. Karpenter and Cluster
// Autoscaler each have their own ways of keeping an empty node.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gates/budget.h"
#include "gates/node_state.h"
#include "gates/protection.h"
#include "proof/checks.h"

namespace tamp::proof::checks {
namespace {

constexpr std::string_view kName = "reap-feasible";

bool protects(const Motion& motion, Symbol mark, std::optional<Time> start) {
  return mark.valid() && gates::read_protection(motion.cluster().text(mark), start, motion.now()).active;
}

std::string karpenter_keeps_pod(const Motion& motion, NodeId id) {
  for (const PodId p : live_pods(motion.cluster(), id)) {
    const Pod& pod = motion.pod(p);
    if ((pod.daemon() || pod.mirror) && pod.active() && protects(motion, pod.do_not_disrupt, pod.started))
      return fmt::format("{} pod {} is annotated karpenter.sh/do-not-disrupt",
                         pod.mirror ? "static" : "DaemonSet", motion.pod_name(p));
  }
  return "";
}

// What Karpenter itself goes by: the NodePool's own fields, not those that a TemperPolicy lays over them.
std::string karpenter_keeps(const Motion& motion, NodeId id, std::int64_t going) {
  const Cluster& cluster = motion.cluster();
  const Node& node = cluster.nodes[id.index()];
  const PoolId pool_id = pool_of(cluster, node);
  if (!pool_id.valid() || !cluster.pools[pool_id.index()].has_object)
    return "its NodePool was not read, so that nobody knows how Karpenter disrupts it; give its object too";
  const NodePool& pool = cluster.pools[pool_id.index()];
  const std::string_view name = cluster.text(pool.name);
  if (pool.replicas)
    return fmt::format("NodePool {} is static ({} replicas): Karpenter would launch another", name,
                       *pool.replicas);
  if (pool.deleted) return fmt::format("NodePool {} is being deleted", name);
  const DurationOrNever after = pool.disruption.consolidate_after.value_or(DurationOrNever{Duration{0}});
  if (!after.value)
    return fmt::format("NodePool {} has consolidateAfter: Never, so that Karpenter keeps empty nodes", name);
  if (*after.value > motion.evidence.context.settings.reap.give_up_after)
    return fmt::format("NodePool {} has consolidateAfter: {} > {} that a run waits", name,
                       format_duration(*after.value),
                       format_duration(motion.evidence.context.settings.reap.give_up_after));
  if (pool.disruption.budgets) {
    const auto nodes = std::count_if(cluster.nodes.begin(), cluster.nodes.end(),
                                     [&](const Node& n) { return pool_of(cluster, n) == pool_id; });
    std::string decisive;
    const std::int64_t allowed = gates::allowed_disruptions(*pool.disruption.budgets, nodes,
                                                            DisruptionReason::Empty, motion.now(), &decisive);
    if (allowed < going)
      return fmt::format("NodePool {} lets {} empty nodes go at a time < {} (budget {})", name, allowed,
                         going, decisive);
  }
  const bool marked =
      protects(motion, node.marks.do_not_disrupt, node.created) ||
      (node.claim.valid() && protects(motion, cluster.claims[node.claim.index()].marks.do_not_disrupt,
                                      cluster.claims[node.claim.index()].created));
  if (marked) return "it is annotated karpenter.sh/do-not-disrupt";
  return karpenter_keeps_pod(motion, id);
}

// Does a word stand in the name of a cloud's group, as in eks-WORD-1ab2, gke-cluster-WORD-9f-grp, aks-WORD-vmss?
bool names(std::string_view group, std::string_view word) {
  const auto edge = [&](std::size_t at) {
    return at >= group.size() || std::string_view("-_/.").find(group[at]) != std::string_view::npos;
  };
  for (std::size_t at = group.find(word); at != std::string_view::npos; at = group.find(word, at + 1))
    if ((at == 0 || edge(at - 1)) && edge(at + word.size())) return true;
  return false;
}

// The groups that may be the node's: that of its pool's very name, else those in whose name the pool's stands; of these, where
// there is one in the node's zone, those in it.
std::vector<const AutoscalerGroup*> groups_of(const Motion& motion, std::string_view pool, const Node& node) {
  std::vector<const AutoscalerGroup*> found;
  if (motion.evidence.autoscaler == nullptr) return found;
  for (const AutoscalerGroup& group : motion.evidence.autoscaler->groups) {
    if (group.name == pool) return {&group};
    if (names(group.name, pool)) found.push_back(&group);
  }
  const Symbol zone = node.labels.get(motion.cluster().known.zone);
  if (!zone.valid()) return found;
  std::vector<const AutoscalerGroup*> near;
  for (const AutoscalerGroup* group : found)
    if (names(group->name, motion.cluster().text(zone))) near.push_back(group);
  return near.empty() ? found : near;
}

std::string cluster_autoscaler_keeps(const Motion& motion, NodeId id, std::int64_t going) {
  const Cluster& cluster = motion.cluster();
  const Node& node = cluster.nodes[id.index()];
  if (node.marks.scale_down_disabled == cluster.known.true_)
    return "it is annotated cluster-autoscaler.kubernetes.io/scale-down-disabled";
  const PoolId pool = pool_of(cluster, node);
  const std::string_view name = cluster.text(cluster.pools[pool.index()].name);
  const auto size = std::count_if(cluster.nodes.begin(), cluster.nodes.end(),
                                  [&](const Node& n) { return pool_of(cluster, n) == pool; });
  const std::vector<const AutoscalerGroup*> groups = groups_of(motion, name, node);
  for (const AutoscalerGroup* group : groups) {
    // What the cloud is asked for counts where it is less than what we see: some may be on their way out.
    const std::int64_t now = groups.size() == 1 ? std::min<std::int64_t>(group->target.value_or(size), size)
                                                : group->target.value_or(0);
    if (!group->min)
      return fmt::format("the status of Cluster Autoscaler does not say the minimum of group {}",
                         group->name);
    if (now - going < *group->min)
      return fmt::format("group {} has {} nodes and a minimum of {}: Cluster Autoscaler would not remove {}",
                         group->name, now, *group->min, going);
  }
  // Without a status the group's minimum is the cloud's secret. Most are at least one.
  if (groups.empty() && size - going < 1)
    return fmt::format("group {} would be left with {} nodes, its minimum is not known", name, size - going);
  return "";
}

}  // namespace

Check reap_feasible(const Motion& motion) {
  const Cluster& cluster = motion.cluster();
  std::map<PoolId, std::int64_t> going;
  for (const NodeId v : motion.intent.victims) ++going[pool_of(cluster, cluster.nodes[v.index()])];
  std::string by;
  for (const NodeId v : motion.intent.victims) {
    const Node& node = cluster.nodes[v.index()];
    const PoolId pool = pool_of(cluster, node);
    const bool karpenter = gates::owned_by_karpenter(cluster, node);
    std::string kept;
    if (karpenter)
      kept = karpenter_keeps(motion, v, going[pool]);
    else if (pool.valid())
      kept = cluster_autoscaler_keeps(motion, v, going[pool]);
    else
      kept =
          "no autoscaler owns it: neither a NodeClaim nor the label of a node group was found; delete it by "
          "hand, or let "
          "Karpenter or Cluster Autoscaler manage it";
    if (!kept.empty())
      return failed(kName, fmt::format("{}: {}", motion.node_name(v), kept),
                    std::string(motion.node_name(v)));
    const std::string_view who = karpenter ? "Karpenter" : "Cluster Autoscaler";
    if (by.find(who) == std::string::npos) by += fmt::format("{}{}", by.empty() ? "" : " and ", who);
  }
  return passed(kName,
                fmt::format("{} will remove {}", by, motion.intent.victims.size() == 1 ? "it" : "them"));
}

}  // namespace tamp::proof::checks

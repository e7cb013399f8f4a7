#include "explain/plan_summary.h"

#include <algorithm>

namespace tamp::explain {
namespace {

// Asked for by pods that run or will run, over what the nodes offer.
double requested_share(const Cluster& cluster, ResourceId resource) {
  double asked = 0;
  double offered = 0;
  for (const Pod& pod : cluster.pods)
    if (pod.bound() && !pod.terminal())
      asked += static_cast<double>(cluster.spec(pod).requests.get(resource));
  for (const Node& node : cluster.nodes) offered += static_cast<double>(node.allocatable.get(resource));
  return offered > 0 ? asked / offered : 0;
}

const search::NodeVerdict& own_verdict(const PlanReport& report, std::size_t i) {
  const search::NodeVerdict& verdict = report.plan.nodes[i];
  if (report.alternatives == nullptr || verdict.verdict == search::Verdict::Blocked) return verdict;
  return report.alternatives->nodes[i];
}

void add_to_group(PlanSummary& summary, gates::Reason reason, KeptNode node) {
  auto group = std::find_if(summary.kept.begin(), summary.kept.end(),
                            [&](const ReasonGroup& g) { return g.reason == reason; });
  if (group == summary.kept.end()) group = summary.kept.insert(group, ReasonGroup{reason, {}, {}, false});
  if (node.price) {
    group->pinned += *node.price;
    group->priced = true;
  }
  group->nodes.push_back(std::move(node));
}

void order(PlanSummary& summary) {
  for (ReasonGroup& group : summary.kept)
    std::sort(group.nodes.begin(), group.nodes.end(), [](const KeptNode& a, const KeptNode& b) {
      if (a.price != b.price) return a.price > b.price;
      return a.node < b.node;
    });
  std::sort(summary.kept.begin(), summary.kept.end(), [](const ReasonGroup& a, const ReasonGroup& b) {
    if (a.pinned != b.pinned) return a.pinned > b.pinned;
    return a.reason < b.reason;
  });
  std::sort(summary.next.begin(), summary.next.end(), [](const price::Command* a, const price::Command* b) {
    if (a->savings != b->savings) return a->savings > b->savings;
    return a->nodes < b->nodes;
  });
}

}  // namespace

std::size_t live_pods(const Cluster& cluster) {
  return static_cast<std::size_t>(std::count_if(cluster.pods.begin(), cluster.pods.end(),
                                                [](const Pod& pod) { return !pod.terminal(); }));
}

PlanSummary summarize(const PlanReport& report) {
  const search::Plan& plan = report.plan;
  PlanSummary summary;
  summary.cpu_requested = requested_share(report.cluster, kCpu);
  summary.memory_requested = requested_share(report.cluster, kMemory);

  std::vector<bool> taken(report.cluster.nodes.size(), false);
  for (const price::Command& command : plan.commands) {
    summary.savings += command.savings;
    for (const NodeId node : command.nodes) taken[node.index()] = true;
  }
  for (std::size_t i = 0; i < plan.nodes.size(); ++i) {
    const NodeId node = plan.nodes[i].node;
    const std::optional<Money> price = i < plan.candidates.size() ? plan.candidates[i].price : std::nullopt;
    if (!price) ++summary.unpriced;
    if (taken[node.index()]) continue;
    const search::NodeVerdict& verdict = own_verdict(report, i);
    if (verdict.verdict == search::Verdict::Command) continue;
    const bool blocked = verdict.verdict == search::Verdict::Blocked;
    add_to_group(summary, blocked ? verdict.reason : gates::Reason::None, {node, verdict.message, price});
    ++summary.kept_nodes;
    if (price) summary.kept_cost += *price;
  }
  if (report.alternatives != nullptr)
    for (const price::Command& command : report.alternatives->commands)
      if (std::none_of(command.nodes.begin(), command.nodes.end(),
                       [&](NodeId node) { return taken[node.index()]; }))
        summary.next.push_back(&command);
  order(summary);
  return summary;
}

}  // namespace tamp::explain

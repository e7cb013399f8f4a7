#include "oracle/judge.h"

#include <algorithm>
#include <utility>

#include "oracle/filter.h"
#include "oracle/filters.h"

namespace tamp::world {
namespace {

bool must_move(const Pod& pod) { return !pod.daemon() && !pod.mirror && pod.active(); }

bool moves_pod(const std::vector<PodMove>& moves, PodId pod) {
  return std::any_of(moves.begin(), moves.end(), [&](const PodMove& m) { return m.pod == pod; });
}

}  // namespace

std::vector<Violation> judge_moves(const Cluster& cluster, const std::vector<NodeId>& removed,
                                   const std::vector<PodMove>& moves, const std::vector<Node>& replacements) {
  std::vector<Violation> violations;
  Placement placement(cluster);

  for (NodeId node : removed)
    for (PodId pod : placement.pods_on(placement.ref(node)))
      if (must_move(cluster.pods[pod.index()]) && !moves_pod(moves, pod))
        violations.push_back({pod, placement.ref(node), kNotMoved});
  for (NodeId node : removed) placement.make_ghost(placement.ref(node));
  std::vector<NodeRef> fresh;
  fresh.reserve(replacements.size());
  for (const Node& node : replacements) fresh.push_back(placement.add_node(node));

  std::vector<std::pair<PodId, NodeRef>> placed;
  for (const PodMove& move : moves) {
    NodeRef to;
    if (move.to.valid())
      to = placement.ref(move.to);
    else if (move.replacement < fresh.size())
      to = fresh[move.replacement];
    if (placement.where(move.pod).valid()) {
      bool twice =
          std::any_of(placed.begin(), placed.end(), [&](const auto& p) { return p.first == move.pod; });
      violations.push_back({move.pod, to, twice ? kMovedTwice : kNotDisplaced});
      continue;
    }
    if (!to.valid() || placement.ghost(to)) {
      violations.push_back({move.pod, to, kNoSuchDestination});
      continue;
    }
    FilterVerdict verdict = filter(placement, move.pod, to);
    if (!verdict.fits) violations.push_back({move.pod, to, verdict.plugin});
    placement.place(move.pod, to);
    placed.emplace_back(move.pod, to);
  }

  for (NodeId node : removed) placement.remove_node(placement.ref(node));
  for (const auto& [pod, node] : placed) {
    if (!pod_topology_spread_fits(placement, pod, node))
      violations.push_back({pod, node, "PodTopologySpread", true});
    if (!inter_pod_affinity_fits(placement, pod, node))
      violations.push_back({pod, node, "InterPodAffinity", true});
  }
  return violations;
}

}  // namespace tamp::world

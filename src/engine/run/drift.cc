#include "run/drift.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "fit/simulation.h"
#include "gates/node_state.h"
#include "run/turn.h"
#include "search/surroundings.h"

namespace tamp::run {
namespace {

// Where the scheduler may put a pod now. A node's grace period does not count: our own moves have just begun it anew.
fit::Options legal_places(const situation::Context& context) {
  const Cluster& cluster = context.cluster;
  fit::Options options;
  options.closed.assign(cluster.nodes.size(), fit::Closed::No);
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const Node& node = cluster.nodes[i];
    if (node.marks.pause == cluster.known.true_ || !node.ready.is_true() ||
        !gates::initialized(cluster, node) || gates::deleting(context, node))
      options.closed[i] = fit::Closed::ForAll;
  }
  return options;
}

}  // namespace

std::optional<Drift> unplanned_pod(const Run& run, const Cluster& cluster) {
  for (const Victim& victim : run.victims) {
    const Node* const node = find_node(cluster, victim.node, victim.uid);
    if (node == nullptr || going(cluster, *node)) continue;
    for (const PodId id : node->pods) {
      const Pod& pod = cluster.pods[id.index()];
      if (!movable(pod)) continue;
      const std::string_view uid = cluster.text(pod.uid);
      const bool planned =
          std::any_of(run.moves.begin(), run.moves.end(), [&](const Departing& m) { return m.uid == uid; });
      if (!planned)
        return Drift{"Drifted", fmt::format("pod {} came to node {} and is not in the plan",
                                            name_of(cluster, pod), victim.node)};
    }
  }
  return std::nullopt;
}

std::optional<Drift> no_place_left(const Run& run, const Sight& sight) {
  const Cluster& cluster = sight.cluster;
  std::vector<NodeId> victims;
  std::vector<PodId> moved;
  for (const Victim& victim : run.victims)
    if (find_node(cluster, victim.node, victim.uid) != nullptr)
      victims.push_back(cluster.find_node(victim.node));
  for (const Departing& move : run.moves)
    if (const Pod* pod = find_pod(cluster, move);
        pod != nullptr && movable(*pod) &&
        std::find(victims.begin(), victims.end(), pod->node) != victims.end())
      moved.push_back(cluster.find_pod(move.ns, move.name));
  if (moved.empty()) return std::nullopt;

  const situation::Context context{cluster, sight.settings, sight.now, sight.last_node_deleted,
                                   sight.leader_node};
  const std::unique_ptr<Cluster> completed = search::with_missing_pods(cluster);
  const Cluster& whole = completed ? *completed : cluster;
  const fit::Index index(whole, legal_places(context));
  // The victims are on their way out already, so their pods would be counted twice.
  std::vector<fit::Seeker> background = search::background_pods(context, index);
  std::erase_if(background, [&](const fit::Seeker& s) {
    return std::find(moved.begin(), moved.end(), s.pod) != moved.end();
  });
  fit::Simulation simulation(index, std::move(background));
  fit::NewNode none;
  none.allowed = false;
  const fit::Outcome outcome = simulation.try_without(victims, moved, none);
  if (outcome.placed()) return std::nullopt;
  const std::string who = outcome.homeless.empty()
                              ? "a pod"
                              : "pod " + name_of(cluster, cluster.pods[outcome.homeless.front().index()]);
  return Drift{"NoPlaceLeft", who + " finds no node any more that would take it"};
}

}  // namespace tamp::run

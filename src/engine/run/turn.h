// One step under way: the run as it becomes, what is seen, what is asked for. And the few words in which the phases speak.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "run/advance.h"
#include "run/guards.h"
#include "run/resident.h"

namespace tamp::run {

struct Turn {
  Step& step;
  const Sight& sight;

  Run& run() const { return step.run; }
  Time now() const { return sight.now; }
  const Cluster& cluster() const { return sight.cluster; }
  const Limits& limits() const { return sight.limits; }
  Journal& journal() const { return step.run.journal; }
  // What the watches show may be acted on.
  bool trusted() const { return sight.distrust.empty(); }
  Duration in_phase() const { return sight.now - step.run.entered(); }
};

// ---- the phases, one file each; each may enter another
void validate(Turn& turn);
void launch(Turn& turn);
void protect(Turn& turn);
void cordon(Turn& turn);
void drain(Turn& turn);
void settle(Turn& turn);
void await_reap(Turn& turn);  // AwaitingReap and Escalated
void take_back(Turn& turn);   // Aborting
void watch_late(Turn& turn);  // Succeeded

inline constexpr std::string_view kDrains = "pods are evicted, the least important first";

// Gives the run up: to Aborting, or straight to RolledBack if nothing was changed yet. What was intended and is not on its way is
// withdrawn.
void give_up(Turn& turn, std::string_view reason, std::string message);
// Asks the guards, and gives up if one of them says so. The worst signal.
Signal look_out(Turn& turn);
// Writes down what the run brought, and ends it.
void finish(Turn& turn, Phase end, std::string reason, std::string message);

// ---- journal entries about nodes and claims
using Targets = std::vector<std::pair<std::string, std::string>>;  // name, uid
struct Standing {
  bool over = true;                  // every one is Done or Failed
  const Mutation* failed = nullptr;  // the first that failed
};
// Sees to it that there is an entry for each, tries again what is due, and says how they stand.
Standing see_to(Turn& turn, MutationKind kind, const Targets& targets);
// Such entries go on while a run aborts, and are never given up.
bool takes_back(const Run& run, const Mutation& mutation);
// A DeleteClaim that was not carried out, since somebody uses the node.
bool spared(const Mutation& deletion);
// An entry that was refused, or of which nothing is known, is due again.
bool due(const Mutation& mutation, Time now);
// When the first one was intended.
std::optional<Time> first_eviction(const Run& run);
// Nodes that this run changed, or may have changed.
Targets changed_nodes(const Run& run);

// ---- what the cluster shows
// Null if it is gone, or is another object of that name.
const Node* find_node(const Cluster& cluster, std::string_view name, std::string_view uid);
const NodeClaim* find_claim(const Cluster& cluster, std::string_view name, std::string_view uid);
const Pod* find_pod(const Cluster& cluster, const Departing& move);
std::string name_of(const Cluster& cluster, const Pod& pod);  // "namespace/name"
// Somebody removes the node already.
bool going(const Cluster& cluster, const Node& node);

}  // namespace tamp::run

// What a run sees when it takes a step. Everything that it may depend on is here or in the run itself; there is no clock and no
// memory besides.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "core/cluster.h"
#include "core/observation.h"
#include "core/time.h"
#include "proof/prover.h"
#include "run/journal.h"
#include "run/limits.h"
#include "search/plan.h"

namespace tamp::run {

// An optional query of the user's own: an application's p99, its error rate.
struct ApplicationSignal {
  bool known = false;  // false: it was asked for and could not be read
  double value = 0, limit = 0;
};

struct Sight {
  Time now;
  const Cluster& cluster;  // as the watches have it
  // Why that cannot be trusted; empty when it can. A watch that broke, or that has not yet shown our own last write.
  std::string distrust;
  const Settings& settings;  // for simulations of placement
  const Limits& limits;
  const Observations& observations;  // fresh ones only carry weight; their age is judged against `now`
  std::optional<ApplicationSignal> application;
  std::optional<Time> last_node_deleted;  // see situation::Context
  NodeId leader_node;                     // likewise

  // ---- the policy; no default, so that nobody forgets to say it
  bool policy_present;
  bool acts;    // mode Act
  bool paused;  // temper.codes/pause on the policy

  // ---- answers to what an earlier step asked for; absent until they are there
  std::optional<proof::Revalidation> revalidation;  // Validating, of this run's plan, made now
  std::map<std::string, Conclusion> rehearsals;     // dry runs, by pod uid

  // What is left of limits.maxEvictionsPerHour, all runs counted, this one too; absent: no limit.
  std::optional<std::int64_t> evictions_left = std::nullopt;
  // Evictions, by entry, that were last tried so lately that they must not be repeated yet. Known by a clock that does not jump:
  // `now` and the times in the journal may be of two clocks, or of one that was set meanwhile.
  std::set<std::uint32_t> resting = {};
};

}  // namespace tamp::run

// One step of a run: a pure function of the stored run and of what is seen now.
//
//   sight ─▶ advance ─▶ run' ─▶ (stored) ─▶ open entries of its journal are carried out ─▶ conclude ─▶ run'' ─▶ …
//
// REQUIRES of the caller: run' is stored before any entry is carried out; entries are carried out only while the write fence
// is open, each once at a time, beginning with a read of the object; what came of them is told with conclude(). Whoever takes a run over from
// another process calls resume() first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "proof/proof.h"
#include "run/run.h"
#include "run/sight.h"

namespace tamp::run {

struct Step {
  Run run;
  bool changed = false;     // differs from before: store it
  bool revalidate = false;  // wants Sight::revalidation at the next step
  std::vector<std::size_t>
      rehearse;  // moves whose eviction shall be tried with dryRun; answers in Sight::rehearsals
  Duration look_again = Duration::seconds(5);  // at the latest
  std::vector<std::string> remarks;            // for the log and the audit: what was seen that matters
};

Step advance(const Run& run, const Sight& sight);

// Tells what came of a journal entry.
void conclude(Run& run, std::uint32_t mutation, const Conclusion& conclusion, Time now);

// After a crash or a change of leaders: what was under way is unclear now.
void resume(Run& run);

// ---- approval

// What is known of the plan that is published now, and of other runs.
struct Desk {
  const proof::ConsolidationPlan* plan = nullptr;  // published now; null: none
  bool pressure_guards = true;                     // of its planner
  bool acts = true, paused = false;
  bool automatic = true;  // the policy approves by itself
  // Other runs: who used which hash, and who is at work.
  struct Other {
    std::string name, plan_hash;
    bool used = true;  // it was taken in: a run that was refused at the desk leaves its hash to others
    Time created;
    Phase phase = Phase::Approved;
    std::vector<std::string> victims, survivors;
  };
  std::vector<Other> others;
  std::optional<std::int64_t> evictions_left;  // of limits.maxEvictionsPerHour; absent: no limit
};
// Why the plan needs more evictions than so many; empty: they are enough.
std::string beyond_hour(const proof::ConsolidationPlan& plan, std::int64_t evictions_left);
// Takes an approval in: to Validating with the plan's moves copied, or to RolledBack with a reason (StalePlan, PlanExpired,
// AlreadyUsed, NotActing, NotAutomatic, Paused, AnotherRun, NoKarpenter, SeveralReplacements, EvictionLimit, TooLarge). `cluster` gives the uids.
// `status_bytes` tells how large the stored status of a run is.
using StatusBytes = std::size_t (*)(const Run& run);
void take_in(Run& run, const Desk& desk, const Cluster& cluster, StatusBytes status_bytes, Time now);

}  // namespace tamp::run

// A run: what was approved, how far it got, everything it did, and what its guards remember. This is all that there is to
// know: it is stored whole in ConsolidationRun.status after every step (run_document.h), and a new leader goes on from there.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/money.h"
#include "core/tier.h"
#include "core/time.h"
#include "proof/proof.h"
#include "run/journal.h"
#include "run/phase.h"

namespace tamp::run {

struct PhaseEntry {
  Phase phase = Phase::Approved;
  Time at;
  std::string reason;  // why it was entered; empty where the order of things is reason enough
  bool operator==(const PhaseEntry&) const = default;
};

struct Victim {
  std::string node, uid;
  std::string claim, claim_uid;  // of Karpenter; empty without
  bool was_cordoned = false;     // before us: it stays so after us
  bool reaped = false;
  bool operator==(const Victim&) const = default;
};

// A pod that leaves.
struct Departing {
  std::string ns, name, uid;
  Tier tier = Tier::Normal;
  std::string from, to;   // node names; `to` may be "replacement"
  std::string owner_uid;  // of its controller; empty without one
  bool foreign_owner =
      false;  // a controller of a kind that is not watched: how many pods it wants is not known
  // How many pods of its controller were ready right before it was evicted. As many must be ready again (or as many as its
  // controller then wants, if those are fewer) before the next of them goes.
  std::optional<std::int64_t> ready_before;
  std::optional<Time> left;      // seen to be gone
  std::optional<Time> replaced;  // its controller is whole again
  bool operator==(const Departing&) const = default;
};

struct Survivor {
  std::string node, uid;
  bool operator==(const Survivor&) const = default;
};

// The highest corrected pressure of a protected pod on a survivor, by resource.
struct PressurePeak {
  double cpu = 0, memory = 0, io = 0;
  bool operator==(const PressurePeak&) const = default;
};

// The highest answers to the user's own query (guards.run.prometheus), in its unit; absent: none was given, or not then.
struct ApplicationPeaks {
  std::optional<double> before, during, after;
  bool operator==(const ApplicationPeaks&) const = default;
};

// What the guards remember. Windows themselves are the agents'.
struct GuardMemory {
  std::map<std::string, PressurePeak> baseline;  // by survivor, before the first eviction
  PressurePeak before, during, after;            // worst of all survivors, for the record
  ApplicationPeaks application;                  // for the record, too
  std::optional<Time> last_eviction;             // when the newest was intended
  std::optional<Time> unreadable_since;          // telemetry, or the application's own signal
  std::optional<Time> distrusted_since;          // the watches
  std::map<std::string, Time>
      pending;            // pods without a node that came after the first eviction, by "namespace/name"
  std::string tripped;    // latched: the guard's name; no eviction ever follows
  std::string late_trip;  // after the nodes were gone: blocks further automatic runs
  bool operator==(const GuardMemory&) const = default;
};

struct Outcome {
  std::int64_t nodes_before = 0, nodes_after = 0;
  Money predicted_savings, achieved_savings;  // per hour
  std::int64_t evictions = 0;
  bool operator==(const Outcome&) const = default;
};

// Run::source of what the policy itself approved.
inline constexpr std::string_view kByPolicy = "policy";

struct Run {
  // ---- of the object
  std::string name, uid;
  std::string plan_hash, approved_by, source;
  Time approved_at;              // creation
  bool abort_requested = false;  // annotation temper.codes/abort: "true", or somebody deletes the run

  // ---- of its status
  Phase phase = Phase::Approved;
  std::string reason;  // one CamelCase word once it aborts or ends: "Completed", "GuardTripped", "Drifted", …
  std::string message;             // where it stands, for people
  std::vector<PhaseEntry> phases;  // in order, the present one last
  std::string
      plan_structure;  // of the plan that was taken in: by it any leader can hold the plan against the cluster
  Time plan_expires;
  bool pressure_guards = true;  // planner SLO; false: decided on requests alone, and the run says so
  std::vector<Victim> victims;
  std::vector<Survivor> survivors;
  std::optional<proof::PlannedReplacement> replacement;
  std::string claim, claim_uid, claim_node;  // of the replacement, as they become known
  std::vector<Departing> moves;              // in drain order
  Journal journal;
  GuardMemory guards;
  Outcome outcome;
  std::optional<Time> late_watch_until;  // Succeeded, and the guards still look
  std::string audit_head;  // the hash of an audit record that is stored, the newest that is known of
  bool operator==(const Run&) const = default;

  Time entered() const { return phases.empty() ? approved_at : phases.back().at; }  // the present phase
};

// Goes to a phase and says so. REQUIRES: may_follow.
void enter(Run& run, Phase phase, Time now, std::string reason = {}, std::string message = {});

// Nobody can approve the plan once more after this run: it was taken in, or is about to be. A run that was
// refused at the desk leaves the plan to others.
bool uses_up(const Run& run, std::string_view plan_hash);

}  // namespace tamp::run

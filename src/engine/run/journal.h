// What a run changes in the cluster, one entry for each change: the intent is stored before the change is tried, the
// result after it. Whoever reads the journal after a crash knows everything that may have been done.
//
// The journal alone cannot tell whether a change whose result is missing was made. The changed object can: whatever Tamp does to
// a node it writes down in the same patch, in the node's own note (marks.h), and an evicted pod is gone, going, or
// carries another uid. So carrying an entry out begins with reading its object, and doing so twice does no harm.
//
// Entries about one object are carried out one at a time, in the order of their ids: a release that overtakes a cordon would leave it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"

namespace tamp::run {

enum class MutationKind : std::uint8_t {
  Protect,       // a survivor: the protection annotations that it does not have
  Cordon,        // a victim: unschedulable, and out of external load balancers
  Evict,         // a pod: policy/v1 eviction with its uid
  Taint,         // a victim: temper.codes/consolidating:NoSchedule
  Uncordon,      // a victim whose taint is set: the cordon goes, the taint stays
  CreateClaim,   // the replacement, already protected
  DeleteClaim,   // reap.mode NodeClaim: a victim's claim; while aborting: an unused replacement
  Release,       // a node: whatever this run put on it, as far as it is still as we left it
  ReleaseClaim,  // the replacement's claim: its protection
  Leave,         // reap.mode None, a victim: as Release, but the cordon stays, as a person's would
};
std::string_view word(MutationKind kind);
std::optional<MutationKind> mutation_kind_of(std::string_view word);

enum class MutationState : std::uint8_t {
  Intended,  // stored, or about to be; carried out or not
  Unclear,   // was tried and nobody knows (no answer, or a crash): the cluster will tell
  Done,
  Blocked,  // refused for now, as by a budget (429); tried again at `not_before`
  Failed,   // will not be: gone, forbidden, another object of that name
};
std::string_view word(MutationState state);
std::optional<MutationState> mutation_state_of(std::string_view word);

struct Mutation {
  std::uint32_t id = 0;  // 1, 2, 3, … in the run
  MutationKind kind = MutationKind::Protect;
  std::string ns, name,
      uid;  // of the node, pod or claim. The uid of a claim that is yet to be created is empty
  MutationState state = MutationState::Intended;
  std::uint32_t attempts = 0;
  Time intended;                   // first
  std::optional<Time> tried;       // last; by the wall clock of whoever tried
  std::optional<Time> settled;     // Done or Failed
  std::optional<Time> not_before;  // Blocked, Unclear
  std::vector<std::string>
      added;  // what a Protect, Cordon or Taint really added: "karpenter.sh/do-not-disrupt", "cordon"
  std::string
      reason;  // of the last conclusion, one word: see Conclusion; "Withdrawn" when the run aborted first
  std::string message;  // why it failed or is blocked
  bool operator==(const Mutation&) const = default;

  bool open() const { return state == MutationState::Intended; }
  bool over() const { return state == MutationState::Done || state == MutationState::Failed; }
};

// What came of trying: from control/ to the machine.
struct Conclusion {
  MutationState state = MutationState::Unclear;
  // One word for Failed and Blocked that the machine acts on: "Gone", "OtherObject", "InUse", "Budget", "TwoBudgets",
  // "Throttled", "Denied", "Conflict", "Invalid", "Unreachable", "Fenced".
  std::string reason;
  std::string message;
  std::string uid;                 // of what was created
  std::vector<std::string> added;  // see Mutation
  std::optional<Duration> retry_after;
};

// After so many attempts: 5 s, doubled up to a minute.
Duration backoff(std::uint32_t attempts);

struct Journal {
  std::vector<Mutation> entries;  // in order of ids
  bool operator==(const Journal&) const = default;

  Mutation& intend(MutationKind kind, std::string ns, std::string name, std::string uid, Time now);
  Mutation* find(std::uint32_t id);
  // The newest about that object; null if there is none.
  const Mutation* last(MutationKind kind, std::string_view ns, std::string_view name) const;
  Mutation* last(MutationKind kind, std::string_view ns, std::string_view name);
  // The eviction of that very pod; null if there is none.
  const Mutation* eviction_of(std::string_view pod_uid) const;
  Mutation* eviction_of(std::string_view pod_uid);
};

}  // namespace tamp::run

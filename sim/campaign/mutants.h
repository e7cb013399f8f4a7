// Injected bugs. A simulation that finds nothing has proven something only if it finds these. Each is made at the border of the
// process, where a controller with that bug would send, omit or be told the same: the product has no hooks for them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/server.h"
#include "sim/campaign/recipe.h"
#include "sim/campaign/run_view.h"
#include "sim/campaign/wire.h"

namespace tamp::sim {

enum class Mutant : std::uint8_t {
  None,
  EvictWithoutUid,       // no precondition
  DeleteInsteadOfEvict,  // pods are deleted, past their budgets
  GraceOfOurOwn,         // gracePeriodSeconds: 0
  SkipDryRun,            // nobody asks the server whether it would allow the evictions
  SkipJournal,           // the intent is not stored before the deed
  ReleaseEarly,          // a survivor loses its protection while victims are drained
  RemoveForeignMark,     // release removes what others put there
  LiftForeignCordon,     // release uncordons what a person cordoned
  OverwriteForeignMark,  // protecting changes a value that was there
  EvictOutOfOrder,       // the last pod of the order goes first
  EvictAfterAbort,       // the latch does not hold
  RepeatEviction,        // a refused or accepted eviction is sent again at once
  ForgetRelease,         // nothing is taken back
  UncordonBeforeTaint,   // escalation in the wrong order
  IgnoreFence,           // writes on without the Lease
  BlindWatch,            // pods that come later are never seen: no revalidation would help
  ApproveByItself,       // under approval Manual
  UnknownIsZero,         // pressure that is not known is read as none
  ForgetProtection,      // survivors get two annotations of three
  SkipRevalidation,      // what happens after the plan was published is not looked at
};
inline constexpr std::size_t kMutants = static_cast<std::size_t>(Mutant::SkipRevalidation) + 1;

std::string_view name_of(Mutant mutant);
std::optional<Mutant> mutant_of(std::string_view name);

// Some bugs need an occasion: the recipe with one more trouble that brings it about.
Recipe with_occasion(Recipe recipe, Mutant mutant);
// What the mutant does to the requests of one process.
Wire::Tamper make_tamper(Mutant mutant, world::api::Server& server,
                         const std::map<std::string, RunView>& runs, const std::string& published);

}  // namespace tamp::sim

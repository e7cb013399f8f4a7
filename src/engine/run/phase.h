// Where a run is. The words are what ConsolidationRun.status.phase says.
//
//   Approved ─▶ Validating ─▶ (Launching) ─▶ Protecting ─▶ Cordoning ─▶ Draining ─▶ Settling ─▶ AwaitingReap ─▶ (Escalated) ─▶ Succeeded
//       └────────────┴──────────────┴─────────────┴────────────┴────────────┴───────────┴────────────┴──────────────┘
//                                         any doubt: Aborting ─▶ RolledBack
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tamp::run {

enum class Phase : std::uint8_t {
  Approved,      // somebody approved; nothing was looked at yet
  Validating,    // the plan is held against the cluster as it is now; nothing is changed
  Launching,     // the replacement is made, protected from its birth on
  Protecting,    // every survivor is kept from the autoscalers
  Cordoning,     // all victims
  Draining,      // evictions, tier by tier, under guards
  Settling,      // the last pod has left; the guards keep watching
  AwaitingReap,  // the empty nodes are the resident autoscaler's
  Escalated,     // the same, with a taint in place of the cordon
  Succeeded,     // the nodes are gone and nothing of ours is left
  Aborting,      // taking back, for as long as that needs
  RolledBack,    // nothing of ours is left; the nodes are as they were
};
inline constexpr std::size_t kPhases = 12;

std::string_view word(Phase phase);
std::optional<Phase> phase_of(std::string_view word);

constexpr bool over(Phase phase) { return phase == Phase::Succeeded || phase == Phase::RolledBack; }
// Changes of the cluster may have been made.
constexpr bool touched(Phase phase) { return phase > Phase::Validating; }
// Such a run holds up no other: it only waits for the autoscaler.
constexpr bool waits_for_reap(Phase phase) {
  return phase == Phase::AwaitingReap || phase == Phase::Escalated;
}
// May a run go from the one to the other? The table that the simulation checks against.
bool may_follow(Phase from, Phase to);

}  // namespace tamp::run

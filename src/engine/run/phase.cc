#include "run/phase.h"

#include <array>
#include <initializer_list>

namespace tamp::run {
namespace {

constexpr std::array<std::string_view, kPhases> kWords = {
    "Approved", "Validating",   "Launching", "Protecting", "Cordoning", "Draining",
    "Settling", "AwaitingReap", "Escalated", "Succeeded",  "Aborting",  "RolledBack"};

constexpr bool is_one_of(Phase phase, std::initializer_list<Phase> phases) {
  for (const Phase p : phases)
    if (p == phase) return true;
  return false;
}

}  // namespace

std::string_view word(Phase phase) { return kWords[static_cast<std::size_t>(phase)]; }

std::optional<Phase> phase_of(std::string_view word) {
  for (std::size_t i = 0; i < kPhases; ++i)
    if (kWords[i] == word) return static_cast<Phase>(i);
  return std::nullopt;
}

bool may_follow(Phase from, Phase to) {
  using enum Phase;
  switch (from) {
    // Nothing was changed yet, so there is nothing to take back.
    case Approved:
      return is_one_of(to, {Validating, RolledBack});
    case Validating:
      return is_one_of(to, {Launching, Protecting, RolledBack});
    case Launching:
      return is_one_of(to, {Protecting, Aborting});
    case Protecting:
      return is_one_of(to, {Cordoning, Aborting});
    case Cordoning:
      return is_one_of(to, {Draining, Aborting});
    case Draining:
      return is_one_of(to, {Settling, Aborting});
    // Straight to the end where the empty node is to be left: reap mode None.
    case Settling:
      return is_one_of(to, {AwaitingReap, Succeeded, Aborting});
    case AwaitingReap:
      return is_one_of(to, {Escalated, Succeeded, Aborting});
    case Escalated:
      return is_one_of(to, {Succeeded, Aborting});
    case Aborting:
      return to == RolledBack;
    case Succeeded:
    case RolledBack:
      return false;
  }
  return false;
}

}  // namespace tamp::run

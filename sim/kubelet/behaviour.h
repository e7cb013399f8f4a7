// How a simulated pod behaves. No program runs in it, so annotations of the namespace sim.tamp.dev/ say what its program would
// do; scenarios set them in pod templates. A time is a number of seconds ("2.5") or a duration ("1m30s"), or a range of two
// ("1..3", "500ms..2s") from which each pod draws its own.
//
//   start-seconds     from the node's first sight of the pod to its containers' start, pulls and init containers apart (1..3)
//   pull-seconds      to pull one image that the node does not have yet (0.5..5)
//   init-seconds      for each init container (0.5..2)
//   ready-after       from the start of the containers until they are ready (at once, or what the readiness probe says)
//   never-ready       "true": they never are
//   crash-after       after so long the first container ends with exit code 1
//   crash-times       ... but only so often; then it stays up
//   fail-after        as crash-after: the word for Jobs
//   run-seconds       after so long all containers have ended with exit code 0
//   pull-fails        "true": images cannot be pulled; a number: only so often
//   terminate-seconds from the request to stop until the containers have ended (0.2..1.5); the grace period cuts it short
//   never-terminates  "true": the containers cannot be killed, and the pod stays until it is deleted by force
//
// What cannot be read counts as not given.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/time.h"
#include "sim/api/dice.h"
#include "wire/tree.h"

namespace tamp::world {

inline constexpr std::string_view kBehaviourPrefix = "sim.tamp.dev/";

// From a shortest to a longest time.
struct TimeRange {
  Duration least, most;
  Duration draw(Dice& dice) const { return {dice.between(least.ns, most.ns)}; }
  bool operator==(const TimeRange&) const = default;
};
// "3", "2.5", "90s", "1..3", "500ms..2s". Nothing if it is none of these, negative or backwards.
std::optional<TimeRange> parse_time_range(std::string_view text);

struct Behaviour {
  TimeRange start = {Duration::seconds(1), Duration::seconds(3)};
  TimeRange pull = {{500'000'000}, Duration::seconds(5)};
  TimeRange init = {{500'000'000}, Duration::seconds(2)};
  TimeRange terminate = {{200'000'000}, {1'500'000'000}};
  std::optional<TimeRange> ready_after;
  std::optional<TimeRange> exit_after;  // of crash-after, fail-after and run-seconds, the one that counts
  bool exits_well = false;              // run-seconds
  std::int64_t exits = INT64_MAX;       // so often; then it stays up
  std::int64_t pull_failures = 0;       // so often
  bool never_ready = false, never_terminates = false;
};

// Of a pod or a template: from metadata.annotations.
Behaviour behaviour_of(const wire::Tree& pod);

}  // namespace tamp::world

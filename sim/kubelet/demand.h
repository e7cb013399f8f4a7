// How much cpu and memory a simulated pod would use if nobody were in its way: a function of time alone (and of a salt, which
// gives each pod its own chance), in whole numbers, so that it is the same on every machine. Annotations say which:
//
//   sim.tamp.dev/demand    "steady 300m"                          always
//                          "daily 100m..900m peak 14:00"          between the two over a day (UTC)
//                          "burst 200m 1500m every 10m for 30s"   each pod at its own moment; with "together" all at once
//                          "hog"                                  all that the machine has
//                          an amount may be a share of the request: "steady 60%"
//                          in front "shared": the pods of one owner divide it among them, as behind a load balancer
//                          at the end "noise 10%": up to so much more or less, changing every 5 s
//   sim.tamp.dev/memory    "300Mi", "60%" of the request, or "200Mi..900Mi every 2h": grows, then starts again
//   sim.tamp.dev/latency   "base 6ms": its p99 latency with nobody in its way
#pragma once

#include <cstdint>
#include <string_view>

#include "core/result.h"
#include "core/time.h"

namespace tamp::world {

inline constexpr std::int64_t kMicroCores = 1'000'000;  // one core

class Demand {
 public:
  // `request_millis` is what a percentage is of.
  static Result<Demand> parse(std::string_view text, std::int64_t request_millis);
  static Demand steady(std::int64_t micro_cores);

  // In millionths of a core. REQUIRES: cores > 0, what the machine has; sharers > 0.
  std::int64_t at(Time time, std::uint64_t salt, std::int64_t cores, std::int64_t sharers) const;
  bool is_shared() const { return shared_; }

 private:
  enum class Shape : std::uint8_t { Steady, Daily, Burst, Hog };
  Shape shape_ = Shape::Steady;
  bool shared_ = false, together_ = false;
  std::int64_t low_ = 0, high_ = 0;  // millionths of a core
  std::int64_t noise_ppm_ = 0;
  Duration every_, lasting_, peak_;  // peak: since midnight
};

class MemoryDemand {
 public:
  static Result<MemoryDemand> parse(std::string_view text, std::int64_t request_bytes);
  static MemoryDemand steady(std::int64_t bytes);
  // `since` is when the pod started.
  std::int64_t at(Time time, Time since) const;

 private:
  std::int64_t low_ = 0, high_ = 0;  // bytes
  Duration every_;
};

// "base 6ms"
Result<Duration> parse_latency(std::string_view text);

// A number that follows from a text or another number and looks like chance.
std::uint64_t salt_of(std::string_view text);
std::uint64_t mixed(std::uint64_t bits);

}  // namespace tamp::world

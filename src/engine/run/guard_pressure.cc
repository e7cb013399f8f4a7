// Does a protected pod on a survivor suffer? Its own cgroup is asked, never the node: where Background pods soak up what is idle, a
// healthy node looks saturated ("Automated node consolidation under an SLO guard").
//
// A minute that is high, ten seconds that are high as well and not lower than the minute: pressure that is there and stays. High is
// over the threshold, or far over what the same survivor showed before the run began.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/tier.h"
#include "run/guard.h"
#include "run/turn.h"

namespace tamp::run::guards {
namespace {

struct Reading {
  std::string_view resource;
  const Windowed& pressure;
  double limit;
  double PressurePeak::* peak;
};

std::array<Reading, 3> readings(const PodObservation& pod, const Limits& limits) {
  return {Reading{"cpu", pod.cpu_corrected, limits.pressure.cpu, &PressurePeak::cpu},
          Reading{"memory", pod.memory.some, limits.pressure.memory, &PressurePeak::memory},
          Reading{"io", pod.io.some, limits.pressure.io, &PressurePeak::io}};
}

// Protected pods that run on a survivor. One that does not run yet has nothing to be measured.
template <typename Visit>
void each_protected_pod(const Run& run, const Sight& sight, Visit visit) {
  const Cluster& cluster = sight.cluster;
  for (const Survivor& s : run.survivors) {
    const Node* const node = find_node(cluster, s.node, s.uid);
    if (node == nullptr) continue;
    const Observation* const seen = find_observation(sight.observations, s.node);
    for (const PodId id : node->pods) {
      const Pod& pod = cluster.pods[id.index()];
      if (!pod.active() || pod.phase != PodPhase::Running ||
          !is_protected(tier_of(pod, cluster.spec(pod), sight.settings.tiers)))
        continue;
      const PodObservation* measured = nullptr;
      if (seen != nullptr)
        for (const PodObservation& p : seen->pods)
          if (p.uid == cluster.text(pod.uid)) measured = &p;
      visit(s, pod, measured);
    }
  }
}

std::string problem_with_node(const Sight& sight, const std::string& node) {
  const Observation* const seen = find_observation(sight.observations, node);
  if (seen == nullptr) return fmt::format("survivor {} was not observed", node);
  const Duration limit = sight.limits.max_observation_age;
  const Duration age = sight.now - seen->at;
  if (age > limit)
    return fmt::format("the observation of survivor {} is older than {}", node, format_duration(limit));
  if (age < Duration{-limit.ns})
    return fmt::format("the observation of survivor {} is from the future", node);
  return "";
}

std::string problem_with_pod(const Limits& limits, const PodObservation* measured) {
  if (measured == nullptr) return "was not measured";
  if (measured->samples < limits.min_samples)
    return fmt::format("has fewer than {} samples", limits.min_samples);
  // An agent whose readings stand still goes on answering.
  if (!measured->age_s || *measured->age_s > limits.max_observation_age.to_seconds())
    return fmt::format("was not read within {}", format_duration(limits.max_observation_age));
  for (const Reading& r : readings(*measured, limits))
    if (!r.pressure.s10 || !r.pressure.s60) return fmt::format("has no {} pressure", r.resource);
  return "";
}

// Peaks are kept in thousandths and rise by steps, so that noise does not make the run be stored again and again.
void raise(double& peak, double value) {
  constexpr double kStep = 0.005;
  if (value > peak + kStep) peak = std::round(value * 1000) / 1000;
}

// What is seen in the moment of the first eviction is still what was before it.
bool before_evictions(const Run& run, Time now) {
  const std::optional<Time> first = first_eviction(run);
  return !first || now <= *first;
}

// That of these three which is about this part of the run.
template <typename T>
T& part_of_now(const Run& run, Time now, T& before, T& during, T& after) {
  if (before_evictions(run, now)) return before;
  return waits_for_reap(run.phase) || run.phase == Phase::Succeeded ? after : during;
}
PressurePeak& peak_of_now(Run& run, Time now) {
  return part_of_now(run, now, run.guards.before, run.guards.during, run.guards.after);
}

bool high(double value, double limit, double baseline, const Limits& limits) {
  return value > limit || (value > limits.over_baseline * baseline && value > limits.least_pressure);
}

}  // namespace

std::string unreadable(const Run& run, const Sight& sight) {
  if (!run.pressure_guards) return "";
  for (const Survivor& s : run.survivors) {
    // One that is gone has no telemetry; that it is gone is another guard's.
    if (find_node(sight.cluster, s.node, s.uid) == nullptr) continue;
    if (std::string problem = problem_with_node(sight, s.node); !problem.empty()) return problem;
  }
  std::string problem;
  each_protected_pod(run, sight, [&](const Survivor&, const Pod& pod, const PodObservation* measured) {
    if (!problem.empty()) return;
    if (const std::string what = problem_with_pod(sight.limits, measured); !what.empty())
      problem = fmt::format("pod {} {}", name_of(sight.cluster, pod), what);
  });
  return problem;
}

// In any unit, so the steps are relative.
void note_application(Run& run, const Sight& sight) {
  if (!sight.application || !sight.application->known) return;
  constexpr double kStep = 1.02;
  ApplicationPeaks& peaks = run.guards.application;
  std::optional<double>& peak = part_of_now(run, sight.now, peaks.before, peaks.during, peaks.after);
  const double value = sight.application->value;
  if (!std::isfinite(value)) return;
  if (!peak || (value > *peak && value > kStep * *peak)) peak = value;
}

Finding pressure(Run& run, const Sight& sight) {
  if (!run.pressure_guards) return std::nullopt;
  const Limits& limits = sight.limits;
  Finding worst;
  const bool before = before_evictions(run, sight.now);
  each_protected_pod(run, sight, [&](const Survivor& s, const Pod& pod, const PodObservation* measured) {
    if (measured == nullptr || !problem_with_node(sight, s.node).empty() ||
        !problem_with_pod(limits, measured).empty())
      return;
    for (const Reading& r : readings(*measured, limits)) {
      const double minute = *r.pressure.s60, ten_seconds = *r.pressure.s10;
      raise(peak_of_now(run, sight.now).*r.peak, minute);
      if (before) raise(run.guards.baseline[s.node].*r.peak, minute);
      const auto it = run.guards.baseline.find(s.node);
      // Without a baseline nothing is known to be usual.
      const double usual = it == run.guards.baseline.end() ? 0 : it->second.*r.peak;
      if (worst || !high(minute, r.limit, usual, limits) || !high(ten_seconds, r.limit, usual, limits) ||
          ten_seconds < minute)
        continue;
      worst = stop(
          "pressure", "PressureHigh",
          fmt::format("{} pressure of pod {} on {} is {:.3f} over 60s and {:.3f} over 10s; the limit is "
                      "{:.3f}, before the run it was {:.3f}",
                      r.resource, name_of(sight.cluster, pod), s.node, minute, ten_seconds, r.limit, usual));
    }
  });
  return worst;
}

}  // namespace tamp::run::guards

// What must hold for every fleet: less knowledge or more load never makes a plan.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "proof/prove_testing.h"

namespace tamp::proof {
namespace {

// Every measurement of an observation that a proof needs, one by one. Long maxima are not among them: one that is not known
// yet leaves the windows to count.
std::vector<std::optional<double>*> readings(PodObservation& p) {
  std::vector<std::optional<double>*> all;
  for (Windowed* w : {&p.cpu_usage, &p.cpu_corrected, &p.memory.some, &p.io.some})
    for (std::optional<double>* value : {&w->s10, &w->s60, &w->s300}) all.push_back(value);
  return all;
}

Fleet random_fleet() {
  Fleet fleet = Consolidable::make();
  // Around the thresholds, so that plans and refusals both come up.
  for (Observation& o : fleet.observations)
    for (PodObservation& p : o.pods) {
      if (*rc::gen::inRange(0, 4) != 0) continue;
      p.cpu_usage = same(*rc::gen::inRange(0, 30) / 10.0);
      p.cpu_corrected = same(*rc::gen::inRange(0, 12) / 100.0);
      p.memory.some = same(*rc::gen::inRange(0, 6) / 100.0);
      p.io.some = same(*rc::gen::inRange(0, 22) / 100.0);
      p.working_set = *rc::gen::inRange<std::int64_t>(0, 14) * test::kGi;
    }
  return fleet;
}

PodObservation& any_pod(Fleet& fleet) {
  Observation& o = fleet.observations[*rc::gen::inRange<std::size_t>(0, fleet.observations.size())];
  return o.pods[*rc::gen::inRange<std::size_t>(0, o.pods.size())];
}

bool allowed(const Fleet& fleet) { return fleet.refusals("c").empty(); }

RC_GTEST_PROP(Property, RemovingAMeasurementNeverTurnsARefusalIntoAPlan, ()) {
  Fleet fleet = random_fleet();
  const bool before = allowed(fleet);
  switch (*rc::gen::inRange(0, 4)) {
    case 0: {
      auto all = readings(any_pod(fleet));
      all[*rc::gen::inRange<std::size_t>(0, all.size())]->reset();
      break;
    }
    case 1:
      any_pod(fleet).working_set.reset();
      break;
    case 2:
      any_pod(fleet).samples = 0;
      break;
    default: {
      auto& all = fleet.observations;
      all.erase(all.begin() + *rc::gen::inRange<std::ptrdiff_t>(0, static_cast<std::ptrdiff_t>(all.size())));
    }
  }
  RC_ASSERT(before || !allowed(fleet));
}

RC_GTEST_PROP(Property, MorePressureOrUsageNeverTurnsARefusalIntoAPlan, ()) {
  Fleet fleet = random_fleet();
  const bool before = allowed(fleet);
  PodObservation& pod = any_pod(fleet);
  if (*rc::gen::arbitrary<bool>()) {
    auto all = readings(pod);
    auto& reading = *all[*rc::gen::inRange<std::size_t>(0, all.size())];
    reading = reading.value_or(0) + *rc::gen::inRange(0, 100) / 100.0;
  } else {
    pod.working_set = pod.working_set.value_or(0) + *rc::gen::inRange<std::int64_t>(0, 8) * test::kGi;
  }
  RC_ASSERT(before || !allowed(fleet));
}

RC_GTEST_PROP(Property, TheSameEvidenceGivesTheSameHash, ()) {
  Fleet fleet = random_fleet();
  const Proposal one = fleet.propose(), two = fleet.propose();
  RC_ASSERT(one.plan.has_value() == two.plan.has_value());
  if (one.plan) RC_ASSERT(one.plan->hash == two.plan->hash);
}

}  // namespace
}  // namespace tamp::proof

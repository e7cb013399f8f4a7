// One pass of the controller over the fleet of "Automated node consolidation under an SLO guard": three machines, a cache that must not
// suffer, filler and background. Given what was measured, expect what is published.
#include "controller/pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tamp::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Time kNow{1'794'700'800'000'000'000};

struct PodText {
  std::string name, node;
  std::int64_t cpu_millis;
  std::int32_t priority;
};

const std::vector<PodText> kPods = {{"memcached", "a", 1000, 1'000'000}, {"memtier", "b", 500, 100'000},
                                    {"filler-a", "a", 400, 1},           {"filler-b", "b", 400, 1},
                                    {"filler-c", "c", 200, 1},           {"background-c", "c", 10, -1000}};

std::string node_text(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"(","uid":"uid-)" + name +
         R"(","creationTimestamp":"2026-01-01T00:00:00Z","labels":{"eks.amazonaws.com/nodegroup":"g"}},"spec":{},"status":{)" +
         R"("capacity":{"cpu":"4","memory":"16Gi","pods":"110"},"allocatable":{"cpu":"4","memory":"16Gi","pods":"110"},)" +
         R"("conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
}

std::string pod_text(const PodText& pod) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + pod.name +
         R"(","namespace":"shop","uid":"uid-)" + pod.name +
         R"(","ownerReferences":[{"apiVersion":"apps/v1","kind":"ReplicaSet","name":")" + pod.name +
         R"(","uid":"o","controller":true}]},"spec":{"nodeName":")" + pod.node +
         R"(","priorityClassName":"c","priority":)" + std::to_string(pod.priority) +
         R"(,"containers":[{"name":"c","resources":{"requests":{"cpu":")" + std::to_string(pod.cpu_millis) +
         R"(m","memory":"256Mi"}}}]},"status":{"phase":"Running","startTime":"2026-01-01T00:00:00Z"}})";
}

std::vector<std::string> fleet_texts() {
  std::vector<std::string> texts = {
      R"({"apiVersion":"temper.codes/v1alpha1","kind":"TemperPolicy","metadata":{"name":"default"},"spec":{"disruption":{"consolidationSavingsThreshold":0,"budgets":[{"nodes":"1"}]}}})"};
  for (const char* node : {"a", "b", "c"}) texts.push_back(node_text(node));
  for (const PodText& pod : kPods) texts.push_back(pod_text(pod));
  return texts;
}

Observations calm() {
  Observations all;
  const Windowed none{0, 0, 0};
  for (const char* node : {"a", "b", "c"}) {
    Observation o;
    o.node = node;
    o.at = kNow - Duration::seconds(4);
    o.cores = 4;
    o.memory_bytes = std::int64_t{16} << 30;
    for (const PodText& pod : kPods) {
      if (pod.node != node) continue;
      PodObservation p;
      p.ns = "shop";
      p.name = pod.name;
      p.uid = "uid-" + pod.name;
      p.samples = 300;
      p.age_s = 1;
      const double usage = static_cast<double>(pod.cpu_millis) / 2000;
      p.cpu_usage = {usage, usage, usage};
      p.throttled = p.cpu.some = p.cpu.full = p.cpu_corrected = none;
      p.memory.some = p.memory.full = p.io.some = p.io.full = none;
      p.working_set = std::int64_t{128} << 20;
      o.pods.push_back(p);
    }
    std::sort(o.pods.begin(), o.pods.end(), [](const auto& x, const auto& y) { return x.name < y.name; });
    all.push_back(o);
  }
  return all;
}

struct Fleet {
  std::vector<std::string> texts = fleet_texts();
  Observations observations = calm();
  std::optional<proof::ConsolidationPlan> published;
  Time now = kNow;

  PassOutcome pass() const {
    std::string items;
    for (const std::string& text : texts) items += (items.empty() ? "" : ",") + text;
    wire::Inputs inputs;
    inputs.objects.push_back({"fleet", R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}"});
    auto reading = wire::read_snapshot(inputs);
    EXPECT_TRUE(reading.ok()) << reading.error().message;
    PassInput input;
    input.reading = std::move(*reading);
    input.now = now;
    input.observations = observations;
    input.requests_published = false;
    input.published = published;
    return run_pass(input);
  }
  PodObservation& measured(const std::string& name) {
    for (Observation& o : observations)
      for (PodObservation& pod : o.pods)
        if (pod.name == name) return pod;
    ADD_FAILURE() << name;
    return observations[0].pods[0];
  }
};

TEST(Pass, PublishesAProvenPlan) {
  const PassOutcome outcome = Fleet().pass();
  ASSERT_TRUE(outcome.plan.has_value()) << outcome.withheld_message;
  EXPECT_THAT(outcome.plan->victims, ElementsAre("c"));
  EXPECT_THAT(outcome.plan->survivors, ElementsAre("a", "b"));
  EXPECT_TRUE(outcome.plan->holds());
  EXPECT_EQ(outcome.plan->planner, "SLO");
}

TEST(Pass, WithoutAMeasurementThereIsNoPlan) {
  for (std::size_t lost = 0; lost < 3; ++lost) {
    Fleet fleet;
    const std::string node = fleet.observations[lost].node;
    fleet.observations.erase(fleet.observations.begin() + static_cast<std::ptrdiff_t>(lost));
    const PassOutcome outcome = fleet.pass();
    // A node that is neither victim nor survivor of another move may be unknown; of three nodes none is.
    EXPECT_FALSE(outcome.plan.has_value()) << node;
    EXPECT_EQ(outcome.withheld_reason, "NotProven");
    EXPECT_THAT(outcome.withheld_message, HasSubstr("measurements: node " + node + ": was not observed"));
  }
}

TEST(Pass, MorePressureOrUsageNeverMakesAPlan) {
  using Change = void (*)(PodObservation&);
  for (const Change worse : {Change([](PodObservation& p) { p.cpu_corrected.s60 = 0.5; }),
                             Change([](PodObservation& p) { p.memory.some.s300 = 0.5; }),
                             Change([](PodObservation& p) { p.io.some.s60 = 0.9; }),
                             Change([](PodObservation& p) { p.cpu_usage.s10 = 3.9; }),
                             Change([](PodObservation& p) { p.samples = 3; }),
                             Change([](PodObservation& p) { p.working_set.reset(); })}) {
    Fleet fleet;
    worse(fleet.measured("memcached"));
    EXPECT_FALSE(fleet.pass().plan.has_value());
  }
}

TEST(Pass, ThePublishedPlanStaysWhileOnlyMeasurementsMove) {
  Fleet fleet;
  fleet.published = fleet.pass().plan;
  ASSERT_TRUE(fleet.published.has_value());
  const std::string before = fleet.pass().status.plan;
  for (int i = 1; i <= 20; ++i) {
    fleet.measured("memcached").cpu_usage.s60 = 0.5 + 0.01 * i;
    fleet.now = kNow + Duration::seconds(10 * i);
    for (Observation& o : fleet.observations) o.at = fleet.now;
    EXPECT_EQ(fleet.pass().status.plan, before) << "byte for byte";
  }
}

TEST(Pass, AnyStructuralChangeMakesAnotherPlan) {
  Fleet fleet;
  fleet.published = fleet.pass().plan;
  ASSERT_TRUE(fleet.published.has_value());
  const auto changed = [&](std::size_t text, const std::string& from, const std::string& to) {
    Fleet other = fleet;
    const auto at = other.texts[text].find(from);
    EXPECT_NE(at, std::string::npos) << from;
    other.texts[text].replace(at, from.size(), to);
    const PassOutcome outcome = other.pass();
    return outcome.plan ? outcome.plan->hash : "none";
  };
  EXPECT_NE(changed(1, "\"labels\":{", "\"labels\":{\"x\":\"y\","), fleet.published->hash)
      << "a survivor's label";
  EXPECT_NE(changed(4, "\"cpu\":\"1000m\"", "\"cpu\":\"900m\""), fleet.published->hash) << "a survivor's pod";
  EXPECT_NE(changed(8, "uid-filler-c", "uid-other"), fleet.published->hash) << "a victim's pod";
  EXPECT_NE(changed(0, "\"spec\":{", "\"spec\":{\"minNodeLifetime\":\"1m\","), fleet.published->hash)
      << "the policy";
}

TEST(Pass, TheOrderOfObjectsIsNoChange) {
  Fleet fleet;
  const std::string hash = fleet.pass().plan->hash;
  std::reverse(fleet.texts.begin(), fleet.texts.end());
  EXPECT_EQ(fleet.pass().plan->hash, hash);
}

}  // namespace
}  // namespace tamp::controller

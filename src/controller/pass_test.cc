// One pass of the controller over the fleet of "Automated node consolidation under an SLO guard": three machines, a cache that must not
// suffer, filler and background. Given what was measured, expect what is published.
#include "controller/pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "situation/resolve_settings.h"

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
  FlagSettings flags;
  std::string instance_types;  // the catalogue; empty: none
  Time now = kNow;

  wire::Reading read() const {
    std::string items;
    for (const std::string& text : texts) items += (items.empty() ? "" : ",") + text;
    wire::Inputs inputs;
    inputs.objects.push_back({"fleet", R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}"});
    if (!instance_types.empty()) inputs.instance_types = wire::Input{"types", instance_types};
    auto reading = wire::read_snapshot(inputs);
    EXPECT_TRUE(reading.ok()) << reading.error().message;
    return std::move(*reading);
  }
  PassOutcome pass() const {
    PassInput input;
    input.reading = read();
    input.flags = flags;
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

// --- Several new nodes: for `tamp plan` to look at, never for a run.

std::string machine_text(const std::string& name, int cores, double price) {
  return R"({"name":")" + name +
         R"(","architecture":"amd64","operatingSystems":["linux"],"resources":{"cpu":")" +
         std::to_string(cores) + R"(","memory":"128Gi"},"offerings":[{"Price":)" + std::to_string(price) +
         R"(,"Available":true,"Requirements":[)" +
         R"({"key":"karpenter.sh/capacity-type","operator":"In","values":["on-demand"]},)" +
         R"({"key":"topology.kubernetes.io/zone","operator":"In","values":["z1"]}]}]})";
}

// A machine of 32 cores at $2 with 14 pods of one core each. Two of 8 cores at $0.40 would do; no single one that is cheaper.
Fleet half_empty_machine() {
  Fleet fleet;
  fleet.observations.clear();
  fleet.instance_types = "[" + machine_text("xl", 32, 2.00) + "," + machine_text("m", 8, 0.40) + "]";
  fleet.flags.max_replacements = Setting<std::int64_t>{2, SettingSource::Flag};
  fleet.texts = {
      R"({"apiVersion":"temper.codes/v1alpha1","kind":"TemperPolicy","metadata":{"name":"default"},"spec":{"planner":"Requests",)"
      R"("disruption":{"consolidationSavingsThreshold":0,"budgets":[{"nodes":"100%"}]}}})",
      R"({"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"general","uid":"uid-general"},)"
      R"("spec":{"template":{"spec":{"requirements":[{"key":"karpenter.sh/capacity-type","operator":"In","values":["on-demand"]}]}}}})",
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a","uid":"uid-a","creationTimestamp":"2026-01-01T00:00:00Z",)"
      R"("labels":{"karpenter.sh/nodepool":"general","karpenter.sh/registered":"true","karpenter.sh/initialized":"true",)"
      R"("karpenter.sh/capacity-type":"on-demand","node.kubernetes.io/instance-type":"xl",)"
      R"("topology.kubernetes.io/zone":"z1","kubernetes.io/arch":"amd64","kubernetes.io/os":"linux"}},"spec":{},)"
      R"("status":{"capacity":{"cpu":"32","memory":"128Gi","pods":"110"},)"
      R"("allocatable":{"cpu":"32","memory":"128Gi","pods":"110"},)"
      R"("conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})",
      R"({"apiVersion":"karpenter.sh/v1","kind":"NodeClaim","metadata":{"name":"general-a","uid":"uid-claim",)"
      R"("labels":{"karpenter.sh/nodepool":"general"}},"spec":{},"status":{"nodeName":"a",)"
      R"("conditions":[{"type":"Initialized","status":"True"},{"type":"Consolidatable","status":"True"}]}})"};
  for (int i = 0; i < 14; ++i) fleet.texts.push_back(pod_text({"web-" + std::to_string(i), "a", 1000, 1}));
  return fleet;
}

std::size_t replacements_of_what_if(const Fleet& fleet) {
  const wire::Reading reading = fleet.read();
  const Settings settings = situation::resolve_settings(reading.cluster, fleet.flags);
  const situation::Context context{reading.cluster, settings, fleet.now, std::nullopt, NodeId()};
  const search::Plan plan = search::make_plan(context, {});
  return plan.commands.empty() ? 0 : plan.commands.front().replacements.size();
}

TEST(Pass, PublishesNoPlanThatNeedsSeveralNewNodes) {
  const Fleet fleet = half_empty_machine();
  ASSERT_EQ(replacements_of_what_if(fleet), 2U);
  EXPECT_FALSE(fleet.pass().plan.has_value());
}

TEST(Pass, PublishesTheOneNewNodeWhereSeveralWouldSaveMore) {
  Fleet fleet = half_empty_machine();
  fleet.instance_types.insert(1, machine_text("l", 16, 0.90) + ",");
  ASSERT_EQ(replacements_of_what_if(fleet), 2U);
  const PassOutcome outcome = fleet.pass();
  ASSERT_TRUE(outcome.plan.has_value()) << outcome.withheld_message;
  ASSERT_EQ(outcome.plan->replacements.size(), 1U);
  EXPECT_THAT(outcome.plan->replacements[0].types, ElementsAre("l"));
}

}  // namespace
}  // namespace tamp::controller

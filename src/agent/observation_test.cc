#include "agent/observation.h"

#include <gtest/gtest.h>

#include "agent/tree_testing.h"
#include "wire/observation.h"
#include "wire/value.h"

namespace tamp::agent {
namespace {

using testing::cpu_stat;
using testing::pod;
using testing::pressure;
using testing::TempTree;
using wire::Value;

// There, and null: Value::get() does not tell that from absent.
bool is_null(Value object, std::string_view key) {
  for (const wire::Field field : object.fields())
    if (field.key == key) return field.value.kind() == Value::Kind::Null;
  return false;
}

class ObservationTest : public ::testing::Test {
 protected:
  void follow(std::vector<wire::NodePod> pods) { sampler_.follow(std::move(pods)); }
  void scan() {
    auto tree = CgroupTree::open(tree_.path());
    ASSERT_TRUE(tree);
    sampler_.scan(*tree);
  }
  void sample(Duration after = Duration::seconds(1)) {
    at_ = at_ + after;
    sampler_.sample(at_, true);
  }
  Snapshot snapshot() {
    Machine machine;
    machine.cores = 4;
    machine.memory_bytes = 1 << 30;
    machine.boot_id = "b0071d";
    OwnCost cost;
    cost.cpu_seconds = 0.25;
    cost.rss_bytes = 4096;
    return take_snapshot(sampler_, machine, cost, "node-1", {at_, Time{Duration::hours(1).ns}});
  }
  PodObservation first() { return snapshot().observation.pods.at(0); }

  TempTree tree_;
  Sampler sampler_{Duration::seconds(1)};
  Time at_{Duration::hours(5).ns};
};

TEST_F(ObservationTest, PressureOfAQuotaIsNotThatOfNeighbours) {
  follow({pod("a", "u")});
  tree_.make("podu");
  scan();
  for (std::uint64_t s = 0; s <= 10; ++s) {
    tree_.write("podu/cpu.stat", cpu_stat(0, s * 300'000));
    tree_.write("podu/cpu.pressure", pressure(s * 400'000));
    sample();
  }
  EXPECT_EQ(first().cpu.some.s10, 0.4);
  EXPECT_EQ(first().throttled.s10, 0.3);
  EXPECT_EQ(first().cpu_corrected.s10, 0.1);
}

TEST_F(ObservationTest, CorrectedPressureIsNeverBelowZeroNorThrottlingAboveOne) {
  follow({pod("a", "u")});
  tree_.make("podu");
  scan();
  for (std::uint64_t s = 0; s <= 10; ++s) {
    tree_.write("podu/cpu.stat", cpu_stat(0, s * 2'500'000));  // two and a half cores stood still
    tree_.write("podu/cpu.pressure", pressure(s * 900'000));
    sample();
  }
  EXPECT_EQ(first().throttled.s10, 1.0);
  EXPECT_EQ(first().cpu_corrected.s10, 0.0);
}

TEST_F(ObservationTest, WithoutThrottlingThereIsNoCorrection) {
  follow({pod("a", "u"), pod("b", "v")});
  tree_.write("podu/cpu.pressure", pressure(0));
  tree_.write("podv/cpu.pressure", pressure(0));
  tree_.write("podv/cpu.stat", "usage_usec 1\n");
  scan();
  for (int s = 0; s <= 10; ++s) sample();
  EXPECT_EQ(first().cpu.some.s10, 0.0);
  EXPECT_EQ(first().cpu_corrected.s10, std::nullopt) << "whether it was throttled is not known";
  const auto second = snapshot().observation.pods.at(1);
  EXPECT_EQ(second.throttled.s10, std::nullopt);
  EXPECT_EQ(second.cpu_corrected.s10, 0.0) << "no controller, no quota";
}

TEST_F(ObservationTest, ACgroupWithoutProcessesTellsNothingOfItsPod) {
  follow({pod("a", "u")});
  tree_.write("podu/cpu.stat", cpu_stat(0));
  tree_.write("podu/cpu.pressure", pressure(0));
  tree_.write("podu/cgroup.events", "populated 0\nfrozen 0\n");
  scan();
  for (int s = 0; s <= 10; ++s) sample();
  EXPECT_EQ(first().cpu.some.s10, std::nullopt);
  EXPECT_EQ(first().samples, 0);
  EXPECT_FALSE(snapshot().pods.at(0).found);
}

TEST_F(ObservationTest, AgesGrowWhenNobodyReads) {
  follow({pod("a", "u")});
  tree_.write("podu/cpu.stat", cpu_stat(0));
  EXPECT_EQ(first().age_s, std::nullopt);
  scan();
  sample();
  EXPECT_EQ(first().age_s, 0.0);
  at_ = at_ + Duration::seconds(30);
  EXPECT_EQ(first().age_s, 30.0);
}

TEST_F(ObservationTest, MaximaAreOfTheShortestWindow) {
  follow({pod("a", "u")});
  tree_.make("podu");
  scan();
  std::uint64_t used = 0;
  for (int s = 0; s < 400; ++s) {
    used += s >= 200 && s < 210 ? 3'000'000 : 500'000;
    tree_.write("podu/cpu.stat", cpu_stat(used));
    sample();
  }
  EXPECT_EQ(first().cpu_max.m5, 3.0);
  EXPECT_EQ(first().cpu_usage.s10, 0.5);
  EXPECT_EQ(first().cpu_max.h1, std::nullopt);
}

TEST_F(ObservationTest, TiersAddUpRequestsAndUsage) {
  auto a = pod("a", "u", Tier::Critical), b = pod("b", "v", Tier::Critical), c = pod("c", "w", Tier::Low);
  a.cpu_millis = 500;
  b.cpu_millis = 700;
  b.memory_bytes = 10;
  follow({a, b, c});
  for (const char* name : {"podu", "podv"}) tree_.make(name);
  scan();
  for (std::uint64_t s = 0; s <= 10; ++s) {
    tree_.write("podu/cpu.stat", cpu_stat(s * 250'000));
    tree_.write("podv/cpu.stat", cpu_stat(s * 500'000));
    sample();
  }
  const Snapshot s = snapshot();
  ASSERT_EQ(s.observation.tiers.size(), 5u);
  EXPECT_EQ(s.observation.tiers[0].tier, "Critical");
  EXPECT_EQ(s.observation.tiers[0].pods, 2);
  EXPECT_EQ(s.observation.tiers[0].cpu_millis, 1200);
  EXPECT_EQ(s.observation.tiers[0].memory_bytes, 10);
  EXPECT_EQ(s.tiers[0].cpu_usage.s10, 0.75);
  EXPECT_EQ(s.observation.tiers[1].pods, 0);
  EXPECT_EQ(s.observation.tiers[3].pods, 1);
  EXPECT_EQ(s.tiers[3].cpu_usage.s10, std::nullopt) << "its only pod is not known";
  RequestsByTier published{};
  published[0] = {.pods = 2, .cpu_millis = 1200, .memory_bytes = 10};
  published[3] = {.pods = 1};
  EXPECT_EQ(requests_of(s.observation), published);
}

TEST_F(ObservationTest, TheDocumentReadsBackAsWhatWasObserved) {
  follow({pod("a", "u", Tier::Critical), pod("b", "v")});
  tree_.make("podu");
  scan();
  for (std::uint64_t s = 0; s <= 70; ++s) {
    tree_.write("podu/cpu.stat", cpu_stat(s * 333'333, s * 1234));
    tree_.write("podu/cpu.pressure", pressure(s * 98'765, s * 4321));
    tree_.write("podu/memory.current", "100\n");
    tree_.write("podu/memory.stat", "inactive_file 40\n");
    tree_.write("podu/memory.max", "200\n");
    sample();
  }
  const Snapshot taken = snapshot();
  for (const auto style : {JsonWriter::Style::Pretty, JsonWriter::Style::Compact}) {
    const auto read = wire::read_observation(write_observation(taken, style));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(*read, taken.observation);
  }
}

TEST_F(ObservationTest, TheDocumentHasEveryKeyAndNullForWhatIsNotKnown) {
  follow({pod("a", "u", Tier::High)});
  tree_.write("podu/cpu.stat", cpu_stat(0));
  tree_.write("podu/memory.current", "100\n");
  tree_.write("podu/memory.stat", "inactive_file 40\n");
  tree_.write("podu/memory.max", "max\n");
  scan();
  for (int s = 0; s <= 10; ++s) sample();
  const auto json = wire::Json::parse(write_observation(snapshot()));
  ASSERT_TRUE(json);
  const Value root = json->root();
  EXPECT_EQ(root.get("node").string(), "node-1");
  EXPECT_EQ(root.get("at").string(), "1970-01-01T01:00:00Z");
  EXPECT_EQ(root.get("bootId").string(), "b0071d");
  EXPECT_EQ(root.get("machine").get("cores").integer(), 4);
  EXPECT_EQ(root.get("machine").get("memoryBytes").integer(), 1 << 30);
  EXPECT_TRUE(root.get("agent").get("version").string());
  EXPECT_EQ(root.get("agent").get("cpuSeconds").number(), 0.25);
  EXPECT_EQ(root.get("agent").get("rssBytes").integer(), 4096);
  const Value seen = *root.get("pods").elements().begin();
  EXPECT_EQ(seen.get("namespace").string(), "ns");
  EXPECT_EQ(seen.get("uid").string(), "u");
  EXPECT_EQ(seen.get("tier").string(), "High");
  EXPECT_EQ(seen.get("samples").integer(), 11);
  EXPECT_EQ(seen.get("ageSeconds").number(), 0.0);
  EXPECT_EQ(seen.get("memory").get("workingSetBytes").integer(), 60);
  EXPECT_EQ(seen.get("memory").get("limited").boolean(), false);
  EXPECT_TRUE(is_null(seen.get("memory"), "limitBytes"));
  const Value cpu = seen.get("cpu");
  EXPECT_EQ(cpu.get("usageCores").get("10s").number(), 0.0);
  for (const Value w : {cpu.get("usageCores"), cpu.get("throttledShare")}) {
    EXPECT_TRUE(is_null(w, "60s"));
    EXPECT_TRUE(is_null(w, "300s"));
  }
  for (const char* span : {"5m", "1h", "24h"}) EXPECT_TRUE(is_null(cpu.get("usageCoresMax"), span)) << span;
  for (const char* kind : {"some", "full", "corrected"})
    EXPECT_TRUE(is_null(cpu.get("pressure").get(kind), "10s")) << kind;
  for (const char* resource : {"memory", "io"})
    for (const char* kind : {"some", "full"})
      for (const char* window : {"10s", "60s", "300s"})
        EXPECT_TRUE(is_null(seen.get(resource).get("pressure").get(kind), window))
            << resource << kind << window;
}

}  // namespace
}  // namespace tamp::agent

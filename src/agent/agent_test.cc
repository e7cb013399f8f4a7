#include "agent/agent.h"

#include <gtest/gtest.h>

#include "agent/tree_testing.h"
#include "wire/value.h"

namespace tamp::agent {
namespace {

using testing::cpu_stat;
using testing::pod;
using testing::pressure;
using testing::TempTree;

wire::NodePod pod_on(const std::string& name, const std::string& node) {
  auto p = pod(name, "uid-" + name);
  p.node = node;
  return p;
}

TEST(NameOfNode, IsGivenOrThePodsOrTheHosts) {
  EXPECT_EQ(*name_of_node("given", {pod_on("p", "other")}, "host"), "given");
  EXPECT_EQ(*name_of_node("", {pod_on("p", "other"), pod_on("q", "other")}, "host"), "other");
  EXPECT_EQ(*name_of_node("", {pod_on("p", "other"), pod_on("q", "host")}, "host"), "host");
  EXPECT_EQ(*name_of_node("", {pod_on("p", "")}, "host"), "host");
  EXPECT_EQ(*name_of_node("", {}, "host"), "host");
}

TEST(NameOfNode, IsNotGuessed) {
  const auto name = name_of_node("", {pod_on("p", "a"), pod_on("q", "b")}, "host");
  ASSERT_FALSE(name);
  EXPECT_EQ(name.error().message,
            "the pods are on 2 nodes (\"a\", \"b\", …) and this machine is \"host\": --node-name must say "
            "which it is");
}

// A clock that moves only when somebody sleeps, and what happens then.
struct FakeClock {
  Time now{Duration::hours(3).ns};
  std::function<void(Time)> as_time_goes_by = [](Time) {};
  int sleeps = 0;

  Clock clock() {
    return {[this] { return now; }, [] { return Time{Duration::hours(24).ns}; },
            [this](Time until) {
              ++sleeps;
              now = until;
              as_time_goes_by(now);
            }};
  }
};

class AgentTest : public ::testing::Test {
 protected:
  AgentTest() {
    tree_.write("proc/sys/kernel/random/boot_id", "first\n");
    tree_.write("proc/sys/kernel/hostname", "node\n");
    tree_.write("cgroup/kubepods/podu/cpu.stat", cpu_stat(0));
    tree_.write("cgroup/kubepods/podu/cpu.pressure", pressure(0));
  }
  Agent start(std::vector<wire::NodePod> pods) {
    AgentOptions options;
    options.cgroup_root = tree_.path("cgroup");
    options.kernel = {tree_.path("proc"), tree_.path("sys")};
    auto agent = Agent::start(options, std::move(pods));
    if (!agent) throw std::runtime_error(agent.error().message);
    return std::move(agent).value();
  }
  Snapshot seen(Agent& agent) { return agent.snapshot({clock_.now, Time()}); }
  PodObservation first(Agent& agent) { return seen(agent).observation.pods.at(0); }
  void run(Agent& agent, int seconds) {
    for (int i = 0; i < seconds; ++i) {
      agent.tick(clock_.now);
      clock_.now = clock_.now + Duration::seconds(1);
    }
  }

  TempTree tree_;
  FakeClock clock_;
};

TEST_F(AgentTest, ObservesFromTheFirstToTheLastSecond) {
  Agent agent = start({pod("a", "u")});
  const Time begin = clock_.now;
  clock_.as_time_goes_by = [&](Time now) {
    const auto us = static_cast<std::uint64_t>((now - begin).ns / 1000);
    tree_.write("cgroup/kubepods/podu/cpu.stat", cpu_stat(us / 2));
    tree_.write("cgroup/kubepods/podu/cpu.pressure", pressure(us / 4));
  };
  const auto json =
      wire::Json::parse(observe(agent, Duration::seconds(10), Duration::seconds(1), clock_.clock()));
  ASSERT_TRUE(json);
  EXPECT_EQ(clock_.sleeps, 10);
  const wire::Value seen = *json->root().get("pods").elements().begin();
  EXPECT_EQ(seen.get("samples").integer(), 11);
  EXPECT_EQ(seen.get("cpu").get("usageCores").get("10s").number(), 0.5);
  EXPECT_EQ(seen.get("cpu").get("pressure").get("some").get("10s").number(), 0.25);
  EXPECT_EQ(seen.get("cpu").get("pressure").get("corrected").get("10s").number(), 0.25);
  EXPECT_FALSE(seen.get("cpu").get("usageCores").get("60s").present());
}

TEST_F(AgentTest, ObservesOnceIfThereIsNoTime) {
  Agent agent = start({pod("a", "u")});
  const auto json = wire::Json::parse(observe(agent, Duration(), Duration::seconds(1), clock_.clock()));
  ASSERT_TRUE(json);
  EXPECT_EQ(clock_.sleeps, 0);
  EXPECT_EQ((*json->root().get("pods").elements().begin()).get("samples").integer(), 1);
}

TEST_F(AgentTest, DoesNotMakeUpForReadingsThatItSleptThrough) {
  Agent agent = start({pod("a", "u")});
  bool stalled = false;
  clock_.as_time_goes_by = [&](Time) {
    if (!std::exchange(stalled, true)) clock_.now = clock_.now + Duration::seconds(5);
  };
  observe(agent, Duration::seconds(10), Duration::seconds(1), clock_.clock());
  EXPECT_EQ(first(agent).samples, 6) << "at 0, 6, 7, 8, 9 and 10 s";
  EXPECT_EQ(seen(agent).pods.at(0).gaps, 1u);
}

TEST_F(AgentTest, LeavesOutPodsOfOtherNodes) {
  auto other = pod("b", "v");
  other.node = "elsewhere";
  Agent agent = start({pod("a", "u"), other});
  EXPECT_EQ(agent.node(), "node");
  EXPECT_EQ(seen(agent).observation.pods.size(), 1u);
}

TEST_F(AgentTest, KnowsItsNodeByThePodsThatAreHere) {
  auto here = pod("a", "u"), elsewhere = pod("b", "v");
  here.node = "n1";
  elsewhere.node = "n2";
  Agent agent = start({here, elsewhere});
  EXPECT_EQ(agent.node(), "n1");
  ASSERT_EQ(seen(agent).observation.pods.size(), 1u);
  EXPECT_EQ(first(agent).name, "a");
}

TEST_F(AgentTest, FindsAPodThatComesLater) {
  Agent agent = start({pod("b", "v")});
  run(agent, 3);
  tree_.write("cgroup/kubepods/podv/cpu.stat", cpu_stat(0));
  run(agent, 10);
  EXPECT_GE(first(agent).samples, 2);
}

TEST_F(AgentTest, AnotherBootBeginsAnew) {
  Agent agent = start({pod("a", "u")});
  run(agent, 15);
  EXPECT_EQ(first(agent).cpu_usage.s10, 0.0);
  tree_.write("proc/sys/kernel/random/boot_id", "second\n");
  run(agent, 10);
  const Snapshot snapshot = agent.snapshot({clock_.now, Time()});
  EXPECT_EQ(snapshot.observation.boot_id, "second");
  EXPECT_EQ(snapshot.pods[0].resets, 1u);
  EXPECT_LE(snapshot.observation.pods[0].samples, 6);
}

TEST_F(AgentTest, AfterARestartNothingIsKnownYet) {
  Agent agent = start({pod("a", "u")});
  run(agent, 400);
  EXPECT_EQ(first(agent).cpu_usage.s300, 0.0);
  Agent again = start({pod("a", "u")});
  run(again, 5);
  EXPECT_EQ(first(again).cpu_usage.s10, std::nullopt);
  EXPECT_EQ(first(again).cpu.some.s10, std::nullopt);
}

}  // namespace
}  // namespace tamp::agent

// Courses of events on random clusters with every constraint that the scheduler knows.
#include "proof/other_placements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "proof/prove_testing.h"
#include "support/random_cluster.h"

namespace tamp::proof {
namespace {

// The answers to every question that can be asked of the simulation.
std::string state_of(const Cluster& cluster, const fit::Simulation& simulation) {
  std::string out;
  for (std::size_t n = 0; n < cluster.nodes.size(); ++n) {
    const fit::SiteId site = simulation.index().site_of(NodeId(n));
    out += std::to_string(simulation.room().free(site, kCpu)) + "/" +
           std::to_string(simulation.room().free(site, kMemory)) + ":";
    for (std::size_t p = 0; p < cluster.pods.size(); ++p)
      if (cluster.pods[p].active()) out += simulation.filter(PodId(p), site);
    out += "\n";
  }
  return out;
}

test::RandomShape with_priorities() {
  test::RandomShape shape;
  shape.priorities = 0.8;
  return shape;
}

TEST(OtherPlacements, LeaveTheSimulationAsItWas) {
  std::size_t courses = 0, preemptions = 0, homeless = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    test::RandomCluster random(seed, with_priorities());
    const Cluster cluster = random.build();
    const Settings settings = test::settings_for(cluster);
    const situation::Context context{cluster, settings, test::kNow, std::nullopt, NodeId()};
    const Observations none;
    SchedulerView view(context);
    fit::Simulation& simulation = view.simulation();
    const Motion motion =
        examine({context, none}, view, {{NodeId(seed % cluster.nodes.size())}, nullptr, "none"});
    const std::string untouched = state_of(cluster, simulation);
    {
      const Departure departure(simulation, cluster, motion.intent.victims);
      const std::string before = state_of(cluster, simulation);
      OtherPlacements others(motion, simulation);
      for (int i = 0; i < 6; ++i) {
        const Course course =
            others.play(others.seekers(), static_cast<Taste>(i % 3), static_cast<std::uint64_t>(i));
        ASSERT_EQ(state_of(cluster, simulation), before) << "seed " << seed;
        ++courses;
        preemptions += course.preempted.size();
        homeless += course.homeless.size();
      }
    }
    ASSERT_EQ(state_of(cluster, simulation), untouched) << "seed " << seed;
  }
  // Rare turns were taken.
  EXPECT_EQ(courses, 360u);
  EXPECT_GT(preemptions, 20u);
  EXPECT_GT(homeless, 20u);
}

TEST(OtherPlacements, AreTheSameForTheSameSeed) {
  const Fleet fleet = Consolidable::make();
  const situation::Context context = fleet.context();
  SchedulerView view(context);
  fit::Simulation& simulation = view.simulation();
  const Motion motion =
      examine(fleet.evidence(context), view, {{fleet.cluster.find_node("c")}, nullptr, "none"});
  const Departure departure(simulation, fleet.cluster, motion.intent.victims);
  OtherPlacements others(motion, simulation);
  const Course one = others.play(motion.moved, Taste::Random, 7),
               two = others.play(motion.moved, Taste::Random, 7);
  EXPECT_TRUE(one.homeless.empty());
  EXPECT_EQ(one.preempted, two.preempted);
}

// ---- courses that can be followed by hand

using ::testing::ElementsAre;

struct Ending {
  std::vector<std::string> homeless, preempted;
};

// Node c goes, and its pods come back in this order. All nodes have 4 cores.
struct Stage {
  test::ClusterBuilder b;

  Stage() {
    b.pool("default");
    node("c");
  }
  test::NodeBuilder& node(std::string_view name) { return b.node(name).cpu(4000).memory_gi(16); }
  test::PodBuilder& pod(std::string_view name, std::string_view node, std::int64_t cpu,
                        std::int32_t priority = 0) {
    return b.pod(name).on(node).cpu(cpu).memory_mi(64).priority(priority);
  }
  Ending play(const std::vector<std::string_view>& order, Taste taste, std::uint64_t seed = 0) const {
    const Fleet fleet(b);
    const situation::Context context = fleet.context();
    SchedulerView view(context);
    const Motion motion =
        examine(fleet.evidence(context), view, {{fleet.cluster.find_node("c")}, nullptr, "none"});
    const fit::Index index(fleet.cluster, fit::Options{});
    fit::Simulation simulation(index, {});
    const Departure departure(simulation, fleet.cluster, motion.intent.victims);
    OtherPlacements others(motion, simulation);
    std::vector<PodId> pods;
    for (const std::string_view name : order) pods.push_back(fleet.cluster.find_pod("default", name));
    const Course course = others.play(pods, taste, seed);
    const auto names = [&](const std::vector<PodId>& all) {
      std::vector<std::string> out;
      for (const PodId p : all) out.emplace_back(fleet.cluster.text(fleet.cluster.pods[p.index()].name));
      return out;
    };
    return {names(course.homeless), names(course.preempted)};
  }
};

TEST(Taste, DecidesWhichRoomIsLeftForOthers) {
  Stage stage;
  stage.node("a");
  stage.node("b");
  stage.pod("resident", "a", 3000);
  stage.pod("small", "c", 1000);
  stage.pod("big", "c", 4000);
  EXPECT_THAT(stage.play({"small", "big"}, Taste::Emptiest).homeless, ElementsAre("big"))
      << "small went to b";
  EXPECT_THAT(stage.play({"small", "big"}, Taste::Fullest).homeless, ElementsAre()) << "small went to a";
  EXPECT_THAT(stage.play({"big", "small"}, Taste::Emptiest).homeless, ElementsAre());
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    refused += stage.play({"small", "big"}, Taste::Random, seed).homeless.empty() ? 0 : 1;
  EXPECT_GT(refused, 5);
  EXPECT_LT(refused, 35);
}

TEST(Taste, LooksAtMemoryWhereCpuIsEqual) {
  Stage stage;
  stage.node("a").memory_gi(8);
  stage.node("b");
  stage.pod("small", "c", 100);
  stage.pod("big", "c", 4000).memory_gi(16);
  EXPECT_THAT(stage.play({"small", "big"}, Taste::Emptiest).homeless, ElementsAre("big"));
  EXPECT_THAT(stage.play({"small", "big"}, Taste::Fullest).homeless, ElementsAre());
}

TEST(Preemption, PushesOutTheLeastImportantPodsThatDoNotFitAnyMore) {
  Stage stage;
  stage.node("a");
  stage.pod("one", "a", 1000, 1);
  stage.pod("two", "a", 500, 2);
  stage.pod("three", "a", 1000, 3);
  stage.pod("static", "a", 500, 0).mirror();
  stage.b.daemon_set("agent").on("a").cpu(500).memory_mi(64).priority(0);
  stage.pod("important", "c", 2000, 100);
  // 2000m come. Of what was there the static pod stays, and three and two come back.
  const Ending ending = stage.play({"important"}, Taste::Emptiest);
  EXPECT_THAT(ending.homeless, ElementsAre("agent-a", "one"));
  EXPECT_THAT(ending.preempted, ElementsAre("one", "agent-a"));
}

// One that has lost its place already has none to lose.
TEST(Preemption, PushesOutNobodyTwice) {
  Stage stage;
  stage.node("a");
  stage.pod("lesser-1", "a", 2000, 1);
  stage.pod("lesser-2", "a", 2000, 2);
  stage.pod("first", "c", 2000, 100);
  stage.pod("second", "c", 2000, 100);
  const Ending ending = stage.play({"first", "second"}, Taste::Emptiest);
  EXPECT_THAT(ending.preempted, ElementsAre("lesser-1", "lesser-2"));
  EXPECT_THAT(ending.homeless, ElementsAre("lesser-1", "lesser-2"));
}

TEST(Preemption, NeedsALowerPriority) {
  for (const auto& [resident, pushed_out] : {std::pair{100, false}, {101, false}, {99, true}}) {
    Stage stage;
    stage.node("a");
    stage.pod("resident", "a", 4000, resident);
    stage.pod("important", "c", 1000, 100);
    const Ending ending = stage.play({"important"}, Taste::Emptiest);
    EXPECT_THAT(ending.homeless, ElementsAre(pushed_out ? "resident" : "important")) << resident;
    EXPECT_EQ(ending.preempted.size(), pushed_out ? 1U : 0U) << resident;
  }
}

TEST(Preemption, NeverPushesOutAStaticPodAndNeverForADaemon) {
  Stage stage;
  stage.node("a");
  stage.pod("static", "a", 4000, 0).mirror();
  stage.pod("important", "c", 1000, 100);
  EXPECT_THAT(stage.play({"important"}, Taste::Emptiest).homeless, ElementsAre("important"));
}

// A DaemonSet's pod comes back to its own node or not at all, whatever it could push out elsewhere.
TEST(Preemption, IsNotDoneForADaemonThatWasPushedOut) {
  Stage stage;
  stage.node("a");
  stage.node("b");
  stage.b.daemon_set("agent").on("a").cpu(1000).memory_mi(64).priority(50);
  stage.pod("lesser", "a", 500, 10);
  stage.pod("least", "b", 4000, 0);
  stage.pod("important", "c", 3500, 100).node_selector(test::kHostname, "a");
  const Ending ending = stage.play({"important"}, Taste::Emptiest);
  EXPECT_THAT(ending.homeless, ElementsAre("agent-a")) << "least stays on b";
  EXPECT_THAT(ending.preempted, ElementsAre("agent-a"));
}

TEST(Preemption, IsNotNeededWhereThereIsRoom) {
  Stage stage;
  stage.node("a");
  stage.pod("resident", "a", 3000, 0);
  stage.pod("important", "c", 1000, 100);
  EXPECT_THAT(stage.play({"important"}, Taste::Emptiest).preempted, ElementsAre());
}

TEST(Preemption, IsPassedOverWhereItWouldNotHelp) {
  Stage stage;
  stage.node("a");
  stage.node("b");
  stage.pod("lesser-a", "a", 1000, 0);
  stage.pod("equal-a", "a", 3000, 100);
  stage.pod("lesser-b", "b", 3500, 0);
  stage.pod("important", "c", 2000, 100);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Ending ending = stage.play({"important"}, Taste::Emptiest, seed);
    EXPECT_THAT(ending.preempted, ElementsAre("lesser-b")) << "only b has enough to give";
    EXPECT_THAT(ending.homeless, ElementsAre("lesser-b"));
  }
}

// What came a moment ago may be pushed out again, and finds another place if there is one.
TEST(Preemption, AlsoPushesOutWhatCame) {
  Stage stage;
  stage.node("a");
  stage.pod("lesser", "c", 3000, 0);
  stage.pod("important", "c", 3000, 100);
  Ending ending = stage.play({"lesser", "important"}, Taste::Emptiest);
  EXPECT_THAT(ending.preempted, ElementsAre("lesser"));
  EXPECT_THAT(ending.homeless, ElementsAre("lesser"));
  EXPECT_THAT(stage.play({"important", "lesser"}, Taste::Emptiest).preempted, ElementsAre());
  stage.node("b").label("disk", "ssd");
  stage.pod("picky", "c", 3000, 50).node_selector("disk", "ssd");
  ending = stage.play({"lesser", "picky"}, Taste::Emptiest);
  EXPECT_THAT(ending.homeless, ElementsAre());
}

// A pod whose affinity asks for company waits until the company is there.
TEST(Waiting, EndsWhenTheCompanyHasCome) {
  Stage stage;
  stage.node("a");
  stage.pod("leader", "c", 1000, 100);
  stage.pod("follower", "c", 1000, 100).affinity("app", "leader", test::kHostname);
  EXPECT_THAT(stage.play({"follower", "leader"}, Taste::Emptiest).homeless, ElementsAre());
  EXPECT_THAT(stage.play({"follower"}, Taste::Emptiest).homeless, ElementsAre("follower"));
}

TEST(Waiting, EndsAlsoWhenTheCompanyHadToMakeRoomForItself) {
  Stage stage;
  stage.node("a");
  stage.pod("lesser", "a", 3000, 0);
  stage.pod("leader", "c", 2000, 100);
  stage.pod("follower", "c", 500, 0).affinity("app", "leader", test::kHostname);
  const Ending ending = stage.play({"follower", "leader"}, Taste::Emptiest);
  EXPECT_THAT(ending.homeless, ElementsAre("lesser"));
  EXPECT_THAT(ending.preempted, ElementsAre("lesser"));
}

}  // namespace
}  // namespace tamp::proof

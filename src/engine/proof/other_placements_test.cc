// Courses of events on random clusters with every constraint that the scheduler knows.
#include "proof/other_placements.h"

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

}  // namespace
}  // namespace tamp::proof

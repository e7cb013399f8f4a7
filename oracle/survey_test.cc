#include "oracle/survey.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/cluster_builder.h"
#include "support/random_cluster.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

// Whatever the cluster, the survey of a pod answers for each node what the literal filters answer.
TEST(Survey, AnswersAsTheFiltersDo) {
  int asked = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    const Cluster cluster = random_cluster(seed);
    Placement placement(cluster);
    for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
      const PodId pod(i);
      const NodeRef home = placement.where(pod);
      placement.lift(pod);
      const Census census = take_census(placement);
      const Survey survey(placement, census, pod);
      for (NodeRef node : placement.nodes()) {
        const FilterVerdict literal = filter(placement, pod, node);
        const std::string where = "seed " + std::to_string(seed) + " pod " + std::to_string(i) + " node " +
                                  std::string(cluster.text(placement.node(node).name));
        ASSERT_EQ(survey.verdict(node).plugin, literal.plugin) << where;
        ++asked;
        if (!literal.fits) ++refused;
      }
      if (home.valid()) placement.set_down(pod, home);
    }
  }
  EXPECT_GT(asked, 5000);
  EXPECT_GT(refused, asked / 4);
  EXPECT_LT(refused, asked);
}

// The same while pods leave and come back, as they do when preemption thinks them away. Without what the scheduler itself keeps
// otherwise than it counts: ports, claims for one pod, pods that terminate, selectors without requirements (survey.h;
// preemption_test.cc has some of those).
TEST(Survey, KeepsUpWithPodsThatLeaveAndComeBack) {
  RandomShape shape;
  shape.ports = shape.claim = shape.terminating = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Cluster cluster = random_cluster(seed, shape);
    Placement placement(cluster);
    for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
      const PodId pod(i);
      const auto& spread = cluster.spec(cluster.pods[i]).spread;
      if (std::any_of(spread.begin(), spread.end(), [](const SpreadConstraint& s) {
            return s.selector && s.selector->requirements.empty();
          }))
        continue;
      const NodeRef home = placement.where(pod);
      placement.lift(pod);
      const Census census = take_census(placement);
      Survey survey(placement, census, pod);
      std::vector<std::pair<PodId, NodeRef>> away;
      for (NodeRef node : placement.nodes())
        for (PodId other : placement.pods_on(node))
          if ((other.index() + seed) % 3 != 0) away.emplace_back(other, node);
      auto compare = [&] {
        for (NodeRef node : placement.nodes())
          ASSERT_EQ(survey.verdict(node).plugin, filter(placement, pod, node).plugin)
              << "seed " << seed << " pod " << i;
      };
      for (const auto& [other, node] : away) {
        placement.lift(other);
        survey.left(other, node);
      }
      compare();
      for (const auto& [other, node] : away) {
        placement.set_down(other, node);
        survey.came(other, node);
      }
      compare();
      if (home.valid()) placement.set_down(pod, home);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace tamp::world

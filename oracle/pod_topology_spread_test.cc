#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

class PodTopologySpread : public testing::Test {
 protected:
  PodTopologySpread() {
    c.node("a1").zone("a");
    c.node("a2").zone("a");
    c.node("b1").zone("b");
  }
  std::string on(const char* node) { return refused_by(c.build(), "p", node); }
  // A pod "p" of app web with one constraint, to be changed by the test.
  SpreadConstraint& constrained(std::string_view topology) {
    auto& p = c.pod("p").label("app", "web");
    p.spread(topology, "app", "web");
    return p.spec().spread.front();
  }
  ClusterBuilder c;
};

TEST_F(PodTopologySpread, SkewIsCountedAgainstTheEmptiestDomain) {
  c.pods(2, "web").on("a1");
  c.pods(1, "web").on("b1");
  constrained(kZone);
  EXPECT_EQ(on("a2"), "PodTopologySpread");  // 2 + 1 - 1 > 1
  EXPECT_EQ(on("b1"), "");                   // 1 + 1 - 1
}

TEST_F(PodTopologySpread, MaxSkewIsReachedBeforeItIsExceeded) {
  c.pods(2, "web").on("a1");
  c.pods(1, "web").on("b1");
  constrained(kZone).max_skew = 2;
  EXPECT_EQ(on("a2"), "");
}

TEST_F(PodTopologySpread, ScheduleAnywayIsOnlyAPreference) {
  c.pods(3, "web").on("a1");
  constrained(kZone).schedule_anyway = true;
  EXPECT_EQ(on("a1"), "");
}

TEST_F(PodTopologySpread, NodeWithoutTheKeyTakesNoneAndMakesNoDomain) {
  c.node("nowhere").unlabel(kZone);
  c.pods(1, "web").on("a1");
  c.pods(1, "web").on("b1");
  c.pods(5, "web").on("nowhere");
  constrained(kZone);
  EXPECT_EQ(on("nowhere"), "PodTopologySpread");
  EXPECT_EQ(on("a1"), "");
}

TEST_F(PodTopologySpread, NodeThatLacksOneKeyCountsForNoConstraintOfThePod) {
  c.node("b1").label("rack", "r1");
  c.node("a1").label("rack", "r1");
  c.pods(2, "web").on("a2");  // has no rack
  auto& p = c.pod("p").label("app", "web");
  p.spread(kZone, "app", "web").spread("rack", "app", "web");
  EXPECT_EQ(on("a1"), "");
}

TEST_F(PodTopologySpread, OnlyRunningPodsOfTheSameNamespaceThatStayCount) {
  c.pods(1, "web").on("a1").ns("other");
  c.pods(1, "web").on("a1").terminating();
  c.pods(1, "web").on("a1").phase(PodPhase::Succeeded);
  constrained(kZone);
  EXPECT_EQ(on("a2"), "");
}

TEST_F(PodTopologySpread, PodThatDoesNotMatchItsOwnSelectorAddsNothing) {
  c.pods(1, "db").on("a1");
  auto& p = c.pod("p").label("app", "web");
  p.spread(kZone, "app", "db");
  EXPECT_EQ(on("a1"), "");  // 1 + 0 - 0
  c.pods(1, "db").on("a1");
  EXPECT_EQ(on("a1"), "PodTopologySpread");  // 2 + 0 - 0
}

TEST_F(PodTopologySpread, FewerDomainsThanWantedMakeTheMinimumZero) {
  c.pods(1, "web").on("a1");
  c.pods(1, "web").on("b1");
  constrained(kZone).min_domains = 3;
  EXPECT_EQ(on("a1"), "PodTopologySpread");  // 1 + 1 - 0
}

TEST_F(PodTopologySpread, MinDomainsThatAreThereChangeNothing) {
  c.pods(1, "web").on("a1");
  c.pods(1, "web").on("b1");
  constrained(kZone).min_domains = 2;
  EXPECT_EQ(on("a1"), "");
}

TEST_F(PodTopologySpread, NodesThatThePodCannotChooseMakeNoDomainByDefault) {
  c.pods(1, "web").on("a1");
  constrained(kZone);
  c.node("a1").label("disk", "ssd");
  c.node("a2").label("disk", "ssd");
  EXPECT_EQ(on("a1"), "PodTopologySpread");  // zone b is empty
  auto& q = c.pod("q").label("app", "web").node_selector("disk", "ssd");
  q.spread(kZone, "app", "web");
  EXPECT_EQ(refused_by(c.build(), "q", "a1"), "");  // zone b is not for q
  q.spec().spread.front().honor_affinity = false;
  EXPECT_EQ(refused_by(c.build(), "q", "a1"), "PodTopologySpread");
}

TEST_F(PodTopologySpread, TaintedNodesMakeDomainsUnlessToldOtherwise) {
  c.pods(1, "web").on("a1");
  c.node("b1").taint("dedicated", "db");
  auto& constraint = constrained(kZone);
  EXPECT_EQ(on("a1"), "PodTopologySpread");
  constraint.honor_taints = true;
  EXPECT_EQ(on("a1"), "");
}

TEST_F(PodTopologySpread, TargetOutsideTheCountedDomainsIsEmpty) {
  c.pods(1, "web").on("a1");
  c.pods(1, "web").on("b1");
  auto& constraint = constrained(kZone);
  constraint.honor_taints = true;
  c.node("b1").taint("soft", "", TaintEffect::NoExecute);
  EXPECT_EQ(on("b1"), "TaintToleration");
  EXPECT_EQ(on("a1"), "");  // 1 + 1 - 1: zone a alone is counted
}

TEST_F(PodTopologySpread, MatchLabelKeysNarrowToThePodsOwnValue) {
  c.pods(2, "web").on("a1").label("version", "v1");
  auto& constraint = constrained(kZone);
  EXPECT_EQ(on("a1"), "PodTopologySpread");
  constraint.match_label_keys = {c.word("version")};
  EXPECT_EQ(on("a1"), "PodTopologySpread");  // p has no version: the key says nothing
  c.pod("q").label("app", "web").label("version", "v2").spread(constraint);
  EXPECT_EQ(refused_by(c.build(), "q", "a1"), "");
}

TEST_F(PodTopologySpread, EmptySelectorCountsNobodyButThePodItself) {
  c.pods(9, "web").on("a1");
  auto& constraint = constrained(kZone);
  constraint.selector = LabelSelector{};
  EXPECT_EQ(on("a1"), "");  // 0 + 1 - 0
}

TEST_F(PodTopologySpread, AbsentSelectorMatchesNobody) {
  c.pods(9, "web").on("a1");
  constrained(kZone).selector.reset();
  EXPECT_EQ(on("a1"), "");
}

TEST_F(PodTopologySpread, EmptyValueIsADomain) {
  c.node("a1").zone("");
  c.node("a2").zone("");
  c.pods(1, "web").on("a1");
  constrained(kZone);
  EXPECT_EQ(on("a2"), "PodTopologySpread");
  EXPECT_EQ(on("b1"), "");
}

}  // namespace
}  // namespace tamp::world

#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

class InterPodAffinity : public testing::Test {
 protected:
  InterPodAffinity() {
    c.node("a1").zone("a");
    c.node("a2").zone("a");
    c.node("b1").zone("b");
  }
  std::string on(const char* node) { return refused_by(c.build(), "p", node); }
  ClusterBuilder c;
};

TEST_F(InterPodAffinity, AntiAffinityKeepsADomainFree) {
  c.pod("db").on("a1");
  c.pod("p").anti_affinity("app", "db", kZone);
  EXPECT_EQ(on("a2"), "InterPodAffinity");
  EXPECT_EQ(on("b1"), "");
}

TEST_F(InterPodAffinity, AntiAffinityOfRunningPodsHoldsForNewOnes) {
  c.pod("db").on("a1").anti_affinity("app", "p", kHostname);
  c.pod("p");
  EXPECT_EQ(on("a1"), "InterPodAffinity");
  EXPECT_EQ(on("a2"), "");
}

TEST_F(InterPodAffinity, NodesWithoutTheKeyAreInNoDomain) {
  c.node("nowhere").unlabel(kZone);
  c.pod("db").on("nowhere");
  c.pod("p").anti_affinity("app", "db", kZone);
  EXPECT_EQ(on("nowhere"), "");
}

TEST_F(InterPodAffinity, AffinityNeedsAPartnerInTheDomain) {
  c.pod("cache").on("a1");
  c.pod("p").affinity("app", "cache", kZone);
  EXPECT_EQ(on("a2"), "");
  EXPECT_EQ(on("b1"), "InterPodAffinity");
}

TEST_F(InterPodAffinity, AffinityNeedsTheKeyOnTheNode) {
  c.node("nowhere").unlabel(kZone);
  c.pod("p").affinity("app", "p", kZone);
  EXPECT_EQ(on("nowhere"), "InterPodAffinity");
}

TEST_F(InterPodAffinity, OnePartnerMustMatchEveryTerm) {
  c.pod("x").on("a1").label("app", "cache");
  c.pod("y").on("a1").label("app", "other").label("tier", "hot");
  c.pod("p").affinity("app", "cache", kZone).affinity("tier", "hot", kZone);
  EXPECT_EQ(on("a1"), "InterPodAffinity");
  c.pod("both").on("a2").label("app", "cache").label("tier", "hot");
  EXPECT_EQ(on("a1"), "");
}

TEST_F(InterPodAffinity, FirstOfAGroupMayGoAnywhere) {
  c.pod("p").affinity("app", "p", kZone);
  EXPECT_EQ(on("b1"), "");
  c.pod("sibling").label("app", "p").on("a1");
  EXPECT_EQ(on("b1"), "InterPodAffinity");
}

TEST_F(InterPodAffinity, PodThatWantsOthersMayNot) {
  c.pod("p").affinity("app", "cache", kZone);
  EXPECT_EQ(on("b1"), "InterPodAffinity");
}

TEST_F(InterPodAffinity, TerminatingPodsCountAndFinishedOnesDoNot) {
  c.pod("db").on("a1").terminating();
  c.pod("done").label("app", "db").on("b1").phase(PodPhase::Succeeded);
  c.pod("p").anti_affinity("app", "db", kZone);
  EXPECT_EQ(on("a1"), "InterPodAffinity");
  EXPECT_EQ(on("b1"), "");
}

TEST_F(InterPodAffinity, ATermIsAboutItsOwnNamespaceUnlessItNamesOthers) {
  c.pod("db").ns("other").on("a1");
  auto term = c.term(c.selector("app", "db"), kZone);
  auto& p = c.pod("p").anti_affinity(term);
  EXPECT_EQ(on("a1"), "");
  p.spec().anti_affinity.front().namespaces = {c.word("other")};
  EXPECT_EQ(on("a1"), "InterPodAffinity");
}

TEST_F(InterPodAffinity, NamespaceSelectorChoosesByLabels) {
  c.ns("other", "team", "blue");
  c.pod("db").ns("other").on("a1");
  auto term = c.term(c.selector("app", "db"), kZone);
  term.namespace_selector = c.selector("team", "blue");
  auto& p = c.pod("p").anti_affinity(term);
  EXPECT_EQ(on("a1"), "InterPodAffinity");
  p.spec().anti_affinity.front().namespace_selector = c.selector("team", "green");
  EXPECT_EQ(on("a1"), "");
  p.spec().anti_affinity.front().namespace_selector = LabelSelector{};  // all namespaces
  EXPECT_EQ(on("a1"), "InterPodAffinity");
}

TEST_F(InterPodAffinity, NamespaceSelectorOfARunningPodSeesTheNewPodsNamespace) {
  c.ns("default", "team", "blue");
  auto term = c.term(c.selector("app", "p"), kHostname);
  term.namespace_selector = c.selector("team", SelectorOp::NotIn, {"blue"});
  c.pod("db").ns("other").on("a1").anti_affinity(term);
  c.pod("p");
  EXPECT_EQ(on("a1"), "");
}

// What kube-scheduler v1.36 does: see the comment in inter_pod_affinity.cc.
TEST_F(InterPodAffinity, NegativeNamespaceSelectorOfTheNewPodTakesInEveryNamespace) {
  c.ns("other", "team", "blue");
  c.pod("db").ns("other").on("a1");
  auto term = c.term(c.selector("app", "db"), kZone);
  term.namespace_selector = c.selector("team", SelectorOp::NotIn, {"blue"});
  c.pod("p").anti_affinity(term);
  EXPECT_EQ(on("a1"), "InterPodAffinity");
}

TEST_F(InterPodAffinity, AbsentSelectorMatchesNobody) {
  c.pod("db").on("a1");
  auto term = c.term({}, kZone);
  term.selector.reset();
  c.pod("p").anti_affinity(term);
  EXPECT_EQ(on("a1"), "");
}

TEST_F(InterPodAffinity, PreferencesAreOnlyPreferences) {
  c.pod("db").on("a1");
  c.pod("p")
      .prefer_anti_affinity(100, c.term(c.selector("app", "db"), kZone))
      .prefer_affinity(100, c.term(c.selector("app", "nobody"), kZone));
  EXPECT_EQ(on("a1"), "");
}

}  // namespace
}  // namespace tamp::world

// The second look: a plan that was published on one cluster, asked again on a newer one. It holds while its structure is
// the same and every check passes; what else changes is told from what it is about.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "proof/prove_testing.h"

namespace tamp::proof {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct RevalidationOf : testing::Test {
  RevalidationOf() { b.pool("default").budget("2").savings_threshold(0); }

  // What the test does to the builder and the settings afterwards happens between the two looks.
  void publish() {
    const Proposal proposal = fleet().propose();
    ASSERT_TRUE(proposal.plan.has_value());
    plan = *proposal.plan;
    ASSERT_TRUE(look().holds);
  }
  // By requests alone: what was measured is another test's.
  Fleet fleet() const {
    Fleet fleet(b);
    fleet.measured_ = false;
    if (paused) fleet.settings.paused = true;
    fleet.settings.min_nodes.value = min_nodes;
    fleet.settings.max_replacements.value = max_replacements;
    return fleet;
  }
  Revalidation look() const { return fleet().revalidate(plan); }
  std::vector<std::string> drifted() const { return look().drifted; }
  // What the failed checks say; empty if all pass.
  std::vector<std::string> failed() const {
    std::vector<std::string> out;
    for (const Check& check : look().failed) out.push_back(check.message());
    return out;
  }
  std::vector<std::string> failed_checks() const {
    std::vector<std::string> out;
    for (const Check& check : look().failed) out.push_back(check.name);
    return out;
  }
  std::string replacement_types() const {
    std::string out;
    for (const PlannedReplacement& replacement : plan.replacements) {
      out += out.empty() ? "" : " and";
      for (const std::string& type : replacement.types) out += (out.empty() ? "" : " ") + type;
    }
    return out;
  }

  test::ClusterBuilder b;
  bool paused = false;
  std::int64_t min_nodes = 0;
  std::int64_t max_replacements = 1;
  ConsolidationPlan plan;
};

// a's pod goes to host.
struct RevalidationOfADelete : RevalidationOf {
  RevalidationOfADelete() { describe(b); }
  static void describe(test::ClusterBuilder& b) {
    b.type("s").cpu(4000).memory_gi(16).price(0.20);
    b.node("a").type("s");
    b.pods(1, "web").on("a").cpu(500);
    b.node("host").type("s").do_not_disrupt();
    b.pods(1, "anchor").on("host").cpu(100);
  }
  void SetUp() override {
    publish();
    ASSERT_THAT(plan.victims, ElementsAre("a"));
    ASSERT_TRUE(plan.replacements.empty());
  }
};

TEST_F(RevalidationOfADelete, HoldsOnTheSameCluster) {
  EXPECT_TRUE(look().holds);
  EXPECT_THAT(drifted(), ElementsAre());
  EXPECT_THAT(failed(), ElementsAre());
}
TEST_F(RevalidationOfADelete, HoldsWhenANodeComesThatTakesNoPods) {
  b.node("0-first-by-name").type("s").cordoned();
  b.pods(1, "0").on("0-first-by-name").cpu(100);
  EXPECT_TRUE(look().holds) << "nodes are found by their names, not by their places";
}
TEST_F(RevalidationOfADelete, AnotherNodeThatCouldTakeItsPodsIsNews) {
  b.node("new").type("s");
  b.pods(1, "other").on("new").cpu(100);
  EXPECT_THAT(drifted(), ElementsAre("pod default/other-0 is new", "survivor new is new"));
}
TEST_F(RevalidationOfADelete, ADoNotDisruptPodAppears) {
  b.pods(1, "precious").on("a").do_not_disrupt();
  EXPECT_THAT(drifted(), ElementsAre("pod default/precious-0 is new"));
  EXPECT_THAT(failed(), ElementsAre(HasSubstr("blockers: a: PodDoNotDisrupt (")));
}
TEST_F(RevalidationOfADelete, TheNodeIsAnnotated) {
  b.node("a").do_not_disrupt();
  EXPECT_THAT(drifted(), ElementsAre("victim a changed"));
  EXPECT_THAT(failed(), ElementsAre(HasSubstr("blockers: a: NodeDoNotDisrupt ("),
                                    "reap-feasible: a: it is annotated karpenter.sh/do-not-disrupt"));
}
TEST_F(RevalidationOfADelete, ABudgetOverItsPodsAppears) {
  b.pdb("web").selects("app", "web").allows(0);
  EXPECT_THAT(drifted(), ElementsAre("disruption budget default/web is new"));
  EXPECT_THAT(failed_checks(), ElementsAre("pdb", "blockers"));
}
TEST_F(RevalidationOfADelete, APodCame) {
  b.pods(1, "late").on("a").cpu(500);
  EXPECT_THAT(drifted(), ElementsAre("pod default/late-0 is new"));
  EXPECT_THAT(failed(), ElementsAre()) << "there is room for it, too";
  b.pods(1, "huge").on("a").cpu(3000);
  EXPECT_THAT(failed(), Contains(HasSubstr("placement: ")));
}
TEST_F(RevalidationOfADelete, ItsPodsNoLongerFit) {
  b.pods(1, "greedy").on("host").cpu(3700);
  EXPECT_THAT(drifted(), ElementsAre("pod default/anchor-0 is gone", "survivor host is gone"));
  EXPECT_THAT(failed_checks(), Contains("placement"));
}
TEST_F(RevalidationOfADelete, ItsPodsNeedANewNodeNow) {
  b.type("xs").cpu(1000).memory_gi(4).price(0.05);
  b.pods(1, "greedy").on("host").cpu(3700);
  EXPECT_THAT(drifted(), Contains("replacement is new"));
  EXPECT_FALSE(look().holds);
}
TEST_F(RevalidationOfADelete, TheDestinationIsCordoned) {
  b.node("host").cordoned();
  EXPECT_THAT(drifted(), Contains("survivor host is gone"));
  EXPECT_THAT(failed_checks(), Contains("placement"));
}
TEST_F(RevalidationOfADelete, ThePoolsBudgetCloses) {
  b.pool("default").budget("0");
  EXPECT_THAT(drifted(), ElementsAre("pool default changed"));
  EXPECT_THAT(failed(), Contains(HasSubstr("budget: 1 of pool default > 0 (allowed 0 of 2")));
}
TEST_F(RevalidationOfADelete, TheNodeIsGone) {
  test::ClusterBuilder c;
  c.node("host");
  const Revalidation answer = Fleet(c).revalidate(plan);
  EXPECT_FALSE(answer.holds);
  EXPECT_THAT(answer.drifted, ElementsAre("victim a is gone"));
}
TEST_F(RevalidationOfADelete, ANodeOfTheSameNameIsAnotherNode) {
  b.node("a").node().uid = b.word("another-uid");
  EXPECT_THAT(drifted(), ElementsAre("victim a changed"));
}
TEST_F(RevalidationOfADelete, TheNodeIsBeingDeleted) {
  b.node("a").deleting();
  EXPECT_THAT(drifted(), ElementsAre("victim a changed"));
  EXPECT_THAT(failed(), Contains(HasSubstr("blockers: a: Deleting (")));
}
TEST_F(RevalidationOfADelete, TheNodeCostsLessNow) {
  b.type("s").price(0.10);
  EXPECT_THAT(drifted(), ElementsAre("price of a changed"));
}
TEST_F(RevalidationOfADelete, ThePolicyIsPaused) {
  paused = true;
  EXPECT_THAT(drifted(), ElementsAre("policy changed"));
  EXPECT_THAT(failed(), ElementsAre("blockers: the TemperPolicy is paused"));
}

// What is not of the structure comes and goes while a plan stands: only a check can refuse it.
struct RevalidationOfTheMoment : RevalidationOfADelete {};

TEST_F(RevalidationOfTheMoment, ABudgetOfItsPodsCloses) {
  test::BudgetBuilder& budget = b.pdb("web").selects("app", "web").allows(1);
  publish();
  budget.allows(0);
  EXPECT_THAT(drifted(), ElementsAre());
  EXPECT_THAT(failed(), ElementsAre(HasSubstr("pdb: default/web allows 0 disruptions"),
                                    HasSubstr("blockers: a: PodDisruptionBudget (")));
}
TEST_F(RevalidationOfTheMoment, OthersUseTheBudgetUp) {
  for (const char* name : {"x", "y"}) {
    b.node(name).type("s").cordoned().do_not_disrupt();
    b.pods(1, name).on(name).cpu(100);
  }
  publish();
  ASSERT_THAT(plan.victims, ElementsAre("a"));
  for (const char* name : {"x", "y"}) b.node(name).not_ready();
  EXPECT_THAT(drifted(), ElementsAre());
  EXPECT_THAT(failed(),
              Contains(HasSubstr("budget: 1 of pool default > 0 (allowed 2 of 4, 2 going or not ready")));
}
TEST_F(RevalidationOfTheMoment, APodEventHidesTheNode) {
  b.pool("default").grace_period(Duration::minutes(30));
  publish();
  b.node("a").last_pod_event(test::kNow - Duration::seconds(5));
  EXPECT_THAT(drifted(), ElementsAre());
  EXPECT_THAT(failed(), ElementsAre(HasSubstr("blockers: a: GracePeriod (")));
}
TEST_F(RevalidationOfTheMoment, TheClusterBecameTooSmall) {
  b.pool("other");
  b.node("third").type("s").pool("other").do_not_disrupt();
  b.pods(1, "third").on("third").cpu(100);
  min_nodes = 2;
  publish();
  test::ClusterBuilder smaller;
  smaller.pool("default").budget("2").savings_threshold(0);
  describe(smaller);
  Fleet now(smaller);
  now.measured_ = false;
  now.settings.min_nodes.value = 2;
  const Revalidation answer = now.revalidate(plan);
  EXPECT_FALSE(answer.holds);
  EXPECT_THAT(answer.drifted, ElementsAre());
  ASSERT_EQ(answer.failed.size(), 2U);
  EXPECT_THAT(answer.failed[0].message(), HasSubstr("blockers: a: MinNodes ("));
  EXPECT_EQ(answer.failed[1].message(), "budget: 1 nodes would be left < 2 (limits.minNodes)");
}

struct RevalidationOfEmptyNodes : RevalidationOf {
  RevalidationOfEmptyNodes() {
    b.node("e1");
    b.node("e2");
    b.node("busy").do_not_disrupt();
    b.pods(1, "web").on("busy");
  }
  void SetUp() override {
    publish();
    ASSERT_THAT(plan.victims, ElementsAre("e1", "e2"));
    ASSERT_EQ(plan.method, "empty");
  }
};

TEST_F(RevalidationOfEmptyNodes, HoldsOnTheSameCluster) { EXPECT_TRUE(look().holds); }
TEST_F(RevalidationOfEmptyNodes, HoldsWhateverHappensToOthers) {
  b.pods(3, "more").on("busy").cpu(100);
  b.node("new");
  EXPECT_TRUE(look().holds) << "nothing has to move";
}
TEST_F(RevalidationOfEmptyNodes, APodBindsToOneOfThem) {
  b.pods(1, "late").on("e2");
  EXPECT_THAT(drifted(), Contains("pod default/late-0 is new"));
  EXPECT_FALSE(look().holds);
}
TEST_F(RevalidationOfEmptyNodes, ADaemonSetPodIsNewsToo) {
  b.daemon_set("agent").on("e1");
  ASSERT_EQ(drifted().size(), 1U);
  EXPECT_THAT(drifted()[0], HasSubstr("pod default/agent"));
  EXPECT_THAT(failed(), ElementsAre());
}
TEST_F(RevalidationOfEmptyNodes, TheBudgetAllowsOneOnly) {
  b.pool("default").budget("1");
  EXPECT_THAT(failed(), Contains(HasSubstr("budget: 2 of pool default > 1 (allowed 1 of 3")));
}
TEST_F(RevalidationOfEmptyNodes, TheClusterWouldBecomeTooSmall) {
  min_nodes = 2;
  EXPECT_THAT(drifted(), ElementsAre("policy changed"));
  EXPECT_THAT(failed(), ElementsAre("budget: 1 nodes would be left < 2 (limits.minNodes)"));
}

// a is replaced by one of two cheaper types.
struct RevalidationOfAReplacement : RevalidationOf {
  RevalidationOfAReplacement() {
    b.type("l").cpu(16000).memory_gi(64).price(0.80);
    b.type("s").cpu(4000).memory_gi(16).price(0.20);
    b.type("m").cpu(8000).memory_gi(32).price(0.40);
    b.node("a").type("l");
    b.pods(2, "web").on("a").cpu(500);
  }
  void SetUp() override {
    publish();
    ASSERT_THAT(plan.victims, ElementsAre("a"));
    ASSERT_EQ(replacement_types(), "s m");
  }
};

TEST_F(RevalidationOfAReplacement, HoldsOnTheSameCluster) { EXPECT_TRUE(look().holds); }
TEST_F(RevalidationOfAReplacement, ThereIsRoomWithoutANewNodeNow) {
  b.node("host").type("l").do_not_disrupt();
  b.pods(1, "anchor").on("host").cpu(100);
  EXPECT_THAT(drifted(), Contains("replacement is gone")) << "the node is not to be bought";
  EXPECT_THAT(drifted(), Contains("survivor host is new"));
}
TEST_F(RevalidationOfAReplacement, OneOfTheTypesIsTooSmallNow) {
  b.pods(1, "late").on("a").cpu(3000);
  EXPECT_THAT(drifted(), Contains("replacement changed")) << "the launch could pick the small one";
}
TEST_F(RevalidationOfAReplacement, OneOfTheTypesIsTooDearNow) {
  b.type("s").price(0.90);
  EXPECT_THAT(drifted(), ElementsAre("replacement changed"));
}
TEST_F(RevalidationOfAReplacement, AnotherTypeIsOnOffer) {
  b.type("xs").cpu(2000).memory_gi(8).price(0.10);
  EXPECT_THAT(drifted(), ElementsAre("replacement changed"));
}
TEST_F(RevalidationOfAReplacement, NothingIsCheaperAnyMore) {
  b.type("s").price(0.90);
  b.type("m").price(0.90);
  EXPECT_THAT(drifted(), ElementsAre("replacement is gone"));
  EXPECT_THAT(failed_checks(), Contains("placement"));
}

// Two nodes for one.
struct RevalidationOfSeveralVictims : RevalidationOf {
  RevalidationOfSeveralVictims() {
    b.type("s").cpu(4000).memory_gi(16).price(0.50);
    b.type("l").cpu(8000).memory_gi(32).price(0.60);
    b.node("a").type("s");
    b.node("b").type("s");
    b.pods(3, "web").on("a").cpu(1000);
    b.pods(3, "db").on("b").cpu(1000);
  }
  void SetUp() override {
    publish();
    ASSERT_THAT(plan.victims, ElementsAre("a", "b"));
    ASSERT_EQ(replacement_types(), "l");
  }
};

TEST_F(RevalidationOfSeveralVictims, HoldsOnTheSameCluster) { EXPECT_TRUE(look().holds); }
TEST_F(RevalidationOfSeveralVictims, OneOfThemIsBlocked) {
  b.pods(1, "precious").on("b").do_not_disrupt();
  EXPECT_THAT(failed(), Contains(HasSubstr("blockers: b: PodDoNotDisrupt (")));
}
TEST_F(RevalidationOfSeveralVictims, OneOfThemIsGone) {
  plan.victims = {"a", "z"};
  EXPECT_THAT(drifted(), ElementsAre("victim z is gone"));
}
TEST_F(RevalidationOfSeveralVictims, TheBudgetIsForBoth) {
  b.pool("default").budget("1");
  EXPECT_THAT(failed(), Contains(HasSubstr("budget: 2 of pool default > 1")));
}

// A machine of 32 cores, half empty, whose 14 pods go to two of eight.
struct RevalidationOfSeveralReplacements : RevalidationOf {
  RevalidationOfSeveralReplacements() {
    b.pool("default").requirement(test::kCapacityType, SelectorOp::In, {"on-demand"});
    b.type("xl").cpu(32'000).memory_gi(128).price(2.00);
    b.type("m").cpu(8000).memory_gi(32).price(0.40);
    b.node("a").type("xl");
    b.pods(14, "web").on("a").cpu(1000).memory_mi(512);
    max_replacements = 2;
  }
  void SetUp() override {
    publish();
    ASSERT_EQ(replacement_types(), "m and m");
  }
};

TEST_F(RevalidationOfSeveralReplacements, HoldsOnTheSameCluster) { EXPECT_TRUE(look().holds); }
TEST_F(RevalidationOfSeveralReplacements, DoesNotHoldWhereOneIsAskedFor) {
  max_replacements = 1;
  EXPECT_THAT(drifted(), ElementsAre("replacement is gone", "replacement-2 is gone"));
  EXPECT_THAT(failed_checks(), Contains("placement"));
}
TEST_F(RevalidationOfSeveralReplacements, DoesNotHoldWhenOneIsEnough) {
  b.type("l").cpu(16'000).memory_gi(64).price(0.70);
  EXPECT_THAT(drifted(), ElementsAre("replacement changed", "replacement-2 is gone"));
}
TEST_F(RevalidationOfSeveralReplacements, DoesNotHoldWhenTwoAreTooFew) {
  b.pods(7, "more").on("a").cpu(1000).memory_mi(512);
  EXPECT_THAT(
      drifted(),
      ElementsAre("replacement is gone", "replacement-2 is gone", "pod default/more-0 is new",
                  "pod default/more-1 is new", "pod default/more-2 is new", "pod default/more-3 is new",
                  "pod default/more-4 is new", "pod default/more-5 is new", "pod default/more-6 is new"));
  EXPECT_THAT(failed_checks(), Contains("placement"));
}

}  // namespace
}  // namespace tamp::proof

// The second look: a command that was decided on one cluster, asked again on a newer one.
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "search/plan_testing.h"

namespace tamp::search {
namespace {

using test::ClusterBuilder;
using test::kNow;

struct Validate : testing::Test {
  Validate() { b.pool("default").budget("2"); }

  // Decides now; what the test does to the builder afterwards happens between the two looks.
  void decide() {
    then.emplace(b);
    const Plan plan = then->plan();
    ASSERT_EQ(plan.commands.size(), 1u);
    command = plan.commands[0];
  }
  std::optional<Invalidation> look() const { return look(PlanScene(b)); }
  std::optional<Invalidation> look(const PlanScene& newer) const {
    return validate(newer.context(), then->cluster, command);
  }
  std::string reason() const {
    const auto answer = look();
    return answer ? std::string(gates::name(answer->reason)) : "holds";
  }
  std::string message() const {
    const auto answer = look();
    return answer ? answer->message : "";
  }

  ClusterBuilder b;
  std::optional<PlanScene> then;
  price::Command command;
};

// a's pod goes to host.
struct ValidateDelete : Validate {
  ValidateDelete() {
    b.type("s").cpu(4000).memory_gi(16).price(0.20);
    b.node("a").type("s");
    b.pods(1, "web").on("a").cpu(500);
    b.node("host").type("s").do_not_disrupt();
    b.pods(1, "anchor").on("host").cpu(100);
    decide();
  }
};

TEST_F(ValidateDelete, HoldsOnTheSameCluster) {
  EXPECT_EQ(in_words(then->cluster, command), "single delete a");
  EXPECT_EQ(reason(), "holds");
}
TEST_F(ValidateDelete, HoldsWhenOtherNodesCome) {
  b.node("0-first-by-name").type("s");
  b.pods(1, "0").on("0-first-by-name").cpu(100);
  EXPECT_EQ(reason(), "holds") << "nodes are found by their names, not by their places";
}
TEST_F(ValidateDelete, ADoNotDisruptPodAppears) {
  b.pods(1, "precious").on("a").do_not_disrupt();
  EXPECT_EQ(reason(), "PodDoNotDisrupt");
  EXPECT_PRED2(gates::contains, message(), "node a: ");
  EXPECT_PRED2(gates::contains, message(), "default/precious-0");
}
TEST_F(ValidateDelete, TheNodeIsAnnotated) {
  b.node("a").do_not_disrupt();
  EXPECT_EQ(reason(), "NodeDoNotDisrupt");
}
TEST_F(ValidateDelete, ABudgetOfItsPodsCloses) {
  b.pdb("web").selects("app", "web").allows(0);
  EXPECT_EQ(reason(), "PodDisruptionBudget");
}
TEST_F(ValidateDelete, APodCame) {
  b.pods(1, "late").on("a").cpu(500);
  EXPECT_EQ(reason(), "holds") << "there is room for it, too";
  b.pods(1, "late").on("a").cpu(3000);
  EXPECT_NE(reason(), "holds");
}
TEST_F(ValidateDelete, ItsPodsNoLongerFit) {
  b.pods(1, "greedy").on("host").cpu(3700);
  EXPECT_EQ(reason(), "NoCheaperReplacement") << "only a new node would do";
}
TEST_F(ValidateDelete, ItsPodsNeedANewNodeNow) {
  b.type("xs").cpu(1000).memory_gi(4).price(0.05);
  b.pods(1, "greedy").on("host").cpu(3700);
  EXPECT_EQ(reason(), "PodsDoNotFit");
  EXPECT_EQ(message(), "its pods need a new node now");
}
TEST_F(ValidateDelete, TheDestinationIsCordoned) {
  b.node("host").cordoned();
  EXPECT_NE(reason(), "holds");
}
TEST_F(ValidateDelete, ThePoolsBudgetCloses) {
  b.pool("default").budget("0");
  EXPECT_EQ(reason(), "BudgetExhausted");
  EXPECT_PRED2(gates::contains, message(), "pool default allows only 0");
}
TEST_F(ValidateDelete, OthersUseTheBudgetUp) {
  for (const char* n : {"x", "y"}) {
    b.node(n).type("s").not_ready();
    b.pods(1, n).on(n).cpu(100);
  }
  EXPECT_EQ(reason(), "BudgetExhausted");
}
TEST_F(ValidateDelete, TheNodeIsGone) {
  ClusterBuilder c;
  c.node("host");
  const PlanScene newer(c);
  const auto answer = look(newer);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reason, gates::Reason::Deleting);
  EXPECT_EQ(answer->message, "node a is gone");
}
TEST_F(ValidateDelete, ANodeOfTheSameNameIsAnotherNode) {
  b.node("a").node().uid = b.word("another-uid");
  EXPECT_EQ(reason(), "Deleting");
  EXPECT_PRED2(gates::contains, message(), "another one of the same name");
}
TEST_F(ValidateDelete, TheNodeIsBeingDeleted) {
  b.node("a").deleting();
  EXPECT_EQ(reason(), "Deleting");
}
TEST_F(ValidateDelete, APodEventHidesTheNode) {
  b.pool("default").grace_period(Duration::minutes(30));
  b.node("a").last_pod_event(kNow - Duration::seconds(5));
  EXPECT_EQ(reason(), "GracePeriod");
}
TEST_F(ValidateDelete, MorePodsAreWorthMoreThanItSaves) {
  b.pods(20, "crowd").on("a").cpu(10);
  EXPECT_EQ(reason(), "SavingsBelowThreshold") << "$0.21 for $0.20";
}
TEST_F(ValidateDelete, ThePolicyIsPaused) {
  PlanScene newer(b);
  newer.settings.paused = true;
  const auto answer = look(newer);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reason, gates::Reason::Paused);
}

struct ValidateEmpty : Validate {
  ValidateEmpty() {
    b.node("e1");
    b.node("e2");
    b.node("busy").do_not_disrupt();
    b.pods(1, "web").on("busy");
    decide();
  }
};

TEST_F(ValidateEmpty, HoldsOnTheSameCluster) {
  EXPECT_EQ(in_words(then->cluster, command), "empty delete e1 e2");
  EXPECT_EQ(reason(), "holds");
}
TEST_F(ValidateEmpty, APodBindsToOneOfThem) {
  b.pods(1, "late").on("e2");
  EXPECT_EQ(reason(), "NotEmpty");
  EXPECT_PRED2(gates::contains, message(), "node e2");
}
TEST_F(ValidateEmpty, ADaemonSetPodDoesNotMatter) {
  b.daemon_set("agent").on("e1").on("e2").on("busy");
  EXPECT_EQ(reason(), "holds");
}
TEST_F(ValidateEmpty, TheBudgetAllowsOneOnly) {
  b.pool("default").budget("1");
  EXPECT_EQ(reason(), "BudgetExhausted");
}
TEST_F(ValidateEmpty, TheClusterWouldBecomeTooSmall) {
  PlanScene newer(b);
  newer.settings.min_nodes.value = 2;
  const auto answer = look(newer);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->reason, gates::Reason::MinNodes);
}

// a is replaced by one of two cheaper types.
struct ValidateReplace : Validate {
  ValidateReplace() {
    b.type("l").cpu(16000).memory_gi(64).price(0.80);
    b.type("s").cpu(4000).memory_gi(16).price(0.20);
    b.type("m").cpu(8000).memory_gi(32).price(0.40);
    b.node("a").type("l");
    b.pods(2, "web").on("a").cpu(500);
    decide();
  }
};

TEST_F(ValidateReplace, HoldsOnTheSameCluster) {
  EXPECT_EQ(in_words(then->cluster, command), "single replace a by s m");
  EXPECT_EQ(reason(), "holds");
}
TEST_F(ValidateReplace, ThereIsRoomWithoutANewNodeNow) {
  b.node("host").type("l").do_not_disrupt();
  b.pods(1, "anchor").on("host").cpu(100);
  EXPECT_NE(reason(), "holds") << "the node is not to be bought";
  EXPECT_PRED2(gates::contains, message(), "fit without a new node");
}
TEST_F(ValidateReplace, OneOfTheTypesIsTooSmallNow) {
  b.pods(1, "late").on("a").cpu(3000);
  EXPECT_NE(reason(), "holds") << "the launch could pick the small one";
  EXPECT_PRED2(gates::contains, message(), "a new s would not do any more");
}
TEST_F(ValidateReplace, OneOfTheTypesIsTooDearNow) {
  b.type("s").price(0.90);
  EXPECT_NE(reason(), "holds");
  EXPECT_PRED2(gates::contains, message(), "a new s would not do any more");
}
TEST_F(ValidateReplace, AnotherCheapTypeDoesNotMatter) {
  b.type("xs").cpu(2000).memory_gi(8).price(0.10);
  EXPECT_EQ(reason(), "holds");
}
TEST_F(ValidateReplace, NothingIsCheaperAnyMore) {
  b.type("s").price(0.90);
  b.type("m").price(0.90);
  EXPECT_EQ(reason(), "NoCheaperReplacement");
}

// Two nodes for one.
struct ValidateMulti : Validate {
  ValidateMulti() {
    b.type("s").cpu(4000).memory_gi(16).price(0.50);
    b.type("l").cpu(8000).memory_gi(32).price(0.60);
    b.node("a").type("s");
    b.node("b").type("s");
    b.pods(3, "web").on("a").cpu(1000);
    b.pods(3, "db").on("b").cpu(1000);
    decide();
  }
};

TEST_F(ValidateMulti, HoldsOnTheSameCluster) {
  EXPECT_EQ(in_words(then->cluster, command), "multi replace a b by l");
  EXPECT_EQ(reason(), "holds");
}
TEST_F(ValidateMulti, OneOfThemIsBlocked) {
  b.pods(1, "precious").on("b").do_not_disrupt();
  EXPECT_EQ(reason(), "PodDoNotDisrupt");
  EXPECT_PRED2(gates::contains, message(), "node b: ");
}
TEST_F(ValidateMulti, TheBudgetIsForBoth) {
  b.pool("default").budget("1");
  EXPECT_EQ(reason(), "BudgetExhausted");
}

}  // namespace
}  // namespace tamp::search

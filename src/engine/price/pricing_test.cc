// The worked examples of "Consolidation Savings Threshold", costs below zero and unknown prices. The other price rules are in
// pricing_rules_test.cc.
#include "price/pricing.h"

#include <gtest/gtest.h>

#include <string>

#include "search/plan_testing.h"

namespace tamp::price {
namespace {

using test::ClusterBuilder;
using test::kNow;

constexpr Duration kLifetime = Duration::hours(100);

// A node that has used up this share of its lifetime.
void aged(test::NodeBuilder& node, double share) {
  node.expire_after(kLifetime).created(kNow - Duration::minutes(static_cast<std::int64_t>(share * 6000)));
}

// --- One node for a cheaper one -----------------------------------------------------------------------------------

struct MarginalSavings : testing::Test {
  MarginalSavings() {
    b.type("m6a.large").cpu(2000).memory_gi(8).price(0.086);
    b.type("m7i-flex.large").cpu(2000).memory_gi(8).price(0.080);
    b.node("a").type("m6a.large");
    b.pods(5, "web").on("a").cpu(100).memory_mi(128);
  }
  ClusterBuilder b;
};

TEST_F(MarginalSavings, FivePodsDoNotMoveForLessThanAPenny) {
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "none");
  EXPECT_EQ(scene.verdict("a"), "SavingsBelowThreshold");
  EXPECT_PRED2(gates::contains, scene.why("a"), "saves $0.006/h");
  EXPECT_PRED2(gates::contains, scene.why("a"), "needs $0.05/h");
}

TEST_F(MarginalSavings, TheCheapestRefusedMachineAndItsGapAreNamed) {
  const search::PlanScene scene(b);
  const Priced priced = scene.together({"a"});
  ASSERT_TRUE(priced.cheapest_rejected.has_value());
  EXPECT_EQ(priced.cheapest_rejected->price, Money::from_dollars(0.080));
  // It would have to cost 0.086 - 0.05.
  EXPECT_EQ(priced.cheapest_rejected->gap, Money::from_dollars(0.044));
}

TEST_F(MarginalSavings, ProceedsWhenNinetyPercentOfTheLifetimeAreGone) {
  aged(b.node("a"), 0.9);
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single replace a by m7i-flex.large");
  const Command command = scene.plan().commands.at(0);
  EXPECT_EQ(command.savings, Money::from_dollars(0.006));
  EXPECT_EQ(command.required_savings, Money::from_dollars(0.005));
  EXPECT_NEAR(command.disruption_cost, 0.5, 1e-9);
  EXPECT_EQ(command.replacements.front().price, Money::from_dollars(0.080));
}

TEST_F(MarginalSavings, AThresholdOfZeroTakesAnySaving) {
  b.pool("default").savings_threshold(0);
  EXPECT_EQ(search::PlanScene(b).commands(), "single replace a by m7i-flex.large");
}

TEST_F(MarginalSavings, KarpenterTakesAnySaving) {
  EXPECT_EQ(search::PlanScene::compat(b).commands(), "single replace a by m7i-flex.large");
}

TEST_F(MarginalSavings, ALargeSavingProceeds) {
  b.type("t.large").cpu(2000).memory_gi(8).price(0.036);
  EXPECT_EQ(search::PlanScene(b).commands(), "single replace a by t.large")
      << "saves exactly the $0.05 that it needs";
}

TEST_F(MarginalSavings, JustTooLittleIsTooLittle) {
  b.type("t.large").cpu(2000).memory_gi(8).price(0.036000001);
  EXPECT_EQ(search::PlanScene(b).verdict("a"), "SavingsBelowThreshold");
}

TEST_F(MarginalSavings, OnlyTypesThatSaveEnoughAreLaunched) {
  b.type("t1").cpu(2000).memory_gi(8).price(0.030);
  b.type("t2").cpu(2000).memory_gi(8).price(0.020);
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single replace a by t2 t1");
  const Command command = scene.plan().commands.at(0);
  EXPECT_EQ(command.replacements.front().price, Money::from_dollars(0.030))
      << "the dearer of the two may be the one";
  EXPECT_EQ(command.savings, Money::from_dollars(0.056)) << "certain at least";
}

TEST_F(MarginalSavings, EqualPriceIsNoReasonToMove) {
  ClusterBuilder c;
  c.pool("default").savings_threshold(0);
  c.type("old").cpu(2000).memory_gi(8).price(0.086);
  c.type("new").cpu(2000).memory_gi(8).price(0.086);
  c.node("a").type("old");
  c.pods(1, "web").on("a").cpu(100);
  EXPECT_EQ(search::PlanScene(c).verdict("a"), "NoCheaperReplacement");
  EXPECT_EQ(search::PlanScene::compat(c).verdict("a"), "NoCheaperReplacement");
}

// Prices of December 2025: a move within a size from m8i to c8i saves $0.0243, from r8i to m8i $0.0661.
struct Families : testing::Test {
  Families() {
    b.type("m8i.large").cpu(2000).memory_gi(8).price(0.1058);
    b.type("c8i.xlarge").cpu(4000).memory_gi(8).price(0.1874);
    b.type("m8i.xlarge").cpu(4000).memory_gi(16).price(0.2117);
    b.type("r8i.xlarge").cpu(4000).memory_gi(32).price(0.2778);
    b.type("m8i.2xlarge").cpu(8000).memory_gi(32).price(0.4234);
  }
  ClusterBuilder b;
};

TEST_F(Families, FivePodsDoNotGoFromM8iToC8i) {
  b.node("a").type("m8i.xlarge");
  b.pods(5, "web").on("a").cpu(600).memory_gi(1);
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.verdict("a"), "SavingsBelowThreshold");
  EXPECT_PRED2(gates::contains, scene.why("a"), "saves $0.0243/h");
}

TEST_F(Families, FivePodsGoFromR8iToM8i) {
  b.node("a").type("r8i.xlarge");
  b.pods(5, "web").on("a").cpu(600).memory_gi(2);
  EXPECT_EQ(search::PlanScene(b).commands(), "single replace a by m8i.xlarge");
}

TEST_F(Families, ALowerThresholdAllowsTheOneAndAHigherOneBlocksTheOther) {
  b.node("a").type("m8i.xlarge").pool("low");
  b.pods(5, "web").on("a").cpu(600).memory_gi(1).node_selector(test::kNodePool, "low");
  b.pool("low").savings_threshold(0.004).budget("100%");
  b.node("b").type("r8i.xlarge").pool("high");
  b.pods(5, "db").on("b").cpu(600).memory_gi(2).node_selector(test::kNodePool, "high");
  b.pool("high").savings_threshold(0.02).budget("100%");
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.verdict("a"), "command");
  EXPECT_EQ(scene.verdict("b"), "SavingsBelowThreshold");
}

// --- What is required ---------------------------------------------------------------------------------------------

TEST(RequiredSavings, FollowTheTuningTable) {
  struct Row {
    double threshold;
    std::size_t pods;
    double dollars;
  };
  for (const Row& row : {Row{0.005, 5, 0.025}, Row{0.005, 10, 0.05}, Row{0.005, 50, 0.25}, Row{0.01, 5, 0.05},
                         Row{0.01, 10, 0.10}, Row{0.01, 50, 0.50}, Row{0.02, 5, 0.10}, Row{0.02, 10, 0.20},
                         Row{0.02, 50, 1.00}}) {
    ClusterBuilder b;
    b.pool("default").savings_threshold(row.threshold);
    b.node("a");
    b.pods(row.pods, "web").on("a");
    const search::PlanScene scene(b);
    const gates::Candidate candidate = scene.candidate("a");
    const gates::Candidate* one[] = {&candidate};
    EXPECT_EQ(required_savings(scene.context(), one), Money::from_dollars(row.dollars))
        << row.threshold << " × " << row.pods;
  }
}

TEST(RequiredSavings, TheDefaultIsAPennyForAUnitOfDisruption) {
  ClusterBuilder b;
  b.node("a");
  b.pods(8, "web").on("a");
  const search::PlanScene scene(b);
  const gates::Candidate candidate = scene.candidate("a");
  const gates::Candidate* one[] = {&candidate};
  EXPECT_EQ(required_savings(scene.context(), one), Money::from_dollars(0.08));
}

TEST(RequiredSavings, EachNodeAsksWhatItsPoolSays) {
  ClusterBuilder b;
  b.pool("cheap").savings_threshold(0.01);
  b.pool("dear").savings_threshold(0.1);
  b.node("a").pool("cheap");
  b.node("b").pool("dear");
  b.pods(3, "x").on("a");
  b.pods(2, "y").on("b");
  const search::PlanScene scene(b);
  const gates::Candidate one = scene.candidate("a"), two = scene.candidate("b");
  const gates::Candidate* both[] = {&one, &two};
  EXPECT_EQ(required_savings(scene.context(), both), Money::from_dollars(0.23));
}

// --- Deleting -----------------------------------------------------------------------------------------------------

struct DeletePrice : testing::Test {
  // A node of $0.10, and one with much room that stays.
  DeletePrice() {
    b.type("small").cpu(4000).memory_gi(8).price(0.10);
    b.type("big").cpu(16000).memory_gi(64).price(0.50);
    b.node("dense").type("small");
    b.node("host").type("big").do_not_disrupt();
    b.pods(1, "anchor").on("host").cpu(100);
  }
  ClusterBuilder b;
};

TEST_F(DeletePrice, TwentyPodsOnAFreshNodeOfTenCentsStay) {
  b.node("dense").created(kNow - Duration::minutes(10)).initialized(kNow - Duration::minutes(10));
  b.pods(20, "web").on("dense").cpu(50);
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "none");
  EXPECT_EQ(scene.verdict("dense"), "SavingsBelowThreshold");
  EXPECT_PRED2(gates::contains, scene.why("dense"), "saves $0.10/h");
  EXPECT_PRED2(gates::contains, scene.why("dense"), "needs $0.20/h");
}

TEST_F(DeletePrice, TheyGoWhenATenthOfTheLifetimeIsLeft) {
  aged(b.node("dense"), 0.9);
  b.pods(20, "web").on("dense").cpu(50);
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single delete dense");
  const Command command = scene.plan().commands.at(0);
  EXPECT_EQ(command.savings, Money::from_dollars(0.10)) << "a delete saves the full price";
  EXPECT_EQ(command.required_savings, Money::from_dollars(0.02));
  EXPECT_EQ(command.moves.size(), 20u);
}

TEST_F(DeletePrice, ForTenCentsFivePodsMoveAndFiftyDoNot) {
  b.pods(5, "web").on("dense").cpu(20);
  EXPECT_EQ(search::PlanScene(b).commands(), "single delete dense");
  b.pods(45, "web").on("dense").cpu(20);
  EXPECT_EQ(search::PlanScene(b).verdict("dense"), "SavingsBelowThreshold");
}

TEST_F(DeletePrice, TenPodsAreExactlyWorthTenCents) {
  b.pods(10, "web").on("dense").cpu(20);
  EXPECT_EQ(search::PlanScene(b).commands(), "single delete dense");
  b.pods(1, "web").on("dense").cpu(20);
  EXPECT_EQ(search::PlanScene(b).commands(), "none");
}

TEST_F(DeletePrice, ImportantPodsCostMore) {
  // 2^25 of priority adds 1 to a pod's cost: 6 such pods need $0.12.
  b.pods(6, "web").on("dense").cpu(20).priority(1 << 25);
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.verdict("dense"), "SavingsBelowThreshold");
  EXPECT_PRED2(gates::contains, scene.why("dense"), "needs $0.12/h");
}

// --- Several nodes ------------------------------------------------------------------------------------------------

struct TwoForOne : testing::Test {
  // 3 and 7 pods that need more than either node has, and fit on the big one together.
  explicit TwoForOne(double big = 0.90) {
    b.pool("default").budget("100%");
    b.type("small").cpu(4000).memory_gi(16).price(0.50);
    b.type("big").cpu(8000).memory_gi(32).price(big);
    b.node("a").type("small");
    b.node("b").type("small");
    b.pods(3, "web").on("a").cpu(1000);
    b.pods(7, "db").on("b").cpu(500);
  }
  ClusterBuilder b;
};

TEST_F(TwoForOne, TenCentsForTenPodsIsEnough) {
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "multi replace a b by big");
  const Command command = scene.plan().commands.at(0);
  EXPECT_DOUBLE_EQ(command.disruption_cost, 10.0);
  EXPECT_EQ(command.required_savings, Money::from_dollars(0.10));
  EXPECT_EQ(command.savings, Money::from_dollars(0.10));
}

struct TwoForADearerOne : TwoForOne {
  TwoForADearerOne() : TwoForOne(0.900000001) {}
};
TEST_F(TwoForADearerOne, AHairLessIsNot) {
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "none");
  EXPECT_EQ(scene.together({"a", "b"}).reason, gates::Reason::SavingsBelowThreshold);
}
TEST_F(TwoForADearerOne, HalfTheirLifetimeHalvesWhatIsRequired) {
  aged(b.node("a"), 0.5);
  aged(b.node("b"), 0.5);
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "multi replace a b by big");
  EXPECT_EQ(scene.plan().commands.at(0).required_savings, Money::from_dollars(0.05));
}

// --- Costs below zero ---------------------------------------------------------------------------------------------

TEST(NegativeCosts, DoNotLetALosingMovePass) {
  ClusterBuilder b;
  b.type("old").cpu(4000).memory_gi(16).price(0.50);
  b.type("new").cpu(4000).memory_gi(16).price(0.51);
  b.node("a").type("old");
  // -2^31 / 2^27 = -16: each costs -10, the least there is.
  b.pods(20, "junk").on("a").cpu(50).deletion_cost("-2147483648");
  const search::PlanScene scene(b);
  const gates::Candidate candidate = scene.candidate("a");
  const gates::Candidate* one[] = {&candidate};
  EXPECT_EQ(required_savings(scene.context(), one), Money{});
  EXPECT_EQ(scene.verdict("a"), "NoCheaperReplacement");
}

TEST(NegativeCosts, OfOneNodePayForNothingOnAnother) {
  ClusterBuilder b;
  b.node("a");
  b.node("b");
  b.pods(20, "junk").on("a").deletion_cost("-2147483648");
  b.pods(10, "web").on("b");
  const search::PlanScene scene(b);
  const gates::Candidate junk = scene.candidate("a"), web = scene.candidate("b");
  const gates::Candidate* both[] = {&junk, &web};
  EXPECT_EQ(required_savings(scene.context(), both), Money::from_dollars(0.10));
}

TEST(NegativeCosts, OfOnePodOffsetAnotherOnTheSameNode) {
  ClusterBuilder b;
  b.node("a");
  b.pods(1, "junk").on("a").deletion_cost("-268435456");  // 1 - 2 = -1
  b.pods(4, "web").on("a");
  EXPECT_DOUBLE_EQ(search::PlanScene(b).candidate("a").disruption_cost, 3.0);
}

// --- Unknown prices -----------------------------------------------------------------------------------------------

struct UnknownPrice : testing::Test {
  UnknownPrice() {
    b.type("known").cpu(16000).memory_gi(64).price(0.50);
    b.node("a").type("unheard-of");
    b.node("host").type("known").do_not_disrupt();
    b.pods(1, "anchor").on("host").cpu(100);
  }
  ClusterBuilder b;
};

TEST_F(UnknownPrice, BlocksAMoveThatHasToBeWorthSomething) {
  b.pods(3, "web").on("a").cpu(100);
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.verdict("a"), "PriceUnknown");
  EXPECT_PRED2(gates::contains, scene.why("a"), "node a");
}

TEST_F(UnknownPrice, DoesNotMatterToADeleteWithoutThreshold) {
  b.pool("default").savings_threshold(0);
  b.pods(3, "web").on("a").cpu(100);
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single delete a");
  EXPECT_FALSE(scene.plan().commands.at(0).savings_known);
  EXPECT_EQ(scene.plan().commands.at(0).savings, Money{});
}

TEST_F(UnknownPrice, BlocksEveryReplacement) {
  b.pool("default").savings_threshold(0);
  b.node("host").cordoned();
  b.pods(3, "web").on("a").cpu(100);
  EXPECT_EQ(search::PlanScene(b).verdict("a"), "PriceUnknown");
}

TEST_F(UnknownPrice, DoesNotKeepAnEmptyNode) {
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "empty delete a");
  EXPECT_FALSE(scene.plan().commands.at(0).savings_known);
}

TEST_F(UnknownPrice, APriceListIsAsGoodAsACatalogue) {
  b.node("a").node().price_override = Money::from_dollars(0.25);
  b.pods(3, "web").on("a").cpu(100);
  const search::PlanScene scene(b);
  EXPECT_EQ(scene.commands(), "single delete a");
  EXPECT_EQ(scene.plan().commands.at(0).savings, Money::from_dollars(0.25));
}

TEST_F(UnknownPrice, OneOfSeveralIsEnoughToBlock) {
  b.pool("default").budget("100%");
  b.node("c").type("known");
  b.pods(3, "web").on("a").cpu(100);
  b.pods(3, "db").on("c").cpu(100);
  EXPECT_EQ(search::PlanScene(b).together({"a", "c"}).reason, gates::Reason::PriceUnknown);
}

}  // namespace
}  // namespace tamp::price

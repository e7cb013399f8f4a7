#include "explain/plan_summary.h"

#include <gtest/gtest.h>

#include "explain/sample_testing.h"

namespace tamp::explain {
namespace {

using gates::Reason;
using search::Verdict;

TEST(PlanSummary, FinishedPodsNeitherCountNorAsk) {
  const Sample s;
  EXPECT_EQ(live_pods(s.cluster), 3U);
  const PlanSummary sum = summarize({s.cluster, s.plan});
  EXPECT_DOUBLE_EQ(sum.cpu_requested, 3 * 1500.0 / (3 * 4000.0));
  EXPECT_DOUBLE_EQ(sum.memory_requested, 9.0 / 24.0);
}

TEST(PlanSummary, GroupsByReasonWithTheDollarsEachPins) {
  Sample s;
  s.block(0, Reason::Utilization, "80%");
  s.block(1, Reason::PodDisruptionBudget, "pdb");
  s.block(2, Reason::PodDisruptionBudget, "pdb too");
  s.plan.candidates[2].price = Money::from_dollars(0.5);
  const PlanSummary sum = summarize({s.cluster, s.plan});
  ASSERT_EQ(sum.kept.size(), 2U);
  EXPECT_EQ(sum.kept[0].reason, Reason::PodDisruptionBudget);
  EXPECT_EQ(sum.kept[0].pinned, Money::from_dollars(0.7));
  EXPECT_EQ(sum.kept[0].nodes[0].message, "pdb too");  // the dearest is the example
  EXPECT_EQ(sum.kept[1].reason, Reason::Utilization);
  EXPECT_EQ(sum.kept_cost, Money::from_dollars(0.9));
}

TEST(PlanSummary, NodesOfACommandAreNotKept) {
  Sample s;
  s.plan.commands = {s.replace_a()};
  s.plan.nodes[0].verdict = Verdict::Command;
  const PlanSummary sum = summarize({s.cluster, s.plan});
  EXPECT_EQ(sum.savings, Money::from_dollars(0.15));
  EXPECT_EQ(sum.kept_nodes, 2U);
}

// A pass stops at the first method that finds something; the other nodes' own verdicts say what keeps them.
TEST(PlanSummary, AlternativesSayWhatCouldGoNextAndWhatKeepsTheRest) {
  Sample pass;
  pass.block(2, Reason::BudgetExhausted, "0 of 1");
  Sample each;
  each.plan.commands = {each.replace_a()};
  each.plan.nodes[0].verdict = Verdict::Command;
  each.block(1, Reason::PodsDoNotFit, "web-3 fits nowhere");
  const PlanSummary sum = summarize({pass.cluster, pass.plan, false, &each.plan, std::nullopt});
  ASSERT_EQ(sum.next.size(), 1U);
  EXPECT_EQ(sum.next[0]->nodes.front(), NodeId{std::size_t{0}});
  ASSERT_EQ(sum.kept.size(), 2U);
  EXPECT_EQ(sum.kept[0].reason, Reason::BudgetExhausted);  // equal dollars: the earlier gate first
  EXPECT_EQ(sum.kept[1].reason, Reason::PodsDoNotFit);
}

TEST(PlanSummary, UnknownPricesAreCountedApart) {
  Sample s;
  s.plan.candidates[1].price.reset();
  const PlanSummary sum = summarize({s.cluster, s.plan});
  EXPECT_EQ(sum.unpriced, 1U);
  ASSERT_EQ(sum.kept.size(), 1U);
  EXPECT_EQ(sum.kept[0].pinned, Money::from_dollars(0.4));
}

}  // namespace
}  // namespace tamp::explain

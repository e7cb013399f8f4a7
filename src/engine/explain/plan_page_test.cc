#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/plan_report.h"
#include "explain/sample_testing.h"

namespace tamp::explain {
namespace {

using gates::Reason;
using testing::HasSubstr;
using testing::Not;

TEST(PlanPage, LeadsWithTheClusterTheMoveAndTheMoney) {
  Sample s;
  s.plan.commands = {s.replace_a()};
  s.plan.nodes[0].verdict = search::Verdict::Command;
  const std::string page = plan_page({s.cluster, s.plan}, {});
  EXPECT_THAT(page, HasSubstr("3 nodes   3 pods   $0.60/h   $438/month"));
  EXPECT_THAT(page, HasSubstr("REPLACE 1 node by a cheaper one"));
  EXPECT_THAT(page, HasSubstr("saves $0.15/h, $110/month, 25% of the bill"));
  EXPECT_THAT(page, HasSubstr("→ b"));
  EXPECT_THAT(page, HasSubstr("→ new node"));
  EXPECT_THAT(page, HasSubstr("disruption cost 4, worth it from $0.04/h"));
}

TEST(PlanPage, ListsSeveralNewNodesWithTheirPods) {
  Sample s;
  s.plan.commands = {s.replace_a_by_two()};
  const std::string page = plan_page({s.cluster, s.plan}, {});
  EXPECT_THAT(page, HasSubstr("REPLACE 1 node by 2 cheaper ones"));
  EXPECT_THAT(page, HasSubstr("new node 1, pool default"));
  EXPECT_THAT(page, HasSubstr("new node 2, pool default"));
  EXPECT_THAT(page, HasSubstr("→ new node 1  1  default/web-1"));
  EXPECT_THAT(page, HasSubstr("→ new node 2  1  default/web-2"));
  EXPECT_THAT(plan_page({s.cluster, s.plan, true}, {}), HasSubstr("→ small, small"));
}

TEST(PlanPage, SaysThatItDecidedOnRequests) {
  const Sample s;
  EXPECT_THAT(plan_page({s.cluster, s.plan}, {}), HasSubstr("decided on requests alone"));
}

TEST(PlanPage, NamesWhatKeepsTheRestAndHowToAsk) {
  Sample s;
  s.block(0, Reason::PodDisruptionBudget, "budget default/web allows 0 disruptions");
  s.block(1, Reason::PodDisruptionBudget, "x");
  s.block(2, Reason::Utilization, "80% requested, limit 75%");
  const std::string page = plan_page({s.cluster, s.plan}, {});
  EXPECT_THAT(page, HasSubstr("NOTHING TO DO"));
  EXPECT_THAT(page, HasSubstr("WHAT KEEPS THE OTHER 3 NODES"));
  EXPECT_THAT(page, HasSubstr("PodDisruptionBudget      2  $0.4000     $292"));
  EXPECT_THAT(page, HasSubstr("a: budget default/web allows 0 disruptions"));
  EXPECT_THAT(page, HasSubstr("also b"));
  EXPECT_THAT(page, HasSubstr("tamp explain a"));
}

TEST(PlanPage, ColourOnlyWhereItIsWelcome) {
  Sample s;
  s.plan.commands = {s.replace_a()};
  EXPECT_THAT(plan_page({s.cluster, s.plan}, {}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(plan_page({s.cluster, s.plan}, {.color = true, .width = 100}), HasSubstr("\x1b[32m"));
}

TEST(PlanPage, EveryVerdictStandsOnItsOwn) {
  Sample s;
  s.plan.commands = {s.replace_a()};
  const std::string page = plan_page({s.cluster, s.plan, true}, {});
  EXPECT_THAT(page, HasSubstr("1 NODE COULD GO"));
  EXPECT_THAT(page, HasSubstr("not to be carried out together"));
  EXPECT_THAT(page, HasSubstr("→ small"));
}

TEST(PlanPage, AForeignNameCannotDriveTheTerminal) {
  Sample s;
  s.cluster.nodes[0].name = s.cluster.symbols.intern("evil\x1b[2J");
  EXPECT_THAT(plan_page({s.cluster, s.plan}, {}), Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace tamp::explain

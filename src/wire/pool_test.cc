#include <gtest/gtest.h>

#include "wire/reading_for_test.h"

namespace tamp::wire {
namespace {

using testing::read;

std::string pool(const std::string& spec) {
  return "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: " + spec + "}";
}
std::string error_of(const std::string& spec) { return testing::error_of(pool(spec)); }
std::string budget_error(const std::string& budget) {
  const std::string error = error_of("{disruption: {budgets: [" + budget + "]}}");
  constexpr std::string_view kPrefix = "file: NodePool p: spec.disruption.budgets[0].";
  return error.starts_with(kPrefix) ? error.substr(kPrefix.size()) : error;
}

struct PoolTest : ::testing::Test {
  Reading reading;
  const NodePool& decode(const std::string& spec) {
    reading = read(pool(spec));
    if (reading.cluster.pools.empty()) reading.cluster.pools.emplace_back();
    return reading.cluster.pools[0];
  }
  std::string_view text(Symbol s) { return reading.cluster.text(s); }
};

TEST_F(PoolTest, TheTemplateOfItsNodes) {
  const NodePool& p = decode(
      "{weight: 10, limits: {cpu: 100, memory: 1Gi, nodes: 7}, template: {metadata: {labels: {team: a}}, "
      "spec: "
      "{nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: main}, taints: [{key: t, effect: "
      "NoSchedule}], "
      "startupTaints: [{key: s, effect: NoExecute}], requirements: [{key: a, operator: In, values: [x, z], "
      "minValues: "
      "2}, {key: b, operator: Gt, values: ['4']}, {key: c, operator: Lte, values: ['9']}]}}}");
  EXPECT_TRUE(p.has_object);
  EXPECT_EQ(p.kind, PoolKind::Karpenter);
  EXPECT_EQ(p.weight, 10);
  EXPECT_TRUE(p.has_limits);
  EXPECT_EQ(p.limits.get(kCpu), 100'000);
  EXPECT_EQ(p.limits.get(kMemory), 1 << 30);
  EXPECT_EQ(p.node_limit, 7);
  EXPECT_EQ(text(p.node_class_label), "karpenter.k8s.aws/ec2nodeclass");
  EXPECT_EQ(text(p.node_class_name), "main");
  EXPECT_EQ(p.taints.size(), 1u);
  EXPECT_EQ(p.startup_taints.size(), 1u);
  ASSERT_EQ(p.requirements.size(), 3u);
  EXPECT_EQ(p.requirements[0].min_values, 2);
  EXPECT_EQ(p.requirements[2].requirement.op, SelectorOp::Lte);
  EXPECT_FALSE(p.replicas.has_value());
}

TEST_F(PoolTest, NothingIsFilledIn) {
  const NodePool& p = decode("{replicas: 3}");
  EXPECT_EQ(p.replicas, 3);
  EXPECT_FALSE(p.disruption.policy.has_value());
  EXPECT_FALSE(p.disruption.budgets.has_value());
  EXPECT_FALSE(p.has_limits);
}

TEST_F(PoolTest, Disruption) {
  const DisruptionBlock& d =
      decode(
          "{disruption: {consolidationPolicy: Balanced, consolidateAfter: 30s, "
          "consolidationSavingsThreshold: 0.05, consolidationGracePeriod: Never, budgets: []}}")
          .disruption;
  EXPECT_EQ(d.policy, ConsolidationPolicy::Balanced);
  EXPECT_EQ(d.consolidate_after->value, Duration::seconds(30));
  EXPECT_EQ(d.savings_threshold, 0.05);
  EXPECT_EQ(d.grace_period, DurationOrNever{});
  EXPECT_TRUE(d.budgets->empty());
}

TEST_F(PoolTest, Budgets) {
  const auto budgets =
      *decode(
           "{disruption: {budgets: [{nodes: 10%}, {nodes: '5', reasons: [Empty, Drifted]}, {nodes: 3}, "
           "{nodes: '0', schedule: '0 9 * * mon-fri', duration: 8h}, {nodes: 100%, schedule: '@daily', "
           "duration: 1h30m0s}]}}")
           .disruption.budgets;
  ASSERT_EQ(budgets.size(), 5u);
  EXPECT_EQ(budgets[0].percent, 10);
  EXPECT_FALSE(budgets[0].count.has_value());
  EXPECT_TRUE(budgets[0].all_reasons);
  EXPECT_EQ(budgets[1].count, 5);
  EXPECT_FALSE(budgets[1].all_reasons);
  EXPECT_EQ(budgets[1].reasons, (std::vector{DisruptionReason::Empty, DisruptionReason::Drifted}));
  EXPECT_EQ(budgets[2].count, 3);
  EXPECT_EQ(budgets[3].duration, Duration::hours(8));
  EXPECT_TRUE(budgets[3].has_schedule);
  EXPECT_EQ(budgets[3].schedule->hour, std::uint64_t{1} << 9);
  EXPECT_EQ(budgets[4].duration, Duration::minutes(90));
  EXPECT_TRUE(reading.warnings.empty());
}

TEST_F(PoolTest, AScheduleThatOnlyCronRefusesLeavesABudgetThatAllowsNothing) {
  const Budget budget = decode("{disruption: {budgets: [{nodes: 10%, schedule: '0 0 * * 7', duration: 1h}]}}")
                            .disruption.budgets->at(0);
  EXPECT_TRUE(budget.invalid);
  EXPECT_FALSE(budget.schedule.has_value());
  EXPECT_EQ(budget.problem, "7 is above 6, the last day of week");
  ASSERT_EQ(reading.warnings.size(), 1u);
  EXPECT_EQ(reading.warnings[0],
            "file: NodePool p: spec.disruption.budgets[0].schedule: 7 is above 6, the last day of week; with "
            "an invalid "
            "budget the pool allows no disruption");
}

TEST_F(PoolTest, BudgetsThatTheApiRefusesAreErrors) {
  EXPECT_EQ(budget_error("{nodes: 101%}"),
            "nodes: \"101%\" is neither a number of nodes nor a percentage from 0% to 100%");
  EXPECT_EQ(budget_error("{nodes: -1}"),
            "nodes: \"-1\" is neither a number of nodes nor a percentage from 0% to 100%");
  EXPECT_EQ(budget_error("{nodes: some}"),
            "nodes: \"some\" is neither a number of nodes nor a percentage from 0% to 100%");
  EXPECT_EQ(budget_error("{nodes: 1.5}"),
            "nodes: \"1.5\" is neither a number of nodes nor a percentage from 0% to 100%");
  EXPECT_EQ(budget_error("{nodes: 1, schedule: '@daily'}"), "duration: must be set with schedule");
  EXPECT_EQ(budget_error("{nodes: 1, duration: 1h}"), "schedule: must be set with duration");
  EXPECT_EQ(budget_error("{nodes: 1, schedule: '* * * *', duration: 1h}").substr(0, 40),
            "schedule: \"* * * *\" is not a cron schedu");
  EXPECT_EQ(budget_error("{nodes: 1, schedule: '@every 5m', duration: 1h}").substr(0, 40),
            "schedule: \"@every 5m\" is not a cron sche");
  EXPECT_EQ(budget_error("{nodes: 1, schedule: '@daily', duration: 30s}"),
            "duration: \"30s\" is not a duration in hours and minutes such as 8h, 30m or 1h30m");
  EXPECT_EQ(budget_error("{nodes: 1, schedule: '@daily', duration: 1.5h}").substr(0, 20),
            "duration: \"1.5h\" is ");
  EXPECT_EQ(budget_error("{nodes: 1, reasons: [Bored]}"),
            "reasons[0]: is \"Bored\", must be one of Underutilized, Empty, Drifted");
}

TEST_F(PoolTest, MoreThanFiftyBudgetsAreRefused) {
  std::string budgets;
  for (int i = 0; i < 51; ++i) budgets += "{nodes: 1}, ";
  EXPECT_EQ(error_of("{disruption: {budgets: [" + budgets + "]}}"),
            "file: NodePool p: spec.disruption.budgets: must not hold more than 50 budgets");
}

TEST_F(PoolTest, OtherErrors) {
  EXPECT_EQ(error_of("{disruption: {consolidationPolicy: WhenUnderutilized}}"),
            "file: NodePool p: spec.disruption.consolidationPolicy: is \"WhenUnderutilized\", must be one of "
            "WhenEmpty, "
            "WhenEmptyOrUnderutilized, Balanced");
  EXPECT_EQ(error_of("{disruption: {consolidateAfter: 5}}"),
            "file: NodePool p: spec.disruption.consolidateAfter: must be a string");
  EXPECT_NE(
      error_of("{disruption: {consolidateAfter: 500ms}}").find("spec.disruption.consolidateAfter: \"500ms\""),
      std::string::npos);
  EXPECT_NE(
      error_of("{disruption: {consolidationGracePeriod: soon}}").find("consolidationGracePeriod: \"soon\""),
      std::string::npos);
  EXPECT_EQ(error_of("{disruption: {consolidationSavingsThreshold: -0.1}}"),
            "file: NodePool p: spec.disruption.consolidationSavingsThreshold: is -0.1, must be from 0 to "
            "1000000000 "
            "(dollars per hour and unit of disruption cost)");
  EXPECT_NE(error_of("{disruption: {consolidationSavingsThreshold: .inf}}"), "");
  EXPECT_EQ(error_of("{disruption: {consolidationSavingsThreshold: '0.1'}}"),
            "file: NodePool p: spec.disruption.consolidationSavingsThreshold: must be a number");
  EXPECT_EQ(error_of("{template: {spec: {requirements: [{key: a, operator: Gt, values: [x]}]}}}"),
            "file: NodePool p: spec.template.spec.requirements[0].values: is \"x\", must be one whole number "
            "that is not "
            "negative");
  EXPECT_EQ(
      error_of("{template: {spec: {requirements: [{key: a, operator: In, values: [x], minValues: 0}]}}}"),
      "file: NodePool p: spec.template.spec.requirements[0].minValues: is 0, must be at least 1");
  EXPECT_EQ(error_of("{replicas: -1}"), "file: NodePool p: spec.replicas: is -1, must be at least 0");
}

}  // namespace
}  // namespace tamp::wire

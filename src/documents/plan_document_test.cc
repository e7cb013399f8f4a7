#include "documents/plan_document.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/plan_report.h"
#include "explain/sample_testing.h"

namespace tamp::documents {
namespace {

using testing::HasSubstr;
using testing::Not;

// The contract's keys in the contract's order.
TEST(PlanDocument, IsTheContract) {
  explain::Sample s;
  s.plan.commands = {s.replace_a()};
  s.plan.nodes = {{NodeId{std::size_t{1}}, search::Verdict::Blocked, gates::Reason::SavingsBelowThreshold,
                   "saves $0.006/h, needs $0.050/h"}};
  s.plan.candidates.clear();
  EXPECT_EQ(plan_json({s.cluster, s.plan}), R"({
  "decidedAt": "2026-11-15T00:00:00Z",
  "planner": "Requests",
  "cluster": {
    "nodes": 3,
    "pods": 3,
    "hourlyCost": 0.6
  },
  "commands": [
    {
      "method": "single",
      "decision": "replace",
      "nodes": [
        "a"
      ],
      "replacement": {
        "nodePool": "default",
        "instanceTypes": [
          "small"
        ],
        "capacityTypes": [
          "on-demand"
        ],
        "zones": [
          "z1"
        ],
        "hourlyPrice": 0.05
      },
      "hourlySavings": 0.15,
      "savingsKnown": true,
      "disruptionCost": 4,
      "requiredSavings": 0.04,
      "pods": [
        {
          "namespace": "default",
          "name": "web-1",
          "from": "a",
          "to": "b"
        },
        {
          "namespace": "default",
          "name": "web-2",
          "from": "a",
          "to": "replacement"
        }
      ],
      "pendingPods": []
    }
  ],
  "nodes": [
    {
      "name": "b",
      "verdict": "blocked",
      "reason": "SavingsBelowThreshold",
      "message": "saves $0.006/h, needs $0.050/h"
    }
  ]
}
)");
}

TEST(PlanDocument, ADeleteHasNoReplacementAndAnUnknownPriceIsNull) {
  explain::Sample s;
  price::Command command = s.replace_a();
  command.replacements.clear();
  s.plan.commands = {command};
  s.plan.candidates[2].price.reset();
  const std::string json = plan_json({s.cluster, s.plan});
  EXPECT_THAT(json, HasSubstr("\"decision\": \"delete\""));
  EXPECT_THAT(json, HasSubstr("\"replacement\": null"));
  EXPECT_THAT(json, HasSubstr("\"hourlyPrice\": null"));
}

TEST(PlanDocument, SeveralReplacementsAreListedBesideTheFirst) {
  explain::Sample s;
  s.plan.commands = {s.replace_a_by_two()};
  const std::string yaml = plan_yaml({s.cluster, s.plan});
  EXPECT_THAT(yaml, HasSubstr("    replacement:\n      nodePool: default\n"));
  EXPECT_THAT(yaml, HasSubstr("    replacements:\n      - nodePool: default\n"));
  EXPECT_THAT(yaml, HasSubstr("        name: web-1\n        from: a\n        to: replacement\n"));
  EXPECT_THAT(yaml, HasSubstr("        name: web-2\n        from: a\n        to: replacement-2\n"));
  s.plan.commands = {s.replace_a()};
  EXPECT_THAT(plan_yaml({s.cluster, s.plan}), Not(HasSubstr("replacements:")));
}

TEST(PlanDocument, PendingPodsAreNotMovedPods) {
  explain::Sample s;
  price::Command command = s.replace_a();
  command.moves = {{s.pod("web-3"), NodeId{}, NodeId{std::size_t{2}}}};
  s.plan.commands = {command};
  const std::string yaml = plan_yaml({s.cluster, s.plan});
  EXPECT_THAT(yaml, HasSubstr("    pods: []\n    pendingPods:\n      - namespace: default\n        name: "
                              "web-3\n        to: c\n"));
}

TEST(PlanDocument, TimingsOnlyWhenAskedFor) {
  explain::Sample s;
  explain::PlanReport report{s.cluster, s.plan};
  EXPECT_THAT(plan_json(report), Not(HasSubstr("timings")));
  report.timings = explain::Timings{12.5, 3};
  EXPECT_THAT(plan_json(report), HasSubstr("\"readMs\": 12.5,\n    \"planMs\": 3\n"));
}

}  // namespace
}  // namespace tamp::documents

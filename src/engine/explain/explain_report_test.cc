#include "explain/explain_report.h"
#include "documents/explain_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "explain/sample_testing.h"

namespace tamp::explain {
namespace {

using gates::Reason;
using testing::HasSubstr;

struct Explained : Sample {
  explain::Explanation e;
  Explained() {
    e.node = NodeId{std::size_t{0}};
    e.candidate = plan.candidates[0];
    e.verdict = {e.node, search::Verdict::Blocked, Reason::PodsDoNotFit, "default/web-1 fits nowhere"};
    e.gates = {{Reason::NotManaged, true, "pool default", std::nullopt},
               {Reason::Utilization, true, "72% requested, limit 75%", SettingSource::PolicyDefault},
               {Reason::PodsDoNotFit, false, "1 of 2 pods has no place", std::nullopt}};
    e.obstacles = {
        {pod("web-1"), {{"TaintToleration", 3}, {"NodeResourcesFit", 7}}, "no type is large enough"}};
    e.cheapest_rejected = price::RejectedReplacement{TypeId{std::size_t{1}}, Money::from_dollars(0.19),
                                                     Money::from_dollars(0.03)};
    e.advice = {"free 500m cpu on another node"};
  }
  ExplainReport report() const { return {cluster, e, plan.decided_at}; }
};

TEST(ExplainPage, ShowsEveryGateWithItsNumbersAndTheOriginOfItsSetting) {
  const Explained s;
  const std::string page = explain_page(s.report(), {});
  EXPECT_THAT(page, HasSubstr("STAYS  PodsDoNotFit\n  default/web-1 fits nowhere"));
  EXPECT_THAT(page, HasSubstr("✓  NotManaged    pool default"));
  EXPECT_THAT(page, HasSubstr("✓  Utilization   72% requested, limit 75% [set by the TemperPolicy]"));
  EXPECT_THAT(page, HasSubstr("✗  PodsDoNotFit  1 of 2 pods has no place"));
}

TEST(ExplainPage, SumsUpObstaclesAsTheSchedulerDoesMostFirst) {
  const Explained s;
  EXPECT_THAT(
      explain_page(s.report(), {.color = false, .width = 140}),
      HasSubstr(
          "0/10 nodes: 7 insufficient resources, 3 taint not tolerated; new node: no type is large enough"));
}

TEST(ExplainPage, NamesTheGapAndWhatWouldHaveToChange) {
  const Explained s;
  const std::string page = explain_page(s.report(), {});
  EXPECT_THAT(page, HasSubstr("small at $0.19/h: would have to be $0.03/h cheaper"));
  EXPECT_THAT(page, HasSubstr("•  free 500m cpu on another node"));
}

TEST(ExplainPage, ANodeThatCanGoShowsWhereItsPodsGo) {
  Explained s;
  s.e.verdict = {s.e.node, search::Verdict::Command, Reason::None, ""};
  s.e.command = s.replace_a();
  const std::string page = explain_page(s.report(), {});
  EXPECT_THAT(page, HasSubstr("CAN GO"));
  EXPECT_THAT(page, HasSubstr("replace it by small at $0.05/h or less: saves $0.15/h, $110/month"));
  EXPECT_THAT(page, HasSubstr("default/web-1  → b"));
}

TEST(ExplainPage, NamesEachOfSeveralNewNodes) {
  Explained s;
  s.e.verdict = {s.e.node, search::Verdict::Command, Reason::None, ""};
  s.e.command = s.replace_a_by_two();
  EXPECT_THAT(explain_page(s.report(), {}), HasSubstr("replace it by small and small at $0.10/h or less"));
  EXPECT_THAT(explain_page(s.report(), {}), HasSubstr("default/web-2  → new node 2"));
}

TEST(ExplainPage, CountsThePodsToMoveByTier) {
  Explained s;
  ASSERT_EQ(s.e.candidate.pods.size(), 2u);
  s.cluster.pods[s.e.candidate.pods[0].index()].priority = 1'000'000;
  s.cluster.pods[s.e.candidate.pods[1].index()].priority = -1000;
  EXPECT_THAT(explain_page(s.report(), {}), HasSubstr("2 pods to move (1 Critical, 1 Background)"));
  EXPECT_THAT(documents::explain_json(s.report()),
              HasSubstr("\"tiers\": {\n    \"Critical\": 1,\n    \"High\": 0,"));
}

TEST(ExplainDocument, CarriesTheSameFacts) {
  const Explained s;
  const std::string json = documents::explain_json(s.report());
  EXPECT_THAT(json, HasSubstr("\"source\": \"PolicyDefault\""));
  EXPECT_THAT(json, HasSubstr("\"reason\": \"NodeResourcesFit\",\n          \"count\": 7"));
  EXPECT_THAT(json, HasSubstr("\"gap\": 0.03"));
  EXPECT_THAT(json, HasSubstr("\"command\": null"));
  EXPECT_THAT(documents::explain_yaml(s.report()), HasSubstr("cheapestRejected:\n  instanceType: small\n"));
}

}  // namespace
}  // namespace tamp::explain

#include "documents/policy_status.h"

#include <gtest/gtest.h>

#include "explain/sample_testing.h"

namespace tamp::documents {
namespace {

using gates::Reason;

// Node a is replaced; b and c stay.
struct Pass {
  explain::Sample pass, every;
  proof::ConsolidationPlan plan;
  std::vector<proof::Refusal> refusals;
  Pass() {
    pass.plan.commands = {pass.replace_a()};
    pass.plan.nodes[0].verdict = search::Verdict::Command;
    every.block(1, Reason::Utilization, "requests 80% of cpu");
    every.block(2, Reason::SavingsBelowThreshold, "saves $0.006/h, needs $0.050/h");
    plan.planner = "SLO";
    plan.method = "single";
    plan.hash = std::string(64, 'f');
    plan.structure = std::string(64, 'e');
    plan.victims = {"a"};
    plan.survivors = {"b", "c"};
    plan.replacements = {{"default", {"small"}, {"on-demand"}, {"z1"}, Money::from_dollars(0.05)}};
    plan.moves = {{"default", "web-1", "u1", Tier::Normal, "a", "b"},
                  {"default", "web-2", "u2", Tier::High, "a", "replacement"}};
    plan.checks = {{"measurements", true, "3 pods", ""}};
    plan.predicted = {{"b", 4, 1.23456, 8 << 20, 1 << 20, 1, 2}};
    plan.hourly_savings = Money::from_dollars(0.15);
    plan.created = *parse_rfc3339("2026-11-15T00:00:00Z");
    plan.expires = *parse_rfc3339("2026-11-15T00:30:00Z");
  }
  PolicyStatus status(bool publish = true) const {
    return {pass.cluster, pass.plan, every.plan, publish ? &plan : nullptr, refusals};
  }
};

TEST(PolicyStatus, ThePlanCarriesItsSavings) {
  const Pass p;
  const std::string json = status_members(p.status()).plan;
  EXPECT_NE(
      json.find(
          R"("hourlySavings":0.15,"monthlySavings":109.5,"nodes":1,"pods":2,"victims":["a"],"survivors":["b","c"])"),
      std::string::npos)
      << json;
  EXPECT_NE(
      json.find(
          R"("nodes":["a"],"nodeCount":1,"podCount":2,"replacement":{"nodePool":"default","instanceTypes":["small"])"),
      std::string::npos)
      << json;
}

TEST(PolicyStatus, ThePlanSaysWhatItIsProvenFrom) {
  const Pass p;
  const std::string json = status_members(p.status()).plan;
  for (
      const char* part :
      {R"("planner":"SLO")", R"("approvable":true)",
       R"("createdAt":"2026-11-15T00:00:00Z","expiresAt":"2026-11-15T00:30:00Z")",
       R"("checks":[{"name":"measurements","passed":true,"message":"3 pods"}])",
       R"("predicted":[{"node":"b","cores":4,"cpuCores":1.23,"memoryBytes":8388608,"memoryUsedBytes":1048576,"criticalCores":1,"pods":2}])",
       R"({"namespace":"default","name":"web-2","uid":"u2","tier":"High","from":"a","to":"replacement"})"})
    EXPECT_NE(json.find(part), std::string::npos) << part << " in " << json;
}

TEST(PolicyStatus, LongListsAreCutAndTheirCountsAreWhole) {
  Pass p;
  const proof::PlannedMove move{std::string(63, 'n'), std::string(80, 'p'), std::string(36, 'u'),
                                Tier::Normal,         std::string(60, 'a'), std::string(60, 'b')};
  p.plan.moves.assign(1500, move);
  p.plan.survivors.assign(1000, std::string(60, 's'));
  p.plan.predicted.assign(1000, {std::string(60, 's'), 4, 1, 1, 1, 1, 1});
  const std::string json = status_members(p.status()).plan;
  std::size_t moves = 0;
  for (std::size_t at = json.find("\"tier\""); at != std::string::npos; at = json.find("\"tier\"", at + 1))
    ++moves;
  EXPECT_EQ(moves, 1000U);
  EXPECT_NE(json.find(R"("pods":1500,)"), std::string::npos);
  EXPECT_LT(json.size(), 512U << 10) << "an object may have 1.5 MiB";
}

TEST(PolicyStatus, ARefusalShowsTheChecksThatFailed) {
  Pass p;
  p.refusals = {
      {{"c"},
       {{"measurements", true, "6 pods", ""}, {"critical-whole-core", false, "predicted 3 cores > 1", "a"}}}};
  StatusMembers members = status_members(p.status(false));
  EXPECT_EQ(
      members.refusals,
      R"([{"victims":["c"],"checks":[{"name":"critical-whole-core","passed":false,"message":"critical-whole-core: predicted 3 cores > 1","subject":"a"}]}])");
  EXPECT_EQ(nearest_refusal(p.refusals), "node c: critical-whole-core: predicted 3 cores > 1");
  const std::string key = members.refusals_key;
  p.refusals[0].checks[1].detail = "predicted 4 cores > 1";
  EXPECT_EQ(status_members(p.status(false)).refusals_key, key) << "numbers are no news";
  p.refusals.assign(40, p.refusals[0]);
  members = status_members(p.status(false));
  EXPECT_LT(members.refusals.size(), 4096U);
}

TEST(PolicyStatus, EveryOtherNodeIsFoundUnderItsReason) {
  const Pass p;
  const std::string json = status_members(p.status()).reasons;
  EXPECT_NE(
      json.find(
          R"({"reason":"Utilization","nodes":1,"hourlyCost":0.2,"message":"requests 80% of cpu","names":["b"]})"),
      std::string::npos)
      << json;
  EXPECT_NE(json.find(R"("reason":"SavingsBelowThreshold","nodes":1)"), std::string::npos) << json;
}

TEST(PolicyStatus, APlanThatIsWithheldIsNullAndIdentifiesNothing) {
  const Pass p;
  const StatusMembers members = status_members(p.status(false));
  EXPECT_EQ(members.plan, "null");
  EXPECT_NE(members.summary.find(R"("identifiedHourlySavings":0})"), std::string::npos) << members.summary;
}

TEST(NodeNotes, SayWhatWillHappenOrWhyNot) {
  const Pass p;
  const std::vector<NodeNote> notes = node_notes(p.status());
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_TRUE(notes[0].planned);
  EXPECT_EQ(notes[0].message, "would be replaced, saving $0.15/h");
  EXPECT_FALSE(notes[1].planned);
  EXPECT_EQ(notes[1].reason, Reason::Utilization);
  EXPECT_EQ(notes[2].message, "saves $0.006/h, needs $0.050/h");
}

TEST(NodeNotes, ANodeThatCouldGoLaterHasNone) {
  Pass p;
  p.every.plan.nodes[1] = {NodeId{std::size_t{1}}, search::Verdict::Command, Reason::None, ""};
  EXPECT_EQ(node_notes(p.status()).size(), 2U);
}

}  // namespace
}  // namespace tamp::documents

#include "report/policy_status.h"

#include <gtest/gtest.h>

#include "report/sample_testing.h"

namespace tamp::report {
namespace {

using decide::Reason;

// Node a is replaced; b and c stay.
struct Pass {
  Sample pass, every;
  Pass() {
    pass.plan.commands = {pass.replace_a()};
    pass.plan.nodes[0].verdict = decide::Verdict::Command;
    every.block(1, Reason::Utilization, "requests 80% of cpu");
    every.block(2, Reason::SavingsBelowThreshold, "saves $0.006/h, needs $0.050/h");
  }
  PolicyStatus status(bool publish = true) const {
    return {pass.cluster, pass.plan, every.plan, "Requests", publish};
  }
};

TEST(PolicyStatus, ThePlanCarriesItsSavings) {
  const Pass p;
  const std::string json = status_members(p.status()).plan;
  EXPECT_NE(json.find(R"("hourlySavings":0.15,"monthlySavings":109.5,"nodes":1,"pods":2,"commands":[)"),
            std::string::npos)
      << json;
  EXPECT_NE(
      json.find(
          R"("nodes":["a"],"nodeCount":1,"podCount":2,"replacement":{"nodePool":"default","instanceTypes":["small"])"),
      std::string::npos)
      << json;
}

TEST(PolicyStatus, TheHashNamesTheDecision) {
  const auto hash = [](const Pass& p) {
    const std::string json = status_members(p.status()).plan;
    return json.substr(json.find("\"hash\":\"") + 8, 64);
  };
  Pass other;
  other.pass.plan.commands[0].moves[1].to = NodeId{std::size_t{2}};
  EXPECT_EQ(hash(Pass()), hash(Pass()));
  EXPECT_NE(hash(Pass()), hash(other));
}

TEST(PolicyStatus, APlanThatIsPublishedAlreadyKeepsItsTime) {
  const Pass p;
  PolicyStatus again = p.status();
  const std::string first = status_members(again).plan;
  const std::string hash = first.substr(first.find("\"hash\":\"") + 8, 64);
  again.published_hash = hash;
  again.published_at = *parse_rfc3339("2026-11-14T00:00:00Z");
  EXPECT_NE(status_members(again).plan.find(R"("decidedAt":"2026-11-14T00:00:00Z")"), std::string::npos);
  EXPECT_NE(first.find(R"("decidedAt":"2026-11-15T00:00:00Z")"), std::string::npos);
}

TEST(PolicyStatus, LongListsAreCutAndTheirCountsAreWhole) {
  Pass p;
  p.pass.plan.commands.assign(150, p.pass.replace_a());
  const std::string json = status_members(p.status()).plan;
  std::size_t commands = 0;
  for (std::size_t at = json.find("\"decision\""); at != std::string::npos;
       at = json.find("\"decision\"", at + 1))
    ++commands;
  EXPECT_EQ(commands, 100U);
  EXPECT_NE(json.find(R"("nodes":150,"pods":300,)"), std::string::npos) << json;
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

TEST(PolicyStatus, NothingToDoIsANullPlan) {
  Pass p;
  p.pass.plan.commands.clear();
  EXPECT_EQ(status_members(p.status()).plan, "null");
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
  p.every.plan.nodes[1] = {NodeId{std::size_t{1}}, decide::Verdict::Command, Reason::None, ""};
  EXPECT_EQ(node_notes(p.status()).size(), 2U);
}

}  // namespace
}  // namespace tamp::report

// Approvals as objects: whoever gives one, it says the same in the same fields.
#include "documents/approval.h"

#include <gtest/gtest.h>

#include "documents/run_document.h"
#include "run/stage_for_test.h"
#include "wire/tree.h"

namespace tamp::documents {
namespace {

const std::string kHash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

TEST(ApprovalObject, SaysWhoApprovesWhatAndFromWhere) {
  for (const auto& [source, said] : {std::pair(ApprovalSource::Cli, "cli"),
                                     {ApprovalSource::Dashboard, "dashboard"},
                                     {ApprovalSource::Policy, "policy"}}) {
    const wire::Tree object = approval_object({kHash, "o\"brien", source, ""}, 1);
    EXPECT_EQ(object["apiVersion"].string(), "temper.codes/v1alpha1");
    EXPECT_EQ(object["kind"].string(), "ConsolidationRun");
    EXPECT_EQ(object.at({"spec", "planHash"}).string(), kHash);
    EXPECT_EQ(object.at({"spec", "approvedBy"}).string(), "o\"brien");
    EXPECT_EQ(object.at({"spec", "source"}).string(), said);
    EXPECT_FALSE(object["spec"].has("reason")) << "none was given";
  }
}

// In the spec, which nobody can change, and not among annotations, which anybody may.
TEST(ApprovalObject, TheReasonIsPartOfWhatWasApproved) {
  const wire::Tree object = approval_object({kHash, "ann", ApprovalSource::Dashboard, "a quiet evening"}, 1);
  EXPECT_EQ(object.at({"spec", "reason"}).string(), "a quiet evening");
  EXPECT_FALSE(object["metadata"].has("annotations"));
}

TEST(ApprovalObject, IsReadAsARunThatWaits) {
  const auto run =
      documents::read_run(wire::to_json(approval_object({kHash, "ann", ApprovalSource::Policy, ""}, 1)));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->phase, run::Phase::Approved);
  EXPECT_EQ(run->plan_hash, kHash);
  EXPECT_EQ(run->approved_by, "ann");
  EXPECT_EQ(run->source, run::kByPolicy);
}

TEST(ApprovalObject, NamesAreMadeOfThePlanAndCountAttempts) {
  Approval approval{kHash, "ann", ApprovalSource::Cli, ""};
  EXPECT_EQ(approval_name(approval, 1), "run-0123456789ab");
  EXPECT_EQ(approval_name(approval, 2), "run-0123456789ab-2");
  EXPECT_EQ(approval_object(approval, 3).at({"metadata", "name"}).string(), "run-0123456789ab-3");
  approval.source = ApprovalSource::Policy;
  EXPECT_EQ(approval_name(approval, 1), "auto-0123456789ab");
}

TEST(UsesUp, APlanIsGoodForOneRunThatWasTakenIn) {
  run::Stage stage = run::two_nodes();
  stage.approve({"b"});
  const std::string& hash = stage.run.plan_hash;
  ASSERT_EQ(stage.run.phase, run::Phase::Validating);
  EXPECT_TRUE(uses_up(stage.run, hash));
  EXPECT_FALSE(uses_up(stage.run, kHash)) << "a run of another plan";
  ASSERT_TRUE(stage.play());
  ASSERT_EQ(stage.run.phase, run::Phase::Succeeded);
  EXPECT_TRUE(uses_up(stage.run, hash));
  // One that was taken back has touched nodes: the desk refuses its plan.
  stage.run.phase = run::Phase::RolledBack;
  EXPECT_TRUE(uses_up(stage.run, hash));
}

TEST(UsesUp, OneThatWaitsDoesAndOneThatWasRefusedDoesNot) {
  run::Stage stage = run::two_nodes();
  auto run = stage.run;
  run.plan_hash = kHash;
  run.phase = run::Phase::Approved;
  EXPECT_TRUE(uses_up(run, kHash)) << "it is about to be taken in";
  run::take_in(run, run::Desk{}, stage.cluster(), documents::status_bytes, stage.now);
  ASSERT_EQ(run.phase, run::Phase::RolledBack) << "no plan is published";
  EXPECT_FALSE(uses_up(run, kHash));
}

}  // namespace
}  // namespace tamp::documents

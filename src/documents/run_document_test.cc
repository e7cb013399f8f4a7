#include "documents/run_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "run/stage_for_test.h"

namespace tamp::documents {
namespace {

using testing::HasSubstr;

std::string object(const std::string& status) {
  return R"({"metadata":{"name":"r","uid":"u","creationTimestamp":"2026-11-15T00:00:00Z"},"spec":{"planHash":"h","approvedBy":"ada"},"status":)" +
         status + "}";
}
std::string problem(const std::string& status) {
  const auto run = read_run(object(status));
  return run ? "" : run.error().message;
}

TEST(RunDocument, AnApprovalHasNoStatusYet) {
  const auto run = read_run(object("null"));
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->phase, run::Phase::Approved);
  EXPECT_EQ(run->plan_hash, "h");
  EXPECT_EQ(run->approved_by, "ada");
  EXPECT_EQ(run->approved_at, test::kNow);
  EXPECT_FALSE(run->abort_requested);
}

TEST(RunDocument, AnAnnotationOrADeletionAsksForAnAbort) {
  EXPECT_TRUE(
      read_run(R"({"metadata":{"name":"r","annotations":{"temper.codes/abort":"true"}}})")->abort_requested);
  EXPECT_TRUE(
      read_run(R"({"metadata":{"name":"r","deletionTimestamp":"2026-11-15T00:00:00Z"}})")->abort_requested);
  EXPECT_FALSE(
      read_run(R"({"metadata":{"name":"r","annotations":{"temper.codes/abort":"false"}}})")->abort_requested);
}

TEST(RunDocument, AJournalThatCannotBeReadIsNotGuessed) {
  EXPECT_THAT(problem(R"({"phase":"Draining"})"), HasSubstr("journal: is missing"));
  EXPECT_THAT(problem(R"({"phase":"Boiling"})"), HasSubstr("phase: is a word that is not known"));
  EXPECT_THAT(problem(R"({"phase":"Draining","journal":{"version":2}})"), HasSubstr("version"));
  const std::string phases = R"("phases":[{"phase":"Draining","at":"2026-11-15T00:00:00Z"}])";
  EXPECT_EQ(problem(R"({"phase":"Draining","journal":{"version":1,)" + phases + "}}"), "");
  EXPECT_THAT(problem(R"({"phase":"Settling","journal":{"version":1,)" + phases + "}}"),
              HasSubstr("not the newest"));
  EXPECT_THAT(problem(R"({"phase":"Draining","journal":{"version":1,)" + phases +
                      R"(,"mutations":[{"id":1,"kind":"Explode"}]}})"),
              HasSubstr("kind"));
  EXPECT_THAT(problem(R"({"phase":"Draining","journal":{"version":1,)" + phases + R"(,"mutations":{}}})"),
              HasSubstr("must be a list"));
}

TEST(RunDocument, StaysSmall) {
  run::Stage stage;
  for (int i = 0; i < 52; ++i) stage.add_node("node-" + std::to_string(i) + std::string(40, 'x'));
  for (int i = 0; i < 110; ++i)
    stage.add_pod({"a-deployment-with-a-long-name-7d9f8c6b5-" + std::to_string(i),
                   "node-0" + std::string(40, 'x'),
                   "",
                   {},
                   10});
  stage.approve({"node-0" + std::string(40, 'x')});
  ASSERT_EQ(stage.run.phase, run::Phase::Validating) << stage.run.message;
  for (std::size_t i = 0; i < stage.run.moves.size(); ++i) {
    const run::Departing& m = stage.run.moves[i];
    stage.run.journal.intend(run::MutationKind::Evict, m.ns, m.name, m.uid, stage.now);
    run::conclude(stage.run, static_cast<std::uint32_t>(i + 1),
                  {run::MutationState::Blocked, "Budget", std::string(5000, 'm'), "", {}, {}}, stage.now);
  }
  EXPECT_LT(write_status(stage.run).size(), 256U << 10U);
}

TEST(RunDocument, APlanThatNoJournalCouldHoldIsRefused) {
  run::Stage stage;
  stage.add_node("a");
  stage.add_node("b");
  for (int i = 0; i < 400; ++i) stage.add_pod({"pod-" + std::to_string(i), "b", "", {}, 1});
  stage.approve({"b"});
  EXPECT_EQ(stage.run.phase, run::Phase::RolledBack);
  EXPECT_EQ(stage.run.reason, "TooLarge");
}

}  // namespace
}  // namespace tamp::documents

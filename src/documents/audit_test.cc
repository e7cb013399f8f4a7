#include "documents/audit.h"

#include <gtest/gtest.h>

namespace tamp::documents {
namespace {

constexpr Time kNow{1'794'700'800'000'000'000};

run::Run cordoned() {
  run::Run run;
  run.name = "run-1";
  run.plan_hash = std::string(64, 'a');
  run.approved_by = "mia \"the\" approver";
  run.approved_at = kNow;
  run.phases = {{run::Phase::Approved, kNow, ""}, {run::Phase::Cordoning, kNow + Duration::seconds(3), ""}};
  run.phase = run::Phase::Cordoning;
  run::Mutation entry;
  entry.id = 1;
  entry.kind = run::MutationKind::Cordon;
  entry.name = "node-1";
  entry.intended = kNow + Duration::seconds(3);
  run.journal.entries.push_back(entry);
  return run;
}

std::string records() {
  AuditBook book;
  run::Run run = cordoned();
  std::string lines = book.update(run, kNow);
  run.journal.entries[0].state = run::MutationState::Done;
  run.journal.entries[0].attempts = 1;
  return lines + book.update(run, kNow + Duration::seconds(4));
}

TEST(Audit, ApprovalPhasesIntentAndResultAreRecordedOnceEach) {
  const std::string lines = records();
  const auto head = verify_audit(lines);
  ASSERT_TRUE(head.ok()) << head.error().message;
  EXPECT_EQ(head->records, 5U);  // approval, two phases, intent, result
  AuditBook book;
  const run::Run run = cordoned();
  EXPECT_FALSE(book.update(run, kNow).empty());
  EXPECT_TRUE(book.update(run, kNow + Duration::hours(1)).empty());
}

TEST(Audit, AChangedLineIsFound) {
  std::string lines = records();
  lines.replace(lines.find("node-1"), 6, "node-2");
  const auto head = verify_audit(lines);
  ASSERT_FALSE(head.ok());
  EXPECT_NE(head.error().message.find("line 4"), std::string::npos) << head.error().message;
}

TEST(Audit, ADroppedLineIsFound) {
  const std::string lines = records();
  const std::size_t first = lines.find('\n') + 1;
  const std::size_t second = lines.find('\n', first) + 1;
  EXPECT_FALSE(verify_audit(lines.substr(0, first) + lines.substr(second)).ok());
  EXPECT_FALSE(verify_audit(lines.substr(first)).ok());
}

TEST(Audit, LinesThatAreCutOffAtTheEndAreMissedByTheHead) {
  const std::string lines = records();
  const std::string head = verify_audit(lines)->hash;
  const std::string cut = lines.substr(0, lines.rfind('\n', lines.size() - 2) + 1);
  EXPECT_TRUE(verify_audit(cut).ok());
  EXPECT_FALSE(audit_contains(cut, head));
  EXPECT_TRUE(audit_contains(lines, head));
}

TEST(Audit, AnotherProcessGoesOnWhereTheLastOneEnded) {
  std::string lines = records();
  auto book = AuditBook::open(lines);
  ASSERT_TRUE(book.ok()) << book.error().message;
  run::Run run = cordoned();
  run.journal.entries[0].state = run::MutationState::Done;
  run.journal.entries[0].attempts = 1;
  EXPECT_EQ(book->update(run, kNow), "") << "what is recorded is not recorded again";
  run.phases.push_back({run::Phase::Draining, kNow + Duration::seconds(9), ""});
  lines += book->update(run, kNow);
  const auto head = verify_audit(lines);
  ASSERT_TRUE(head.ok()) << head.error().message;
  EXPECT_EQ(head->records, 6U);
}

TEST(Audit, WhatIsNoRecordIsRefused) {
  EXPECT_FALSE(verify_audit("{}\n").ok());
  EXPECT_FALSE(verify_audit("\n").ok());
  EXPECT_TRUE(verify_audit("").ok());
}

}  // namespace
}  // namespace tamp::documents

#include "dashboard/audit_collection.h"

#include <gtest/gtest.h>

#include "documents/audit.h"

namespace tamp::dashboard {
namespace {

struct Collecting : testing::Test {
  struct Asked {
    std::string run;
    std::function<void(std::string)> done;
  };
  std::vector<Asked> asked;
  AuditCollection collection{
      [this](const std::string& run, const std::string& what, std::function<void(std::string)> done) {
        EXPECT_EQ(what, "audit");
        asked.push_back({run, std::move(done)});
      },
      3, 2};
  AuditCollection::Runs runs;
  std::optional<AuditCollection::Found> found;

  // Approved in the n-th hour.
  std::string add(const char* name, int hour, run::Phase phase = run::Phase::Succeeded) {
    auto run = std::make_shared<run::Run>();
    run->name = name;
    run->uid = std::string("uid of ") + name;
    run->approved_by = "ann";
    run->approved_at = Time{} + Duration::hours(hour);
    run->phase = phase;
    documents::AuditBook book;
    std::string lines = book.update(*run, run->approved_at);
    run->audit_head = book.head().hash;
    runs.push_back(run);
    return lines;
  }
  bool ask() {
    return collection.ask(runs, [this](const AuditCollection::Found& all) { found = all; });
  }
  void answer(const std::string& lines) {
    ASSERT_FALSE(asked.empty());
    const auto done = asked.front().done;
    asked.erase(asked.begin());
    done(lines);
  }
};

TEST_F(Collecting, WithoutRunsNobodyIsAsked) {
  EXPECT_TRUE(ask());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->runs.empty());
  EXPECT_TRUE(found->complete);
}

TEST_F(Collecting, OneAfterTheOtherNewestFirst) {
  add("old", 1);
  add("new", 2);
  ASSERT_TRUE(ask());
  ASSERT_EQ(asked.size(), 1U) << "one at a time";
  EXPECT_EQ(asked[0].run, "new");
  answer("n\n");
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].run, "old");
  EXPECT_FALSE(found);
  answer("o\n");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->runs[0].lines, "n\n");
  EXPECT_EQ(found->runs[1].lines, "o\n");
}

TEST_F(Collecting, WhatIsOverAndWholeIsReadOnce) {
  const std::string whole = add("over", 3);
  const std::string moving = add("under-way", 2, run::Phase::Draining);
  add("cut", 1);
  ask();
  answer(whole);
  answer(moving);
  answer("");  // its records are not there, or not yet
  ASSERT_TRUE(found);
  found.reset();
  ask();
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(asked[0].run, "under-way");
  answer(moving);
  EXPECT_EQ(asked[0].run, "cut");
  answer("");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->runs[0].lines, whole);
}

TEST_F(Collecting, ANamesakeIsAnotherRun) {
  const std::string lines = add("run", 1);
  ask();
  answer(lines);
  auto namesake = std::make_shared<run::Run>(*runs[0]);
  namesake->uid = "another";
  runs[0] = namesake;
  ask();
  EXPECT_EQ(asked.size(), 1U);
}

TEST_F(Collecting, OnlyTheNewestAndItSaysSo) {
  for (int i = 0; i < 5; ++i) add(("run-" + std::to_string(i)).c_str(), i);
  ask();
  for (int i = 0; i < 3; ++i) answer("");
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->complete);
  ASSERT_EQ(found->runs.size(), 3U);
  EXPECT_EQ(found->runs[2].run->name, "run-2");
}

TEST_F(Collecting, TooManyAtOnceAreRefused) {
  add("run", 1);
  EXPECT_TRUE(ask());
  EXPECT_TRUE(ask());
  EXPECT_FALSE(ask());
}

}  // namespace
}  // namespace tamp::dashboard

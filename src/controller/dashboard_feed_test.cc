#include "controller/dashboard_feed.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tamp::controller {
namespace {

using dashboard::Topic;

struct Feeding : testing::Test {
  std::vector<std::shared_ptr<const documents::Look>> shown;
  std::vector<Topic> told;  // with the last
  DashboardFeed feed{"tamp-1_aa", "v1",
                     [this](std::shared_ptr<const documents::Look> look, const std::vector<Topic>& changed) {
                       shown.push_back(std::move(look));
                       told = changed;
                     }};
  Time now{1'794'700'800'000'000'000};

  void pass(const std::string& hash, double cost = 1, double savings = 0.2) {
    auto input = std::make_shared<PassInput>();
    input->now = now;
    PassOutcome outcome;
    outcome.cost = Money::from_dollars(cost);
    if (!hash.empty()) {
      outcome.plan.emplace().hash = hash;
      outcome.plan->hourly_savings = Money::from_dollars(savings);
    }
    feed.passed(input, outcome);
  }
  bool heard(Topic topic) const { return std::find(told.begin(), told.end(), topic) != told.end(); }
  static RunShelf::Runs shelf(std::initializer_list<std::pair<const char*, const char*>> versions) {
    RunShelf::Runs runs;
    for (const auto& [name, version] : versions) {
      runs[name].run.name = name;
      runs[name].resource_version = version;
    }
    return runs;
  }
};

TEST_F(Feeding, APlanIsNewsOnlyWhenItIsAnother) {
  pass("aa");
  EXPECT_TRUE(heard(Topic::Plan));
  pass("aa");
  EXPECT_FALSE(heard(Topic::Plan));
  EXPECT_TRUE(heard(Topic::Nodes));
  pass("");
  EXPECT_TRUE(heard(Topic::Plan));
  EXPECT_LT(shown[0]->revision, shown[1]->revision);
  EXPECT_EQ(shown[0]->scene->plan->hash, "aa") << "what was handed out is never changed";
}

TEST_F(Feeding, HistoryHasAPointAMinuteAndOneForEveryChange) {
  for (int i = 0; i < 30; ++i, now = now + Duration::seconds(10)) pass("aa");
  EXPECT_EQ(shown.back()->history->size(), 5U) << "of five minutes";
  pass("aa", 0.8);
  EXPECT_EQ(shown.back()->history->size(), 6U) << "cheaper: at once";
}

TEST_F(Feeding, HistoryIsThinnedNotCut) {
  const Time first = now;
  for (int i = 0; i < 3000; ++i, now = now + Duration::minutes(1)) pass("aa");
  const auto& history = *shown.back()->history;
  EXPECT_LE(history.size(), 1000U);
  EXPECT_GE(history.size(), 500U);
  EXPECT_EQ(history.front().at, first);
  EXPECT_TRUE(std::is_sorted(history.begin(), history.end(),
                             [](const auto& a, const auto& b) { return a.at < b.at; }));
}

TEST_F(Feeding, AFollowerSaysWhoLeadsAndShowsNothingOld) {
  feed.leader_is("tamp-1_aa");
  pass("aa");
  EXPECT_FALSE(shown.back()->follows());
  feed.leader_is("tamp-2_bb");
  feed.followed();
  EXPECT_TRUE(shown.back()->follows());
  EXPECT_EQ(shown.back()->leader, "tamp-2_bb");
  EXPECT_EQ(shown.back()->scene, nullptr);
  const std::size_t before = shown.size();
  feed.leader_is("tamp-2_bb");
  EXPECT_EQ(shown.size(), before) << "no news";
  feed.leader_is("tamp-1_aa");
  EXPECT_FALSE(shown.back()->follows());
}

TEST_F(Feeding, NobodyKnownToLeadIsNotAnother) {
  feed.followed();
  EXPECT_FALSE(shown.back()->follows());
}

TEST_F(Feeding, AWithdrawnPlanIsGoneAndSaysWhy) {
  feed.withdrawn("Stale", "watches broke");
  EXPECT_TRUE(shown.empty()) << "there was nothing yet";
  pass("aa");
  feed.withdrawn("Stale", "watches broke");
  EXPECT_FALSE(shown.back()->scene->plan);
  EXPECT_EQ(shown.back()->scene->withheld_reason, "Stale");
  EXPECT_TRUE(heard(Topic::Plan));
  const std::size_t before = shown.size();
  feed.withdrawn("Stale", "watches broke");
  EXPECT_EQ(shown.size(), before) << "said once";
}

TEST_F(Feeding, RunsAreNewsWhenOneOfThemIsWrittenComesOrGoes) {
  feed.look_at_runs({});
  EXPECT_TRUE(shown.empty());
  feed.look_at_runs(shelf({{"a", "1"}}));
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_TRUE(heard(Topic::Runs));
  feed.look_at_runs(shelf({{"a", "1"}}));
  EXPECT_EQ(shown.size(), 1U);
  feed.look_at_runs(shelf({{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[1]->runs[0], shown[0]->runs[0]) << "what did not change is shared";
  feed.look_at_runs(shelf({{"b", "3"}}));
  EXPECT_EQ(shown.back()->runs.size(), 1U);
  RunShelf::Runs unreadable = shelf({{"b", "3"}});
  unreadable["b"].error = "no hash";
  feed.look_at_runs(unreadable);
  EXPECT_TRUE(shown.back()->runs.empty());
}

TEST_F(Feeding, ADismissalIsToldOnce) {
  const std::string text = documents::write_dismissal({"aa", "ann", "no", "2026-11-15T00:00:00Z"});
  feed.dismissed(text);
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_EQ(shown.back()->dismissed->by, "ann");
  feed.dismissed(text);
  EXPECT_EQ(shown.size(), 1U);
  feed.dismissed("nonsense");
  EXPECT_FALSE(shown.back()->dismissed);
}

}  // namespace
}  // namespace tamp::controller

// Given agents that answer, lie, hang and come back, expect what is kept, refused, counted and logged.
#include "controller/observation_collector.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "net/fake_loop_testing.h"

namespace tamp::controller {
namespace {

// Answers after a moment whatever the test put there; says nothing where it put nothing.
class Agents : public ObservationSource {
 public:
  explicit Agents(net::FakeLoop& loop) : loop_(loop) {}
  net::Pending observe(const std::string& node, std::function<void(Result<std::string>)> done) override {
    ++asked;
    ++open_;
    most_open = std::max(most_open, open_);
    const auto found = answers.find(node);
    if (found == answers.end()) return net::Pending([this] { --open_; });
    auto timer = std::make_shared<net::Pending>(
        loop_.after(takes, [done = std::move(done), answer = found->second]() { done(answer()); }));
    return net::Pending([this, timer] {
      --open_;
      timer->cancel();
    });
  }

  std::map<std::string, std::function<Result<std::string>()>> answers;
  Duration takes = Duration::nanoseconds(20'000'000);
  std::size_t asked = 0, most_open = 0;

 private:
  net::FakeLoop& loop_;
  std::size_t open_ = 0;
};

struct Collecting : testing::Test {
  net::FakeLoop loop;
  Agents agents{loop};
  std::string logged;
  Log log{LogLevel::Debug, LogFormat::Text, [this] { return loop.now(); },
          [this](std::string_view line) { logged += line; }};
  controller::Metrics metrics{"test", "test"};
  ObservationCollector collector{loop, agents, log, metrics, {}};

  std::string document(const std::string& node, const std::string& date) {
    return R"({"node":")" + node + R"(","at":")" + date +
           R"(","bootId":"b","machine":{"cores":4,"memoryBytes":1},"pods":[]})";
  }
  // Of an agent whose clock is right.
  void healthy(const std::string& node) {
    agents.answers[node] = [this, node] {
      return Result<std::string>(document(node, format_rfc3339(loop.now())));
    };
  }
  void says(const std::string& node, std::string bytes) {
    agents.answers[node] = [bytes = std::move(bytes)] { return Result<std::string>(bytes); };
  }
  bool counted(std::string_view result, int times) {
    return metrics.exposition().body.find("tamp_observations_total{result=\"" + std::string(result) + "\"} " +
                                          std::to_string(times) + "\n") != std::string::npos;
  }
  std::vector<std::string> observed() const {
    std::vector<std::string> names;
    for (const Observation& o : collector.observations()) names.push_back(o.node);
    return names;
  }
  using Names = std::vector<std::string>;
};

TEST_F(Collecting, AsksEveryNodeInEachRound) {
  for (const char* node : {"a", "b", "c"}) healthy(node);
  collector.look_after({"c", "a", "b"});
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(observed(), (Names{"a", "b", "c"}));
  EXPECT_EQ(collector.rounds(), 1u);
  loop.advance(Duration::seconds(20));
  EXPECT_EQ(collector.rounds(), 3u);
  EXPECT_EQ(agents.asked, 9u);
  EXPECT_TRUE(counted("ok", 9)) << metrics.exposition().body;
}

TEST_F(Collecting, FewQuestionsAreOpenAtATime) {
  std::vector<std::string> nodes;
  for (int i = 0; i < 200; ++i) nodes.push_back("n" + std::to_string(i));
  for (const std::string& node : nodes) healthy(node);
  collector.look_after(nodes);
  loop.advance(Duration::seconds(9));
  EXPECT_EQ(collector.observations().size(), 200u);
  EXPECT_EQ(agents.most_open, 16u);
}

TEST_F(Collecting, AnAgentThatHangsHoldsUpNobody) {
  healthy("a");
  collector.look_after({"a", "dead"});
  loop.advance(Duration::seconds(6));
  EXPECT_EQ(observed(), (Names{"a"}));
  EXPECT_EQ(collector.rounds(), 1u) << "the deadline ended it";
  EXPECT_TRUE(counted("late", 1));
  loop.advance(Duration::minutes(2));
  EXPECT_GT(collector.rounds(), 10u);
  const auto first = logged.find("not observed");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(logged.find("not observed", first + 1), std::string::npos) << "said once\n" << logged;
}

TEST_F(Collecting, WhatMakesNoSenseIsRefusedAndCounted) {
  healthy("good");
  says("garbage", "\x00\xff{");
  says("negative", R"({"node":"negative","at":"2026-11-15T00:00:00Z","machine":{"cores":-4}})");
  says("impostor", document("good", "2026-11-15T00:00:00Z"));
  says("huge", std::string((std::size_t{4} << 20) + 1, ' '));
  agents.answers["gone"] = [] { return Result<std::string>(Error{"connection refused"}); };
  collector.look_after({"good", "garbage", "negative", "impostor", "huge", "gone"});
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(observed(), (Names{"good"}));
  EXPECT_TRUE(counted("malformed", 2)) << metrics.exposition().body;
  EXPECT_TRUE(counted("other_node", 1));
  EXPECT_TRUE(counted("oversized", 1));
  EXPECT_TRUE(counted("unreachable", 1));
}

TEST_F(Collecting, AgeIsOursFromReceiptAndNotTheAgentsDate) {
  says("a", document("a", "1999-01-01T00:00:00Z"));  // a clock that was never set
  collector.look_after({"a"});
  loop.advance(Duration::seconds(1));
  const Time received = loop.now() - Duration::nanoseconds(980'000'000);
  ASSERT_EQ(observed(), (Names{"a"}));
  EXPECT_EQ(collector.observations()[0].at, received);
  // Somebody sets our own date: the age is what it was.
  loop.set_date(loop.now() + Duration::hours(5));
  EXPECT_EQ(loop.now() - collector.observations()[0].at, Duration::nanoseconds(980'000'000));
}

TEST_F(Collecting, AFrozenAgentGrowsOld) {
  says("a", document("a", "2026-11-15T00:00:00Z"));
  collector.look_after({"a"});
  loop.advance(Duration::minutes(2));
  EXPECT_GT(loop.now() - collector.observations()[0].at, Duration::seconds(110));
  EXPECT_FALSE(counted("frozen", 0));
  EXPECT_TRUE(counted("ok", 1));
}

TEST_F(Collecting, ANodeThatIsGoneIsForgotten) {
  healthy("a");
  healthy("b");
  collector.look_after({"a", "b"});
  loop.advance(Duration::seconds(1));
  collector.look_after({"b"});
  EXPECT_EQ(observed(), (Names{"b"}));
  collector.stop();
  EXPECT_TRUE(observed().empty());
  const std::size_t asked = agents.asked;
  loop.advance(Duration::minutes(1));
  EXPECT_EQ(agents.asked, asked);
}

TEST_F(Collecting, LooksAtTheNodesOfARunBetweenTheRounds) {
  for (const char* node : {"a", "b", "c"}) healthy(node);
  collector.look_after({"a", "b", "c"});
  collector.look_closely_at({"b"});
  Duration oldest;
  const auto news = collector.news();
  for (int second = 0; second < 60; ++second) {
    loop.advance(Duration::seconds(1));
    if (second > 3) oldest = std::max(oldest, loop.now() - collector.observations()[1].at);
  }
  EXPECT_LE(oldest, Duration::seconds(4));
  EXPECT_EQ(collector.rounds(), 6u) << "rounds are as before";
  EXPECT_GE(collector.news() - news, 20u);
  EXPECT_LE(agents.asked, 6u * 3 + 20u) << "and only that node is asked more often";
  const auto asked = agents.asked;
  collector.look_closely_at({});
  loop.advance(Duration::seconds(20));
  EXPECT_EQ(agents.asked - asked, 6u);
}

TEST_F(Collecting, ADeadAgentOfARunHoldsUpNoRound) {
  healthy("a");
  collector.look_after({"a", "dead"});
  collector.look_closely_at({"dead", "a"});
  loop.advance(Duration::minutes(2));
  EXPECT_GE(collector.rounds(), 8u);
  EXPECT_LE(loop.now() - collector.observations()[0].at, Duration::seconds(4));
}

TEST_F(Collecting, AnAgentThatIsAskedTwiceWithinASampleIsNotFrozen) {
  agents.answers["a"] = [this] {  // measures every five seconds
    const Time now = loop.now();
    return Result<std::string>(
        document("a", format_rfc3339(now - Duration{now.ns % Duration::seconds(5).ns})));
  };
  collector.look_after({"a"});
  collector.look_closely_at({"a"});
  loop.advance(Duration::minutes(1));
  EXPECT_EQ(logged.find("frozen"), std::string::npos) << logged;
}

}  // namespace
}  // namespace tamp::controller

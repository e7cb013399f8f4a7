#include "net/reflector.h"

#include <gtest/gtest.h>

#include <deque>
#include <set>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"

namespace tamp::net {
namespace {

using Phase = ReflectorState::Phase;

std::string page(const std::string& version, const std::string& token = "", const std::string& items = "") {
  return R"({"kind":"PodList","metadata":{"resourceVersion":")" + version + R"(","continue":")" + token +
         R"("},"items":[)" + items + "]}";
}
std::string event(const std::string& type, const std::string& version) {
  return R"({"type":")" + type + R"(","object":{"metadata":{"resourceVersion":")" + version + R"("}}})";
}
std::string error_event(int code, const std::string& reason) {
  return R"({"type":"ERROR","object":)" + status_text(code, reason, "told") + "}";
}
constexpr const char* kTooLarge =
    R"({"causes":[{"reason":"ResourceVersionTooLarge"}],"retryAfterSeconds":1})";

class ReflectorTest : public ::testing::Test {
 protected:
  ReflectorTest() {
    transport.on_send = [this](const Request&) {
      if (answers.empty()) return answer(200, page("100"));
      Exchange next = answers.front();
      answers.pop_front();
      return next;
    };
  }

  WatchSink sink() {
    WatchSink out;
    out.begin_list = [this] { log.push_back("begin"); };
    out.page = [this](std::string bytes) -> Result<wire::PageInfo> {
      log.push_back("page");
      auto json = wire::Json::parse(bytes);
      if (!json) return std::move(json).error();
      return wire::read_page_info(json->root());
    };
    out.end_list = [this] { log.push_back("end"); };
    out.event = [this](std::string line) -> Result<wire::EventInfo> {
      auto json = wire::Json::parse(line);
      if (!json) return std::move(json).error();
      auto info = wire::read_event_info(json->root());
      if (info) log.push_back("event " + info->resource_version);
      return info;
    };
    return out;
  }
  void make(ReflectorOptions options = {}) {
    reflector.emplace(loop, client, kPods, sink(), options);
    reflector->start();
    loop.settle();
  }
  // Started, listed at 100, watching.
  void make_current(ReflectorOptions options = {}) {
    make(options);
    ASSERT_EQ(transport.streams.size(), 1u);
    transport.last_stream().open();
    loop.advance(Duration::seconds(20));
    transport.sent.clear();
    log.clear();
  }
  const ReflectorState& state() const { return reflector->state(); }
  std::size_t watches() const { return transport.streams.size(); }
  bool stream_asks(std::string_view part) {
    return transport.last_stream().request().target.find(part) != std::string::npos;
  }

  FakeLoop loop;
  ScriptedTransport transport{loop};
  Client client{loop, transport};
  std::deque<Exchange> answers;  // of lists; then a short list at 100
  std::vector<std::string> log;  // of the sink
  std::optional<Reflector> reflector;
};

// ---- listing

TEST_F(ReflectorTest, ListsInPagesAndThenWatchesFromThere) {
  answers = {answer(200, page("7", "t1")), answer(200, page("7", "t2")), answer(200, page("7"))};
  make();
  EXPECT_EQ(log, (std::vector<std::string>{"begin", "page", "page", "page", "end"}));
  ASSERT_EQ(transport.sent.size(), 3u);
  EXPECT_EQ(transport.sent[0].target, "/api/v1/pods?limit=500");
  EXPECT_EQ(transport.sent[1].target, "/api/v1/pods?limit=500&continue=t1");
  EXPECT_EQ(transport.sent[2].target, "/api/v1/pods?limit=500&continue=t2");
  ASSERT_EQ(watches(), 1u);
  EXPECT_TRUE(stream_asks("/api/v1/pods?watch=true&allowWatchBookmarks=true&resourceVersion=7&"));
  EXPECT_EQ(state().phase, Phase::Current);
  EXPECT_TRUE(state().synced);
}

TEST_F(ReflectorTest, AsksForAWatchOfFiveToTenMinutes) {
  std::set<int> lifetimes;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    FakeLoop other(seed);
    ScriptedTransport server(other);
    server.on_send = [](const Request&) { return answer(200, page("1")); };
    Client asking(other, server);
    Reflector watching(other, asking, kPods, sink());
    watching.start();
    other.settle();
    const std::string& target = server.last_stream().request().target;
    const int seconds = std::stoi(target.substr(target.find("timeoutSeconds=") + 15));
    EXPECT_GE(seconds, 300);
    EXPECT_LE(seconds, 600);
    lifetimes.insert(seconds);
  }
  EXPECT_GT(lifetimes.size(), 20u);
}

TEST_F(ReflectorTest, IsNotCurrentBeforeTheWholeListWasRead) {
  answers = {answer(200, page("7", "t1")), no_answer()};
  make();
  EXPECT_EQ(log, (std::vector<std::string>{"begin", "page"}));
  EXPECT_FALSE(state().synced);
  EXPECT_FALSE(state().usable());
  EXPECT_EQ(state().last_error_kind, ApiError::Kind::Unreachable);
  loop.advance(Duration::seconds(1));
  // From the start: what came before is forgotten at begin_list.
  EXPECT_EQ(log, (std::vector<std::string>{"begin", "page", "begin", "page", "end"}));
  EXPECT_EQ(state().phase, Phase::Current);
  EXPECT_EQ(state().last_error, "");
}

TEST_F(ReflectorTest, AForgottenContinueTokenListsAgain) {
  answers = {answer(200, page("7", "t1")), refuse(410, "Expired"), answer(200, page("9"))};
  make();
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(log, (std::vector<std::string>{"begin", "page", "begin", "page", "end"}));
  EXPECT_EQ(transport.sent.back().target, "/api/v1/pods?limit=500");
  EXPECT_EQ(state().resource_version, "9");
}

TEST_F(ReflectorTest, AListThatCannotBeReadIsAskedForAgain) {
  answers = {answer(200, "<html>"), answer(200, page("9"))};
  make();
  EXPECT_EQ(state().phase, Phase::Broken);
  EXPECT_NE(state().last_error.find("cannot be read"), std::string::npos);
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(state().phase, Phase::Current);
}

TEST_F(ReflectorTest, ErrorsAreRepeatedEverMoreSlowly) {
  transport.on_send = [](const Request&) { return no_answer("refused"); };
  make();
  loop.advance(Duration::minutes(2));
  // 0.5, 1, 2, 4, 8, 8 … seconds, or down to half of that: between 15 and 34 in two minutes.
  EXPECT_GE(transport.sent.size(), 15u);
  EXPECT_LE(transport.sent.size(), 34u);
  EXPECT_EQ(state().phase, Phase::Broken);
  EXPECT_EQ(state().last_error, "Unreachable: refused");
  EXPECT_EQ(state().failures, transport.sent.size());
}

// ---- watching

TEST_F(ReflectorTest, EventsAndBookmarksMoveTheVersion) {
  make_current();
  ScriptedStream& stream = transport.last_stream();
  stream.data(event("ADDED", "101") + "\n" + event("MODIFIED", "102") + "\n" + event("DEL", "").substr(0, 5));
  EXPECT_EQ(state().resource_version, "102");
  EXPECT_EQ(state().events, 2u);
  stream.fail();
  loop.advance(Duration::seconds(1));
  ASSERT_EQ(watches(), 2u);
  EXPECT_TRUE(stream_asks("resourceVersion=102&"));
  transport.last_stream().open();
  transport.last_stream().line(event("BOOKMARK", "150"));
  EXPECT_EQ(state().resource_version, "150");
  EXPECT_EQ(state().events, 2u);
  EXPECT_TRUE(transport.sent.empty());  // no list was needed
}

TEST_F(ReflectorTest, AWatchThatComesToItsEndIsResumedAtTheLastVersion) {
  make_current();
  transport.last_stream().line(event("BOOKMARK", "150"));
  transport.last_stream().end();
  EXPECT_EQ(state().phase, Phase::Current);
  loop.advance(Duration{200'000'000});
  ASSERT_EQ(watches(), 2u);
  EXPECT_TRUE(stream_asks("resourceVersion=150&"));
  EXPECT_TRUE(transport.sent.empty());
  EXPECT_EQ(state().failures, 0u);
}

TEST_F(ReflectorTest, AWatchThatAlwaysEndsAtOnceIsNotResumedInARush) {
  make();
  for (int i = 0; i < 100; ++i) {
    if (transport.last_stream().alive()) {
      transport.last_stream().open();
      transport.last_stream().end();
    }
    loop.advance(Duration{100'000'000});
  }
  EXPECT_LE(watches(), 10u);
}

TEST_F(ReflectorTest, AWatchThatEndsWith410ListsAgain) {
  make_current();
  answers = {answer(200, page("300"))};
  transport.last_stream().line(error_event(410, "Expired"));
  EXPECT_EQ(state().phase, Phase::Listing);
  EXPECT_EQ(transport.live_streams(), 0u);
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(log, (std::vector<std::string>{"event ", "begin", "page", "end"}));
  // Not behind what was seen, which a server that lags could otherwise answer.
  EXPECT_EQ(transport.sent.at(0).target,
            "/api/v1/pods?limit=500&resourceVersion=100&resourceVersionMatch=NotOlderThan");
  EXPECT_TRUE(stream_asks("resourceVersion=300&"));
  EXPECT_EQ(state().phase, Phase::Current);
  EXPECT_EQ(state().relists, 1u);
}

TEST_F(ReflectorTest, AWatchRefusedWith410ListsAgain) {
  make_current();
  transport.last_stream().end();
  loop.advance(Duration{200'000'000});
  answers = {answer(200, page("300"))};
  transport.last_stream().refuse({410, status_text(410, "Expired"), {}});
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(state().resource_version, "300");
  EXPECT_EQ(state().relists, 1u);
}

// A server that was away for long and comes back: at first it knows nobody's rights, then it has forgotten the version.
TEST_F(ReflectorTest, WhatAServerSaysThatComesBackIsNoReasonToWaitLong) {
  make_current();
  transport.last_stream().end();
  transport.on_stream = [](ScriptedStream& stream) { stream.fail("refused"); };
  loop.advance(Duration::minutes(1));
  EXPECT_EQ(state().phase, Phase::Broken);
  std::deque<int> refusals = {403, 410};
  transport.on_stream = [&](ScriptedStream& stream) {
    if (refusals.empty()) return stream.open();
    const int code = refusals.front();
    refusals.pop_front();
    stream.refuse({code, status_text(code, "No"), {}});
  };
  loop.advance_until([&] { return refusals.size() < 2; }, Duration::seconds(8));
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(state().phase, Phase::Current);
  EXPECT_EQ(state().relists, 1u);
}

TEST_F(ReflectorTest, AServerThatForgetsEveryVersionIsAskedEverMoreSlowly) {
  transport.on_stream = [](ScriptedStream& stream) { stream.refuse({410, status_text(410, "Expired"), {}}); };
  make();
  loop.advance(Duration::minutes(2));
  EXPECT_GE(transport.sent.size(), 15u);
  EXPECT_LE(transport.sent.size(), 34u);  // as with other errors
}

TEST_F(ReflectorTest, OtherErrorsOfAWatchResumeItAndOnlyThenList) {
  make_current();
  transport.last_stream().line(error_event(500, "InternalError"));
  loop.advance(Duration::seconds(10));
  ASSERT_EQ(watches(), 2u);
  EXPECT_TRUE(transport.sent.empty());
  for (int i = 0; i < 2; ++i) {
    transport.last_stream().open();
    transport.last_stream().line(error_event(500, "InternalError"));
    loop.advance(Duration::seconds(10));
  }
  EXPECT_EQ(transport.sent.size(), 1u);
}

TEST_F(ReflectorTest, AnEventThatCannotBeReadListsAgain) {
  make_current();
  transport.last_stream().line(R"({"type":"ADDED","object":)");
  EXPECT_EQ(state().phase, Phase::Broken);
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(log, (std::vector<std::string>{"begin", "page", "end"}));
  EXPECT_EQ(state().phase, Phase::Current);
}

TEST_F(ReflectorTest, AnEventWithoutEndListsAgain) {
  make_current();
  const std::string piece(1024 * 1024, 'x');
  for (int i = 0; i < 17; ++i) transport.last_stream().data(piece);
  EXPECT_EQ(transport.live_streams(), 0u);
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(state().relists, 1u);
}

TEST_F(ReflectorTest, ASilentWatchIsDead) {
  ReflectorOptions options;
  options.stall_after = Duration::minutes(3);
  make_current(options);
  ScriptedStream& silent = transport.last_stream();
  silent.line(event("BOOKMARK", "110"));
  loop.advance(Duration{179 * 1'000'000'000LL});
  EXPECT_TRUE(silent.alive());
  silent.line(event("BOOKMARK", "120"));  // a sign of life starts the time anew
  loop.advance(Duration{179 * 1'000'000'000LL});
  EXPECT_TRUE(silent.alive());
  loop.advance(Duration::seconds(2));
  EXPECT_FALSE(silent.alive());
  ASSERT_EQ(watches(), 2u);
  EXPECT_TRUE(stream_asks("resourceVersion=120&"));
}

TEST_F(ReflectorTest, AWatchThatIsNotOpenedIsAskedForAgain) {
  make();
  loop.advance(Duration::seconds(32));
  EXPECT_EQ(watches(), 2u);
  EXPECT_EQ(transport.live_streams(), 1u);
  EXPECT_EQ(state().phase, Phase::Broken);
  transport.last_stream().open();
  EXPECT_EQ(state().phase, Phase::Current);
}

TEST_F(ReflectorTest, TellsWhenTheServerWasLastHeard) {
  make_current();
  const Instant heard = state().last_contact;
  loop.advance(Duration::minutes(1));
  EXPECT_EQ(state().last_contact, heard);
  transport.last_stream().line(event("BOOKMARK", "110"));
  EXPECT_EQ(state().last_contact, loop.instant());
}

// ---- never back

TEST_F(ReflectorTest, AListOlderThanWhatWasSeenIsNotUsed) {
  make_current();
  transport.last_stream().line(event("ADDED", "200"));
  answers = {answer(200, page("150")), answer(200, page("199")), answer(200, page("200"))};
  transport.last_stream().line(error_event(410, "Expired"));
  log.clear();
  loop.advance(Duration{600'000'000});
  EXPECT_EQ(log, (std::vector<std::string>{"begin", "page"}));  // and no end
  EXPECT_FALSE(state().usable());
  EXPECT_NE(state().last_error.find("older"), std::string::npos);
  loop.advance(Duration::seconds(10));
  EXPECT_EQ(log.back(), "end");
  EXPECT_EQ(state().resource_version, "200");
  // The store itself is asked once another server gave an old answer.
  EXPECT_EQ(transport.sent.back().target, "/api/v1/pods?limit=500");
}

TEST_F(ReflectorTest, VersionsAreComparedAsNumbers) {
  answers = {answer(200, page("99"))};
  make();
  transport.last_stream().open();
  answers = {answer(200, page("100"))};
  transport.last_stream().line(error_event(410, "Expired"));
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(state().resource_version, "100");
}

TEST_F(ReflectorTest, AServerThatLagsBehindIsNotAskedForTheSameAgain) {
  make_current();
  answers = {refuse(504, "Timeout", "Too large resource version: 100, current: 90", kTooLarge),
             answer(200, page("100"))};
  transport.last_stream().line(error_event(410, "Expired"));
  loop.advance(Duration::seconds(5));
  ASSERT_EQ(transport.sent.size(), 2u);
  EXPECT_EQ(transport.sent[1].target, "/api/v1/pods?limit=500");
  EXPECT_EQ(state().phase, Phase::Current);
}

// ---- kinds that are not there, rights that are not there

TEST_F(ReflectorTest, ACustomKindThatIsNotInstalledIsAbsentAndLookedForAgain) {
  ReflectorOptions options;
  options.custom = true;
  answers = {refuse(404, "NotFound"), refuse(404, "NotFound"), answer(200, page("7"))};
  make(options);
  EXPECT_EQ(state().phase, Phase::Absent);
  EXPECT_TRUE(state().usable());
  EXPECT_TRUE(state().synced);
  EXPECT_EQ(log, (std::vector<std::string>{"begin", "end"}));  // it has no objects
  loop.advance(Duration::seconds(31));
  EXPECT_EQ(transport.sent.size(), 2u);
  EXPECT_EQ(state().phase, Phase::Absent);
  EXPECT_EQ(log.size(), 2u);
  loop.advance(Duration::seconds(31));
  EXPECT_EQ(state().phase, Phase::Current);
}

TEST_F(ReflectorTest, AKindThatWasThereIsAbsentOnlyWhenItIsSaidTwice) {
  ReflectorOptions options;
  options.custom = true;
  make_current(options);
  answers = {refuse(404, "NotFound"), refuse(404, "NotFound")};
  transport.last_stream().end();
  loop.advance(Duration{200'000'000});
  transport.last_stream().refuse({404, status_text(404, "NotFound"), {}});
  loop.advance_until([&] { return transport.sent.size() == 1; }, Duration::seconds(2));
  loop.settle();
  EXPECT_EQ(state().phase, Phase::Broken);
  EXPECT_TRUE(log.empty());
  loop.advance(Duration::seconds(2));
  EXPECT_EQ(state().phase, Phase::Absent);
  EXPECT_EQ(log, (std::vector<std::string>{"begin", "end"}));
}

TEST_F(ReflectorTest, AKindOfKubernetesItselfIsNeverAbsent) {
  answers = {refuse(404, "NotFound")};
  make();
  EXPECT_EQ(state().phase, Phase::Broken);
  EXPECT_TRUE(log.empty());
}

TEST_F(ReflectorTest, WhatIsForbiddenIsSaidAndAskedForSeldom) {
  for (const int code : {401, 403}) {
    transport.sent.clear();
    transport.on_send = [code](const Request&) { return refuse(code, "Forbidden", "may not list"); };
    make();
    EXPECT_EQ(state().phase, Phase::Broken);
    EXPECT_NE(state().last_error.find("may not list"), std::string::npos);
    // A server that has just started may not have read yet who may do what.
    loop.advance(Duration{500'000'000});
    EXPECT_EQ(transport.sent.size(), 2u);
    loop.advance(Duration::minutes(1));
    transport.sent.clear();
    // 10 to 20 s apart by now.
    loop.advance(Duration::minutes(2));
    EXPECT_GE(transport.sent.size(), 5u);
    EXPECT_LE(transport.sent.size(), 12u);
    reflector.reset();
  }
}

// ---- the outside

TEST_F(ReflectorTest, TellsWhenSomethingChanged) {
  int changes = 0;
  reflector.emplace(loop, client, kPods, sink());
  reflector->set_on_change([&] { ++changes; });
  reflector->start();
  loop.settle();
  EXPECT_GT(changes, 0);
  transport.last_stream().open();
  changes = 0;
  transport.last_stream().line(event("BOOKMARK", "101"));
  EXPECT_EQ(changes, 0);
  transport.last_stream().data(event("ADDED", "102") + "\n" + event("ADDED", "103") + "\n");
  EXPECT_EQ(changes, 1);
}

TEST_F(ReflectorTest, StoppedItAsksNothingMore) {
  make_current();
  reflector->stop();
  EXPECT_EQ(transport.live_streams(), 0u);
  loop.advance(Duration::hours(1));
  EXPECT_EQ(watches(), 1u);
  EXPECT_TRUE(transport.sent.empty());
  EXPECT_EQ(loop.timers(), 0u);
}

}  // namespace
}  // namespace tamp::net

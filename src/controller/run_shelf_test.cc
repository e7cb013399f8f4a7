#include "controller/run_shelf.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"

namespace tamp::controller {
namespace {

std::string run(std::string_view name, int version, std::string_view phase, std::string_view metadata = "") {
  const std::string status =
      phase.empty()
          ? "{}"
          : fmt::format(
                R"({{"phase":"{}","journal":{{"version":1,"phases":[{{"phase":"{}","at":"2026-11-15T00:00:00Z"}}]}}}})",
                phase, phase);
  return fmt::format(
      R"({{"apiVersion":"temper.codes/v1alpha1","kind":"ConsolidationRun","metadata":{{"name":"{}","uid":"u-{}",)"
      R"("resourceVersion":"{}","creationTimestamp":"2026-11-15T00:00:00Z"{}}},"spec":{{"planHash":"abc"}},"status":{}}})",
      name, name, version, metadata, status);
}

struct RunShelfTest : testing::Test {
  RunShelfTest() {
    transport.on_send = [this](const net::Request&) { return list; };
    transport.on_stream = [](net::ScriptedStream& stream) { stream.open(); };
    shelf.set_on_change([this] { ++changes; });
  }
  void start(const std::string& items) {
    list = net::answer(200, R"({"metadata":{"resourceVersion":"10"},"items":[)" + items + "]}");
    shelf.start();
    loop.settle();
  }
  void event(std::string_view type, const std::string& object) {
    transport.last_stream().line(fmt::format(R"({{"type":"{}","object":{}}})", type, object));
    loop.settle();
  }
  run::Phase phase(const std::string& name) { return shelf.runs().at(name).run.phase; }

  net::FakeLoop loop;
  net::ScriptedTransport transport{loop};
  net::Client client{loop, transport};
  net::Exchange list;
  RunShelf shelf{loop, client};
  int changes = 0;
};

TEST_F(RunShelfTest, HoldsWhatListAndWatchShow) {
  EXPECT_FALSE(shelf.synced());
  start(run("one", 3, "Draining") + "," + run("two", 4, "Succeeded"));
  EXPECT_TRUE(shelf.synced());
  EXPECT_EQ(shelf.runs().size(), 2U);
  EXPECT_EQ(phase("one"), run::Phase::Draining);
  const int before = changes;
  event("MODIFIED", run("one", 11, "Aborting"));
  event("ADDED", run("three", 12, ""));
  event("DELETED", run("two", 13, "Succeeded"));
  EXPECT_EQ(phase("one"), run::Phase::Aborting);
  EXPECT_EQ(phase("three"), run::Phase::Approved) << "nobody has taken it in yet";
  EXPECT_FALSE(shelf.runs().contains("two"));
  EXPECT_EQ(changes - before, 3);
}

TEST_F(RunShelfTest, ReadsWhatPeopleSayByMetadata) {
  start(run("one", 3, "Draining",
            R"(,"annotations":{"temper.codes/abort":"true"},"finalizers":["temper.codes/rollback"],)"
            R"("deletionTimestamp":"2026-11-15T00:01:00Z")"));
  const ShelvedRun& one = shelf.runs().at("one");
  EXPECT_TRUE(one.run.abort_requested);
  EXPECT_EQ(one.finalizers, std::vector<std::string>{"temper.codes/rollback"});
  EXPECT_TRUE(one.deleting);
  EXPECT_EQ(one.resource_version, "3");
  EXPECT_EQ(one.run.uid, "u-one");
}

TEST_F(RunShelfTest, ARunThatCannotBeReadIsNotAbsent) {
  start(run("one", 3, "Dreaming"));
  ASSERT_TRUE(shelf.runs().contains("one"));
  EXPECT_FALSE(shelf.runs().at("one").error.empty());
  EXPECT_EQ(shelf.runs().at("one").run.name, "one");
  event("MODIFIED", run("one", 11, "Draining"));
  EXPECT_TRUE(shelf.runs().at("one").error.empty());
}

TEST_F(RunShelfTest, WhatANewListDoesNotShowIsGone) {
  start(run("one", 3, "Draining") + "," + run("two", 4, "Draining"));
  list = net::answer(200,
                     R"({"metadata":{"resourceVersion":"20"},"items":[)" + run("two", 15, "Settling") + "]}");
  transport.last_stream().line(
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})");
  loop.advance(Duration::seconds(30));
  EXPECT_EQ(shelf.runs().size(), 1U);
  EXPECT_EQ(phase("two"), run::Phase::Settling);
}

TEST_F(RunShelfTest, AKindThatTheServerDoesNotKnowHasNoRuns) {
  list = net::refuse(404, "NotFound");
  shelf.start();
  loop.advance(Duration::minutes(2));
  EXPECT_TRUE(shelf.synced());
  EXPECT_TRUE(shelf.runs().empty());
}

}  // namespace
}  // namespace tamp::controller

#include "net/event_recorder.h"

#include <gtest/gtest.h>

#include <map>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"
#include "wire/value.h"

namespace tamp::net {
namespace {

ObjectReference node(const std::string& name) { return {"v1", "Node", "", name, "uid-" + name}; }

class EventRecorderTest : public ::testing::Test {
 protected:
  EventRecorderTest() {
    transport.on_send = [this](const Request& request) { return handle(request); };
  }

  // Events by path, as far as the recorder needs a server: the count of each.
  Exchange handle(const Request& request) {
    const std::string path = request.target.substr(0, request.target.find('?'));
    auto json = wire::Json::parse(request.body.empty() ? "{}" : request.body);
    const std::int64_t count = json->root().get("count").integer().value_or(0);
    if (request.method == Method::Post) {
      const std::string name(*json->root().get("metadata").get("name").string());
      if (!counts.emplace(path + "/" + name, count).second) return refuse(409, "AlreadyExists");
      return answer(201);
    }
    const auto found = counts.find(path);
    if (found == counts.end()) return refuse(404, "NotFound");
    if (request.method == Method::Patch) found->second = count;
    return answer(200, R"({"kind":"Event","count":)" + std::to_string(found->second) + "}");
  }
  std::vector<std::int64_t> all_counts() const {
    std::vector<std::int64_t> out;
    for (const auto& [path, count] : counts) out.push_back(count);
    return out;
  }

  FakeLoop loop;
  ScriptedTransport transport{loop};
  Client client{loop, transport};
  std::map<std::string, std::int64_t> counts;
};

TEST_F(EventRecorderTest, AnEventNamesItsObject) {
  EventRecorderOptions options;
  options.host = "tamp-0";
  EventRecorder recorder(loop, client, options);
  recorder.record(node("a"), EventType::Normal, "ConsolidationBlocked", "NodeTooYoung: 3m of 5m");
  loop.settle();
  ASSERT_EQ(transport.sent.size(), 1u);
  const Request& request = transport.sent[0];
  EXPECT_EQ(request.target.substr(0, request.target.find('?')), "/api/v1/namespaces/default/events");
  const auto json = wire::Json::parse(request.body);
  ASSERT_TRUE(json.ok());
  const wire::Value event = json->root(), object = event.get("involvedObject");
  EXPECT_EQ(object.get("kind").string(), "Node");
  EXPECT_EQ(object.get("name").string(), "a");
  EXPECT_EQ(object.get("uid").string(), "uid-a");
  EXPECT_FALSE(object.get("namespace").present());
  EXPECT_EQ(event.get("metadata").get("namespace").string(), "default");
  EXPECT_EQ(event.get("type").string(), "Normal");
  EXPECT_EQ(event.get("reason").string(), "ConsolidationBlocked");
  EXPECT_EQ(event.get("message").string(), "NodeTooYoung: 3m of 5m");
  EXPECT_EQ(event.get("count").integer(), 1);
  EXPECT_EQ(event.get("source").get("component").string(), "tamp");
  EXPECT_EQ(event.get("reportingInstance").string(), "tamp-0");
  EXPECT_EQ(event.get("lastTimestamp").string(), format_rfc3339(loop.now()));
}

TEST_F(EventRecorderTest, AnObjectWithANamespaceKeepsItsEventsThere) {
  EventRecorder recorder(loop, client);
  recorder.record({"v1", "Pod", "shop", "web-1", "u"}, EventType::Warning, "R", "m");
  loop.settle();
  EXPECT_EQ(transport.sent.at(0).target.rfind("/api/v1/namespaces/shop/events?", 0), 0u);
}

TEST_F(EventRecorderTest, ARepeatIsCountedAndToldOnlyOnceInAWhile) {
  EventRecorder recorder(loop, client);
  for (int i = 0; i < 10; ++i) {
    recorder.record(node("a"), EventType::Normal, "R", "m");
    loop.advance(Duration::minutes(1));
  }
  EXPECT_EQ(transport.sent.size(), 1u);
  loop.advance(Duration::minutes(10));
  recorder.record(node("a"), EventType::Normal, "R", "m");
  loop.settle();
  ASSERT_EQ(transport.sent.size(), 2u);
  EXPECT_EQ(transport.sent[1].method, Method::Patch);
  EXPECT_EQ(all_counts(), std::vector<std::int64_t>{11});
}

TEST_F(EventRecorderTest, ARepeatAfterARestartIsNoNewObject) {
  {
    EventRecorder first(loop, client);
    first.record(node("a"), EventType::Normal, "R", "m");
    loop.settle();
  }
  EventRecorder second(loop, client);
  second.record(node("a"), EventType::Normal, "R", "m");
  loop.settle();
  EXPECT_EQ(all_counts(), std::vector<std::int64_t>{2});
}

TEST_F(EventRecorderTest, AnEventThatTheServerForgotIsCreatedAnew) {
  EventRecorder recorder(loop, client);
  recorder.record(node("a"), EventType::Normal, "R", "m");
  loop.settle();
  counts.clear();
  loop.advance(Duration::hours(2));
  recorder.record(node("a"), EventType::Normal, "R", "m");
  loop.settle();
  EXPECT_EQ(all_counts(), std::vector<std::int64_t>{2});
}

TEST_F(EventRecorderTest, AnotherMessageIsAnotherEvent) {
  EventRecorder recorder(loop, client);
  recorder.record(node("a"), EventType::Normal, "R", "m");
  recorder.record(node("a"), EventType::Normal, "R", "n");
  recorder.record(node("b"), EventType::Normal, "R", "m");
  loop.settle();
  EXPECT_EQ(counts.size(), 3u);
}

TEST_F(EventRecorderTest, ManyAtOnceGoOutSlowlyAndTooManyAreDropped) {
  EventRecorderOptions options;
  options.qps = 2;
  options.burst = 3;
  options.queue = 10;
  EventRecorder recorder(loop, client, options);
  for (int i = 0; i < 100; ++i) recorder.record(node(std::to_string(i)), EventType::Normal, "R", "m");
  loop.settle();
  EXPECT_EQ(transport.sent.size(), 3u);
  loop.advance(Duration::seconds(1));
  EXPECT_EQ(transport.sent.size(), 5u);
  loop.advance(Duration::minutes(1));
  EXPECT_EQ(counts.size(), 11u) << "one that was under way and ten that waited";
}

TEST_F(EventRecorderTest, AFailureIsForgottenAndTheNextRepeatTriesAgain) {
  transport.on_send = [](const Request&) { return refuse(403, "Forbidden"); };
  EventRecorder recorder(loop, client);
  recorder.record(node("a"), EventType::Normal, "R", "m");
  loop.settle();
  EXPECT_TRUE(counts.empty());
  transport.on_send = [this](const Request& request) { return handle(request); };
  recorder.record(node("a"), EventType::Normal, "R", "m");
  loop.settle();
  EXPECT_EQ(all_counts(), std::vector<std::int64_t>{2});
}

TEST_F(EventRecorderTest, RemembersOnlySoMuch) {
  EventRecorderOptions options;
  options.remembered = 2;
  EventRecorder recorder(loop, client, options);
  for (const char* name : {"a", "b", "c", "a"}) {
    recorder.record(node(name), EventType::Normal, "R", "m");
    loop.settle();
  }
  // "a" was forgotten, and is counted on in what the server has.
  ASSERT_EQ(counts.size(), 3u);
  EXPECT_EQ(all_counts(), (std::vector<std::int64_t>{2, 1, 1}));
}

TEST(EventName, IsADnsNameThatStaysTheSame) {
  const std::string name = event_name(node("ip-10-0-3-13"), "R", "m");
  EXPECT_EQ(name.substr(0, 13), "ip-10-0-3-13.");
  EXPECT_EQ(name.size(), 13u + 16u);
  EXPECT_EQ(name, event_name(node("ip-10-0-3-13"), "R", "m"));
  // Where one part ends and the next begins counts.
  EXPECT_NE(event_name(node("a"), "R", "m"), event_name(node("a"), "Rm", ""));
  EXPECT_EQ(event_name(node(std::string(235, 'x') + "--" + std::string(16, 'y')), "R", "m").size(),
            235u + 17u);
}

}  // namespace
}  // namespace tamp::net

// Given a Prometheus that answers, falls silent or talks nonsense, expect what is known of the application, and for how long.
#include "controller/application_reader.h"

#include <gtest/gtest.h>

#include "net/fake_loop_testing.h"

namespace tamp::controller {
namespace {

struct Server {
  std::vector<std::string> urls, targets;
  std::function<net::Exchange()> answer;
};

class Way : public net::ApiTransport {
 public:
  Way(net::Loop& loop, Server& server) : loop_(loop), server_(server) {}
  net::Pending send(net::Request request, std::function<void(net::Exchange)> done) override {
    server_.targets.push_back(request.target);
    EXPECT_EQ(request.peer, "");
    EXPECT_GT(request.largest_response, 0u) << "bounded";
    return loop_.after(Duration::nanoseconds(1'000'000),
                       [this, done = std::move(done)] { done(server_.answer()); });
  }
  net::Pending stream(net::Request, net::StreamSink) override { return {}; }

 private:
  net::Loop& loop_;
  Server& server_;
};

net::Exchange number(const std::string& value) {
  return {
      net::Response{
          200, R"({"status":"success","data":{"resultType":"scalar","result":[1,")" + value + R"("]}})", {}},
      {}};
}

struct Application : testing::Test {
  net::FakeLoop loop;
  std::string logged;
  Log log{LogLevel::Debug, LogFormat::Text, [this] { return loop.now(); },
          [this](std::string_view line) { logged += line; }};
  Server server;
  ApplicationReader reader{loop, log};
  PrometheusGuard guard{"http://prometheus:9090/", "max(p99{job=\"a b\"})", 0.006};

  Application() {
    server.answer = [] { return number("0.004"); };
    reader.connect_with([this](const std::string& url) {
      server.urls.push_back(url);
      return std::make_unique<Way>(loop, server);
    });
  }
  bool known() const { return reader.signal(guard).known; }
};

TEST_F(Application, IsAskedForOneNumberAgainAndAgain) {
  reader.ask(guard);
  EXPECT_FALSE(known()) << "nothing is known before the first answer";
  loop.advance(Duration::seconds(1));
  EXPECT_TRUE(known());
  EXPECT_EQ(reader.signal(guard).value, 0.004);
  EXPECT_EQ(reader.signal(guard).limit, 0.006);
  EXPECT_EQ(server.urls, std::vector<std::string>{"http://prometheus:9090"});
  EXPECT_EQ(server.targets[0], "/api/v1/query?query=max%28p99%7Bjob%3D%22a%20b%22%7D%29");
  const auto news = reader.news();
  server.answer = [] { return number("0.009"); };
  reader.ask(guard);  // the same is no news
  loop.advance(Duration::seconds(6));
  EXPECT_EQ(reader.signal(guard).value, 0.009);
  EXPECT_GT(reader.news(), news);
}

TEST_F(Application, IsNotKnownWhenAnswersStayOut) {
  reader.ask(guard);
  loop.advance(Duration::seconds(1));
  server.answer = [] { return net::Exchange{std::nullopt, {"connection refused", false}}; };
  loop.advance(Duration::seconds(10));
  EXPECT_TRUE(known()) << "one that is lost does no harm";
  const auto news = reader.news();
  loop.advance(Duration::seconds(10));
  EXPECT_FALSE(known()) << "but what was said grows old";
  EXPECT_GT(reader.news(), news);
  EXPECT_NE(logged.find("connection refused"), std::string::npos);
  server.answer = [] { return number("0.001"); };
  loop.advance(Duration::seconds(10));
  EXPECT_TRUE(known());
}

TEST_F(Application, IsNotKnownFromAServerThatNeverAnswers) {
  reader.connect_with([this](const std::string&) {
    struct Silent : net::ApiTransport {
      explicit Silent(Server& s) : server(s) {}
      net::Pending send(net::Request request, std::function<void(net::Exchange)>) override {
        server.targets.push_back(request.target);
        return {};
      }
      net::Pending stream(net::Request, net::StreamSink) override { return {}; }
      Server& server;
    };
    return std::make_unique<Silent>(server);
  });
  reader.ask(guard);
  loop.advance(Duration::minutes(1));
  EXPECT_FALSE(known());
  EXPECT_GE(server.targets.size(), 5u) << "it is asked again all the same";
  EXPECT_LE(server.targets.size(), 7u);
}

TEST_F(Application, IsNotKnownFromNonsenseOrErrors) {
  for (const auto& exchange :
       {number("NaN"), net::Exchange{net::Response{503, "busy", {}}, {}},
        net::Exchange{net::Response{422, R"({"status":"error","error":"no such function"})", {}}, {}}}) {
    server.answer = [&] { return exchange; };
    reader.ask(guard);
    loop.advance(Duration::seconds(30));
    EXPECT_FALSE(known());
    reader.stop();
  }
  EXPECT_NE(logged.find("no such function"), std::string::npos);
}

TEST_F(Application, OfAnotherQueryIsNotThisOne) {
  reader.ask(guard);
  loop.advance(Duration::seconds(1));
  PrometheusGuard other = guard;
  other.query = "errors";
  EXPECT_FALSE(reader.signal(other).known);
  reader.ask(other);
  EXPECT_FALSE(known());
  loop.advance(Duration::seconds(1));
  EXPECT_TRUE(reader.signal(other).known);
  reader.stop();
  EXPECT_FALSE(reader.signal(other).known);
  const auto asked = server.targets.size();
  loop.advance(Duration::minutes(1));
  EXPECT_EQ(server.targets.size(), asked) << "nobody asks while there is no run";
}

TEST_F(Application, IsNotKnownWhereNobodyCanBeAsked) {
  ApplicationReader alone(loop, log);
  alone.ask(guard);
  loop.advance(Duration::minutes(1));
  EXPECT_FALSE(alone.signal(guard).known);
}

}  // namespace
}  // namespace tamp::controller

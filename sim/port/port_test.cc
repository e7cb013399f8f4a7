// The port with a real server behind it, asked over a raw TLS socket.
#include "sim/port/port.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "net/http_client_for_test.h"
#include "net/real_loop.h"

namespace tamp::embed {
namespace {

using net::testing::body_of;
using net::testing::RawClient;
using net::testing::status_of;
using world::api::ResourceId;
using world::api::Tree;

// A server on a thread of its own, as the embedded cluster has it.
class PortTest : public ::testing::Test {
 protected:
  PortTest() {
    server_.set_now(loop_.now());
    world::api::WriteOptions options;
    server_.create(ResourceId::Namespaces, "",
                   Tree::object({{"metadata", Tree::object({{"name", "default"}})}}), options);
    auto port = Port::start(
        server_, [this](std::function<void()> action) { loop_.post(std::move(action)); }, loop_.now());
    EXPECT_TRUE(port.ok()) << (port.ok() ? "" : port.error().message);
    port_ = std::move(port).value();
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~PortTest() override {
    loop_.post([this] { port_.reset(); });
    loop_.post([this] { loop_.stop(); });
    thread_.join();
  }

  std::string request(const std::string& method, const std::string& target, const std::string& body = "",
                      bool token = true) const {
    return method + " " + target + " HTTP/1.1\r\nHost: a\r\n" +
           (token ? "Authorization: Bearer " + port_->token() + "\r\n" : "") +
           "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
           body;
  }

  net::RealLoop loop_{1};
  world::api::Server server_;
  std::unique_ptr<Port> port_;
  std::thread thread_;
};

const std::string kConfigMaps = "/api/v1/namespaces/default/configmaps";

TEST_F(PortTest, AnswersWithWhatTheServerSays) {
  RawClient client(port_->port(), port_->authority());
  ASSERT_TRUE(client.connected());
  client.send(request("POST", kConfigMaps, R"({"metadata":{"name":"a"},"data":{"k":"v"}})"));
  const std::string made = client.read_response();
  EXPECT_EQ(status_of(made), 201) << made;
  client.send(request("GET", kConfigMaps + "/a"));
  const std::string got = client.read_response();
  EXPECT_EQ(status_of(got), 200);
  // It tells the time by the cluster's clock.
  loop_.post([this] { server_.set_now(*parse_rfc3339("2031-02-03T04:05:06Z")); });
  client.send(request("GET", kConfigMaps + "/a"));
  EXPECT_NE(client.read_response().find("Date: Mon, 03 Feb 2031 04:05:06 GMT\r\n"), std::string::npos);
  EXPECT_NE(got.find(R"("data":{"k":"v"})"), std::string::npos) << got;
  client.send(request("GET", kConfigMaps + "/b"));
  EXPECT_EQ(status_of(client.read_response()), 404);
}

TEST_F(PortTest, ATokenThatNobodyKnowsIsRefused) {
  RawClient client(port_->port(), port_->authority());
  client.send("GET " + kConfigMaps + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer wrong\r\n\r\n");
  EXPECT_EQ(status_of(client.read_response()), 401);
}

TEST_F(PortTest, AWatchIsAStreamThatTellsWhatOthersWrite) {
  RawClient watcher(port_->port(), port_->authority()), writer(port_->port(), port_->authority());
  watcher.send(request("GET", kConfigMaps + "?watch=true"));
  EXPECT_EQ(status_of(watcher.read_response()), 200);
  writer.send(request("POST", kConfigMaps, R"({"metadata":{"name":"a"}})"));
  EXPECT_EQ(status_of(writer.read_response()), 201);
  std::string seen;
  while (seen.find("\n") == std::string::npos) {
    const std::string more = watcher.read_exactly(1);
    ASSERT_FALSE(more.empty()) << seen;
    seen += more;
    if (seen.ends_with("\r\n") && seen.size() < 8) seen.clear();  // the chunk's length
  }
  EXPECT_NE(seen.find(R"("type":"ADDED")"), std::string::npos) << seen;
}

TEST_F(PortTest, AWatchEndsAfterItsTimeout) {
  RawClient watcher(port_->port(), port_->authority());
  watcher.send(request("GET", kConfigMaps + "?watch=true&timeoutSeconds=1"));
  EXPECT_EQ(status_of(watcher.read_response()), 200);
  EXPECT_EQ(watcher.read_exactly(5), "0\r\n\r\n");
}

// ---- clients that are not to be trusted

TEST_F(PortTest, OnlyTheTokenItselfWillDo) {
  const std::string good = port_->token();
  for (const std::string& given :
       {"Bearer " + good.substr(1), "Bearer " + good + "0", "Bearer " + std::string(60'000, 'x')}) {
    RawClient client(port_->port(), port_->authority());
    client.send("GET " + kConfigMaps + " HTTP/1.1\r\nHost: a\r\nAuthorization: " + given + "\r\n\r\n");
    EXPECT_EQ(status_of(client.read_response()), 401) << given.substr(0, 40);
  }
  RawClient nobody(port_->port(), port_->authority());
  nobody.send(request("GET", kConfigMaps, "", false));
  EXPECT_EQ(status_of(nobody.read_response()), 403) << "anonymous, and without rights";
}

TEST_F(PortTest, WhatIsTooLargeIsRefusedBeforeItIsRead) {
  RawClient body(port_->port(), port_->authority());
  body.send("POST " + kConfigMaps + " HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer " + port_->token() +
            "\r\nContent-Type: application/json\r\nContent-Length: 1099511627776\r\n\r\n{");
  EXPECT_EQ(status_of(body.read_response()), 413);
  RawClient header(port_->port(), port_->authority());
  header.send("GET " + kConfigMaps + " HTTP/1.1\r\nHost: a\r\nX: " + std::string(100'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(status_of(header.read_response()), 431);
}

TEST_F(PortTest, NonsenseIsABadRequest) {
  const std::string deep(200'000, '[');
  for (const std::string& body :
       {std::string("{"), std::string("nonsense"), deep, std::string("\0\x01\xff", 3)}) {
    RawClient client(port_->port(), port_->authority());
    client.send(request("POST", kConfigMaps, body));
    EXPECT_EQ(status_of(client.read_response()), 400) << body.substr(0, 20);
  }
  RawClient noise(port_->port(), port_->authority());
  noise.send("\x16\x03\x01 this is not HTTP\r\n\r\n");
  EXPECT_EQ(status_of(noise.read_response()), 400);
}

TEST_F(PortTest, SlowClientsKeepNobodyWaiting) {
  std::vector<std::unique_ptr<RawClient>> slow;
  for (int i = 0; i < 10; ++i) {
    slow.push_back(std::make_unique<RawClient>(port_->port(), port_->authority()));
    slow.back()->send(i % 2 == 0
                          ? "GET " + kConfigMaps + " HTTP/1.1\r\nHos"
                          : "POST " + kConfigMaps + " HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{");
  }
  RawClient writer(port_->port(), port_->authority());
  writer.send(request("POST", kConfigMaps, R"({"metadata":{"name":"a"}})"));
  EXPECT_EQ(status_of(writer.read_response()), 201);
}

TEST_F(PortTest, WatchesThatNobodyReadsKeepNobodyWaiting) {
  std::vector<std::unique_ptr<RawClient>> unread;
  for (int i = 0; i < 40; ++i) {
    unread.push_back(std::make_unique<RawClient>(port_->port(), port_->authority()));
    unread.back()->send(request("GET", kConfigMaps + "?watch=true"));
    ASSERT_EQ(status_of(unread.back()->read_response()), 200);
  }
  // More than sockets and the port itself hold for each of them.
  RawClient writer(port_->port(), port_->authority());
  const auto started = std::chrono::steady_clock::now();
  for (int i = 0; i < 24; ++i) {
    writer.send(request("POST", kConfigMaps,
                        R"({"metadata":{"name":"m)" + std::to_string(i) + R"("},"data":{"k":")" +
                            std::string(500'000, 'x') + R"("}})"));
    ASSERT_EQ(status_of(writer.read_response()), 201) << i;
  }
  // One who comes late and reads gets everything.
  RawClient reader(port_->port(), port_->authority());
  reader.send(request("GET", kConfigMaps + "?watch=true&resourceVersion=0"));
  ASSERT_EQ(status_of(reader.read_response()), 200);
  std::string seen;
  while (seen.find("\"name\":\"m23\"") == std::string::npos) {
    const std::string more = reader.read_exactly(100'000);
    ASSERT_FALSE(more.empty());
    seen = seen.substr(seen.size() < 64 ? 0 : seen.size() - 64) + more;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(20));
}

TEST_F(PortTest, AnOutageCutsEverybodyOffAndEndsUnderTheSameAddress) {
  RawClient watcher(port_->port(), port_->authority());
  watcher.send(request("GET", kConfigMaps + "?watch=true"));
  EXPECT_EQ(status_of(watcher.read_response()), 200);
  const std::uint16_t number = port_->port();
  const auto on_its_thread = [this](const std::function<void()>& action) {
    std::promise<void> done;
    loop_.post([&] {
      action();
      done.set_value();
    });
    done.get_future().wait();
  };
  on_its_thread([&] { port_->go_down(); });
  EXPECT_FALSE(RawClient(number, port_->authority()).connected());
  on_its_thread([&] { EXPECT_TRUE(port_->come_back().ok()); });
  EXPECT_EQ(port_->port(), number);
  RawClient again(number, port_->authority());
  again.send(request("GET", kConfigMaps));
  EXPECT_EQ(status_of(again.read_response()), 200);
}

TEST_F(PortTest, TheKubeconfigNamesServerAuthorityAndToken) {
  const std::string text = port_->kubeconfig();
  EXPECT_NE(text.find("server: " + port_->url() + "\n"), std::string::npos);
  EXPECT_NE(text.find("token: " + port_->token() + "\n"), std::string::npos);
  EXPECT_NE(text.find("certificate-authority-data: "), std::string::npos);
}

}  // namespace
}  // namespace tamp::embed

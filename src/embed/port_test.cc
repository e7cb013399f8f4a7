// The port with a real server behind it, asked over a raw TLS socket.
#include "embed/port.h"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>
#include <thread>

#include "kube/real_loop.h"
#include "serve/http_client_for_test.h"

namespace tamp::embed {
namespace {

using serve::testing::body_of;
using serve::testing::RawClient;
using serve::testing::status_of;
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

  kube::RealLoop loop_{1};
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

TEST_F(PortTest, TheKubeconfigNamesServerAuthorityAndToken) {
  const std::string text = port_->kubeconfig();
  EXPECT_NE(text.find("server: " + port_->url() + "\n"), std::string::npos);
  EXPECT_NE(text.find("token: " + port_->token() + "\n"), std::string::npos);
  EXPECT_NE(text.find("certificate-authority-data: "), std::string::npos);
}

}  // namespace
}  // namespace tamp::embed

#include "controller/leader_service.h"

#include <gtest/gtest.h>

#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"
#include "wire/tree.h"

namespace tamp::controller {
namespace {

struct Leading : testing::Test {
  net::FakeLoop loop;
  net::ScriptedTransport transport{loop};
  net::Client client{loop, transport};
  std::string logged;
  Log log{LogLevel::Info, LogFormat::Text, [this] { return loop.now(); },
          [this](std::string_view line) { logged += line; }};
  bool leads = false, refused = false;
  LeaderService service{loop, client, log, options(), [this] { return leads; }};

  Leading() {
    transport.on_send = [this](const net::Request&) {
      return refused ? net::refuse(403, "Forbidden") : net::answer(200);
    };
    service.start();
  }
  static LeaderServiceOptions options() {
    LeaderServiceOptions options;
    options.service = "tamp-dashboard";
    options.address = "10.0.3.4";
    options.port = 8443;
    options.pod = "tamp-controller-1";
    return options;
  }
};

TEST_F(Leading, AFollowerWritesNothing) {
  loop.advance(Duration::minutes(10));
  EXPECT_TRUE(transport.sent.empty());
}

TEST_F(Leading, ANewLeaderPutsItsAddressThere) {
  leads = true;
  loop.advance(Duration::seconds(2));
  ASSERT_EQ(transport.sent.size(), 1U);
  const net::Request& request = transport.sent[0];
  EXPECT_NE(
      request.target.find("/apis/discovery.k8s.io/v1/namespaces/tamp-system/endpointslices/tamp-dashboard"),
      std::string::npos)
      << request.target;
  EXPECT_NE(request.target.find("force=true"), std::string::npos) << "the last leader's address is not ours";
  const wire::Tree slice = *wire::read_tree(request.body);
  EXPECT_EQ(slice["metadata"]["labels"]["kubernetes.io/service-name"].string(), "tamp-dashboard");
  EXPECT_EQ(slice["addressType"].string(), "IPv4");
  ASSERT_EQ(slice["endpoints"].size(), 1U);
  EXPECT_EQ(slice["endpoints"].elements()[0]["addresses"].elements()[0].string(), "10.0.3.4");
  EXPECT_EQ(slice["ports"].elements()[0]["port"].integer(), 8443);
}

TEST_F(Leading, ItIsWrittenAgainNowAndThenAndAtOnceAfterAChange) {
  leads = true;
  loop.advance(Duration::minutes(3));
  EXPECT_GE(transport.sent.size(), 3U) << "somebody may have removed it";
  EXPECT_LE(transport.sent.size(), 4U);
  leads = false;
  loop.advance(Duration::minutes(3));
  const std::size_t before = transport.sent.size();
  leads = true;
  loop.advance(Duration::seconds(2));
  EXPECT_EQ(transport.sent.size(), before + 1);
}

TEST_F(Leading, WhatFailsIsTriedAgainAndSaidOnce) {
  leads = refused = true;
  loop.advance(Duration::seconds(30));
  EXPECT_GE(transport.sent.size(), 4U);
  EXPECT_EQ(logged.find("does not lead here"), logged.rfind("does not lead here")) << logged;
  EXPECT_NE(logged.find("does not lead here"), std::string::npos);
}

}  // namespace
}  // namespace tamp::controller

#include "dashboard/dashboard_route.h"

#include <gtest/gtest.h>

namespace tamp::dashboard {
namespace {

TEST(DashboardRoute, FindsDocumentsAndActions) {
  EXPECT_EQ(find_route("/api/v1/overview").endpoint, Endpoint::Overview);
  EXPECT_EQ(find_route("/api/v1/plan/dismissal").endpoint, Endpoint::Dismissal);
  const Route node = find_route("/api/v1/nodes/ip-10-0-1-2.ec2.internal");
  EXPECT_EQ(node.endpoint, Endpoint::Node);
  EXPECT_EQ(node.name, "ip-10-0-1-2.ec2.internal");
  const Route abort = find_route("/api/v1/runs/run%2D1/abort");
  EXPECT_EQ(abort.endpoint, Endpoint::RunAbort);
  EXPECT_EQ(abort.name, "run-1");
}

TEST(DashboardRoute, NamesThatNoObjectHasLeadNowhere) {
  for (const char* path :
       {"/api/v1/nodes/..", "/api/v1/nodes/%2e%2e", "/api/v1/nodes/a%2fb", "/api/v1/nodes/",
        "/api/v1/nodes/a b", "/api/v1/nodes/%00", "/api/v1/nodes/%zz", "/api/v1/nodes/%4",
        "/api/v1/runs/a/../b", "/api/v1/runs/a/secrets", "/api/v1/", "/api/v1", "/api/v2/overview",
        "/api/v1/overview/", "//api/v1/overview", "/etc/passwd"})
    EXPECT_EQ(find_route(path).endpoint, Endpoint::None) << path;
  EXPECT_EQ(find_route("/api/v1/nodes/" + std::string(254, 'a')).endpoint, Endpoint::None);
  EXPECT_EQ(find_route("/api/v1/nodes/" + std::string(253, 'a')).endpoint, Endpoint::Node);
}

TEST(DashboardRoute, MethodsAreWholeWords) {
  const Route session = find_route("/api/v1/session");
  EXPECT_TRUE(session.allows("GET"));
  EXPECT_TRUE(session.allows("POST"));
  EXPECT_TRUE(session.allows("DELETE"));
  EXPECT_FALSE(session.allows("PUT"));
  EXPECT_FALSE(session.allows("POS"));
  EXPECT_FALSE(session.allows(""));
  EXPECT_FALSE(find_route("/api/v1/plan").allows("POST"));
}

TEST(DashboardRoute, OnlyTheSameOriginIsTheSame) {
  EXPECT_TRUE(same_origin("https://tamp.example:8443", "tamp.example:8443", true));
  EXPECT_FALSE(same_origin("http://tamp.example:8443", "tamp.example:8443", true));
  EXPECT_FALSE(same_origin("https://tamp.example", "tamp.example:8443", true));
  EXPECT_FALSE(same_origin("https://tamp.example:8443.evil.example", "tamp.example:8443", true));
  EXPECT_FALSE(same_origin("null", "tamp.example", false));
  EXPECT_FALSE(same_origin("http://", "", false));
}

TEST(DashboardRoute, LoopbackHosts) {
  for (const char* host : {"127.0.0.1", "127.0.0.1:80", "localhost:18088", "[::1]:1"})
    EXPECT_TRUE(loopback_host(host)) << host;
  for (const char* host :
       {"", "localhost.evil.example", "127.0.0.1.evil.example:80", "evil.example", "127.0.0.1:x", "10.0.0.1"})
    EXPECT_FALSE(loopback_host(host)) << host;
}

}  // namespace
}  // namespace tamp::dashboard

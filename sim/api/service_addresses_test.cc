#include <gtest/gtest.h>

#include "sim/api/calls_for_test.h"

namespace tamp::world::api {
namespace {

const std::string kServices = "/api/v1/namespaces/shop/services";

std::string service(const std::string& name, const std::string& rest) {
  return R"({"metadata":{"name":")" + name + R"("},"spec":{"selector":{"app":"web"},"ports":[{"port":80}])" +
         rest + "}}";
}

std::string_view field(const Reply& reply) {
  const Tree::Array& causes = reply.body["details"]["causes"].elements();
  return causes.empty() ? std::string_view() : causes.front()["field"].string();
}

TEST(ServiceAddressesTest, AServiceThatLeavesItsAddressOutKeepsIt) {
  Server server = shop();
  const Reply made = call(server, "POST", kServices, service("a", ""));
  const std::string address(made.body["spec"]["clusterIP"].string());
  EXPECT_TRUE(address.starts_with("10.96.")) << address;
  const Reply put = call(server, "PUT", kServices + "/a", service("a", R"(,"sessionAffinity":"ClientIP")"));
  EXPECT_EQ(put.status(), 200);
  EXPECT_EQ(put.body["spec"]["clusterIP"].string(), address);
}

TEST(ServiceAddressesTest, AnAddressIsForGood) {
  Server server = shop();
  call(server, "POST", kServices, service("a", ""));
  const Reply put = call(server, "PUT", kServices + "/a", service("a", R"(,"clusterIP":"10.96.44.44")"));
  EXPECT_EQ(put.status(), 422);
  EXPECT_EQ(field(put), "spec.clusterIPs[0]");
}

TEST(ServiceAddressesTest, WhatSomebodyElseHasOrNobodyCanHaveIsRefused) {
  Server server = shop();
  EXPECT_EQ(call(server, "POST", kServices, service("a", R"(,"clusterIP":"10.96.44.44")")).status(), 201);
  const Reply taken = call(server, "POST", kServices, service("b", R"(,"clusterIP":"10.96.44.44")"));
  EXPECT_EQ(taken.status(), 422);
  EXPECT_EQ(taken.body["details"]["kind"].string(), "Service");
  EXPECT_EQ(field(taken), "spec.clusterIPs");
  EXPECT_EQ(field(call(server, "POST", kServices, service("b", R"(,"clusterIP":"192.0.2.1")"))),
            "spec.clusterIPs");
}

TEST(ServiceAddressesTest, NodePortsComeAndGoWithTheType) {
  Server server = shop();
  call(server, "POST", kServices, service("a", ""));
  const Reply open = call(server, "PATCH", kServices + "/a", R"({"spec":{"type":"NodePort"}})",
                          "application/merge-patch+json");
  EXPECT_GE(open.body["spec"]["ports"].elements().at(0)["nodePort"].integer(), 30000);
  EXPECT_EQ(open.body["spec"]["externalTrafficPolicy"].string(), "Cluster");
  const Reply closed = call(server, "PATCH", kServices + "/a", R"({"spec":{"type":"ClusterIP"}})",
                            "application/merge-patch+json");
  EXPECT_FALSE(closed.body["spec"]["ports"].elements().at(0).has("nodePort"));
  EXPECT_FALSE(closed.body["spec"].has("externalTrafficPolicy"));
}

TEST(ServiceAddressesTest, OnlyABalancedServiceHasAnIngress) {
  Server server = shop();
  call(server, "POST", kServices, service("a", ""));
  call(server, "POST", kServices, service("b", R"(,"type":"LoadBalancer")"));
  const std::string status = R"({"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.1"}]}}})";
  const Reply refused =
      call(server, "PATCH", kServices + "/a/status", status, "application/merge-patch+json");
  EXPECT_EQ(field(refused), "status.loadBalancer.ingress");
  const Reply given = call(server, "PATCH", kServices + "/b/status", status, "application/merge-patch+json");
  EXPECT_EQ(given.body["status"]["loadBalancer"]["ingress"].elements().at(0)["ipMode"].string(), "VIP");
}

TEST(ServiceAddressesTest, WithoutAddressesNoNodePorts) {
  Server server = shop();
  const Reply refused =
      call(server, "POST", kServices, service("a", R"(,"clusterIP":"None","type":"NodePort")"));
  EXPECT_EQ(refused.status(), 422);
  EXPECT_EQ(field(refused), "spec.clusterIPs[0]");
}

}  // namespace
}  // namespace tamp::world::api

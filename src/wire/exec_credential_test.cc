#include "wire/exec_credential.h"

#include <gtest/gtest.h>

#include "wire/value.h"

namespace tamp::wire {
namespace {

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

std::string answer(const std::string& status) {
  return R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","status":)" + status +
         "}";
}
std::string error_of(const std::string& bytes) {
  const auto credential = read_exec_credential(bytes, kV1);
  return credential ? "" : credential.error().message;
}

TEST(ExecCredential, ATokenWithItsEnd) {
  const auto credential =
      read_exec_credential(answer(R"({"token":"abc","expirationTimestamp":"2026-11-15T00:00:00Z"})"), kV1);
  ASSERT_TRUE(credential.ok());
  EXPECT_EQ(credential->token, "abc");
  EXPECT_EQ(credential->expires, *parse_rfc3339("2026-11-15T00:00:00Z"));
  EXPECT_EQ(credential->certificate, "");
}

TEST(ExecCredential, ACertificateWithoutEnd) {
  const auto credential =
      read_exec_credential(answer(R"({"clientCertificateData":"C\n","clientKeyData":"K\n"})"), kV1);
  ASSERT_TRUE(credential.ok());
  EXPECT_EQ(credential->certificate, "C\n");
  EXPECT_EQ(credential->key, "K\n");
  EXPECT_EQ(credential->expires, std::nullopt);
}

TEST(ExecCredential, RefusalsNameTheField) {
  EXPECT_EQ(error_of("[]"), "must be an object of kind ExecCredential");
  EXPECT_EQ(error_of(R"({"kind":"Pod"})"), "kind: must be ExecCredential");
  EXPECT_EQ(error_of(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1"})"),
            "apiVersion: must be client.authentication.k8s.io/v1, as the kubeconfig says");
  EXPECT_EQ(error_of(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"})"),
            "status: is missing");
  EXPECT_EQ(error_of(answer("{}")), "status: holds neither a token nor a client certificate");
  EXPECT_EQ(error_of(answer(R"({"token":"t","clientKeyData":"k"})")),
            "status: clientCertificateData and clientKeyData must be given together");
  EXPECT_EQ(error_of(answer(R"({"token":7})")), "status.token: must be a string");
}

TEST(ExecCredential, RefusalsDoNotQuoteTheAnswer) {
  for (const std::string& bytes : {answer(R"({"token":"s3cret","expirationTimestamp":"s3cret"})"),
                                   std::string("s3cret"), answer(R"({"token":["s3cret"]})")}) {
    const std::string error = error_of(bytes);
    EXPECT_NE(error, "") << bytes;
    EXPECT_EQ(error.find("s3cret"), std::string::npos) << error;
  }
}

TEST(ExecInfo, TellsThePluginAboutTheClusterOnlyIfAsked) {
  ExecPlugin plugin;
  plugin.api_version = kV1;
  KubeconfigCluster cluster;
  cluster.server = "https://h:6443";
  EXPECT_EQ(
      write_exec_info(plugin, cluster, "ca", false),
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":false}})");
  plugin.provide_cluster_info = true;
  EXPECT_EQ(
      write_exec_info(plugin, cluster, "", true),
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1","spec":{"interactive":true,)"
      R"("cluster":{"server":"https://h:6443"}}})");
}

TEST(ExecInfo, CarriesAllThatIsKnownOfTheCluster) {
  ExecPlugin plugin;
  plugin.api_version = kV1;
  plugin.provide_cluster_info = true;
  KubeconfigCluster cluster;
  cluster.server = "https://h";
  cluster.tls_server_name = "n";
  cluster.proxy_url = "http://p";
  cluster.exec_config = R"({"audience":"x"})";
  const auto json = Json::parse(write_exec_info(plugin, cluster, "foo", false));
  ASSERT_TRUE(json.ok());
  const Value at = json->root().get("spec").get("cluster");
  EXPECT_EQ(at.get("tls-server-name").string(), "n");
  EXPECT_EQ(at.get("certificate-authority-data").string(), "Zm9v");
  EXPECT_EQ(at.get("proxy-url").string(), "http://p");
  EXPECT_EQ(at.get("config").get("audience").string(), "x");
}

}  // namespace
}  // namespace tamp::wire

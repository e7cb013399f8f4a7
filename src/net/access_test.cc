#include "net/access.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

namespace tamp::net {
namespace {

struct AccessTest : ::testing::Test {
  AccessTest() {
    std::string pattern = ::testing::TempDir() + "tamp-access-XXXXXX";
    directory = ::mkdtemp(pattern.data());
    options.variable = [this](const std::string& name) { return variables[name]; };
    options.service_account_directory = directory + "/account";
    std::filesystem::create_directory(options.service_account_directory);
  }
  ~AccessTest() override { std::filesystem::remove_all(directory); }

  std::string put(const std::string& name, const std::string& bytes) {
    const std::string path = directory + "/" + name;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  Access access() {
    auto found = find_access(options);
    EXPECT_TRUE(found.ok()) << (found ? "" : found.error().message);
    return found ? std::move(found).value() : Access();
  }
  std::string error() {
    const auto found = find_access(options);
    return found ? "" : found.error().message;
  }
  void make_account() {
    variables["KUBERNETES_SERVICE_HOST"] = "10.96.0.1";
    variables["KUBERNETES_SERVICE_PORT"] = "443";
    put("account/token", "account-token\n");
    put("account/ca.crt", "CA\n");
    put("account/namespace", "tamp-system");
  }

  std::string directory;
  std::map<std::string, std::string> variables;
  AccessOptions options;
};

constexpr const char* kConfig = R"(
current-context: one
clusters:
- name: c
  cluster: {server: "https://h:6443", certificate-authority: ca.crt, tls-server-name: api, proxy-url: "http://p"}
users:
- name: u
  user: {token: secret-token}
- name: f
  user: {tokenFile: token}
- name: gone
  user: {client-certificate: nowhere.crt, client-key: nowhere.key}
contexts:
- name: one
  context: {cluster: c, user: u, namespace: team}
- name: files
  context: {cluster: c, user: f}
- name: gone
  context: {cluster: c, user: gone}
)";

TEST_F(AccessTest, AKubeconfigThatIsNamedCounts) {
  make_account();
  options.kubeconfig = put("config", kConfig);
  put("ca.crt", "CA\n");
  const Access found = access();
  EXPECT_EQ(found.server, "https://h:6443");
  EXPECT_EQ(found.certificate_authority, "CA\n");
  EXPECT_EQ(found.tls_server_name, "api");
  EXPECT_EQ(found.proxy_url, "http://p");
  EXPECT_EQ(found.ns, "team");
  EXPECT_EQ(found.credentials.token, "secret-token");
  EXPECT_FALSE(found.source);
  EXPECT_EQ(found.description, "context one (" + options.kubeconfig + ")");
}

TEST_F(AccessTest, ATokenFileIsReadAgain) {
  options.kubeconfig = put("config", kConfig);
  options.context = "files";
  put("ca.crt", "CA\n");
  put("token", "first\n");
  const Access found = access();
  EXPECT_EQ(found.ns, "default");
  ASSERT_TRUE(found.source);
  put("token", "second\n");
  const auto second = found.source({});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->credentials.token, "second");
  ASSERT_TRUE(second->good_for);
  EXPECT_LE(*second->good_for, Duration::minutes(1));
  // While it is being replaced, the last one counts.
  std::filesystem::remove(directory + "/token");
  const auto third = found.source({});
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(third->credentials.token, "second");
}

TEST_F(AccessTest, AFileThatIsNotThereIsSaidAtOnce) {
  options.kubeconfig = put("config", kConfig);
  EXPECT_NE(error().find("cluster \"c\": certificate-authority: " + directory + "/ca.crt: cannot open"),
            std::string::npos);
  put("ca.crt", "CA\n");
  options.context = "gone";
  EXPECT_NE(error().find("user \"gone\": " + directory + "/nowhere.crt: cannot open"), std::string::npos);
  options.kubeconfig = directory + "/missing";
  EXPECT_NE(error().find("/missing: cannot open"), std::string::npos);
}

TEST_F(AccessTest, KubeconfigMayListSeveralFilesAndSomeMayBeMissing) {
  put("ca.crt", "CA\n");
  const std::string second = put("config", kConfig);
  const std::string first = put("first", "current-context: files");
  put("token", "t");
  variables["KUBECONFIG"] = directory + "/missing:" + first + "::" + second;
  const Access found = access();
  EXPECT_EQ(found.description, "context files (" + first + ", " + second + ")");
}

TEST_F(AccessTest, TheHomeDirectoryIsLookedAtLast) {
  variables["HOME"] = directory;
  put(".kube/config", kConfig);
  put(".kube/ca.crt", "CA\n");
  EXPECT_EQ(access().server, "https://h:6443");
  variables["KUBECONFIG"] = directory + "/missing";
  EXPECT_NE(error().find("no cluster is known"), std::string::npos);
}

TEST_F(AccessTest, InAPodTheServiceAccountIsUsed) {
  make_account();
  variables["HOME"] = directory;
  const Access found = access();
  EXPECT_EQ(found.server, "https://10.96.0.1:443");
  EXPECT_EQ(found.certificate_authority, "CA\n");
  EXPECT_EQ(found.ns, "tamp-system");
  ASSERT_TRUE(found.source);
  EXPECT_EQ(found.source({})->credentials.token, "account-token");
  variables["KUBERNETES_SERVICE_HOST"] = "fd00::1";
  EXPECT_EQ(access().server, "https://[fd00::1]:443");
}

TEST_F(AccessTest, AContextThatIsAskedForIsNotReplacedByTheServiceAccount) {
  make_account();
  options.context = "one";
  EXPECT_EQ(error(), "kubeconfig: context \"one\": is not there");
}

TEST_F(AccessTest, WithoutAnythingItSaysWhereItLooked) {
  EXPECT_EQ(error(),
            "no cluster is known: no kubeconfig (KUBECONFIG and HOME are not set), and not in a pod");
  variables["HOME"] = directory;
  EXPECT_EQ(error(), "no cluster is known: no kubeconfig (" + directory + "/.kube/config), and not in a pod");
}

TEST_F(AccessTest, ATokenThatCannotBeSentIsRefusedWithoutQuotingIt) {
  make_account();
  put("account/token", "s3cret\x01token");
  const std::string message = error();
  EXPECT_NE(message.find("account/token: the token holds a character"), std::string::npos);
  EXPECT_EQ(message.find("s3cret"), std::string::npos);
}

TEST_F(AccessTest, APluginIsNotRunWhileLooking) {
  options.kubeconfig = put("config", R"(
current-context: c
clusters: [{name: c, cluster: {server: "https://h"}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: /nonexistent/plugin}}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
)");
  const Access found = access();
  ASSERT_TRUE(found.source);
  EXPECT_FALSE(found.source({}).ok());
}

}  // namespace
}  // namespace tamp::net

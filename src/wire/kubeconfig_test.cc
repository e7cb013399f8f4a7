#include "wire/kubeconfig.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

KubeconfigFile file(std::string bytes, std::string name = "config") {
  return {std::move(name), "/home/a/.kube", std::move(bytes)};
}
Kubeconfig read(const std::vector<KubeconfigFile>& files) {
  auto config = read_kubeconfig(files);
  EXPECT_TRUE(config.ok()) << (config ? "" : config.error().message);
  return config ? std::move(config).value() : Kubeconfig();
}
std::string error_of(std::string bytes) {
  const std::vector<KubeconfigFile> files{file(std::move(bytes))};
  const auto config = read_kubeconfig(files);
  return config ? "" : config.error().message;
}

// "Y2E=" is "ca", "Y2VydA==" is "cert", "a2V5" is "key".
constexpr const char* kWhole = R"(
apiVersion: v1
kind: Config
preferences: {}
current-context: work
clusters:
- name: prod
  cluster:
    server: https://10.0.0.1:6443/
    certificate-authority-data: Y2E=
    tls-server-name: kubernetes.default
    proxy-url: http://proxy:3128
    extensions:
    - name: other
      extension: {a: 1}
    - name: client.authentication.k8s.io/exec
      extension: {audience: "x", list: [1, true, null, 2.5], none: {}}
- name: lab
  cluster: {server: "http://lab:8080", insecure-skip-tls-verify: true}
- name: files
  cluster: {server: "https://h", certificate-authority: ca.crt}
users:
- name: cert
  user: {client-certificate-data: Y2VydA==, client-key-data: a2V5}
- name: cert-files
  user: {client-certificate: pki/me.crt, client-key: /etc/me.key}
- name: token
  user: {token: abc}
- name: token-file
  user: {tokenFile: token}
- name: basic
  user: {username: u, password: p}
- name: plugin
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: ./bin/get-token
      args: [--cluster, "a b"]
      env: [{name: REGION, value: eu}]
      installHint: install it
      provideClusterInfo: true
      interactiveMode: Never
contexts:
- name: work
  context: {cluster: prod, user: cert, namespace: team-a}
- name: nobody
  context: {cluster: lab}
)";

TEST(Kubeconfig, ReadsEveryFieldOfACluster) {
  const Kubeconfig config = read({file(kWhole)});
  ASSERT_EQ(config.clusters.size(), 3u);
  const KubeconfigCluster& prod = config.clusters[0];
  EXPECT_EQ(prod.name, "prod");
  EXPECT_EQ(prod.server, "https://10.0.0.1:6443");
  EXPECT_EQ(prod.certificate_authority.data, "ca");
  EXPECT_EQ(prod.tls_server_name, "kubernetes.default");
  EXPECT_EQ(prod.proxy_url, "http://proxy:3128");
  EXPECT_FALSE(prod.insecure_skip_tls_verify);
  EXPECT_EQ(prod.exec_config, R"({"audience":"x","list":[1,true,null,2.5],"none":{}})");
  EXPECT_TRUE(config.clusters[1].insecure_skip_tls_verify);
  EXPECT_EQ(config.clusters[2].certificate_authority.file, "/home/a/.kube/ca.crt");
}

TEST(Kubeconfig, ReadsEveryKindOfUser) {
  const Kubeconfig config = read({file(kWhole)});
  ASSERT_EQ(config.users.size(), 6u);
  EXPECT_EQ(config.users[0].client_certificate.data, "cert");
  EXPECT_EQ(config.users[0].client_key.data, "key");
  EXPECT_EQ(config.users[1].client_certificate.file, "/home/a/.kube/pki/me.crt");
  EXPECT_EQ(config.users[1].client_key.file, "/etc/me.key");
  EXPECT_EQ(config.users[2].token, "abc");
  EXPECT_EQ(config.users[3].token_file, "/home/a/.kube/token");
  EXPECT_EQ(config.users[4].username, "u");
  EXPECT_EQ(config.users[4].password, "p");
  ASSERT_TRUE(config.users[5].exec);
  const ExecPlugin& exec = *config.users[5].exec;
  EXPECT_EQ(exec.api_version, "client.authentication.k8s.io/v1");
  EXPECT_EQ(exec.command, "/home/a/.kube/./bin/get-token");
  EXPECT_EQ(exec.arguments, (std::vector<std::string>{"--cluster", "a b"}));
  EXPECT_EQ(exec.environment, (std::vector<std::pair<std::string, std::string>>{{"REGION", "eu"}}));
  EXPECT_EQ(exec.install_hint, "install it");
  EXPECT_TRUE(exec.provide_cluster_info);
  EXPECT_EQ(exec.interactive, ExecPlugin::Interactive::Never);
}

TEST(Kubeconfig, ABareCommandIsLeftToPath) {
  const Kubeconfig config = read({file(
      "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1beta1, command: aws}}}]")});
  EXPECT_EQ(config.users[0].exec->command, "aws");
  EXPECT_EQ(config.users[0].exec->interactive, ExecPlugin::Interactive::IfAvailable);
}

TEST(Kubeconfig, TheCurrentContextIsChosenUnlessAnotherIsNamed) {
  const Kubeconfig config = read({file(kWhole)});
  const auto current = choose_context(config, "");
  ASSERT_TRUE(current.ok());
  EXPECT_EQ(current->context.ns, "team-a");
  EXPECT_EQ(current->cluster.name, "prod");
  EXPECT_EQ(current->user.name, "cert");
  const auto nobody = choose_context(config, "nobody");
  ASSERT_TRUE(nobody.ok());
  EXPECT_EQ(nobody->cluster.name, "lab");
  EXPECT_EQ(nobody->user.name, "");
  EXPECT_EQ(nobody->context.ns, "");
}

TEST(Kubeconfig, AChoiceThatLeadsNowhereSaysWhere) {
  const auto error = [](std::string_view bytes, std::string_view context) {
    const auto choice = choose_context(read({file(std::string(bytes))}), context);
    return choice ? "" : choice.error().message;
  };
  EXPECT_EQ(error(kWhole, "x"), "context \"x\": is not there; there are work, nobody");
  EXPECT_EQ(error("kind: Config", ""), "no context is chosen: set current-context, or name one");
  EXPECT_EQ(error("contexts: [{name: c, context: {cluster: gone}}]", "c"),
            "context \"c\": cluster: \"gone\" is not there");
  EXPECT_EQ(error("contexts: [{name: c, context: {}}]", "c"), "context \"c\": cluster: is missing");
  EXPECT_EQ(error("{contexts: [{name: c, context: {cluster: k, user: gone}}], clusters: [{name: k, cluster: "
                  "{server: 'https://h'}}]}",
                  "c"),
            "context \"c\": user: \"gone\" is not there");
  EXPECT_EQ(error("{contexts: [{name: c, context: {cluster: k}}], clusters: [{name: k, cluster: {}}]}", "c"),
            "cluster \"k\": server: is missing");
}

TEST(Kubeconfig, TheFirstFileToSetAnEntryWinsWhole) {
  const Kubeconfig config = read({
      {"one", "/one", "users: [{name: red, user: {token: first}}]"},
      {"two", "/two",
       "{current-context: two, users: [{name: red, user: {tokenFile: t, token: second}}, {name: blue, user: "
       "{tokenFile: t}}]}"},
      {"three", "/three", "{current-context: three, users: []}"},
  });
  EXPECT_EQ(config.current_context, "two");
  ASSERT_EQ(config.users.size(), 2u);
  EXPECT_EQ(config.users[0].token, "first");
  EXPECT_EQ(config.users[0].token_file, "");
  EXPECT_EQ(config.users[1].token_file, "/two/t");
}

TEST(Kubeconfig, AnEmptyFileHoldsNothing) {
  EXPECT_TRUE(read({file(""), file(" \n")}).empty());
  EXPECT_FALSE(read({file("current-context: a")}).empty());
}

TEST(Kubeconfig, MayBeJson) {
  EXPECT_EQ(read({file(R"({"users":[{"name":"u","user":{"token":"t"}}]})")}).users[0].token, "t");
}

TEST(Kubeconfig, ErrorsNameFileObjectAndField) {
  EXPECT_EQ(error_of("kind: Pod"), "config: kind: is \"Pod\", must be \"Config\"");
  EXPECT_EQ(error_of("apiVersion: v2"), "config: apiVersion: is \"v2\", must be \"v1\"");
  EXPECT_EQ(error_of("users: {}"), "config: users: must be a list");
  EXPECT_EQ(error_of("users: [{user: {}}]"), "config: user \"\": name: is missing");
  EXPECT_EQ(error_of("users: [{name: u, user: {token: [1]}}]"),
            "config: user \"u\": user.token: must be a string");
  EXPECT_EQ(error_of("clusters: [{name: c, cluster: {server: 'tcp://h'}}]"),
            "config: cluster \"c\": cluster.server: must start with https:// or http://");
  EXPECT_EQ(error_of("clusters: [{name: c, cluster: {}}, {name: c, cluster: {}}]"),
            "config: cluster \"c\": is there twice");
  EXPECT_EQ(error_of("users: [{name: u, user: {client-certificate: c}}]"),
            "config: user \"u\": user.client-key: is missing beside client-certificate");
  EXPECT_EQ(error_of("a: 1\n---\nb: 2\n"), "config: holds more than one document");
}

TEST(Kubeconfig, RefusesWhatItWouldOtherwiseMisunderstand) {
  EXPECT_NE(error_of("users: [{name: u, user: {auth-provider: {name: gcp}}}]").find("use an exec plugin"),
            std::string::npos);
  EXPECT_NE(error_of("users: [{name: u, user: {as: admin}}]").find("user.as: impersonation"),
            std::string::npos);
  EXPECT_NE(error_of("users: [{name: u, user: {token: t, username: me}}]").find("which of the two"),
            std::string::npos);
  EXPECT_NE(
      error_of("clusters: [{name: c, cluster: {insecure-skip-tls-verify: true, certificate-authority: f}}]")
          .find("must not be set together"),
      std::string::npos);
}

TEST(Kubeconfig, ErrorsInAPluginNameItsField) {
  const auto exec = [](const std::string& fields) {
    return error_of("users: [{name: u, user: {exec: {" + fields + "}}}]");
  };
  const std::string version = "apiVersion: client.authentication.k8s.io/v1";
  EXPECT_NE(exec("command: c").find("user.exec.apiVersion: must be"), std::string::npos);
  EXPECT_NE(exec(version).find("user.exec.command: is missing"), std::string::npos);
  EXPECT_NE(exec(version + ", command: c, args: [1]").find("user.exec.args[0]: must be a string"),
            std::string::npos);
  EXPECT_NE(exec(version + ", command: c, interactiveMode: Maybe").find("interactiveMode"),
            std::string::npos);
  EXPECT_NE(exec(version + ", command: c, env: [{name: A=B}]").find("user.exec.env[0].name"),
            std::string::npos);
}

TEST(Kubeconfig, ErrorsDoNotQuoteSecrets) {
  const std::string error =
      error_of("users: [{name: u, user: {client-key-data: 's3cret!', client-certificate: c}}]");
  EXPECT_NE(error.find("user.client-key-data: is not base64"), std::string::npos);
  EXPECT_EQ(error.find("s3cret"), std::string::npos);
}

}  // namespace
}  // namespace tamp::wire

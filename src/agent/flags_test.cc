#include "agent/flags.h"

#include <gtest/gtest.h>

#include <map>

namespace tamp::agent {
namespace {

using Variables = std::map<std::string, std::string>;

Result<Flags> parse(const std::vector<std::string>& arguments, const Variables& variables = {}) {
  return parse_flags(arguments, [&](const std::string& name) -> std::optional<std::string> {
    const auto it = variables.find(name);
    return it != variables.end() ? std::optional(it->second) : std::nullopt;
  });
}
std::string error_of(const std::vector<std::string>& arguments, const Variables& variables = {}) {
  const auto flags = parse(arguments, variables);
  return flags ? "" : flags.error().message;
}

TEST(Flags, OfObserve) {
  const auto flags = parse({"observe", "--cgroup-root", "/cg", "--pods", "p.json", "--seconds", "30",
                            "--node-name=n", "--interval=500ms", "--tier-high", "7"});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->verb, Verb::Observe);
  EXPECT_EQ(flags->agent.cgroup_root, "/cg");
  EXPECT_EQ(flags->pods, "p.json");
  EXPECT_EQ(flags->seconds, Duration::seconds(30));
  EXPECT_EQ(flags->agent.node, "n");
  EXPECT_EQ(flags->agent.interval.ns, 500'000'000);
  EXPECT_EQ(flags->tiers.high, 7);
  EXPECT_EQ(flags->tiers.critical, 1'000'000);
}

TEST(Flags, OverrideTheEnvironment) {
  const auto flags =
      parse({"observe", "--seconds", "5"}, {{"PODS", "e.json"}, {"SECONDS", "9"}, {"NODE_NAME", "n"}});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->pods, "e.json");
  EXPECT_EQ(flags->agent.node, "n");
  EXPECT_EQ(flags->seconds, Duration::seconds(5));
}

TEST(Flags, ThatAreWrongAreNamed) {
  EXPECT_EQ(error_of({"watch"}), "unknown command \"watch\"; try `tamp-agent help`");
  EXPECT_EQ(error_of({"observe", "--pod", "x"}), "unknown flag \"--pod\"; try `tamp-agent help`");
  EXPECT_EQ(error_of({"observe", "--pods"}), "--pods: needs a value");
  EXPECT_EQ(error_of({"observe", "--pods", "p", "--seconds", "-1"}),
            "--seconds: is \"-1\", must be a whole number from 0 to 604800");
  EXPECT_EQ(error_of({"observe", "--pods", "p", "--interval", "1m"}),
            "--interval: is 1m, must be from 100ms to 5s");
  EXPECT_EQ(error_of({"observe"}, {{"PODS", "p"}, {"SECONDS", "x"}}),
            "SECONDS: is \"x\", must be a whole number from 0 to 604800");
}

TEST(Flags, OfServeListenToThisMachineAlone) {
  const auto flags = parse({"serve", "--pods", "p", "--listen", "[::1]:80"});
  ASSERT_TRUE(flags);
  EXPECT_EQ(flags->verb, Verb::Serve);
  EXPECT_EQ(flags->address, "::1");
  EXPECT_EQ(flags->port, 80);
  EXPECT_EQ(parse({"serve", "--pods", "p"})->address, "127.0.0.1");
  EXPECT_EQ(
      error_of({"serve", "--pods", "p", "--listen", "0.0.0.0:80"}),
      "--listen: 0.0.0.0: without --authenticate=tokens or --client-ca-file the address must be 127.0.0.1 or "
      "[::1]");
  EXPECT_EQ(error_of({"serve", "--pods", "p", "--listen", "80"}),
            "--listen: is \"80\", must be ADDRESS:PORT");
  EXPECT_EQ(error_of({"serve", "--pods", "p", "--listen", "127.0.0.1:x"}),
            "--listen: is \"x\", must be a whole number from 0 to 65535");
}

TEST(Flags, BeyondLoopbackCallersMustBeKnown) {
  for (const char* address : {"0.0.0.0:1", "10.0.0.7:1", "[::]:1", "127.0.0.2:1", ":1"}) {
    EXPECT_NE(error_of({"serve", "--listen", address}), "") << address;
    EXPECT_NE(error_of({"serve", "--listen", address, "--authenticate", "none"}), "") << address;
    EXPECT_EQ(error_of({"serve", "--listen", address, "--authenticate", "tokens"}), "") << address;
    EXPECT_EQ(error_of({"serve", "--listen", address, "--client-ca-file", "ca"}), "") << address;
  }
  EXPECT_NE(error_of({"serve"}, {{"LISTEN", "0.0.0.0:1"}}), "");
  EXPECT_EQ(error_of({"serve", "--authenticate", "yes"}),
            "--authenticate: is \"yes\", must be none or tokens");
}

TEST(Flags, SayWhoTellsThePods) {
  EXPECT_TRUE(parse({"serve"})->asks_api());
  EXPECT_FALSE(parse({"serve", "--pods", "p"})->asks_api());
  EXPECT_FALSE(parse({"serve", "--kubelet-url", "http://127.0.0.1:10255/pods"})->asks_api());
  EXPECT_TRUE(parse({"serve", "--kubelet-url", "http://127.0.0.1:10255/pods", "--publish-requests=true"})
                  ->asks_api());
  EXPECT_NE(error_of({"serve", "--pods", "p", "--kubelet-url", "http://x/pods"}), "");
  EXPECT_NE(error_of({"serve", "--pods", "p", "--publish-requests", "true"}), "");
  EXPECT_EQ(error_of({"serve", "--kubelet-url", "https://127.0.0.1:10250/pods"}),
            "--kubelet-url: is \"https://127.0.0.1:10250/pods\", must be like http://127.0.0.1:10255/pods");
  EXPECT_NE(error_of({"serve", "--kubelet-url", "http://"}), "");
  EXPECT_NE(error_of({"serve", "--kubelet-url", "http:///pods"}), "");
  const auto parts = parse_kubelet_url("http://127.0.0.1:10255/pods");
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->server, "http://127.0.0.1:10255");
  EXPECT_EQ(parts->path, "/pods");
}

TEST(Flags, OfTlsBelongTogether) {
  EXPECT_NE(error_of({"serve", "--authenticate", "tokens", "--tls-cert-file", "c"}), "");
  EXPECT_NE(error_of({"serve", "--tls-cert-file", "c", "--tls-key-file", "k"}), "");
  EXPECT_NE(error_of({"serve", "--client-name", "n"}), "");
  EXPECT_EQ(error_of({"serve", "--authenticate", "tokens", "--tls-cert-file", "c", "--tls-key-file", "k",
                      "--client-ca-file", "ca", "--client-name", "n", "--token-audience", "a"}),
            "");
}

TEST(Flags, HelpNeedsNothing) {
  EXPECT_EQ(parse({})->verb, Verb::Help);
  EXPECT_EQ(parse({"--help"})->verb, Verb::Help);
  EXPECT_EQ(parse({"observe", "-h"})->verb, Verb::Help);
  EXPECT_EQ(parse({"version"})->verb, Verb::Version);
  EXPECT_NE(help_text().find("--cgroup-root DIR"), std::string::npos);
}

}  // namespace
}  // namespace tamp::agent

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
  EXPECT_EQ(error_of({"observe"}), "--pods: is missing");
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
  EXPECT_EQ(error_of({"serve", "--pods", "p", "--listen", "0.0.0.0:80"}),
            "--listen: is \"0.0.0.0:80\": without authentication the address must be 127.0.0.1 or [::1]");
  EXPECT_EQ(error_of({"serve", "--pods", "p", "--listen", "80"}),
            "--listen: is \"80\", must be ADDRESS:PORT");
  EXPECT_EQ(error_of({"serve", "--pods", "p", "--listen", "127.0.0.1:x"}),
            "--listen: is \"x\", must be a whole number from 0 to 65535");
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

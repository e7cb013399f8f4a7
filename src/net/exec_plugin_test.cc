#include "net/exec_plugin.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace tamp::net {
namespace {

constexpr const char* kV1 = "client.authentication.k8s.io/v1";

struct ExecPluginTest : ::testing::Test {
  ExecPluginTest() {
    std::string pattern = ::testing::TempDir() + "tamp-plugin-XXXXXX";
    directory = ::mkdtemp(pattern.data());
    plugin.api_version = kV1;
    plugin.command = directory + "/plugin";
  }
  ~ExecPluginTest() override { std::filesystem::remove_all(directory); }

  void script(const std::string& body) {
    std::ofstream(plugin.command) << "#!/bin/sh\n" << body << "\n";
    ::chmod(plugin.command.c_str(), 0700);
  }
  // A script that prints a token, which the shell may expand.
  static std::string print(const std::string& token, const std::string& more = "") {
    return "cat <<END\n{\"kind\":\"ExecCredential\",\"apiVersion\":\"" + std::string(kV1) +
           "\",\"status\":{\"token\":\"" + token + "\"" + more + "}}\nEND";
  }
  Result<Issued> ask(Duration timeout = kPluginTimeout, std::stop_token stop = {}) {
    return credentials_from_plugin(plugin, "{\"info\":1}", false, timeout)(stop);
  }

  std::string directory;
  wire::ExecPlugin plugin;
};

TEST_F(ExecPluginTest, ItsAnswerIsTheCredentials) {
  script(print("abc"));
  const auto issued = ask();
  ASSERT_TRUE(issued.ok()) << issued.error().message;
  EXPECT_EQ(issued->credentials.token, "abc");
  EXPECT_EQ(issued->good_for, std::nullopt);
}

TEST_F(ExecPluginTest, ArgumentsAreNotSeenByAShell) {
  plugin.arguments = {"a;b", "$HOME"};
  script("[ \"$1\" = 'a;b' ] && [ \"$2\" = '$HOME' ] && [ $# = 2 ] || exit 9\n" + print("abc"));
  EXPECT_TRUE(ask().ok());
}

TEST_F(ExecPluginTest, ItsEnvironmentIsOursAndWhatTheKubeconfigAdds) {
  plugin.environment = {{"TAMP_TEST_VARIABLE", "v"}, {"HOME", "/nowhere"}};
  script(
      "[ \"$TAMP_TEST_VARIABLE\" = v ] && [ \"$HOME\" = /nowhere ] && [ -n \"$PATH\" ] && "
      "[ \"$KUBERNETES_EXEC_INFO\" = '{\"info\":1}' ] || exit 9\n" +
      print("abc"));
  EXPECT_TRUE(ask().ok());
}

TEST_F(ExecPluginTest, ItsStandardInputIsEmpty) {
  script("read line && exit 9\n" + print("abc"));
  EXPECT_TRUE(ask().ok());
}

TEST_F(ExecPluginTest, TheyAreGoodUntilShortlyBeforeTheirEnd) {
  script(print("abc", ",\"expirationTimestamp\":\"2200-01-01T00:00:00Z\""));
  auto issued = ask();
  ASSERT_TRUE(issued.ok());
  EXPECT_GT(issued->good_for, Duration::hours(24 * 365));
  script(print("abc", ",\"expirationTimestamp\":\"2020-01-01T00:00:00Z\""));
  issued = ask();
  ASSERT_TRUE(issued.ok());
  EXPECT_EQ(issued->good_for, Duration{});
}

TEST_F(ExecPluginTest, FailuresSayWhichPluginAndHow) {
  script("exit 3");
  EXPECT_EQ(ask().error().message, "credential plugin " + plugin.command + ": ended with status 3");
  script("kill -9 $$");
  EXPECT_EQ(ask().error().message, "credential plugin " + plugin.command + ": was ended by signal 9");
  script("echo hello");
  EXPECT_FALSE(ask().ok());
  plugin.command = directory + "/missing";
  plugin.install_hint = "get it from the shop";
  const std::string missing = ask().error().message;
  EXPECT_NE(missing.find("cannot start"), std::string::npos);
  EXPECT_NE(missing.find("get it from the shop"), std::string::npos);
}

TEST_F(ExecPluginTest, FailuresDoNotQuoteTheAnswer) {
  script(print("s3cret\\u0001"));
  const auto issued = ask();
  ASSERT_FALSE(issued.ok());
  EXPECT_EQ(issued.error().message.find("s3cret"), std::string::npos);
}

TEST_F(ExecPluginTest, OneThatTakesTooLongIsEndedWithItsChildren) {
  script("sleep 600 & sleep 600");
  const auto issued = ask(Duration::nanoseconds(100'000'000));
  ASSERT_FALSE(issued.ok());
  EXPECT_NE(issued.error().message.find("took too long"), std::string::npos);
}

TEST_F(ExecPluginTest, OneThatIsCalledOffIsEnded) {
  script("sleep 600");
  std::stop_source stop;
  stop.request_stop();
  const auto issued = ask(kPluginTimeout, stop.get_token());
  ASSERT_FALSE(issued.ok());
  EXPECT_NE(issued.error().message.find("was called off"), std::string::npos);
}

}  // namespace
}  // namespace tamp::net

#include "controller/log.h"

#include <gtest/gtest.h>

namespace tamp::controller {
namespace {

std::string logged(LogFormat format, LogLevel least, const std::function<void(const Log&)>& speak) {
  std::string out;
  const Log log(
      least, format, [] { return Time{1'500'000'000}; }, [&](std::string_view line) { out += line; });
  speak(log);
  return out;
}

TEST(Log, TextIsOneReadableLine) {
  EXPECT_EQ(logged(LogFormat::Text, LogLevel::Info,
                   [](const Log& log) {
                     log.info("plan published",
                              {{"nodes", 3}, {"savings", 0.25}, {"pool", "spot a"}, {"new", true}});
                   }),
            "1970-01-01T00:00:01.500Z info  plan published nodes=3 savings=0.25 pool=\"spot a\" new=true\n");
}

TEST(Log, JsonKeepsTypes) {
  EXPECT_EQ(
      logged(LogFormat::Json, LogLevel::Info, [](const Log& log) { log.warn("late", {{"seconds", 1.5}}); }),
      "{\"time\":\"1970-01-01T00:00:01.500Z\",\"level\":\"warn\",\"msg\":\"late\",\"seconds\":1.5}\n");
}

TEST(Log, WhatIsBelowTheLevelIsNotWritten) {
  EXPECT_EQ(logged(LogFormat::Text, LogLevel::Warn, [](const Log& log) { log.info("quiet"); }), "");
}

TEST(Log, ANameFromTheClusterCannotForgeALine) {
  for (const LogFormat format : {LogFormat::Text, LogFormat::Json}) {
    const std::string out = logged(format, LogLevel::Info, [](const Log& log) {
      log.info("a\nb", {{"node", std::string("x\nfake error line\x1b[31m")}});
    });
    EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 1) << out;
    EXPECT_EQ(out.find('\x1b'), std::string::npos) << out;
  }
}

TEST(Log, LevelsAndFormatsAreParsed) {
  EXPECT_EQ(*parse_log_level("debug"), LogLevel::Debug);
  EXPECT_EQ(*parse_log_format("json"), LogFormat::Json);
  EXPECT_FALSE(parse_log_level("loud"));
  EXPECT_FALSE(parse_log_format("xml"));
}

}  // namespace
}  // namespace tamp::controller

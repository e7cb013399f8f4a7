#include "net/stop_signals.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace tamp::net {
namespace {

TEST(StopSignals, ASignalBecomesAnActionOnTheLoop) {
  for (const int signal : {SIGTERM, SIGINT}) {
    RealLoop loop(1);
    int asked = 0;
    const StopSignals signals(loop, [&] {
      ++asked;
      loop.stop();
    });
    ::kill(::getpid(), signal);
    loop.run();
    EXPECT_EQ(asked, 1);
  }
}

TEST(StopSignalsDeathTest, ASecondSignalEndsTheProgram) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        RealLoop loop(1);
        const StopSignals signals(loop, [&] { ::kill(::getpid(), SIGTERM); });
        ::kill(::getpid(), SIGTERM);
        loop.run();
      },
      ::testing::ExitedWithCode(128 + SIGTERM), "");
}

}  // namespace
}  // namespace tamp::net

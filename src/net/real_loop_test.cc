#include "net/real_loop.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tamp::net {
namespace {

constexpr Duration kMs = Duration::nanoseconds(1'000'000);

TEST(RealLoop, TimersRunInTheOrderOfTheirMoments) {
  RealLoop loop(1);
  std::string order;
  const Pending c = loop.after({20 * kMs.ns}, [&] { order += 'c'; });
  const Pending a = loop.after({5 * kMs.ns}, [&] { order += 'a'; });
  const Pending b = loop.after({10 * kMs.ns}, [&] { order += 'b'; });
  EXPECT_TRUE(loop.run_until([&] { return order.size() == 3; }));
  EXPECT_EQ(order, "abc");
}

TEST(RealLoop, ATimerIsNeverEarlyAndNeverRunsWithinAfter) {
  RealLoop loop(1);
  bool ran = false;
  const Instant begin = loop.instant();
  const Pending timer = loop.after({3 * kMs.ns}, [&] { ran = true; });
  const Pending past = loop.after({-kMs.ns}, [] {});
  EXPECT_FALSE(ran);
  EXPECT_TRUE(loop.run_until([&] { return ran; }));
  EXPECT_GE(loop.instant() - begin, Duration{3 * kMs.ns});
}

TEST(RealLoop, ATimerThatIsCalledOffDoesNotRun) {
  RealLoop loop(1);
  bool done = false, called = false;
  Pending off = loop.after(kMs, [&] { called = true; });
  const Pending on = loop.after({5 * kMs.ns}, [&] { done = true; });
  off.cancel();
  EXPECT_TRUE(loop.run_until([&] { return done; }));
  EXPECT_FALSE(called);
}

TEST(RealLoop, ATimerMayReplaceItselfAndCallOffAnother) {
  RealLoop loop(1);
  int ticks = 0;
  bool other_ran = false;
  Pending tick, other = loop.after(Duration::minutes(1), [&] { other_ran = true; });
  std::function<void()> again = [&] {
    other.cancel();
    if (++ticks < 3) tick = loop.after(kMs, again);
  };
  tick = loop.after(kMs, again);
  EXPECT_TRUE(loop.run_until([&] { return ticks == 3; }));
  EXPECT_FALSE(other_ran);
}

TEST(RealLoop, WhatIsCapturedMayCallOffATimerWhileItGoes) {
  RealLoop loop(1);
  auto inner = std::make_shared<Pending>(loop.after(Duration::minutes(1), [] {}));
  Pending outer = loop.after(Duration::minutes(1), [inner] {});
  inner.reset();
  outer.cancel();
  bool done = false;
  loop.post([&] { done = true; });
  EXPECT_TRUE(loop.run_until([&] { return done; }));
}

TEST(RealLoop, PostsFromManyThreadsAllArriveEachThreadsInOrder) {
  RealLoop loop(1);
  constexpr int kThreads = 4, kEach = 500;
  std::vector<std::vector<int>> seen(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) loop.post([&seen, t, i] { seen[t].push_back(i); });
    });
  int total = 0;
  EXPECT_TRUE(loop.run_until([&] { return ++total > kThreads * kEach; }));
  for (std::thread& thread : threads) thread.join();
  for (const auto& numbers : seen) {
    ASSERT_EQ(numbers.size(), static_cast<std::size_t>(kEach));
    for (int i = 0; i < kEach; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], i);
  }
}

TEST(RealLoop, AFloodOfPostsDoesNotDelayATimer) {
  RealLoop loop(1);
  bool rang = false;
  const Pending timer = loop.after(kMs, [&] { rang = true; });
  std::function<void()> flood = [&] { loop.post(flood); };
  loop.post(flood);
  EXPECT_TRUE(loop.run_until([&] { return rang; }));
}

TEST(RealLoop, OffloadedWorkRunsElsewhereAndIsReportedOnTheLoop) {
  RealLoop loop(1);
  std::thread::id worker, reporter;
  std::vector<int> order;
  const Pending one = loop.offload([&] { worker = std::this_thread::get_id(); },
                                   [&] {
                                     order.push_back(1);
                                     reporter = std::this_thread::get_id();
                                   });
  const Pending two = loop.offload([] {}, [&] { order.push_back(2); });
  EXPECT_TRUE(loop.run_until([&] { return order.size() == 2; }));
  EXPECT_NE(worker, std::this_thread::get_id());
  EXPECT_EQ(reporter, std::this_thread::get_id());
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(RealLoop, OffloadedWorkThatIsCalledOffIsNotReported) {
  RealLoop loop(1);
  std::atomic<bool> began = false, release = false;
  bool reported = false, last = false;
  Pending off = loop.offload(
      [&] {
        began = true;
        began.notify_all();
        release.wait(false);
      },
      [&] { reported = true; });
  began.wait(false);
  off.cancel();
  release = true;
  release.notify_all();
  const Pending next = loop.offload([] {}, [&] { last = true; });
  EXPECT_TRUE(loop.run_until([&] { return last; }));
  EXPECT_FALSE(reported);
}

TEST(RealLoop, TheDestructorFinishesWorkThatHasBegun) {
  std::atomic<bool> began = false, finished = false;
  {
    RealLoop loop(1);
    loop.offload(
            [&] {
              began = true;
              began.notify_all();
              finished = true;
            },
            [] { ADD_FAILURE() << "nobody runs the loop"; })
        .detach();
    began.wait(false);
  }
  EXPECT_TRUE(finished);
}

TEST(RealLoop, HandlesMayOutliveTheLoop) {
  Pending timer, work;
  {
    RealLoop loop(1);
    timer = loop.after(Duration::minutes(1), [] { ADD_FAILURE(); });
    work = loop.offload([] {}, [] { ADD_FAILURE(); });
  }
  timer.cancel();
  work.cancel();
  EXPECT_FALSE(timer.armed());
}

TEST(RealLoop, StopEndsARunAndTheNextRunGoesOn) {
  RealLoop loop(1);
  int ran = 0;
  loop.post([&] {
    ++ran;
    loop.stop();
  });
  loop.post([&] { ++ran; });
  loop.run();
  EXPECT_EQ(ran, 1);
  EXPECT_TRUE(loop.run_until([&] { return ran == 2; }));
  std::thread other([&] { loop.stop(); });
  EXPECT_FALSE(loop.run_until([] { return false; }));
  other.join();
}

TEST(RealLoop, TheSameSeedGivesTheSameChance) {
  RealLoop a(7), b(7), c(8);
  const auto first = a.random();
  EXPECT_EQ(first, b.random());
  EXPECT_NE(first, c.random());
}

}  // namespace
}  // namespace tamp::net

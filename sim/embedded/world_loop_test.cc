#include "sim/embedded/world_loop.h"

#include <gtest/gtest.h>

#include <string>

namespace tamp::embed {
namespace {

constexpr Time kStart{1'794'700'800'000'000'000};

struct Clockwork {
  world::World world{1, kStart};
  WorldLoop loop{world, 7};
};

TEST(WorldLoop, TimersRunAtTheirTimeInTheirOrder) {
  Clockwork it;
  std::string ran;
  net::Pending late = it.loop.after(Duration::seconds(2), [&] { ran += "b"; });
  net::Pending soon = it.loop.after(Duration::seconds(1), [&] { ran += "a"; });
  net::Pending same = it.loop.after(Duration::seconds(2), [&] { ran += "c"; });
  it.loop.run_until(kStart + Duration::seconds(1));
  EXPECT_EQ(ran, "a");
  EXPECT_EQ(it.loop.now(), kStart + Duration::seconds(1));
  it.loop.run_until(kStart + Duration::seconds(5));
  EXPECT_EQ(ran, "abc");
  EXPECT_EQ(it.loop.now(), kStart + Duration::seconds(5));
}

TEST(WorldLoop, WhatIsCalledOffDoesNotRun) {
  Clockwork it;
  bool ran = false;
  net::Pending timer = it.loop.after(Duration::seconds(1), [&] { ran = true; });
  timer.cancel();
  it.loop.run_until(kStart + Duration::seconds(2));
  EXPECT_FALSE(ran);
}

TEST(WorldLoop, WorkIsDoneAtOnceAndToldLater) {
  Clockwork it;
  int worked = 0, told = 0;
  net::Pending work = it.loop.offload([&] { ++worked; }, [&] { ++told; });
  EXPECT_EQ(worked, 1);
  EXPECT_EQ(told, 0);
  it.loop.run_until(it.loop.now());
  EXPECT_EQ(told, 1);
}

TEST(WorldLoop, TheSameSeedThrowsTheSame) {
  Clockwork one, other;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(one.loop.random(), other.loop.random());
}

}  // namespace
}  // namespace tamp::embed

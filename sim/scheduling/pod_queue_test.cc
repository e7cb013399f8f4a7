#include "sim/scheduling/pod_queue.h"

#include <gtest/gtest.h>

namespace tamp::world {
namespace {

constexpr Time kStart{1'794'700'800'000'000'000};
Time after(std::int64_t seconds) { return kStart + Duration::seconds(seconds); }
PodName pod(const char* name) { return {"default", name}; }
std::string taken(PodQueue& queue) {
  const auto next = queue.take();
  return next ? next->first.second : "";
}
// Takes the pod and puts it back as refused for lack of room.
void refuse(PodQueue& queue, Time now) {
  auto next = queue.take();
  ASSERT_TRUE(next);
  next->second.refused_by = {"NodeResourcesFit"};
  queue.put_back(next->first, next->second, now);
}
bool always(const PodName&, const WaitingPod&) { return true; }

TEST(PodQueue, PriorityFirstThenWhoWaitedLonger) {
  PodQueue queue;
  queue.add(pod("late"), "1", 0, after(2));
  queue.add(pod("early"), "2", 0, after(1));
  queue.add(pod("important"), "3", 100, after(3));
  EXPECT_EQ(taken(queue), "important");
  EXPECT_EQ(taken(queue), "early");
  EXPECT_EQ(taken(queue), "late");
  EXPECT_EQ(taken(queue), "");
}

TEST(PodQueue, AnUnschedulablePodWaitsForSomethingToHappen) {
  PodQueue queue;
  queue.add(pod("p"), "1", 0, after(0));
  refuse(queue, after(0));
  queue.advance(after(60));
  EXPECT_FALSE(queue.ready());
  queue.wake([](const PodName&, const WaitingPod& how) { return how.refused_by.contains("NodePorts"); },
             after(60));
  EXPECT_FALSE(queue.ready());
  queue.wake(
      [](const PodName&, const WaitingPod& how) { return how.refused_by.contains("NodeResourcesFit"); },
      after(60));
  EXPECT_EQ(taken(queue), "p");
}

TEST(PodQueue, BackoffDoublesFromOneSecondToTen) {
  PodQueue queue;
  queue.add(pod("p"), "1", 0, after(0));
  Time now = after(0);
  for (const std::int64_t seconds : {1, 2, 4, 8, 10, 10}) {
    refuse(queue, now);
    queue.wake(always, now);
    EXPECT_FALSE(queue.ready());
    EXPECT_EQ(queue.next(), now + Duration::seconds(seconds));
    now = now + Duration::seconds(seconds);
    queue.advance(now);
    EXPECT_TRUE(queue.ready());
  }
}

TEST(PodQueue, AfterFiveMinutesItIsTriedAgainAnyway) {
  PodQueue queue;
  queue.add(pod("p"), "1", 0, after(0));
  refuse(queue, after(0));
  EXPECT_EQ(queue.next(), after(300));
  queue.advance(after(299));
  EXPECT_FALSE(queue.ready());
  queue.advance(after(300));
  EXPECT_EQ(taken(queue), "p");
}

TEST(PodQueue, GatedPodsAreNeverTried) {
  PodQueue queue;
  queue.add_gated(pod("p"), "1", 0, after(0));
  queue.wake(always, after(1));
  queue.advance(after(1000));
  EXPECT_FALSE(queue.ready());
  EXPECT_TRUE(queue.gated(pod("p")));
  queue.add(pod("p"), "1", 0, after(1000));
  EXPECT_EQ(taken(queue), "p");
}

TEST(PodQueue, ARecreatedPodHasNoPast) {
  PodQueue queue;
  queue.add(pod("p"), "1", 0, after(0));
  refuse(queue, after(0));
  queue.add(pod("p"), "2", 0, after(0));
  EXPECT_EQ(taken(queue), "p");
}

TEST(PodQueue, WhatIsRemovedIsGone) {
  PodQueue queue;
  queue.add(pod("p"), "1", 0, after(0));
  queue.add(pod("q"), "1", 0, after(0));
  queue.remove(pod("p"));
  EXPECT_EQ(taken(queue), "q");
  EXPECT_EQ(queue.size(), 0u);
}

}  // namespace
}  // namespace tamp::world

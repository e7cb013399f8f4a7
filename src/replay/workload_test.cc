#include "replay/workload.h"

#include <gtest/gtest.h>

namespace tamp::replay {
namespace {

TEST(Trace, SaysWhenADeploymentHasHowManyReplicas) {
  const auto trace = read_trace(
      "# minute, deployment, replicas, size\n0,web,3,250,512\n\n5,db,1,1000,2048\n60, web, "
      "1\n61,web,rollout\n");
  ASSERT_TRUE(trace.ok());
  ASSERT_EQ(trace->deployments.size(), 2u);
  EXPECT_EQ(trace->deployments[0].cpu_milli, 250);
  EXPECT_EQ(trace->deployments[1].memory_mib, 2048);
  ASSERT_EQ(trace->changes.size(), 4u);
  EXPECT_EQ(trace->changes[2].minute, 60);
  EXPECT_EQ(trace->changes[2].replicas, 1);
  EXPECT_TRUE(trace->changes[3].rollout);
  EXPECT_EQ(trace->changes[3].replicas, 1);
  EXPECT_EQ(trace->minutes, 62);
}

TEST(Trace, WhatIsWrongIsNamedWithItsLine) {
  for (const char* text : {"", "0,web,3\n", "0,web,-1,1,1\n", "0,web,3,1,1\nx,web,1\n",
                           "5,web,1,1,1\n4,web,2\n", "0,,1,1,1\n", "0,web\n"})
    EXPECT_FALSE(read_trace(text).ok()) << text;
  EXPECT_EQ(read_trace("0,web,3,1,1\n1,db,2\n").error().message,
            "line 2: a deployment's first line says milli-cores and MiB");
}

TEST(GeneratedDay, TheSeedDecides) {
  const Workload a = generated_day(7), b = generated_day(7), c = generated_day(8);
  ASSERT_EQ(a.changes.size(), b.changes.size());
  for (std::size_t i = 0; i < a.changes.size(); ++i) {
    EXPECT_EQ(a.changes[i].minute, b.changes[i].minute);
    EXPECT_EQ(a.changes[i].replicas, b.changes[i].replicas);
    if (i > 0) {
      EXPECT_LE(a.changes[i - 1].minute, a.changes[i].minute);
    }
  }
  EXPECT_NE(a.changes.size(), c.changes.size());
}

}  // namespace
}  // namespace tamp::replay

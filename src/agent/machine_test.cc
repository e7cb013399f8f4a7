#include "agent/machine.h"

#include <gtest/gtest.h>

#include "agent/tree_testing.h"

namespace tamp::agent {
namespace {

using testing::TempTree;

TEST(Machine, IsReadFromProcAndSys) {
  TempTree tree{{"proc/meminfo", "MemTotal:       16384 kB\nMemFree:  1 kB\n"},
                {"proc/sys/kernel/random/boot_id", "b0071d\n"},
                {"proc/sys/kernel/hostname", "node-1\n"},
                {"sys/devices/system/cpu/online", "0-7\n"},
                {"sys/devices/system/cpu/smt/active", "1\n"},
                {"sys/devices/system/node/online", "0-1\n"}};
  const Machine machine = read_machine({tree.path("proc"), tree.path("sys")});
  EXPECT_EQ(machine.cores, 8);
  EXPECT_EQ(machine.memory_bytes, 16384 * 1024);
  EXPECT_EQ(machine.smt, true);
  EXPECT_EQ(machine.numa_nodes, 2);
  EXPECT_EQ(machine.boot_id, "b0071d");
  EXPECT_EQ(machine.hostname, "node-1");
}

TEST(Machine, WhatIsNotThereIsUnknown) {
  TempTree tree;
  const Machine machine = read_machine({tree.path("proc"), tree.path("sys")});
  EXPECT_EQ(machine.cores, std::nullopt);
  EXPECT_EQ(machine.memory_bytes, std::nullopt);
  EXPECT_EQ(machine.smt, std::nullopt);
  EXPECT_EQ(machine.numa_nodes, std::nullopt);
  EXPECT_EQ(machine.boot_id, "");
}

TEST(Machine, ThisOneHasCoresAndMemory) {
  const Machine machine = read_machine();
  EXPECT_GE(machine.cores.value_or(0), 1);
  EXPECT_GE(machine.memory_bytes.value_or(0), 1 << 20);
  EXPECT_EQ(machine.boot_id.size(), 36u);
}

TEST(OwnCost, IsMoreThanNothing) {
  const OwnCost cost = read_own_cost();
  EXPECT_GE(cost.cpu_seconds, 0);
  EXPECT_GT(cost.rss_bytes.value_or(0), cost.anonymous_bytes.value_or(0));
  EXPECT_GT(cost.anonymous_bytes.value_or(0), 0);
}

}  // namespace
}  // namespace tamp::agent

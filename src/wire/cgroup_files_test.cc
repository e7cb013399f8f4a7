#include "wire/cgroup_files.h"

#include <gtest/gtest.h>

namespace tamp::wire {
namespace {

TEST(CpuStat, TellsUsageAndThrottling) {
  const auto stat = parse_cpu_stat(
      "usage_usec 5000000\nuser_usec 4000000\nsystem_usec 1000000\n"
      "nr_periods 10\nnr_throttled 3\nthrottled_usec 250000\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->usage_us, 5'000'000u);
  EXPECT_EQ(stat->throttled_us, 250'000u);
}

TEST(CpuStat, WithoutTheControllerTellsUsageAlone) {
  const auto stat = parse_cpu_stat("usage_usec 5\nuser_usec 4\nsystem_usec 1\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->usage_us, 5u);
  EXPECT_EQ(stat->throttled_us, std::nullopt);
}

TEST(CpuStat, ThatIsMalformedIsUnknown) {
  for (const char* text :
       {"", "\n", "usage_usec", "usage_usec \n", "usage_usec -5\n", "usage_usec 5 6\n", "user_usec 4\n",
        "usage_usec 5\nthrottled_usec x\n", " 5\n", "usage_usec 99999999999999999999\n"})
    EXPECT_EQ(parse_cpu_stat(text), std::nullopt) << text;
}

TEST(CpuStat, OfVersionOneCountsNanoseconds) {
  EXPECT_EQ(parse_cpu_stat_v1("nr_periods 1\nnr_throttled 1\nthrottled_time 2500999\n"), 2500u);
  EXPECT_EQ(parse_cpu_stat_v1("nr_periods 1\n"), std::nullopt);
}

TEST(Memory, CurrentIsOneNumber) {
  EXPECT_EQ(parse_number_file("1048576\n"), 1048576u);
  EXPECT_EQ(parse_number_file("0\n"), 0u);
  for (const char* text : {"", "\n", "max\n", "1 2\n", "-1\n", "1\n2\n"})
    EXPECT_EQ(parse_number_file(text), std::nullopt) << text;
}

TEST(Memory, LimitMayBeNone) {
  EXPECT_EQ(parse_limit("268435456\n"), Limit{268435456});
  EXPECT_EQ(parse_limit("max\n"), Limit{});
  EXPECT_EQ(parse_limit("9223372036854771712\n"), Limit{}) << "version 1 rounds its greatest down to a page";
  EXPECT_EQ(parse_limit("maximum\n"), std::nullopt);
  EXPECT_EQ(parse_limit(""), std::nullopt);
}

TEST(Memory, StatIsSearchedByKey) {
  const char* text = "anon 10\nfile 30\ninactive_file 20\nfile_dirty 1\n";
  EXPECT_EQ(parse_stat_key(text, "inactive_file"), 20u);
  EXPECT_EQ(parse_stat_key(text, "file"), 30u);
  EXPECT_EQ(parse_stat_key(text, "inactive"), std::nullopt);
  EXPECT_EQ(parse_stat_key("anon 10\nbroken\n", "anon"), std::nullopt) << "half a file is no file";
}

TEST(Memory, WorkingSetLeavesOutCacheThatIsNotUsed) {
  EXPECT_EQ(working_set(100, 30), 70u);
  EXPECT_EQ(working_set(30, 100), 0u) << "the two are not read at the same instant";
}

TEST(Machine, MemoryIsInKibibytes) {
  EXPECT_EQ(parse_kib_key("MemTotal:       16384 kB\nMemFree:  1 kB\n", "MemTotal"), 16384u * 1024);
  EXPECT_EQ(parse_kib_key("VmRSS:\t 1 kB\nRssAnon:\t    2 kB\n", "RssAnon"), 2048u);
  EXPECT_EQ(parse_kib_key("MemTotal: 2 MB\n", "MemTotal"), std::nullopt);
  EXPECT_EQ(parse_kib_key("MemFree: 1 kB\n", "MemTotal"), std::nullopt);
}

TEST(Machine, ListsCountTheirRanges) {
  EXPECT_EQ(count_of_list("0\n"), 1u);
  EXPECT_EQ(count_of_list("0-3\n"), 4u);
  EXPECT_EQ(count_of_list("0-3,8,10-11\n"), 7u);
  for (const char* text : {"", "\n", "3-0\n", "a\n", "0-\n", "-3\n", "0,,1\n", "0-4294967295\n"})
    EXPECT_EQ(count_of_list(text), std::nullopt) << text;
}

}  // namespace
}  // namespace tamp::wire

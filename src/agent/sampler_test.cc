#include "agent/sampler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "agent/tree_testing.h"

namespace {
std::atomic<std::size_t> allocations = 0;
}

// The whole test program counts, so that a test can tell that something allocates nothing. Never inlined: g++ would see new meet free.
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(size == 0 ? 1 : size);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace tamp::agent {
namespace {

using testing::cpu_stat;
using testing::pod;
using testing::pressure;
using testing::TempTree;

constexpr Duration k10s = Duration::seconds(10);
const std::string kPod = "kubepods/podaaaa-1";

class SamplerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    write(0);
    sampler_.follow({pod("a", "aaaa-1")});
  }
  // Counters of a pod that was so many milliseconds under pressure, and used twice as much.
  void write(std::uint64_t ms, std::uint64_t throttled_ms = 0) {
    tree_.write(kPod + "/cpu.stat", cpu_stat(ms * 2000, throttled_ms * 1000));
    tree_.write(kPod + "/cpu.pressure", pressure(ms * 1000, ms * 500));
    tree_.write(kPod + "/memory.pressure", pressure(ms * 100));
    tree_.write(kPod + "/io.pressure", pressure(ms * 10));
    tree_.write(kPod + "/memory.current", "1000\n");
    tree_.write(kPod + "/memory.stat", "anon 1\ninactive_file 300\n");
    tree_.write(kPod + "/memory.max", "5000\n");
  }
  void scan() {
    auto tree = CgroupTree::open(tree_.path());
    ASSERT_TRUE(tree);
    sampler_.scan(*tree);
  }
  void sample() {
    at_ = at_ + Duration::seconds(1);
    sampler_.sample(at_);
  }
  Followed& first() { return sampler_.pods().at(0); }
  std::optional<double> rate(Counter counter) { return first().series.rate(counter, k10s); }

  TempTree tree_;
  Sampler sampler_{Duration::seconds(1)};
  Time at_{Duration::hours(5).ns};
};

TEST_F(SamplerTest, MeasuresWhatTheKernelCounts) {
  scan();
  for (std::uint64_t second = 0; second <= 10; ++second) {
    write(second * 200, second * 50);
    sample();
  }
  EXPECT_DOUBLE_EQ(*rate(Counter::CpuUsage), 0.4);
  EXPECT_DOUBLE_EQ(*rate(Counter::CpuSome), 0.2);
  EXPECT_DOUBLE_EQ(*rate(Counter::CpuFull), 0.1);
  EXPECT_DOUBLE_EQ(*rate(Counter::Throttled), 0.05);
  EXPECT_DOUBLE_EQ(*rate(Counter::MemorySome), 0.02);
  EXPECT_DOUBLE_EQ(*rate(Counter::IoSome), 0.002);
  EXPECT_EQ(first().memory.working_set(), 700u);
  EXPECT_EQ(first().memory.limit, wire::Limit{5000});
}

TEST_F(SamplerTest, AllocatesNothingOnceItIsSetUp) {
  scan();
  sample();
  const std::size_t before = allocations;
  for (int i = 0; i < 20; ++i) sample();
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(first().series.samples(), 21u);
}

TEST_F(SamplerTest, FindsEveryPodInWhateverOrder) {
  sampler_.follow({pod("a", "cccc-3"), pod("b", "aaaa-1"), pod("c", "bbbb-2"), pod("d", "dddd-4")});
  for (const char* name : {"podcccc-3", "podbbbb-2", "poddddd-4"})
    tree_.write(std::string(name) + "/cpu.stat", cpu_stat(0));
  scan();
  sample();
  for (const Followed& f : sampler_.pods()) EXPECT_EQ(f.series.samples(), 1u) << f.pod.name;
}

TEST_F(SamplerTest, APodWithoutACgroupHasNoSamples) {
  sampler_.follow({pod("a", "aaaa-1"), pod("b", "bbbb-2")});
  scan();
  sample();
  EXPECT_EQ(sampler_.pods()[0].series.samples(), 1u);
  EXPECT_EQ(sampler_.pods()[1].series.samples(), 0u);
  EXPECT_FALSE(sampler_.pods()[1].cgroup);
}

TEST_F(SamplerTest, PressureThatIsSwitchedOffIsUnknown) {
  scan();
  for (int i = 0; i <= 10; ++i) sample();
  EXPECT_EQ(rate(Counter::CpuSome), 0.0);
  tree_.remove(kPod + "/cpu.pressure");
  sample();
  EXPECT_EQ(rate(Counter::CpuSome), std::nullopt);
  EXPECT_EQ(rate(Counter::CpuUsage), 0.0) << "usage is still counted";
}

TEST_F(SamplerTest, AFileThatIsMalformedIsUnknown) {
  scan();
  for (int i = 0; i <= 10; ++i) sample();
  tree_.write(kPod + "/io.pressure", "some avg10=0.00 total=\n");
  tree_.write(kPod + "/memory.current", "");
  sample();
  EXPECT_EQ(rate(Counter::IoSome), std::nullopt);
  EXPECT_EQ(first().memory.working_set(), std::nullopt);
}

TEST_F(SamplerTest, ACgroupThatVanishesIsUnknownAndLookedForAgain) {
  scan();
  for (int i = 0; i <= 10; ++i) sample();
  tree_.remove(kPod);
  EXPECT_FALSE(sampler_.lost_some());
  sample();
  EXPECT_TRUE(sampler_.lost_some());
  EXPECT_EQ(rate(Counter::CpuSome), std::nullopt);
  EXPECT_EQ(first().memory.working_set(), std::nullopt);
  scan();
  EXPECT_FALSE(sampler_.lost_some());
  EXPECT_FALSE(first().cgroup);
  EXPECT_EQ(first().series.samples(), 0u);
}

TEST_F(SamplerTest, ACgroupThatIsMadeAgainBeginsAnew) {
  write(100'000);
  scan();
  for (int i = 0; i <= 10; ++i) sample();
  std::filesystem::rename(tree_.path(kPod), tree_.path("old"));
  write(200'000);  // counters that do not even run backwards
  scan();
  EXPECT_EQ(first().series.samples(), 0u);
  EXPECT_EQ(first().series.resets(), 1u);
  sample();
  EXPECT_EQ(rate(Counter::CpuSome), std::nullopt) << "the difference of two cgroups is no pressure";
}

TEST_F(SamplerTest, CountersThatRunBackwardsBeginAnew) {
  write(100'000);
  scan();
  for (int i = 0; i <= 10; ++i) sample();
  write(50);
  sample();
  EXPECT_EQ(first().series.resets(), 1u);
  EXPECT_EQ(rate(Counter::CpuSome), std::nullopt);
}

TEST_F(SamplerTest, ABootIsABeginning) {
  scan();
  for (int i = 0; i <= 10; ++i) sample();
  sampler_.begin_anew();
  EXPECT_EQ(rate(Counter::CpuSome), std::nullopt);
  EXPECT_EQ(first().series.resets(), 1u);
}

TEST_F(SamplerTest, KeepsWhatItKnowsOfPodsThatStay) {
  scan();
  for (int i = 0; i < 5; ++i) sample();
  sampler_.follow({pod("0", "0000-0"), pod("a", "aaaa-1", Tier::Critical)});
  EXPECT_EQ(sampler_.pods()[0].series.samples(), 0u);
  EXPECT_EQ(sampler_.pods()[1].series.samples(), 5u);
  EXPECT_EQ(sampler_.pods()[1].pod.tier, Tier::Critical);
  sample();
  EXPECT_EQ(sampler_.pods()[1].series.samples(), 6u);
}

TEST_F(SamplerTest, ThrottlingOfAContainerCountsForItsPod) {
  const std::string one = kPod + "/" + std::string(64, 'a'), two = kPod + "/" + std::string(64, 'b');
  tree_.write(one + "/cpu.stat", cpu_stat(0, 7'000'000));
  tree_.write(two + "/cpu.stat", cpu_stat(0, 0));
  scan();
  for (std::uint64_t second = 0; second <= 10; ++second) {
    tree_.write(one + "/cpu.stat", cpu_stat(0, 7'000'000 + second * 300'000));
    tree_.write(two + "/cpu.stat", cpu_stat(0, second * 100'000));
    sample();
  }
  EXPECT_DOUBLE_EQ(*rate(Counter::Throttled), 0.3) << "the longest, not the sum: they overlap";
}

TEST_F(SamplerTest, KnowsWhenThePodHasNoProcessHere) {
  tree_.write(kPod + "/cgroup.events", "populated 0\nfrozen 0\n");
  scan();
  sample();
  EXPECT_FALSE(first().cgroup->populated());
  tree_.write(kPod + "/cgroup.events", "populated 1\nfrozen 0\n");
  for (int i = 0; i < 5; ++i) sample();
  EXPECT_TRUE(first().cgroup->populated());
  EXPECT_EQ(first().series.samples(), 6u) << "the counters went on all the time";
}

TEST_F(SamplerTest, WithoutTheCpuControllerThrottlingIsUnknown) {
  tree_.write(kPod + "/cpu.stat", "usage_usec 5\nuser_usec 3\nsystem_usec 2\n");
  scan();
  for (int i = 0; i <= 10; ++i) sample();
  EXPECT_EQ(rate(Counter::Throttled), std::nullopt);
  EXPECT_TRUE(first().cgroup->without_cpu_controller());
}

TEST_F(SamplerTest, OnAHybridMachineReadsBothHierarchies) {
  TempTree hybrid{
      {"cpu,cpuacct/kubepods/podaaaa-1/cpu.stat", "nr_periods 0\nnr_throttled 0\nthrottled_time 0\n"},
      {"memory/kubepods/podaaaa-1/memory.usage_in_bytes", "900\n"},
      {"memory/kubepods/podaaaa-1/memory.stat", "inactive_file 1\ntotal_inactive_file 200\n"},
      {"memory/kubepods/podaaaa-1/memory.limit_in_bytes", "9223372036854771712\n"},
      {"unified/kubepods/podaaaa-1/cpu.stat", "usage_usec 0\nuser_usec 0\nsystem_usec 0\n"},
      {"unified/kubepods/podaaaa-1/cpu.pressure", pressure(0)}};
  auto tree = CgroupTree::open(hybrid.path());
  ASSERT_TRUE(tree);
  sampler_.scan(*tree);
  for (int second = 0; second <= 10; ++second) {
    hybrid.write(
        "cpu,cpuacct/kubepods/podaaaa-1/cpu.stat",
        "nr_periods 9\nnr_throttled 9\nthrottled_time " + std::to_string(second * 250'000'000LL) + "\n");
    sample();
  }
  EXPECT_DOUBLE_EQ(*rate(Counter::Throttled), 0.25);
  EXPECT_EQ(rate(Counter::CpuSome), 0.0);
  EXPECT_EQ(first().memory.working_set(), 700u);
  EXPECT_EQ(first().memory.limit, wire::Limit{});
}

}  // namespace
}  // namespace tamp::agent

// What the agent costs its node: 110 pods, one reading a second. Reads the kernel's own files where cgroups can be made, and a
// copy of them (which is opened anew for each reading) where not. Time does not pass: the readings of ten minutes are done at once.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "agent/agent.h"

namespace tamp::agent {
namespace {

namespace fs = std::filesystem;
constexpr int kPods = 110, kSeconds = 600;

std::string uid_of(int i) { return fmt::format("0c8e4d1a-7f3b-4b7e-9f00-{:012d}", i); }

std::vector<wire::NodePod> pods() {
  std::vector<wire::NodePod> all;
  for (int i = 0; i < kPods; ++i)
    all.push_back({.ns = "bench",
                   .name = fmt::format("pod-{:03d}", i),
                   .uid = uid_of(i),
                   .cgroup = uid_of(i),
                   .node = ""});
  return all;
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

void write_copy(const fs::path& pod) {
  const std::string line = "avg10=0.00 avg60=0.00 avg300=0.00 total=123456789\n";
  for (const char* resource : {"cpu", "memory", "io"})
    write(pod / fmt::format("{}.pressure", resource), "some " + line + "full " + line);
  write(pod / "cpu.stat",
        "usage_usec 1\nuser_usec 1\nsystem_usec 0\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
  write(pod / "memory.current", "123456789\n");
  write(pod / "memory.max", "max\n");
  std::string stat;
  for (int i = 0; i < 50; ++i) stat += fmt::format("some_counter_{} 123456789\n", i);
  write(pod / "memory.stat", stat + "inactive_file 1\n");
}

// The cgroups of this bench, gone with it.
struct Tree {
  fs::path root;
  ~Tree() {
    std::error_code ignored;
    if (root.string().starts_with("/sys"))
      for (int i = 0; i < kPods; ++i) fs::remove(root / ("pod" + uid_of(i)), ignored);
    else
      fs::remove_all(root, ignored);
    fs::remove(root, ignored);
  }
  bool make(const fs::path& at, bool copy) {
    root = at / fmt::format("tamp-agent-bench-{}", ::getpid());
    std::error_code error;
    for (int i = 0; i < kPods && !error; ++i) {
      const fs::path pod = root / ("pod" + uid_of(i));
      fs::create_directories(pod, error);
      if (copy && !error) write_copy(pod);
    }
    return !error;
  }
};

int measure(const char* what, const fs::path& at, bool copy) {
  Tree tree;
  if (!tree.make(at, copy)) {
    fmt::print("{:<12} skipped: no cgroup can be made in {}\n", what, at.string());
    return 0;
  }
  AgentOptions options;
  options.cgroup_root = tree.root.string();
  auto agent = Agent::start(options, pods());
  if (!agent) return 1;
  Time now{Duration::hours(1).ns};
  agent->tick(now);
  const double before = read_own_cost().cpu_seconds;
  for (int i = 0; i < kSeconds; ++i) agent->tick(now = now + Duration::seconds(1));
  const OwnCost cost = read_own_cost();
  const double seconds = cost.cpu_seconds - before;
  const double document = [&] {
    const double start = read_own_cost().cpu_seconds;
    const std::string text = write_observation(agent->snapshot({now, now}));
    return text.empty() ? 0 : read_own_cost().cpu_seconds - start;
  }();
  fmt::print(
      "{:<12} {} pods at 1 s: {:.3f} % of a core, {:.1f} us for one pod, {:.1f} MiB anonymous memory; "
      "document {:.1f} ms\n",
      what, kPods, 100 * seconds / kSeconds, 1e6 * seconds / kSeconds / kPods,
      static_cast<double>(cost.anonymous_bytes.value_or(0)) / (1 << 20), 1e3 * document);
  return 0;
}

fs::path unified() {
  for (const char* path : {"/sys/fs/cgroup/unified", "/sys/fs/cgroup"})
    if (fs::exists(fs::path(path) / "cgroup.controllers")) return path;
  return "/nowhere";
}

}  // namespace
}  // namespace tamp::agent

int main() {
  using tamp::agent::measure;
  return measure("kernel files", tamp::agent::unified(), false) +
         measure("copied files", std::filesystem::temp_directory_path(), true);
}

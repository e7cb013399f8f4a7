// The machine that the agent runs on, and what the agent itself costs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tamp::agent {

struct Machine {
  std::optional<std::int64_t> cores;         // that run now; two threads of a core are two
  std::optional<std::int64_t> memory_bytes;  // as the kernel has it, less than is built in
  std::optional<bool> smt;                   // do cores run more than one thread?
  std::optional<std::int64_t> numa_nodes;
  std::string boot_id;  // another one: the machine was booted, and every counter began anew
  std::string hostname;
};

// What is where: "/proc" and "/sys" unless a test has its own.
struct KernelPaths {
  std::string proc = "/proc", sys = "/sys";
};

Machine read_machine(const KernelPaths& paths = {});
std::string read_boot_id(const KernelPaths& paths = {});

struct OwnCost {
  double cpu_seconds = 0;                       // of this process since it started
  std::optional<std::int64_t> rss_bytes;        // with the program's own pages
  std::optional<std::int64_t> anonymous_bytes;  // what it has allocated
};
OwnCost read_own_cost(const KernelPaths& paths = {});

}  // namespace tamp::agent

// What the kernel says about this process, for the process_* metrics.
#pragma once

#include <cstdint>
#include <optional>

namespace tamp::controller {

struct ProcessStats {
  double cpu_seconds = 0;    // user and system, since the start
  double start_seconds = 0;  // since the Unix epoch
  std::int64_t resident_bytes = 0, virtual_bytes = 0;
  std::int64_t threads = 0;
  std::int64_t open_fds = 0, max_fds = 0;
};

// From /proc; none where there is no such thing.
std::optional<ProcessStats> read_process_stats();

}  // namespace tamp::controller

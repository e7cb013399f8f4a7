#include "controller/process_stats.h"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace tamp::controller {
namespace {

std::optional<double> boot_time() {
  std::ifstream file("/proc/stat");
  std::string word;
  while (file >> word) {
    double value = 0;
    if (word == "btime" && file >> value) return value;
  }
  return std::nullopt;
}

std::int64_t count_open_fds() {
  std::error_code ec;
  std::filesystem::directory_iterator entries("/proc/self/fd", ec);
  if (ec) return 0;
  // One of them is the directory itself.
  return std::distance(entries, std::filesystem::directory_iterator()) - 1;
}

}  // namespace

std::optional<ProcessStats> read_process_stats() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  if (!std::getline(file, line)) return std::nullopt;
  // The second field is the program's name in parentheses and may hold anything, also parentheses.
  const auto name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(name_end + 1));
  const auto skip = [&](int count) {
    std::string word;
    while (count-- > 0) fields >> word;
  };
  std::int64_t utime = 0, stime = 0, start = 0, pages = 0;
  ProcessStats stats;
  skip(11);  // fields 3 to 13 of proc(5)
  fields >> utime >> stime;
  skip(4);
  fields >> stats.threads;
  skip(1);
  fields >> start >> stats.virtual_bytes >> pages;
  if (!fields) return std::nullopt;

  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  stats.cpu_seconds = static_cast<double>(utime + stime) / ticks;
  stats.start_seconds = boot_time().value_or(0) + static_cast<double>(start) / ticks;
  stats.resident_bytes = pages * sysconf(_SC_PAGESIZE);
  stats.open_fds = count_open_fds();
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    stats.max_fds = static_cast<std::int64_t>(limit.rlim_cur);
  return stats;
}

}  // namespace tamp::controller

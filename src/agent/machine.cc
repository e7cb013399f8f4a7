#include "agent/machine.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <string_view>

#include "agent/handle.h"
#include "wire/cgroup_files.h"

namespace tamp::agent {
namespace {

using wire::count_of_list;
using wire::parse_kib_key;

class KernelDirectory {
 public:
  explicit KernelDirectory(const std::string& path) : directory_(open_directory(path)) {}

  // "" where there is none.
  std::string_view text(const char* name) {
    return directory_.open() ? read_text_at(directory_, name, buffer_).value_or("") : "";
  }
  std::string line(const char* name) {
    const std::string_view all = text(name);
    return std::string(all.substr(0, all.find('\n')));
  }

 private:
  Handle directory_;
  std::array<char, 16 * 1024> buffer_{};
};

std::optional<std::int64_t> signed_of(std::optional<std::uint64_t> value) {
  if (!value || *value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
}

}  // namespace

Machine read_machine(const KernelPaths& paths) {
  KernelDirectory proc(paths.proc), system(paths.sys + "/devices/system");
  Machine machine;
  machine.cores = signed_of(count_of_list(system.text("cpu/online")));
  machine.memory_bytes = signed_of(parse_kib_key(proc.text("meminfo"), "MemTotal"));
  const std::string smt = system.line("cpu/smt/active");
  if (smt == "0" || smt == "1") machine.smt = smt == "1";
  machine.numa_nodes = signed_of(count_of_list(system.text("node/online")));
  machine.boot_id = proc.line("sys/kernel/random/boot_id");
  machine.hostname = proc.line("sys/kernel/hostname");
  return machine;
}

std::string read_boot_id(const KernelPaths& paths) {
  return KernelDirectory(paths.proc).line("sys/kernel/random/boot_id");
}

OwnCost read_own_cost(const KernelPaths& paths) {
  OwnCost cost;
  rusage usage{};
  if (::getrusage(RUSAGE_SELF, &usage) == 0)
    cost.cpu_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  KernelDirectory proc(paths.proc);
  const std::string_view status = proc.text("self/status");
  cost.rss_bytes = signed_of(parse_kib_key(status, "VmRSS"));
  cost.anonymous_bytes = signed_of(parse_kib_key(status, "RssAnon"));
  return cost;
}

}  // namespace tamp::agent

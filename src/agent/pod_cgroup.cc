#include "agent/pod_cgroup.h"

#include <algorithm>
#include <array>

#include "wire/psi.h"

namespace tamp::agent {
namespace {

// memory.stat, the longest of them, is about 2 KiB.
constexpr std::size_t kLargestFile = 16 * 1024;
// Whoever writes a copy of the files may be seen in the middle of it.
constexpr int kTriesOfACopy = 3;

void put(Reading& reading, Counter counter, const std::optional<wire::PressureLine>& line) {
  if (!line) return;
  reading[counter] = line->total_us;
  reading.average(counter) = static_cast<std::uint16_t>(line->avg10_centi);
}

}  // namespace

PodCgroup::PodCgroup(PodDirectory directory, bool kernel) : at_(std::move(directory)), kernel_(kernel) {
  const bool hybrid = at_.memory.open();
  current_.name = hybrid ? "memory.usage_in_bytes" : "memory.current";
  max_.name = hybrid ? "memory.limit_in_bytes" : "memory.max";
  update_containers(std::move(at_.containers));
}

void PodCgroup::update_containers(std::vector<ContainerDirectory> containers) {
  std::vector<Container> updated;
  updated.reserve(containers.size());
  for (ContainerDirectory& c : containers) {
    const auto known = std::find_if(containers_.begin(), containers_.end(),
                                    [&](const Container& old) { return old.inode == c.inode; });
    if (known != containers_.end())
      updated.push_back(std::move(*known));
    else
      updated.push_back({.inode = c.inode, .directory = std::move(c.directory)});
  }
  containers_ = std::move(updated);
}

template <typename Parse>
auto PodCgroup::read_file(const Handle& directory, OpenFile& file, bool thorough, Parse parse)
    -> decltype(parse(std::string_view())) {
  std::array<char, kLargestFile> buffer;
  if (file.missing && !thorough) return std::nullopt;
  for (int tries = kernel_ ? 1 : kTriesOfACopy; tries > 0; --tries) {
    if (!kernel_ || !file.file.open()) file.file = open_file_at(directory, file.name);
    const auto text = file.file.open() ? read_text(file.file, buffer) : std::nullopt;
    if (!kernel_ || !text) file.file.close();
    file.missing = !text;
    if (!text) return std::nullopt;
    if (auto value = parse(*text)) return value;
  }
  return std::nullopt;
}

bool PodCgroup::read_pressure(OpenFile& file, Counter some, Counter full, Reading& reading, bool thorough) {
  const auto pressure = read_file(at_.directory, file, thorough, wire::parse_pressure);
  if (!pressure) return false;
  put(reading, some, pressure->some);
  put(reading, full, pressure->full);
  return true;
}

std::optional<std::uint64_t> PodCgroup::read_throttled(const Handle& directory, OpenFile& file,
                                                       bool thorough) {
  if (at_.cpu.open()) return read_file(directory, file, thorough, wire::parse_cpu_stat_v1);
  const auto stat = read_file(directory, file, thorough, wire::parse_cpu_stat);
  return stat ? stat->throttled_us : std::nullopt;
}

std::optional<std::uint64_t> PodCgroup::advance_throttling(std::uint64_t own, bool thorough) {
  std::uint64_t longest = 0;
  const auto since = [&](std::optional<std::uint64_t>& before, std::uint64_t now) {
    const bool forwards = !before || now >= *before;
    if (before && forwards) longest = std::max(longest, now - *before);
    before = now;
    return forwards;
  };
  bool forwards = since(own_throttled_, own);
  for (Container& c : containers_)
    if (const auto throttled = read_throttled(c.directory, c.stat, thorough))
      forwards = since(c.throttled, *throttled) && forwards;
  if (!forwards) return std::nullopt;
  return throttled_total_ += longest;
}

bool PodCgroup::read_cpu(Reading& reading, bool thorough) {
  const auto stat = read_file(at_.directory, cpu_stat_, thorough, wire::parse_cpu_stat);
  if (stat) reading[Counter::CpuUsage] = *stat->usage_us;
  const auto own = at_.cpu.open() ? read_throttled(at_.cpu, quota_stat_, thorough)
                                  : (stat ? stat->throttled_us : std::nullopt);
  without_cpu_controller_ = stat && !own && !at_.cpu.open();
  if (own)
    reading[Counter::Throttled] = advance_throttling(*own, thorough).value_or(kUnknown);
  else
    own_throttled_.reset();
  return stat.has_value();
}

void PodCgroup::read_memory(MemoryReading& memory, bool thorough) {
  const Handle& directory = at_.memory.open() ? at_.memory : at_.directory;
  memory.current = read_file(directory, current_, thorough, wire::parse_number_file);
  if (!thorough) return;
  const char* inactive = at_.memory.open() ? "total_inactive_file" : "inactive_file";
  memory.inactive_file = read_file(directory, stat_, thorough, [&](std::string_view text) {
    return wire::parse_stat_key(text, inactive);
  });
  memory.limit = read_file(directory, max_, thorough, wire::parse_limit);
}

bool PodCgroup::read(Reading& reading, MemoryReading& memory, bool thorough) {
  bool any = read_cpu(reading, thorough);
  any |= read_pressure(cpu_, Counter::CpuSome, Counter::CpuFull, reading, thorough);
  any |= read_pressure(memory_, Counter::MemorySome, Counter::MemoryFull, reading, thorough);
  any |= read_pressure(io_, Counter::IoSome, Counter::IoFull, reading, thorough);
  read_memory(memory, thorough);
  if (thorough) {
    const auto populated = read_file(at_.directory, events_, thorough, [](std::string_view text) {
      return wire::parse_stat_key(text, "populated");
    });
    populated_ = populated != 0;
  }
  return any;
}

}  // namespace tamp::agent

// The files of a cgroup and of /proc that the agent reads, as values. Nothing is allocated and nothing throws: what is malformed
// is unknown, and so is what the kernel does not print. Version 2 of cgroups unless said.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tamp::wire {

// cpu.stat, in microseconds. Without the cpu controller the kernel prints usage alone.
struct CpuStat {
  std::optional<std::uint64_t> usage_us, throttled_us;
  bool operator==(const CpuStat&) const = default;
};
// Nothing if it is malformed or tells no usage.
std::optional<CpuStat> parse_cpu_stat(std::string_view text);
// Version 1 tells only how long the group was throttled, in nanoseconds; here in microseconds.
std::optional<std::uint64_t> parse_cpu_stat_v1(std::string_view text);

// One number: memory.current, memory.usage_in_bytes, cpuacct.usage.
std::optional<std::uint64_t> parse_number_file(std::string_view text);

// memory.max: a number, or "max" for no limit. Version 1 says no limit with a number near 2^63.
struct Limit {
  std::optional<std::uint64_t> value;  // absent: no limit
  bool operator==(const Limit&) const = default;
};
std::optional<Limit> parse_limit(std::string_view text);

// The number of one key in a file of "key number" lines (memory.stat, cgroup.events). Nothing if any line is malformed or
// the key is not there.
std::optional<std::uint64_t> parse_stat_key(std::string_view text, std::string_view key);

// What the kernel could not take back without harm: what is used, less the page cache that nobody touched lately. As the
// kubelet counts it.
constexpr std::uint64_t working_set(std::uint64_t current, std::uint64_t inactive_file) {
  return current - std::min(current, inactive_file);
}

// A line "Key:  123 kB" of /proc/meminfo (MemTotal) or /proc/self/status (RssAnon), in bytes.
std::optional<std::uint64_t> parse_kib_key(std::string_view text, std::string_view key);
// How many a list of the kernel names: 5 for "0-3,8".
std::optional<std::uint64_t> count_of_list(std::string_view list);

}  // namespace tamp::wire

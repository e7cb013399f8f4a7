#include "wire/cgroup_files.h"

#include "wire/kernel_text.h"

namespace tamp::wire {
namespace {

std::string_view without_newline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

// Calls use(key, number) for each line. False if a line is malformed or there is none.
template <typename Use>
bool for_each_stat(std::string_view text, Use use) {
  if (text.empty()) return false;
  while (!text.empty()) {
    std::string_view value = cut_front(text, '\n');
    const std::string_view key = cut_front(value, ' ');
    const auto number = kernel_number(value);
    if (key.empty() || !number) return false;
    use(key, *number);
  }
  return true;
}

}  // namespace

std::optional<CpuStat> parse_cpu_stat(std::string_view text) {
  CpuStat stat;
  const bool sound = for_each_stat(text, [&](std::string_view key, std::uint64_t number) {
    if (key == "usage_usec") stat.usage_us = number;
    if (key == "throttled_usec") stat.throttled_us = number;
  });
  if (!sound || !stat.usage_us) return std::nullopt;
  return stat;
}

std::optional<std::uint64_t> parse_cpu_stat_v1(std::string_view text) {
  const auto ns = parse_stat_key(text, "throttled_time");
  return ns ? std::optional(*ns / 1000) : std::nullopt;
}

std::optional<std::uint64_t> parse_number_file(std::string_view text) {
  return kernel_number(without_newline(text));
}

std::optional<Limit> parse_limit(std::string_view text) {
  constexpr std::uint64_t kUnlimitedV1 = std::uint64_t{1} << 62;
  text = without_newline(text);
  if (text == "max") return Limit{};
  const auto number = kernel_number(text);
  if (!number) return std::nullopt;
  return *number >= kUnlimitedV1 ? Limit{} : Limit{number};
}

std::optional<std::uint64_t> parse_stat_key(std::string_view text, std::string_view wanted) {
  std::optional<std::uint64_t> found;
  const bool sound = for_each_stat(text, [&](std::string_view key, std::uint64_t number) {
    if (key == wanted) found = number;
  });
  return sound ? found : std::nullopt;
}

std::optional<std::uint64_t> parse_kib_key(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::string_view line = cut_front(text, '\n');
    if (cut_front(line, ':') != key) continue;
    while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
    const auto kib = kernel_number(cut_front(line, ' '));
    if (!kib || line != "kB" || *kib > UINT64_MAX / 1024) return std::nullopt;
    return *kib * 1024;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> count_of_list(std::string_view list) {
  constexpr std::uint64_t kMost = 1 << 20;  // no machine has as many of anything
  list = without_newline(list);
  if (list.empty()) return std::nullopt;
  std::uint64_t count = 0;
  while (!list.empty()) {
    std::string_view range = cut_front(list, ',');
    const bool single = range.find('-') == std::string_view::npos;
    const auto first = kernel_number(cut_front(range, '-'));
    const auto last = single ? first : kernel_number(range);
    if (!first || !last || *last < *first || *last > kMost) return std::nullopt;
    count += *last - *first + 1;
    if (count > kMost) return std::nullopt;
  }
  return count;
}

}  // namespace tamp::wire

// What was read of one cgroup over the last minutes, and what follows for a window: deltas of cumulative totals, so that a
// spike between two readings is counted. Knows no clock and no files; all its memory is taken when it is made.
//
// What is not known stays unknown: a window that is not full yet; one whose beginning lies in a gap; a counter that was not
// readable at some time within the window (a total may have stood still meanwhile); counters that ran backwards, which begin a
// new series; a pressure that the kernel has ceased to count. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "core/time.h"

namespace tamp::agent {

// Cumulative, in microseconds.
enum class Counter : std::uint8_t {
  CpuUsage,
  Throttled,
  CpuSome,
  CpuFull,
  MemorySome,
  MemoryFull,
  IoSome,
  IoFull,
};
inline constexpr std::size_t kCounters = 8;

inline constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

struct Reading {
  Time at;  // on the monotonic clock
  std::array<std::uint64_t, kCounters> totals = {kUnknown, kUnknown, kUnknown, kUnknown,
                                                 kUnknown, kUnknown, kUnknown, kUnknown};
  // The kernel's own decaying average beside each total, in hundredths of a percent; 0 for usage and throttling.
  std::array<std::uint16_t, kCounters> averages = {};

  std::uint64_t& operator[](Counter c) { return totals[static_cast<std::size_t>(c)]; }
  std::uint64_t operator[](Counter c) const { return totals[static_cast<std::size_t>(c)]; }
  std::uint16_t& average(Counter c) { return averages[static_cast<std::size_t>(c)]; }
  std::uint16_t average(Counter c) const { return averages[static_cast<std::size_t>(c)]; }
};

inline constexpr std::array<Duration, 3> kWindows = {Duration::seconds(10), Duration::seconds(60),
                                                     Duration::seconds(300)};

class Series {
 public:
  // `interval` is the time from one reading to the next.
  explicit Series(Duration interval);

  // REQUIRES: not before the last one; one at the same time is ignored.
  void add(const Reading& reading);
  // The cgroup is another one, or the machine was booted: nothing read so far belongs to what follows.
  void begin_anew();

  // How much the counter rose per second, in the window that ends with the newest reading: cores for usage, a share of
  // time for the others.
  std::optional<double> rate(Counter counter, Duration window) const;

  std::size_t samples() const { return size_; }  // readings kept, up to the longest window's
  std::size_t samples_in(Duration window) const;
  std::optional<Time> newest() const;
  // How often counters ran backwards or the cgroup changed, and how often readings came much too late.
  std::uint32_t resets() const { return resets_; }
  std::uint32_t gaps() const { return gaps_; }

 private:
  const Reading& back(std::size_t steps) const;  // 0: the newest
  bool runs_backwards(const Reading& reading) const;
  // The reading where the window begins: how many steps back.
  std::optional<std::size_t> start_of(Counter counter, Duration window) const;
  bool is_frozen(Counter counter) const;

  Duration interval_;
  std::vector<Reading> ring_;
  std::size_t next_ = 0, size_ = 0;
  // Since when the counter was readable without a break.
  std::array<std::optional<Time>, kCounters> readable_since_;
  std::uint32_t resets_ = 0, gaps_ = 0;
};

}  // namespace tamp::agent

// What an agent would have read of one pod's cgroup over the last five minutes, and the highest usage over longer spans. Whole
// numbers, little memory: a world has thousands of these, and is copied.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/time.h"

namespace tamp::world {

// Cumulative, in microseconds.
struct Counters {
  std::uint64_t cpu = 0, throttled = 0, some = 0, full = 0, memory = 0;
};
// Growth per second over a window, in millionths: of a core, or of time.
struct Rates {
  std::int64_t cpu = 0, throttled = 0, some = 0, full = 0, memory = 0;
};

// Readings come at every tick without a gap; after a gap they begin anew. A tick divides 10 s.
class Readings {
 public:
  explicit Readings(Duration tick) : tick_(tick) {}

  void add(Time at, const Counters& counters);
  // Nothing read so far counts any more.
  void begin_anew();
  // Nothing was read for a while: what was read before stands alone.
  void gap() {
    if (size_ > 0) ++gaps_;
    size_ = 0;
  }

  // Over the window that ends with the newest reading; nothing until it is full.
  std::optional<Rates> over(Duration window) const;
  std::size_t samples() const { return size_; }
  std::size_t samples_in(Duration window) const;
  std::optional<Time> newest() const { return size_ == 0 ? std::nullopt : std::optional(newest_); }
  std::int64_t resets() const { return resets_; }
  std::int64_t gaps() const { return gaps_; }

 private:
  // Times of waiting wrap around after 71 minutes; windows are shorter.
  struct Reading {
    std::uint64_t cpu;
    std::uint32_t throttled, some, full, memory;
  };
  const Reading& back(std::size_t steps) const;
  Rates between(std::size_t steps) const;

  Duration tick_;
  std::vector<Reading> ring_;
  std::size_t next_ = 0, size_ = 0;
  Time newest_;
  std::int64_t resets_ = 0, gaps_ = 0;
};

// The highest value of the last kBuckets whole buckets and of the one that has begun. Known once each had a value.
template <std::size_t kBuckets>
class HighestOver {
 public:
  explicit HighestOver(Duration bucket) : width_(bucket) {}

  void add(Time at, std::int32_t value) {
    const std::int64_t bucket = at.ns / width_.ns;
    if (newest_ < 0 || bucket - newest_ > static_cast<std::int64_t>(kBuckets))
      values_.fill(-1);
    else
      for (std::int64_t b = newest_ + 1; b <= bucket; ++b) slot(b) = -1;
    newest_ = bucket;
    if (value > slot(bucket)) slot(bucket) = value;
  }
  void clear() { newest_ = -1; }
  std::optional<std::int32_t> get(Time at) const {
    const std::int64_t now = at.ns / width_.ns;
    std::int32_t highest = -1;
    for (std::int64_t b = now - static_cast<std::int64_t>(kBuckets); b <= now; ++b) {
      const bool kept = newest_ >= 0 && b <= newest_ && newest_ - b <= static_cast<std::int64_t>(kBuckets);
      const std::int32_t value = kept ? values_[static_cast<std::size_t>(b) % values_.size()] : -1;
      if (value < 0 && b != now) return {};
      if (value > highest) highest = value;
    }
    if (highest < 0) return {};
    return highest;
  }

 private:
  std::int32_t& slot(std::int64_t bucket) {
    return values_[static_cast<std::size_t>(bucket) % values_.size()];
  }

  Duration width_;
  std::array<std::int32_t, kBuckets + 1> values_ = {};
  std::int64_t newest_ = -1;  // bucket, counted from the epoch
};

// Usage over 10 s, in millionths of a core.
struct Maxima {
  HighestOver<30> m5{Duration::seconds(10)};
  HighestOver<60> h1{Duration::minutes(1)};
  HighestOver<96> h24{Duration::minutes(15)};

  void add(Time at, std::int32_t value) {
    m5.add(at, value);
    h1.add(at, value);
    h24.add(at, value);
  }
  void clear() {
    m5.clear();
    h1.clear();
    h24.clear();
  }
};

}  // namespace tamp::world

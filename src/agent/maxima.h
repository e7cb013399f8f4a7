// The highest value seen within the last 5 minutes, hour and day, in little memory: a ring of buckets for each. Known only once
// every bucket of the span holds a value: a gap stays a gap. Knows no clock; allocates nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/time.h"

namespace tamp::agent {

template <std::size_t kBuckets>
class MaximumOver {
 public:
  explicit MaximumOver(Duration bucket) : width_(bucket) {}

  // REQUIRES: value >= 0; times do not fall.
  void add(Time at, double value) {
    advance(at);
    float& slot = values_[static_cast<std::size_t>(bucket_) % values_.size()];
    slot = value > static_cast<double>(slot) ? static_cast<float>(value) : slot;
  }
  void clear() {
    values_.fill(kEmpty);
    bucket_ = -1;
  }
  // Over kBuckets whole buckets and the one that `at` is in.
  std::optional<double> get(Time at) {
    advance(at);
    float highest = kEmpty;
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const float value = values_[i];
      // The bucket that has just begun may have nothing yet.
      if (value == kEmpty && i != static_cast<std::size_t>(bucket_) % values_.size()) return std::nullopt;
      highest = value > highest ? value : highest;
    }
    return static_cast<double>(highest);
  }

 private:
  static constexpr float kEmpty = -1;

  void advance(Time at) {
    const std::int64_t now = at.ns / width_.ns;
    if (bucket_ < 0 || now - bucket_ >= static_cast<std::int64_t>(values_.size())) {
      values_.fill(kEmpty);
    } else {
      for (std::int64_t b = bucket_ + 1; b <= now; ++b)
        values_[static_cast<std::size_t>(b) % values_.size()] = kEmpty;
    }
    if (now > bucket_) bucket_ = now;
  }

  Duration width_;
  std::array<float, kBuckets + 1> values_ = [] {
    std::array<float, kBuckets + 1> empty{};
    empty.fill(kEmpty);
    return empty;
  }();
  std::int64_t bucket_ = -1;  // the newest, as a number since the clock's beginning
};

struct Maxima {
  MaximumOver<30> m5{Duration::seconds(10)};
  MaximumOver<60> h1{Duration::minutes(1)};
  MaximumOver<96> h24{Duration::minutes(15)};

  void add(Time at, double value) {
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

}  // namespace tamp::agent

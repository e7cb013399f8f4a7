#include "agent/series.h"

#include <algorithm>

namespace tamp::agent {
namespace {

// A window may be a little short, since readings jitter, and longer by a tenth and an interval, since readings may be missing.
Duration least(Duration window, Duration interval) {
  return {window.ns - std::min(interval.ns / 2, window.ns / 20)};
}
Duration most(Duration window, Duration interval) { return {window.ns + window.ns / 10 + interval.ns}; }

// With the totals at rest an average falls by two thirds in 10 s. One that does not, and is not next to nothing, is not alive.
constexpr std::uint16_t kVisibleAverage = 10;
constexpr std::int64_t kGapIntervals = 3;

}  // namespace

Series::Series(Duration interval) : interval_(interval) {
  const Duration longest = most(kWindows.back(), interval);
  ring_.resize(static_cast<std::size_t>(longest.ns / interval.ns) + 2);
}

const Reading& Series::back(std::size_t steps) const {
  return ring_[(next_ + ring_.size() - 1 - steps) % ring_.size()];
}

std::optional<Time> Series::newest() const { return size_ > 0 ? std::optional(back(0).at) : std::nullopt; }

void Series::begin_anew() {
  if (size_ > 0) ++resets_;
  size_ = 0;
  readable_since_.fill(std::nullopt);
}

bool Series::runs_backwards(const Reading& reading) const {
  for (std::size_t i = 0; i < kCounters; ++i) {
    const std::uint64_t before = back(0).totals[i], now = reading.totals[i];
    if (before != kUnknown && now != kUnknown && now < before) return true;
  }
  return false;
}

void Series::add(const Reading& reading) {
  if (size_ > 0) {
    if (reading.at <= back(0).at) return;
    if (runs_backwards(reading))
      begin_anew();
    else if ((reading.at - back(0).at).ns > kGapIntervals * interval_.ns)
      ++gaps_;
  }
  for (std::size_t i = 0; i < kCounters; ++i) {
    if (reading.totals[i] == kUnknown)
      readable_since_[i].reset();
    else if (!readable_since_[i])
      readable_since_[i] = reading.at;
  }
  ring_[next_] = reading;
  next_ = (next_ + 1) % ring_.size();
  size_ = std::min(size_ + 1, ring_.size());
}

std::size_t Series::samples_in(Duration window) const {
  std::size_t count = 0;
  while (count < size_ && back(0).at - back(count).at <= window) ++count;
  return count;
}

std::optional<std::size_t> Series::start_of(Counter counter, Duration window) const {
  const auto since = readable_since_[static_cast<std::size_t>(counter)];
  if (size_ == 0 || !since) return std::nullopt;
  // Ages grow with the steps back: the first reading that is old enough.
  const Duration wanted = least(window, interval_);
  std::size_t low = 0, high = size_;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (back(0).at - back(middle).at < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == size_ || back(low).at < *since) return std::nullopt;
  if (back(0).at - back(low).at > most(window, interval_)) return std::nullopt;
  return low;
}

bool Series::is_frozen(Counter counter) const {
  const std::uint16_t average = back(0).average(counter);
  if (average < kVisibleAverage) return false;
  const auto start = start_of(counter, kWindows.front());
  return start && back(*start)[counter] == back(0)[counter] && back(*start).average(counter) == average;
}

std::optional<double> Series::rate(Counter counter, Duration window) const {
  const auto start = start_of(counter, window);
  if (!start || is_frozen(counter)) return std::nullopt;
  const Reading &first = back(*start), &last = back(0);
  const double microseconds = static_cast<double>((last.at - first.at).ns) / 1e3;
  return static_cast<double>(last[counter] - first[counter]) / microseconds;
}

}  // namespace tamp::agent

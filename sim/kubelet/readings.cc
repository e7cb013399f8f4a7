#include "sim/kubelet/readings.h"

#include <algorithm>

namespace tamp::world {
namespace {

constexpr Duration kLongest = Duration::seconds(300);

}  // namespace

void Readings::add(Time at, const Counters& counters) {
  if (ring_.empty()) ring_.resize(static_cast<std::size_t>(kLongest.ns / tick_.ns) + 1);
  ring_[next_] = {counters.cpu, static_cast<std::uint32_t>(counters.throttled),
                  static_cast<std::uint32_t>(counters.some), static_cast<std::uint32_t>(counters.full),
                  static_cast<std::uint32_t>(counters.memory)};
  if (++next_ == ring_.size()) next_ = 0;
  if (size_ < ring_.size()) ++size_;
  newest_ = at;
}

void Readings::begin_anew() {
  if (size_ > 0) ++resets_;
  size_ = 0;
}

const Readings::Reading& Readings::back(std::size_t steps) const {
  const std::size_t last = next_ + ring_.size() - 1 - steps;
  return ring_[last >= ring_.size() ? last - ring_.size() : last];
}

Rates Readings::between(std::size_t steps) const {
  const Reading &first = back(steps), &last = back(0);
  const auto microseconds = static_cast<std::uint64_t>(static_cast<std::int64_t>(steps) * tick_.ns / 1000);
  const auto rate = [&](std::uint64_t growth) {
    return static_cast<std::int64_t>((growth * 1'000'000 + microseconds / 2) / microseconds);
  };
  const auto share = [&](std::uint32_t from, std::uint32_t to) { return rate(to - from); };
  return {rate(last.cpu - first.cpu), share(first.throttled, last.throttled), share(first.some, last.some),
          share(first.full, last.full), share(first.memory, last.memory)};
}

std::optional<Rates> Readings::over(Duration window) const {
  const auto steps = static_cast<std::size_t>(window.ns / tick_.ns);
  if (size_ <= steps) return {};
  return between(steps);
}

std::size_t Readings::samples_in(Duration window) const {
  return std::min(size_, static_cast<std::size_t>(window.ns / tick_.ns) + 1);
}

}  // namespace tamp::world

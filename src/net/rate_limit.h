// A token bucket: `burst` requests at once, and `qps` each second after that.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/time.h"
#include "net/loop.h"

namespace tamp::net {

class TokenBucket {
 public:
  TokenBucket(double qps, int burst, Instant now)
      : qps_(std::max(qps, 1e-6)), burst_(std::max(burst, 1)), tokens_(burst_), filled_(now) {}

  // Takes a token if there is one.
  bool take(Instant now) {
    fill(now);
    if (tokens_ < 1) return false;
    tokens_ -= 1;
    return true;
  }
  // Takes one also when there is none, so that those who come after wait for it.
  void overdraw(Instant now) {
    fill(now);
    tokens_ = std::max(tokens_ - 1, -burst_);
  }
  // Until take() would succeed. At least a millisecond, so that rounding cannot make it spin.
  Duration wait(Instant now) {
    fill(now);
    if (tokens_ >= 1) return Duration{};
    return Duration{std::max<std::int64_t>(1'000'000, std::llround(std::ceil((1 - tokens_) / qps_ * 1e9)))};
  }

 private:
  void fill(Instant now) {
    tokens_ = std::min(burst_, tokens_ + std::max(0.0, (now - filled_).to_seconds()) * qps_);
    filled_ = std::max(filled_, now);
  }

  double qps_, burst_, tokens_;
  Instant filled_;
};

}  // namespace tamp::net

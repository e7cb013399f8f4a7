// How long to wait after the n-th failure in a row: twice as long each time, up to a cap, and a part of it left to
// chance, so that many clients that failed together do not come back together.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/time.h"

namespace tamp::net {

struct BackoffOptions {
  Duration first{500'000'000};
  Duration cap = Duration::seconds(8);
};

// Evenly between 0 and `span`, less than it.
inline Duration random_part(Duration span, std::uint64_t random) {
  return span.ns <= 0 ? Duration{}
                      : Duration{static_cast<std::int64_t>(random % static_cast<std::uint64_t>(span.ns))};
}

// Between half of the n-th step and all of it. `failures` counts from 1.
inline Duration backoff(const BackoffOptions& options, int failures, std::uint64_t random) {
  std::int64_t step = std::max<std::int64_t>(options.first.ns, 2);
  for (int i = 1; i < failures && step < options.cap.ns; ++i) step = saturating_sum(step, step);
  step = std::max<std::int64_t>(std::min(step, options.cap.ns), 2);
  return Duration{step - random_part(Duration{step / 2}, random).ns};
}

}  // namespace tamp::net

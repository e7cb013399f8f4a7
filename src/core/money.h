// Money per hour, exact: int64 nano-dollars. Thresholds are compared after rounding to nano-dollars, so that
// 1.00 - 0.90 >= 0.10 holds.
#pragma once

#include <cmath>
#include <compare>
#include <cstdint>
#include <string>

namespace tamp {

struct Money {
  std::int64_t nanos = 0;
  auto operator<=>(const Money&) const = default;

  // REQUIRES: dollars is finite and |dollars| < 9e9.
  static Money from_dollars(double dollars) { return {std::llround(dollars * 1e9)}; }
  double dollars() const { return static_cast<double>(nanos) / 1e9; }

  Money& operator+=(Money o) {
    nanos += o.nanos;
    return *this;
  }
  Money& operator-=(Money o) {
    nanos -= o.nanos;
    return *this;
  }
  friend Money operator+(Money a, Money b) { return {a.nanos + b.nanos}; }
  friend Money operator-(Money a, Money b) { return {a.nanos - b.nanos}; }
};

// "$0.006", "$12.40": at least two decimals, at most `decimals`, trailing zeros dropped down to two.
std::string format_money(Money m, int decimals = 4);

}  // namespace tamp

#include "core/money.h"

#include <fmt/format.h>

#include <algorithm>

namespace tamp {

std::string format_money(Money m, int decimals) {
  decimals = std::clamp(decimals, 2, 9);
  std::uint64_t unit = 1;  // nano-dollars in the last decimal shown
  for (int i = decimals; i < 9; ++i) unit *= 10;
  const bool negative = m.nanos < 0;
  const std::uint64_t magnitude =
      negative ? 0 - static_cast<std::uint64_t>(m.nanos) : static_cast<std::uint64_t>(m.nanos);
  const std::uint64_t rounded = (magnitude + unit / 2) / unit * unit;

  std::string fraction =
      fmt::format("{:09}", rounded % 1'000'000'000).substr(0, static_cast<std::size_t>(decimals));
  while (fraction.size() > 2 && fraction.back() == '0') fraction.pop_back();
  return fmt::format("{}${}.{}", negative && rounded > 0 ? "-" : "", rounded / 1'000'000'000, fraction);
}

}  // namespace tamp

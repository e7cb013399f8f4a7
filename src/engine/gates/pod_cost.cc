#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "core/ascii.h"
#include "gates/candidate.h"

namespace tamp::gates {
namespace {

// The priority of a system-critical pod and the extremes of the deletion cost are scaled to some 30 and 16 pods.
constexpr double kPriorityScale = 33'554'432;       // 2^25
constexpr double kDeletionCostScale = 134'217'728;  // 2^27
constexpr double kCostLimit = 10;

// Go lets an underscore stand between two digits, and between the prefix 0x and a digit.
bool remove_underscores(std::string& digits, bool hex) {
  if (digits.find('_') == std::string::npos) return true;
  const auto digit = [hex](char c) { return hex ? is_hex(c) : is_digit(c); };
  std::string plain;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (digits[i] != '_') {
      plain += digits[i];
      continue;
    }
    const bool after = i == 0 ? hex : digit(digits[i - 1]);
    if (!after || i + 1 == digits.size() || !digit(digits[i + 1])) return false;
  }
  digits = std::move(plain);
  return true;
}

// Go's strconv.ParseFloat, which is how Karpenter reads a deletion cost. Not-a-number counts as unreadable: it would
// poison every sum.
std::optional<double> parse_go_float(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  if (text.empty() || text.front() == '-' || text.front() == '+') return std::nullopt;
  std::string digits(text);
  if (!remove_underscores(digits, hex)) return std::nullopt;
  // A hexadecimal mantissa must have its binary exponent; from_chars would do without, and knows infinities in hex.
  if (hex &&
      (digits.find_first_of("pP") == std::string::npos || digits.find_first_of("nN") != std::string::npos))
    return std::nullopt;
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] =
      std::from_chars(digits.data(), end, value, hex ? std::chars_format::hex : std::chars_format::general);
  if (error != std::errc{} || stop != end || std::isnan(value)) return std::nullopt;
  return negative ? -value : value;
}

}  // namespace

double pod_cost(const Cluster& cluster, const Pod& pod) {
  double cost = 1.0;
  if (pod.deletion_cost.valid())
    cost += parse_go_float(cluster.text(pod.deletion_cost)).value_or(0) / kDeletionCostScale;
  if (pod.priority) cost += *pod.priority / kPriorityScale;
  return std::clamp(cost, -kCostLimit, kCostLimit);
}

}  // namespace tamp::gates

#include "wire/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "core/ascii.h"

namespace tamp::wire {
namespace {

__extension__ typedef unsigned __int128 Uint128;

// Room for digits while parsing; what is above saturates.
constexpr Uint128 kSaturated = Uint128{1} << 118;
// Above what int64 can hold in units (2^93) or milli-units, and so far below 128 bits that sums do not overflow.
constexpr Uint128 kLargest = Uint128{1} << 96;
constexpr std::int64_t kNanosPerUnit = 1'000'000'000;

struct Suffix {
  Quantity::Format format = Quantity::Format::DecimalSI;
  int ten = 0;  // power of ten
  int two = 0;  // power of two
};

std::optional<Suffix> interpret_suffix(std::string_view text) {
  using F = Quantity::Format;
  static constexpr std::array<std::pair<std::string_view, Suffix>, 16> kTable = {{
      {"", {F::DecimalSI, 0, 0}},
      {"m", {F::DecimalSI, -3, 0}},
      {"Mi", {F::BinarySI, 0, 20}},
      {"Gi", {F::BinarySI, 0, 30}},
      {"Ki", {F::BinarySI, 0, 10}},
      {"k", {F::DecimalSI, 3, 0}},
      {"M", {F::DecimalSI, 6, 0}},
      {"G", {F::DecimalSI, 9, 0}},
      {"T", {F::DecimalSI, 12, 0}},
      {"P", {F::DecimalSI, 15, 0}},
      {"E", {F::DecimalSI, 18, 0}},
      {"Ti", {F::BinarySI, 0, 40}},
      {"Pi", {F::BinarySI, 0, 50}},
      {"Ei", {F::BinarySI, 0, 60}},
      {"u", {F::DecimalSI, -6, 0}},
      {"n", {F::DecimalSI, -9, 0}},
  }};
  for (const auto& [name, suffix] : kTable)
    if (name == text) return suffix;
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(1);
  if (text.front() == '+') {
    text.remove_prefix(1);
    if (text.starts_with('-')) return std::nullopt;
  }
  int exponent = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) exponent = text.front() == '-' ? -1'000 : 1'000;
  // Beyond these every value is zero-but-rounded-up or saturated, whatever its digits.
  return Suffix{F::DecimalExponent, std::clamp(exponent, -100'000, 100'000), 0};
}

// Digits with a decimal exponent. Digits beyond what fits are dropped, and `inexact` says that one was not zero.
struct Mantissa {
  Uint128 value = 0;
  long ten = 0;
  bool inexact = false;
  Uint128 limit = 0;

  void push(char digit, bool after_point) {
    if (value >= limit) {
      inexact |= digit != '0';
      ten += after_point ? 0 : 1;
      return;
    }
    value = value * 10 + static_cast<unsigned>(digit - '0');
    ten -= after_point ? 1 : 0;
  }
};

// value × 10^power, rounded up, saturated.
Uint128 scale(Uint128 value, long power, bool& inexact) {
  for (; power > 0 && value != 0; --power) {
    if (value >= kSaturated / 10) return kSaturated;
    value *= 10;
  }
  for (; power < 0 && value != 0; ++power) {
    inexact |= value % 10 != 0;
    value /= 10;
  }
  return value;
}

std::int64_t round_to(Int128 nanos, std::int64_t unit) {
  const Int128 magnitude = nanos < 0 ? -nanos : nanos;
  const Int128 rounded = (magnitude + unit - 1) / unit;
  if (rounded > INT64_MAX) return nanos < 0 ? INT64_MIN : INT64_MAX;
  return static_cast<std::int64_t>(nanos < 0 ? -rounded : rounded);
}

std::string digits_of(Uint128 value) {
  std::string text;
  do {
    text += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  } while (value != 0);
  std::reverse(text.begin(), text.end());
  return text;
}

Error bad_quantity(std::string_view text) {
  return Error{
      fmt::format("\"{}\" is not a quantity (a number with a suffix of n u m k M G T P E, Ki Mi Gi Ti Pi Ei, "
                  "or an exponent such as e3)",
                  text)};
}

}  // namespace

std::int64_t Quantity::units() const { return round_to(nanos, kNanosPerUnit); }
std::int64_t Quantity::millis() const { return round_to(nanos, kNanosPerUnit / 1'000); }

Result<Quantity> parse_quantity(std::string_view text) {
  if (text.empty()) return Error{"a quantity is empty"};
  std::string_view rest = text;
  const bool negative = rest.front() == '-';
  if (negative || rest.front() == '+') rest.remove_prefix(1);

  // The suffix decides how many digits fit, so find it first: the first character that is neither digit nor point.
  std::size_t digits_end = 0;
  bool seen_point = false;
  while (digits_end < rest.size() &&
         (is_digit(rest[digits_end]) || (rest[digits_end] == '.' && !seen_point))) {
    seen_point |= rest[digits_end] == '.';
    ++digits_end;
  }
  const auto suffix = interpret_suffix(rest.substr(digits_end));
  if (!suffix) return bad_quantity(text);
  // A number without digits is zero to the API server's fast path and an error to its slow one, which it takes for
  // suffixes like these.
  const bool no_digits = digits_end == (seen_point ? 1u : 0u);
  if (no_digits && (suffix->two >= 50 || suffix->ten < -9)) return bad_quantity(text);

  Mantissa mantissa;
  mantissa.limit = kSaturated / 10 >> suffix->two;
  bool after_point = false;
  for (const char c : rest.substr(0, digits_end)) {
    if (c == '.')
      after_point = true;
    else
      mantissa.push(c, after_point);
  }

  bool inexact = mantissa.inexact;
  Uint128 nanos = scale(mantissa.value << suffix->two, mantissa.ten + suffix->ten + 9, inexact);
  if (inexact) ++nanos;
  // A binary quantity stops at the largest int64; a decimal one goes on until its use.
  const Uint128 cap = suffix->format == Quantity::Format::BinarySI
                          ? static_cast<Uint128>(INT64_MAX) * static_cast<Uint128>(kNanosPerUnit)
                          : kLargest;
  nanos = std::min(nanos, cap);

  Quantity quantity;
  quantity.format = suffix->format;
  quantity.nanos = negative ? -static_cast<Int128>(nanos) : static_cast<Int128>(nanos);
  return quantity;
}

std::string Quantity::canonical() const {
  if (nanos == 0) return "0";
  static constexpr std::array<std::string_view, 10> kDecimal = {"n", "u", "m", "",  "k",
                                                                "M", "G", "T", "P", "E"};
  static constexpr std::array<std::string_view, 7> kBinary = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  const std::string sign = nanos < 0 ? "-" : "";
  Uint128 magnitude = static_cast<Uint128>(nanos < 0 ? -nanos : nanos);

  const bool whole = magnitude % kNanosPerUnit == 0;
  if (format == Format::BinarySI && whole && magnitude >= Uint128{1024} * kNanosPerUnit) {
    magnitude /= kNanosPerUnit;
    std::size_t power = 0;
    for (; power + 1 < kBinary.size() && magnitude % 1024 == 0; ++power) magnitude /= 1024;
    return sign + digits_of(magnitude) + std::string(kBinary[power]);
  }
  std::size_t power = 0;
  for (; power + 1 < kDecimal.size() && magnitude % 1'000 == 0; ++power) magnitude /= 1'000;
  if (format != Format::DecimalExponent) return sign + digits_of(magnitude) + std::string(kDecimal[power]);
  const int exponent = static_cast<int>(power) * 3 - 9;
  return exponent == 0 ? sign + digits_of(magnitude)
                       : fmt::format("{}{}e{}", sign, digits_of(magnitude), exponent);
}

}  // namespace tamp::wire

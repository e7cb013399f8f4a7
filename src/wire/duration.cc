#include "wire/duration.h"

#include <fmt/format.h>

#include "core/ascii.h"

namespace tamp::wire {
namespace {

bool matches_pattern(std::string_view text) {
  if (text.empty()) return false;
  bool digits = false;
  for (const char c : text) {
    if (is_digit(c)) {
      digits = true;
    } else if (digits && (c == 's' || c == 'm' || c == 'h')) {
      digits = false;
    } else {
      return false;
    }
  }
  return !digits;
}

}  // namespace

Result<DurationOrNever> parse_duration_or_never(std::string_view text) {
  if (text == "Never") return DurationOrNever{};
  if (!matches_pattern(text))
    return Error{
        fmt::format("\"{}\" is not a duration such as 30s, 5m or 1h30m, nor Never "
                    "(^(([0-9]+(s|m|h))+|Never)$)",
                    text)};
  TAMP_TRY(const Duration duration, parse_go_duration(text));
  return DurationOrNever{duration};
}

std::optional<DurationOrNever> decode_duration_or_never(Decoder& d, Value parent, std::string_view key) {
  if (!parent.get(key).present()) return std::nullopt;
  const std::string_view text = d.text(parent, key);
  if (d.failed()) return std::nullopt;
  const auto duration = parse_duration_or_never(text);
  if (duration) return *duration;
  d.fail(parent.get(key), duration.error().message);
  return std::nullopt;
}

std::optional<Duration> decode_duration(Decoder& d, Value parent, std::string_view key) {
  const auto duration = decode_duration_or_never(d, parent, key);
  if (!duration) return std::nullopt;
  if (!duration->value) d.fail(parent.get(key), "must be a duration such as 5m; Never has no meaning here");
  return duration->value;
}

}  // namespace tamp::wire

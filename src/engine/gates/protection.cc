#include "gates/protection.h"

namespace tamp::gates {

Protection read_protection(std::string_view value, std::optional<Time> start, Time now) {
  if (value == "true") return {true, std::nullopt};
  const Result<Duration> span = parse_go_duration(value);
  if (!span.ok() || span->ns <= 0) return {};
  if (!start) return {true, std::nullopt};
  return {now - *start < *span, *start + *span};
}

}  // namespace tamp::gates

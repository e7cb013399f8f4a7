// Durations of Karpenter's API: ^(([0-9]+(s|m|h))+|Never)$, "1h30m" or the word Never.
#pragma once

#include <optional>
#include <string_view>

#include "core/pool.h"
#include "core/result.h"
#include "wire/decoder.h"

namespace tamp::wire {

Result<DurationOrNever> parse_duration_or_never(std::string_view text);

// Nothing when absent.
std::optional<DurationOrNever> decode_duration_or_never(Decoder& d, Value parent, std::string_view key);
// The same without Never.
std::optional<Duration> decode_duration(Decoder& d, Value parent, std::string_view key);

}  // namespace tamp::wire

// The `disruption` block of a NodePool and of a TemperPolicy, and the budgets in it.
#pragma once

#include <string_view>

#include "core/pool.h"
#include "wire/decoder.h"

namespace tamp::wire {

// What the API's own patterns would refuse is an error. What they let through but the cron parser does not
// understand (weekday 7, minute 61) is kept as an invalid budget, which allows nothing, and a warning says so.
DisruptionBlock decode_disruption(Decoder& d, Value parent, std::string_view key);

}  // namespace tamp::wire

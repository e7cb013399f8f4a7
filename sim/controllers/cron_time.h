// When a cron schedule is due.
#pragma once

#include <optional>

#include "core/pool.h"
#include "core/time.h"

namespace tamp::world {

// The first moment after `after`, in UTC; nothing within five years (the 31st of February).
std::optional<Time> next_time(const CronSchedule& schedule, Time after);

}  // namespace tamp::world

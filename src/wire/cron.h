// Five-field cron schedules as robfig/cron's standard parser reads them, for disruption budgets.
#pragma once

#include <string_view>

#include "core/pool.h"
#include "core/result.h"

namespace tamp::wire {

// minute hour day-of-month month day-of-week, with * ? lists, ranges, steps and English names; or @yearly, @annually,
// @monthly, @weekly, @daily, @midnight, @hourly, @every <duration>. Sunday is 0 only.
Result<CronSchedule> parse_cron(std::string_view text);

}  // namespace tamp::wire

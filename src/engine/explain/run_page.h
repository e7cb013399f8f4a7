// Runs for people: the list of them, one with everything it did, and the report that `tamp export` writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "explain/style.h"
#include "run/run.h"

namespace tamp::explain {

// "2m05s", "3h12m", "4d": for ages and how long phases took.
std::string span(Duration time);

// Newest first; one line says that there are none.
std::string runs_page(std::vector<run::Run> runs, Time now, const Style& style);
std::string run_page(const run::Run& run, Time now, const Style& style);

// One line: "run-1: Draining for 35s, 4 of 9 pods have left".
std::string run_line(const run::Run& run, Time now);

// Lines "TIME PHASE REASON", one for each phase.
std::string phase_log(const run::Run& run);

// The readable report of a run, in Markdown: predicted against achieved, phases, evictions, guards.
std::string run_report(const run::Run& run, Time now);

}  // namespace tamp::explain

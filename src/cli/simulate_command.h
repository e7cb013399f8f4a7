// `tamp simulate`: what rules of consolidation make of a day.
#pragma once

#include <string>

#include "cli/commands.h"
#include "core/result.h"

namespace tamp::cli {

Result<std::string> run_simulate(const Invocation& invocation);

}  // namespace tamp::cli

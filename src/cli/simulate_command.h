// `tamp simulate`: what rules of consolidation make of a day.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/commands.h"

namespace tamp::cli {

Result<std::string> run_simulate(const Invocation& invocation);

}  // namespace tamp::cli

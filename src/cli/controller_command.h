// `tamp controller`: makes the loop, the transport, the servers and the controller, and runs them until a signal comes.
#pragma once

#include <string>

#include "cli/options.h"
#include "core/result.h"

namespace tamp::cli {

// Returns when the controller has stopped in order. `version` is the program's.
Status run_controller(const Options& options, const terminal::Environment& environment,
                      const std::string& version);

}  // namespace tamp::cli

// `tamp demo`: a cluster to look at and to play with, on this machine and nowhere else.
#pragma once

#include <string>

#include "cli/options.h"
#include "core/result.h"

namespace tamp::cli {

// Until Ctrl-C, or for as long as the options say.
Status run_demo(const cli::Options& options, const terminal::Environment& environment,
                const std::string& version);

}  // namespace tamp::cli

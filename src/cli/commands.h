// The commands. Each takes the options and a source, and returns what goes to standard output; an error is bad input.
#pragma once

#include <string>
#include <vector>

#include "cli/options.h"
#include "cli/source.h"
#include "core/result.h"
#include "core/time.h"
#include "explain/style.h"

namespace tamp::cli {

struct Invocation {
  const Options& options;
  const ClusterSource& source;
  explain::Style style;
  Time now;
  std::function<double()> stopwatch;             // milliseconds since some moment; only differences count
  std::function<void(const std::string&)> warn;  // one line for standard error
};

Result<std::string> run_plan(const Invocation& invocation);
Result<std::string> run_explain(const Invocation& invocation);
Result<std::string> run_fits(const Invocation& invocation);

}  // namespace tamp::cli

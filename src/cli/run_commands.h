// The commands about approvals and runs: each works through the API server with the rights of whoever runs it.
#pragma once

#include <functional>
#include <string>

#include "cli/options.h"
#include "core/result.h"
#include "explain/style.h"

namespace tamp::cli {

// `failed` is set when the cluster could not be asked or refused, which is no mistake in what the user typed.
struct RunInvocation {
  const Options& options;
  const terminal::Environment& environment;
  explain::Style style;
  bool& failed;
};

Result<std::string> run_status(const RunInvocation& invocation);   // status
Result<std::string> run_approve(const RunInvocation& invocation);  // approve HASH
Result<std::string> run_abort(const RunInvocation& invocation);    // abort RUN
Result<std::string> run_pause(const RunInvocation& invocation);    // pause, resume
Result<std::string> run_runs(const RunInvocation& invocation);     // runs
Result<std::string> run_show(const RunInvocation& invocation);     // run show RUN
Result<std::string> run_export(const RunInvocation& invocation);   // export RUN DIR
Result<std::string> run_audit(const RunInvocation& invocation);    // audit verify RUN|FILE

}  // namespace tamp::cli

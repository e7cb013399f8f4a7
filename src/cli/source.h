// Where a cluster comes from. Commands ask a ClusterSource and do not care whether files or, later, an API server
// answer.
#pragma once

#include <functional>

#include "cli/options.h"
#include "core/result.h"
#include "wire/snapshot.h"

namespace tamp::cli {

using ClusterSource = std::function<Result<wire::Reading>()>;

// The files that the options name, read when asked.
ClusterSource file_source(const Options& options);

}  // namespace tamp::cli

// Where a cluster comes from. Commands ask a ClusterSource and do not care whether files or, later, an API server
// answer.
#pragma once

#include <functional>
#include <optional>

#include "cli/options.h"
#include "core/ids.h"
#include "core/result.h"
#include "core/time.h"
#include "wire/snapshot.h"

namespace tamp::cli {

struct ClusterReading {
  wire::Reading reading;
  // What a running controller knows besides and lets others know; see situation::Context. Files do not tell.
  std::optional<Time> last_node_deleted;
  NodeId leader_node;
};

using ClusterSource = std::function<Result<ClusterReading>()>;

// The files that the options name, read when asked.
ClusterSource file_source(const Options& options);

}  // namespace tamp::cli

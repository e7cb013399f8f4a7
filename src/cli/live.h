// The live cluster, read once through the API server. Nothing in it is changed.
#pragma once

#include "cli/options.h"
#include "cli/source.h"
#include "core/result.h"
#include "net/access.h"
#include "store/store.h"

namespace tamp::cli {

// Which API server, and as whom.
Result<net::Access> access_of(const Options& options, const terminal::Environment& environment);
// A store with the machine catalogue and the prices that the options name, and no objects yet.
Result<store::ClusterStore> empty_store(const Options& options);

// A ClusterSource that asks the API server that the options and the environment name. If the cluster could not be read
// (and not: what the user asked for makes no sense), it sets `unreachable`.
ClusterSource live_source(const Options& options, const terminal::Environment& environment,
                          bool& unreachable);

// `tamp snapshot`: what it writes to standard output; with a FILE, writes there and says what it wrote.
Result<std::string> run_snapshot(const Options& options, const terminal::Environment& environment,
                                 bool& unreachable);

}  // namespace tamp::cli

// `tamp-agent serve`: measures until it is told to end, answers on its port, and publishes what its pods request. Everything happens on
// one loop; threads are only within the transports.
#pragma once

#include <functional>
#include <vector>

#include "agent/flags.h"
#include "core/result.h"
#include "wire/node_pods.h"

namespace tamp::agent {

// The pods of a file: read when the agent starts and when the file changes.
using ReadPods = std::function<Result<std::vector<wire::NodePod>>()>;

// Returns when SIGTERM or SIGINT arrives. REQUIRES: no other thread runs.
Status run_serve(const Flags& flags, const ReadPods& read_pods);

// Who runs here now, by the API server or the kubelet, for `tamp-agent observe`.
Result<std::vector<wire::NodePod>> fetch_pods(const Flags& flags);

}  // namespace tamp::agent

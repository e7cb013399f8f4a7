// `tamp-agent serve`: measures until it is told to end, and answers on its port. Without a way to tell who asks, it listens to this
// machine alone.
#pragma once

#include "agent/flags.h"
#include "base/result.h"

namespace tamp::agent {

// Returns when SIGTERM or SIGINT arrives. REQUIRES: no other thread runs.
Status run_serve(const Flags& flags, std::vector<codec::NodePod> pods, const Clock& clock,
                 const std::function<Result<std::vector<codec::NodePod>>()>& read_pods);

}  // namespace tamp::agent

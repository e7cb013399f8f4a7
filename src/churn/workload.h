// What a cluster is asked to run over time: deployments, and how many replicas each has from which minute on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tamp::churn {

struct Deployment {
  std::string name;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
};

struct Change {
  std::int64_t minute = 0;
  std::size_t deployment = 0;
  std::int64_t replicas = 0;
  bool rollout = false;  // all replicas are new ones
};

struct Workload {
  std::vector<Deployment> deployments;
  std::vector<Change> changes;  // by minute
  std::int64_t minutes = 0;     // until the end
};

// A day that the seed decides: services that follow the sun in steps, as an autoscaler of pods takes them, jobs that come every hour or two for some
// minutes, and rollouts. Its nights are quiet, which is when consolidation has most to do.
Workload generated_day(std::uint64_t seed, std::size_t services = 24);

// Lines "minute,deployment,replicas[,milli-cores,MiB]" in the order of time; the first line of a deployment says its size, "rollout" in
// place of a number of replicas replaces all. Empty lines and those that begin with # are passed over.
Result<Workload> read_trace(std::string_view text);

}  // namespace tamp::churn

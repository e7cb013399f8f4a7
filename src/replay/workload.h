// What a cluster is asked to run over time: deployments, and how many replicas each has from which minute on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace tamp::replay {

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

// A day that the seed decides, in a cluster like that of aws/karpenter-provider-aws#7146: at night 14 to 18 machines of two cores with about
// five pods on each, half as many more in the afternoon. Services follow the sun in steps, as an autoscaler of pods takes them; jobs come
// every hour or two for some minutes; now and then there is a rollout.
Workload generated_day(std::uint64_t seed, std::size_t services = 19);

// Lines "minute,deployment,replicas[,milli-cores,MiB]" in the order of time; the first line of a deployment says its size, "rollout" in
// place of a number of replicas replaces all. Empty lines and those that begin with # are passed over.
Result<Workload> read_trace(std::string_view text);

}  // namespace tamp::replay

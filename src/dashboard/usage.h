// What a node's pods use, by what its agent measured.
#pragma once

#include <optional>

#include "model/observation.h"

namespace tamp::dashboard {

struct Usage {
  std::optional<double> cores;   // in the last minute
  std::optional<double> memory;  // bytes
};

// Unknown if a single pod's is not known: a sum without it would be a guess.
inline Usage usage_of(const Observation& seen) {
  Usage usage{0.0, 0.0};
  for (const PodObservation& pod : seen.pods) {
    if (usage.cores && pod.cpu_usage.s60)
      *usage.cores += *pod.cpu_usage.s60;
    else
      usage.cores.reset();
    if (usage.memory && pod.working_set)
      *usage.memory += static_cast<double>(*pod.working_set);
    else
      usage.memory.reset();
  }
  return usage;
}

}  // namespace tamp::dashboard

// What a node's pods use, by what its agent measured.
#pragma once

#include <cstdint>
#include <optional>

#include "core/observation.h"
#include "core/tier_word.h"

namespace tamp::documents {

struct Usage {
  std::optional<double> cores;   // in the last minute
  std::optional<double> memory;  // bytes
};

// Whose cpu counts: predictions leave out Background pods, which give way to all others.
enum class Counted : std::uint8_t { All, NotBackground };

// Unknown if a single pod's is not known: a sum without it would be a guess.
inline Usage usage_of(const Observation& seen, Counted counted = Counted::All) {
  Usage usage{0.0, 0.0};
  for (const PodObservation& pod : seen.pods) {
    const bool counts = counted == Counted::All || pod.tier != word(Tier::Background);
    if (counts && !pod.cpu_usage.s60) usage.cores.reset();
    if (counts && usage.cores) *usage.cores += *pod.cpu_usage.s60;
    if (usage.memory && pod.working_set)
      *usage.memory += static_cast<double>(*pod.working_set);
    else
      usage.memory.reset();
  }
  return usage;
}

}  // namespace tamp::documents

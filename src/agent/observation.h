// What `/observe` serves: the node's pods as they were measured, as one JSON document. The reference is docs/reference/observe.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/machine.h"
#include "agent/sampler.h"
#include "core/json_writer.h"
#include "core/observation.h"
#include "core/tier.h"
#include "core/tier_requests.h"

namespace tamp::agent {

// What the document says beside an Observation, for people and dashboards.
struct PodDetails {
  bool found = false;                          // has it a cgroup with processes here?
  std::array<std::size_t, 3> samples_in = {};  // by kWindows
  std::uint32_t resets = 0, gaps = 0;
  std::optional<bool> limited;  // is there a memory limit?
};
struct TierDetails {
  Windowed cpu_usage;           // of all its pods together; unknown if any is
  Windowed cpu_corrected_most;  // the highest of its pods; unknown if any is
};

struct Snapshot {
  Observation observation;
  std::vector<PodDetails> pods;           // beside observation.pods
  std::array<TierDetails, kTiers> tiers;  // beside observation.tiers
  Machine machine;
  OwnCost cost;
};

struct Moment {
  Time monotonic, wall;
};

// Not const: maxima forget what is too old.
Snapshot take_snapshot(Sampler& sampler, const Machine& machine, const OwnCost& cost, const std::string& node,
                       Moment now);

// The document, with a newline at its end.
std::string write_observation(const Snapshot& snapshot, JsonWriter::Style style = JsonWriter::Style::Pretty);
// What the annotation temper.codes/requests of the node is to say. REQUIRES: tiers are as take_snapshot() makes them.
RequestsByTier requests_of(const Observation& observation);

}  // namespace tamp::agent

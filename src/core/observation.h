// What one node's agent measured: the `/observe` document as plain data. Names are strings, since an observation is read apart
// from any cluster; the prover joins the two by names and uids.
//
// What is not known is absent, never 0: a missing file, a window that is not full yet, a counter that was reset.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"

namespace tamp {

// One quantity in the agent's three windows. Shares are fractions of 1, usage is in cores.
struct Windowed {
  std::optional<double> s10, s60, s300;
  bool operator==(const Windowed&) const = default;
};

// The highest usage seen in longer windows, in cores. One that is not known yet leaves the shorter windows to count.
struct UsageMaxima {
  std::optional<double> m5, h1, h24;
  bool operator==(const UsageMaxima&) const = default;
};

// Pressure stall information of one cgroup and resource.
struct Pressure {
  Windowed some, full;
  bool operator==(const Pressure&) const = default;
};

struct PodObservation {
  std::string ns, name, uid;
  std::string tier;             // as the agent has it; the prover asks the API
  std::int64_t samples = 0;     // readings behind the windows
  std::optional<double> age_s;  // of the newest reading, when the document was made
  Windowed cpu_usage;
  UsageMaxima cpu_max;
  Windowed throttled;
  Pressure cpu;
  Windowed cpu_corrected;                                 // `some` less the cgroup's own quota throttling
  std::optional<std::int64_t> working_set, memory_limit;  // bytes; no limit and an unknown one look the same
  Pressure memory;
  Pressure io;
  bool operator==(const PodObservation&) const = default;
};

// What the agent believes its node's pods request; what the annotation temper.codes/requests says, too.
struct TierRequests {
  std::string tier;
  std::int64_t pods = 0;
  std::int64_t cpu_millis = 0;
  std::int64_t memory_bytes = 0;
  bool operator==(const TierRequests&) const = default;
};

struct Observation {
  std::string node;
  Time at;
  std::string boot_id;
  std::optional<std::int64_t> cores, memory_bytes;
  std::string agent_version;
  std::vector<TierRequests> tiers;
  std::vector<PodObservation> pods;  // by (namespace, name, uid)
  bool operator==(const Observation&) const = default;
};

// The newest observation of each node, in node-name order.
using Observations = std::vector<Observation>;

// Null when the node was not observed. REQUIRES: sorted by node, each once (wire/observation.h makes it so).
const Observation* find_observation(const Observations& observations, std::string_view node);

}  // namespace tamp

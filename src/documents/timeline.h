// What a run saw, as lines of JSON: one for each look of its guards, and the nodes it touched before and after.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/cluster.h"
#include "core/observation.h"
#include "core/time.h"
#include "proof/proof.h"
#include "run/run.h"
#include "run/sight.h"

namespace tamp::documents {

// {"at":…,"phase":…,"left":4,"of":9,"survivors":{"node-1":{"cpu10":…,"cpu60":…,"memory60":…,"io60":…}}}, with its newline. Pressure is the
// highest of the protected pods there; what is not known is left out.
// `application`: its own signal, where one is asked for: "application":{"limit":…,"value":…}, without a value while it is not known.
std::string timeline_line(const run::Run& run, const Observations& observations,
                          const std::optional<run::ApplicationSignal>& application, Time now);

// {"moment":"before","at":…,"nodes":[…]}: victims and survivors with what Tamp may change of them, and their pods.
std::string snapshot_line(const run::Run& run, const Cluster& cluster, std::string_view moment, Time now);

// {"moment":"plan","plan":{…}}
std::string plan_line(const proof::ConsolidationPlan& plan);

}  // namespace tamp::documents

// The cheap revalidation before each eviction: is the cluster still what the plan and the journal say it should be?
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "run/run.h"
#include "run/sight.h"

namespace tamp::run {

struct Drift {
  std::string_view reason;  // the run's: "Drifted", "NoPlaceLeft"
  std::string message;
};

// A pod on a victim that would have to be moved and is not in the plan. REQUIRES: a sight that can be trusted; likewise below.
std::optional<Drift> unplanned_pod(const Run& run, const Cluster& cluster);
// All that is left to be moved still finds a place on the nodes that stay.
std::optional<Drift> no_place_left(const Run& run, const Sight& sight);

}  // namespace tamp::run

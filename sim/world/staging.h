// A scenario on the stage: an empty world gets its kinds, machines and workloads, its autoscaler and its future.
#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "sim/scenario/scenario.h"
#include "sim/world/world.h"

namespace tamp::world {

// A world at the scenario's start, lived in for as long as its warm-up says.
Result<World> make_world(const Scenario& scenario, std::uint64_t seed);

// The same in two steps, for those who need many worlds: what every cluster has and no scenario changes (kinds, namespaces,
// roles) takes longest, and a copy of it will do.
Result<World> make_bare_world(std::uint64_t seed, Time start);
// REQUIRES: a bare world whose time is at most the scenario's start.
Status furnish(World& world, const Scenario& scenario, std::uint64_t seed);

// The machine catalogue of the scenario, as `tamp plan --instance-types` reads it: JSON.
std::string machine_catalogue(const Scenario& scenario);

}  // namespace tamp::world

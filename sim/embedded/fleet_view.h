// The world as the picture that `tamp demo` shows.
#pragma once

#include <string>
#include <vector>

#include "sim/autoscalers/machines.h"
#include "sim/world/world.h"
#include "terminal/fleet_page.h"

namespace tamp::embed {

// Nodes with what is requested of them, pods, and the plan that the TemperPolicy publishes.
terminal::FleetPage view_fleet(const world::World& world, const world::Machines& machines);

// What is worth telling of what happened, in words; empty for what happens all the time.
std::vector<terminal::FleetNews> tell(const std::vector<world::StoryLine>& lines);

}  // namespace tamp::embed

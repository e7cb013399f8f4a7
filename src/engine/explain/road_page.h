// The road to the fixpoint for people: one line for each step, with what it saves, whom it moves, and the running total.
#pragma once

#include <string>

#include "explain/style.h"
#include "search/road.h"

namespace tamp::explain {

std::string road_page(const search::Road& road, const Style& style);

}  // namespace tamp::explain

// What rules of consolidation made of the same day: a table, a document, and two pictures.
#pragma once

#include <string>
#include <vector>

#include "explain/style.h"
#include "replay/replay.h"

namespace tamp::replay {

// The first of the outcomes is the day without consolidation: savings are counted against it.
std::string churn_page(const std::vector<replay::Outcome>& outcomes, const explain::Style& style);
std::string churn_json(const std::vector<replay::Outcome>& outcomes);
// Cost over time, a line for each of the rules.
std::string churn_svg(const std::vector<replay::Outcome>& outcomes);
// Savings against evictions, a point for each of the rules.
std::string churn_curve_svg(const std::vector<replay::Outcome>& outcomes);

}  // namespace tamp::replay

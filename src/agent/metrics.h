// What the agent tells Prometheus, in its text format. What is not known is left out: an absent series is no 0.
#pragma once

#include <string>

#include "agent/observation.h"

namespace tamp::agent {

std::string write_metrics(const Snapshot& snapshot);

}  // namespace tamp::agent

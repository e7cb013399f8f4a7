// The answer of Prometheus to an instant query: /api/v1/query.
#pragma once

#include <string>

#include "core/result.h"

namespace tamp::wire {

// The number of a scalar, or of a vector of one element. Anything else is an error in words: no element or several, "NaN", an infinity, a
// query that was refused.
Result<double> read_prometheus_answer(const std::string& json);

}  // namespace tamp::wire

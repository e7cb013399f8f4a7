// pods/eviction (policy/v1): a deletion that asks the pod's disruption budget first and pays for it.
#pragma once

#include <string_view>

#include "sim/api/backend.h"

namespace tamp::world::api {

// 429 with the cause DisruptionBudget if the budget has nothing left or is not up to date, 500 if the pod has two budgets. On
// success the outcome's object is the pod as it was left, and the code is 201.
Outcome evict_pod(Backend& backend, std::string_view ns, std::string_view pod, const DeleteOptions& options);

}  // namespace tamp::world::api

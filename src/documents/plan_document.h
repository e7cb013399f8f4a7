// A plan as a document for tools. Its keys are a contract, see docs/reference/plan-json.md.
#pragma once

#include <string>

#include "explain/plan_report.h"

namespace tamp::documents {

std::string plan_json(const explain::PlanReport& report);
std::string plan_yaml(const explain::PlanReport& report);

}  // namespace tamp::documents

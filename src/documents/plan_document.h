// A plan as a document for tools. Its keys are a contract, see docs/reference/plan-json.md.
#pragma once

#include <string>

#include "explain/plan_report.h"

namespace tamp::report {

std::string plan_json(const PlanReport& report);
std::string plan_yaml(const PlanReport& report);

}  // namespace tamp::report

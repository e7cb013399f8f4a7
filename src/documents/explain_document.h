// "Why not this node?" as a document for tools.
#pragma once

#include <string>

#include "explain/explain_report.h"

namespace tamp::report {

std::string explain_json(const ExplainReport& report);
std::string explain_yaml(const ExplainReport& report);

}  // namespace tamp::report

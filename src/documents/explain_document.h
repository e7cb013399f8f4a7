// "Why not this node?" as a document for tools.
#pragma once

#include <string>

#include "explain/explain_report.h"

namespace tamp::documents {

std::string explain_json(const explain::ExplainReport& report);
std::string explain_yaml(const explain::ExplainReport& report);

}  // namespace tamp::documents

// "Why not this node?" in words; documents/explain_document.h has it as a document.
#pragma once

#include <string>

#include "core/cluster.h"
#include "explain/explanation.h"
#include "explain/style.h"

namespace tamp::explain {

struct ExplainReport {
  const Cluster& cluster;
  const explain::Explanation& explanation;
  Time decided_at;
  TierFloors tiers = {};
};

std::string explain_page(const ExplainReport& report, const Style& style);

}  // namespace tamp::explain

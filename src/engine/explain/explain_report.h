// "Why not this node?" in words and as a document.
#pragma once

#include <string>

#include "decide/plan.h"
#include "model/cluster.h"
#include "report/style.h"

namespace tamp::report {

struct ExplainReport {
  const Cluster& cluster;
  const decide::Explanation& explanation;
  Time decided_at;
  TierFloors tiers = {};
};

std::string explain_json(const ExplainReport& report);
std::string explain_yaml(const ExplainReport& report);
std::string explain_page(const ExplainReport& report, const Style& style);

}  // namespace tamp::report

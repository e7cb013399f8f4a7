// A ConsolidationRun: somebody's approval of one plan. Its existence is the approval, so its spec never changes.
#pragma once

#include <optional>
#include <string>

namespace tamp {

struct RunSpec {
  std::string plan_hash;                   // SHA-256 of the plan, in hex digits
  std::optional<std::string> approved_by;  // the authenticated user who created it, stamped by the webhook
};

}  // namespace tamp

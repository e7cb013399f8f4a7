// An approval is a ConsolidationRun that somebody creates. The CLI, the dashboard and the controller, where
// the policy approves, all make it here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "run/run.h"
#include "wire/tree.h"

namespace tamp::documents {

enum class ApprovalSource : std::uint8_t { Cli, Dashboard, Policy };
std::string_view word(ApprovalSource source);  // as in run::Run::source

struct Approval {
  std::string plan_hash;    // in full
  std::string approved_by;  // as the API server knows whoever sends it: it admits nothing else
  ApprovalSource source = ApprovalSource::Cli;
  std::string reason;  // in the approver's words; may be empty
};

// The names of approvals of one plan are tried in this order, since a run that was refused at the desk keeps
// its name: "run-0123456789ab", "run-0123456789ab-2", …; of a policy "auto-0123456789ab", …
inline constexpr int kMostApprovals = 9;
std::string approval_name(const Approval& approval, int attempt);
// The object to be created.
wire::Tree approval_object(const Approval& approval, int attempt);

}  // namespace tamp::documents

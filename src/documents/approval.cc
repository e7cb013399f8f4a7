#include "documents/approval.h"

#include <fmt/format.h>

#include <utility>

namespace tamp::documents {
namespace {

constexpr std::size_t kShortHash = 12;

}  // namespace

std::string_view word(ApprovalSource source) {
  switch (source) {
    case ApprovalSource::Cli:
      return "cli";
    case ApprovalSource::Dashboard:
      return "dashboard";
    case ApprovalSource::Policy:
      return run::kByPolicy;
  }
  return "";
}

std::string approval_name(const Approval& approval, int attempt) {
  std::string name = fmt::format("{}-{}", approval.source == ApprovalSource::Policy ? "auto" : "run",
                                 std::string_view(approval.plan_hash).substr(0, kShortHash));
  if (attempt > 1) name += fmt::format("-{}", attempt);
  return name;
}

wire::Tree approval_object(const Approval& approval, int attempt) {
  using wire::Tree;
  Tree spec = Tree::object({{"planHash", approval.plan_hash},
                            {"approvedBy", approval.approved_by},
                            {"source", word(approval.source)}});
  if (!approval.reason.empty()) spec.set("reason", approval.reason);
  return Tree::object({{"apiVersion", "temper.codes/v1alpha1"},
                       {"kind", "ConsolidationRun"},
                       {"metadata", Tree::object({{"name", approval_name(approval, attempt)}})},
                       {"spec", std::move(spec)}});
}

}  // namespace tamp::documents

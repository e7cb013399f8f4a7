#include "documents/run_review.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ascii.h"

namespace tamp::documents {
namespace {

constexpr std::size_t kHashDigits = 64;  // SHA-256

bool is_plan_hash(std::string_view text) { return text.size() == kHashDigits && all_lower_hex(text); }

}  // namespace

Review review_new_run(const RunSpec& run, std::string_view user) {
  Review review;
  if (!is_plan_hash(run.plan_hash))
    review.refusals.push_back(
        fmt::format("spec.planHash: must be the hash of a plan, {} hex digits (0-9, a-f)", kHashDigits));
  if (user.empty()) {
    review.refusals.push_back("spec.approvedBy: the request names no user who approves");
    review.forbidden = true;
  } else if (run.approved_by && *run.approved_by != user) {
    review.refusals.push_back(
        fmt::format("spec.approvedBy: is \"{}\", but you are \"{}\"; leave it out, it is filled in",
                    *run.approved_by, user));
    review.forbidden = true;
  }
  return review;
}

Review review_stamped_run(const RunSpec& run, std::string_view user) {
  Review review = review_new_run(run, user);
  if (!run.approved_by)
    review.refusals.push_back(
        "spec.approvedBy: is missing; the mutating webhook of Tamp fills it in, and has not been asked");
  return review;
}

Review review_changed_run(bool spec_changed) {
  Review review;
  if (spec_changed)
    review.refusals.push_back(
        "spec: must not change, for it is an approval; create another ConsolidationRun instead");
  return review;
}

}  // namespace tamp::documents

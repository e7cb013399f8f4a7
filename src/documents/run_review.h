// What somebody who creates or changes a ConsolidationRun is told. The right to approve is the right to create one; these
// rules see to it that a run says truly who did, and that it never says anything else afterwards.
#pragma once

#include <string_view>

#include "core/result.h"
#include "core/run.h"
#include "documents/policy_review.h"

namespace tamp::documents {

// May `user` create it? Its plan hash must be one, and the approver, if it names one, must be the user.
Review review_new_run(const RunSpec& run, std::string_view user);
// The same once the approver has been stamped: now there must be one.
Review review_stamped_run(const RunSpec& run, std::string_view user);
// A run that is there: its spec stays as it is.
Review review_changed_run(bool spec_changed);

}  // namespace tamp::documents

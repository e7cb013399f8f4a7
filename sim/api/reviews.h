// Questions that are answered and not stored: TokenReview, SubjectAccessReview and its kin, and the TokenRequest of a
// ServiceAccount.
#pragma once

#include <string_view>

#include "sim/api/backend.h"

namespace tamp::world::api {

// `resource` is one that is not stored. The outcome's object is the review with its status.
Outcome review(Backend& backend, const Resource& resource, std::string_view ns, Tree asked,
               const Caller& caller, const Writing& writing);

// serviceaccounts/token
Outcome request_token(Backend& backend, std::string_view ns, std::string_view account, Tree request,
                      const Writing& writing);

}  // namespace tamp::world::api

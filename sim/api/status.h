// Failures as the API server words them: a metav1.Status with the reason, code and details that clients look at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/api/managed_fields.h"
#include "sim/api/resource.h"
#include "sim/api/server.h"
#include "sim/api/validate.h"

namespace tamp::world::api {

// A Status with nothing but these; `details` may be null.
Outcome failed(int code, std::string_view reason, std::string message, Tree details = {});

Outcome bad_request(std::string message);
Outcome unauthorized();
Outcome internal_error(std::string_view message);
Outcome not_found(const Resource& resource, std::string_view name);
// 404 for a path that is no resource's.
Outcome no_such_path();
Outcome already_exists(const Resource& resource, std::string_view name);
Outcome conflict(const Resource& resource, std::string_view name, std::string_view why);
// The conflict of a resourceVersion that is not the latest.
Outcome stale(const Resource& resource, std::string_view name);
Outcome forbidden(const Resource& resource, std::string_view name, std::string_view why);
Outcome method_not_allowed();
Outcome not_acceptable(std::string_view offered);
Outcome unsupported_media_type(std::string_view accepted);
// 410: a resourceVersion or continue token that is too old.
Outcome expired(std::string message);
// 422. REQUIRES: there is a problem.
Outcome invalid(std::string_view group, std::string_view kind, std::string_view name,
                const FieldProblems& problems);
Outcome invalid(const Resource& resource, std::string_view name, const FieldProblems& problems);

// 201 of what leaves no object of its own, such as an eviction.
Outcome created();
// Of an apply that was not.
Outcome outcome_of(const ApplyOutcome& applied);

}  // namespace tamp::world::api

// What can come of a request to the API server other than success, in the kinds that callers tell apart.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "net/transport.h"
#include "wire/api_status.h"

namespace tamp::net {

struct ApiError {
  enum class Kind : std::uint8_t {
    Unreachable,  // no answer
    BadRequest,
    Unauthorized,
    Forbidden,
    NotFound,
    AlreadyExists,
    Conflict,
    Gone,  // a resourceVersion or a continue token that the server has forgotten
    Invalid,
    Throttled,         // 429: too many requests at this server; the request was not looked at
    DisruptionBudget,  // 429: a PodDisruptionBudget does not allow the eviction now
    Timeout,
    ServerError,
    Other,
  };
  Kind kind = Kind::Other;
  int status = 0;  // HTTP; 0 without an answer
  std::string reason, message;
  std::optional<Duration> retry_after;
  // A write that may have been carried out, or may still be. Always false for a read.
  bool maybe_done = false;
  std::vector<wire::StatusCause> causes;

  bool has_cause(std::string_view type) const;
  // "Conflict (409): the object has been modified"
  std::string text() const;
};

std::string_view word(ApiError::Kind kind);  // "Conflict"

// REQUIRES: the status is not 2xx.
ApiError error_of(const Response& response, Method method);
ApiError error_of(const Failure& failure, Method method);

}  // namespace tamp::net

#include "net/api_error.h"

#include <algorithm>

namespace tamp::net {
namespace {

using Kind = ApiError::Kind;

Kind kind_of(int status, const wire::ApiStatus& said) {
  switch (status) {
    case 400:
      return Kind::BadRequest;
    case 401:
      return Kind::Unauthorized;
    case 403:
      return Kind::Forbidden;
    case 404:
      return Kind::NotFound;
    case 408:
      return Kind::Timeout;
    case 409:
      return said.reason == "AlreadyExists" ? Kind::AlreadyExists : Kind::Conflict;
    case 410:
      return Kind::Gone;
    case 422:
      return Kind::Invalid;
    case 429:
      return said.has_cause("DisruptionBudget") ? Kind::DisruptionBudget : Kind::Throttled;
    case 504:
      return Kind::Timeout;
    default:
      return status >= 500 ? Kind::ServerError : Kind::Other;
  }
}

}  // namespace

bool ApiError::has_cause(std::string_view type) const {
  return std::any_of(causes.begin(), causes.end(),
                     [&](const wire::StatusCause& cause) { return cause.type == type; });
}

std::string ApiError::text() const {
  std::string out = reason.empty() ? std::string(word(kind)) : reason;
  if (status != 0) out += " (" + std::to_string(status) + ")";
  if (!message.empty()) out += ": " + message;
  // The budget that does not allow it is named only here.
  for (const wire::StatusCause& cause : causes)
    if (kind == Kind::DisruptionBudget && !cause.message.empty()) out += " " + cause.message;
  return out;
}

std::string_view word(ApiError::Kind kind) {
  switch (kind) {
    case Kind::Unreachable:
      return "Unreachable";
    case Kind::BadRequest:
      return "BadRequest";
    case Kind::Unauthorized:
      return "Unauthorized";
    case Kind::Forbidden:
      return "Forbidden";
    case Kind::NotFound:
      return "NotFound";
    case Kind::AlreadyExists:
      return "AlreadyExists";
    case Kind::Conflict:
      return "Conflict";
    case Kind::Gone:
      return "Gone";
    case Kind::Invalid:
      return "Invalid";
    case Kind::Throttled:
      return "Throttled";
    case Kind::DisruptionBudget:
      return "DisruptionBudget";
    case Kind::Timeout:
      return "Timeout";
    case Kind::ServerError:
      return "ServerError";
    case Kind::Other:
      return "Other";
  }
  return "Other";
}

ApiError error_of(const Response& response, Method method) {
  wire::ApiStatus said = wire::read_api_status(response.body);
  ApiError error;
  // A 2xx with a failure in it is what the failure says; see codec::ApiStatus::failure.
  error.status = response.status / 100 == 2 && said.failure ? said.code : response.status;
  error.kind = kind_of(error.status, said);
  error.reason = std::move(said.reason);
  error.message = std::move(said.message);
  error.retry_after = response.retry_after;
  if (!error.retry_after && said.retry_after_seconds > 0)
    error.retry_after = Duration::seconds(said.retry_after_seconds);
  // A proxy, or a server that gave up waiting for its own store, cannot know.
  error.maybe_done = method != Method::Get && (error.status >= 500 || error.status == 408);
  error.causes = std::move(said.causes);
  return error;
}

ApiError error_of(const Failure& failure, Method method) {
  ApiError error;
  error.kind = Kind::Unreachable;
  error.message = failure.message;
  error.maybe_done = method != Method::Get && failure.maybe_done;
  return error;
}

}  // namespace tamp::net

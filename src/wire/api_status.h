// A refusal in the words of the API server: the metav1.Status object that comes with every answer that is not a success.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/value.h"

namespace tamp::wire {

struct StatusCause {
  std::string type;  // "DisruptionBudget", "FieldValueInvalid"
  std::string message;
  std::string field;
};

struct ApiStatus {
  // It says "Failure" of itself. The server has answers that do, and yet come with a 2xx: an eviction of a pod that
  // several budgets select.
  bool failure = false;
  int code = 0;  // the HTTP status, as the object tells it; 0 if it does not
  std::string reason;
  std::string message;
  std::string kind, name;  // of the object in question (details)
  std::vector<StatusCause> causes;
  int retry_after_seconds = 0;  // 0: none

  bool has_cause(std::string_view type) const;
};

// Never fails: what is no Status (a proxy's page, cut-off text) gives its first line as the message, without control
// characters and not longer than 200 bytes.
ApiStatus read_api_status(const std::string& bytes);
ApiStatus read_api_status(Value status);

}  // namespace tamp::wire

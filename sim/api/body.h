// Bodies of requests: JSON or YAML into trees, with an eye for what does not belong there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/api/backend.h"
#include "sim/api/http.h"

namespace tamp::world::api {

struct Body {
  Tree tree;
  std::vector<std::string> complaints;  // "duplicate field \"data.a\""
  Outcome failure;                      // if it is not ok, the rest means nothing
};

// 415 for a content type that is neither JSON nor YAML, 400 for what cannot be read.
Body read_body(const Request& request, std::string_view kind);

// Is it, as far as it says, an object of this kind? If it does not say, it is made one.
std::optional<Outcome> wrong_kind(Tree& object, const Resource& resource, std::string_view api_version,
                                  std::string_view kind);

// dryRun, fieldValidation, fieldManager and force. `kind` is "CreateOptions", "UpdateOptions" or "PatchOptions".
std::optional<Outcome> wrong_write_options(const Query& query, std::string_view kind, bool apply);

}  // namespace tamp::world::api

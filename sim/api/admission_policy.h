// ValidatingAdmissionPolicies: what their expressions say about a request, for each binding that is in force.
#pragma once

#include <optional>
#include <string_view>

#include "sim/api/defaults.h"
#include "sim/api/server.h"

namespace tamp::world::api {

// One request as policies see it.
struct AdmissionRequest {
  std::string_view operation = {};  // "CREATE", "UPDATE", "DELETE", "CONNECT"
  std::string_view group = {}, version = {}, resource = {}, kind = {},
                   subresource = {};  // resource: the plural name
  std::string_view ns = {}, name = {};
  const Caller* caller = nullptr;
  const Tree* object = nullptr;  // as it is to be stored; nullptr for a deletion
  const Tree* old = nullptr;     // nullptr for a creation
  bool dry_run = false;
};

// The first refusal, in the order of the names of bindings. Nothing if no policy says no.
std::optional<Refusal> judge_by_policies(const AdmissionRequest& request, const Lookup& lookup);

}  // namespace tamp::world::api

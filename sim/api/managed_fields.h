// Who owns which field: metadata.managedFields, and server-side apply, which lives by it.
//
// Each write under a manager's name makes the manager the owner of the fields that it changed (Update) or named (Apply). An
// Apply that would change a field of another manager is a conflict; a field that an Apply no longer names, and that nobody
// else owns, is removed.
//
// `subresource` is "" for the object itself ("status", "scale"). `api_version` is that of the request. `schema` is the object's;
// nullptr: nothing known. Times have seconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "sim/api/schema.h"
#include "wire/tree.h"

namespace tamp::world::api {

// Writes after.metadata.managedFields for a create (`before` is nullptr), an update or a patch other than Apply. `after` is the
// object as decoded and defaulted, before admission plugins and the strategy touch it (what those add nobody owns), with
// managedFields as the client sent them: clients may edit the list, and an empty one resets it. A list that is absent or cannot be
// understood is ignored in favour of the one in `before`. An object without managedFields is not tracked until it is applied.
void track_update(const Tree* before, Tree& after, std::string_view manager, std::string_view subresource,
                  std::string_view api_version, Time now, const Schema* schema);

struct ApplyOutcome {
  // The merged object, with managedFields; not yet defaulted or validated.
  Tree result = {};
  // 200; 409 Conflict; 400 BadRequest; 500 without a reason for what does not fit the schema (as the real one answers).
  int code = 200;
  std::string reason = {};
  std::string message = {};
  struct Cause {
    std::string reason, message, field;
  };
  std::vector<Cause> causes = {};  // of a conflict: status.details.causes
  bool ok() const { return code == 200; }
};

// `live` is nullptr if there is no such object yet: then the result is what to create. The caller checks that `applied` has the kind
// of the request (400 "invalid object type: " and group_version_kind otherwise); the version is checked here.
ApplyOutcome server_side_apply(const Tree* live, const Tree& applied, std::string_view manager, bool force,
                               std::string_view subresource, std::string_view api_version, Time now,
                               const Schema* schema);

// As messages name it: "apps/v1, Kind=Deployment", "/v1, Kind=Pod".
std::string group_version_kind(const Tree& object);

// The manager of a request without fieldManager: the User-Agent up to the first '/', at most 128 bytes of it.
std::string manager_of_user_agent(std::string_view user_agent);

}  // namespace tamp::world::api

// Objects on their way out: in the version that was asked for, and in the form.
#pragma once

#include <string>
#include <vector>

#include "sim/api/backend.h"
#include "sim/api/http.h"
#include "sim/api/table.h"

namespace tamp::world::api {

// How an answer is to be shown.
struct Showing {
  const Resource* resource = nullptr;
  const CustomVersion* custom = nullptr;
  Form form = Form::Object;
  RowObject row_object = RowObject::Metadata;
  Time now;
};
// From the Accept header and the query's includeObject.
Showing showing_of(const Backend& backend, const Resource& resource, std::string_view accept,
                   const Query& query);

// The object in the resource's version.
Tree in_version(const Resource& resource, const Tree& stored);
// And back.
Tree to_storage(const Resource& resource, Tree given);
std::string object_text(const Showing& showing, const ObjectPtr& object);
std::string list_text(const Showing& showing, const std::vector<ObjectPtr>& items, Tree metadata);
// The object of a watch event. Only the first table of a watch has columns.
std::string event_text(const Showing& showing, const ObjectPtr& object, bool with_columns);

}  // namespace tamp::world::api

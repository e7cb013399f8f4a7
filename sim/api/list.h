// Lists: selectors, pages and the past.
#pragma once

#include <string_view>
#include <vector>

#include "sim/api/backend.h"
#include "sim/api/http.h"
#include "sim/api/selectors.h"

namespace tamp::world::api {

struct Listing {
  std::vector<ObjectPtr> items;
  Tree metadata;    // resourceVersion, and continue and remainingItemCount of a page
  Outcome failure;  // if it is not ok, there is no list
};

// `ns` is empty for all namespaces. Reads limit, continue, resourceVersion and resourceVersionMatch of the query.
Listing list_objects(const Backend& backend, const Resource& resource, std::string_view ns,
                     const Query& query, const Filter& filter);

// labelSelector and fieldSelector; in `failure` why not.
struct FilterOutcome {
  Filter filter;
  Outcome failure;
};
FilterOutcome read_filter(const Backend& backend, const Resource& resource, const Query& query);

// 400 if limit or timeoutSeconds are there and no numbers.
std::optional<Outcome> wrong_numbers(const Query& query);

// A resourceVersion of a query. Nothing if it is no number.
std::optional<std::uint64_t> read_version(std::string_view text);

}  // namespace tamp::world::api

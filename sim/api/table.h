// How objects are shown to those who ask for something else than the objects themselves: tables (kubectl get) with the columns
// and cells that the real server prints, and PartialObjectMetadata.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "sim/api/custom.h"
#include "sim/api/object.h"
#include "sim/api/resource.h"

namespace tamp::world::api {

enum class Form : std::uint8_t {
  Object,
  Table,                // meta.k8s.io/v1 Table
  PartialMetadata,      // of one object
  PartialMetadataList,  // of a list
  NotAcceptable,        // 406: nothing that is asked for can be given
};
// What an Accept header asks for, first wish first. An empty one: objects. A wish for a form in protobuf or CBOR is passed over.
Form form_asked(std::string_view accept);

// What the rows of a table carry besides their cells (includeObject of the query).
enum class RowObject : std::uint8_t { None, Metadata, Object };

// The Table of these objects. `list_metadata` is that of the list (or, of one object, its own resourceVersion);
// `with_columns` is false for all but the first event of a watch. `custom` is the version's description, null for built-in
// kinds. `now` is what ages are counted to.
Tree to_table(const Resource& resource, const CustomVersion* custom, const std::vector<const Tree*>& objects,
              const Tree& list_metadata, RowObject row_object, bool with_columns, Time now);

// {"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": …}
Tree to_partial_metadata(const Tree& object);

}  // namespace tamp::world::api

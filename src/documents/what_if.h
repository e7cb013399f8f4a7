// Where a what-if begins: the settings that can be tried, as they are now.
#pragma once

#include "core/json_writer.h"
#include "documents/look.h"

namespace tamp::documents {

// As the body of a what-if; of pools, what holds for the first that no entry of the policy speaks of by itself.
void write_present(JsonWriter& w, const Scene& scene);

}  // namespace tamp::documents

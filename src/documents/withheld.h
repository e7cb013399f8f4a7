// Why there is no plan, as it stands in several documents.
#pragma once

#include "core/json_writer.h"
#include "documents/look.h"

namespace tamp::documents {

// "withheld", as a field of the object that is open; null: nothing speaks against a plan.
inline void write_withheld(JsonWriter& w, const Scene& scene) {
  w.key("withheld");
  if (scene.withheld_reason.empty())
    w.null();
  else
    w.begin_object()
        .field("reason", scene.withheld_reason)
        .field("message", scene.withheld_message)
        .end_object();
}

}  // namespace tamp::documents

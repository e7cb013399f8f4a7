// Pods with names that stay: web-0, web-1, … Made and ended one after the other (OrderedReady) or together (Parallel); a pod that
// is gone comes back under its name; a new template goes from the highest ordinal down to the partition. Claims are made from
// volumeClaimTemplates and outlive their pods unless the retention policy says otherwise.
#pragma once

#include <vector>

#include "sim/controllers/alarms.h"
#include "sim/controllers/owned_index.h"
#include "sim/controllers/retries.h"
#include "sim/controllers/revisions.h"
#include "sim/engine/work_queue.h"

namespace tamp::world {

class StatefulSets {
 public:
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

 private:
  OwnedIndex pods_{api::ResourceId::Pods, "StatefulSet"};
  OwnedIndex revisions_{api::ResourceId::ControllerRevisions, "StatefulSet"};
  WorkQueue queue_;
  Retries retries_;
  Alarms availability_;
};

}  // namespace tamp::world

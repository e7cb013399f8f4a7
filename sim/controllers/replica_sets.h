// Keeps as many pods as each ReplicaSet wants. Pods that are being deleted or are done (also evicted ones) do not count, so
// their replacements come at once.
#pragma once

#include "sim/controllers/alarms.h"
#include "sim/controllers/owned_index.h"
#include "sim/controllers/retries.h"
#include "sim/engine/work_queue.h"

namespace tamp::world {

class ReplicaSets {
 public:
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

 private:
  void look_at(Stage& stage, std::string_view ns, std::string_view name);
  void pod_changed(Stage& stage, const api::Change& change);
  // The message of what was refused; empty if nothing was.
  std::string grow(Stage& stage, const api::Object& set, std::int64_t by);
  std::string shrink(Stage& stage, const api::Object& set, const std::vector<api::ObjectPtr>& pods,
                     std::int64_t by);
  void write_status(Stage& stage, const api::Object& set, const std::vector<api::ObjectPtr>& pods,
                    std::string_view failure);

  OwnedIndex pods_{api::ResourceId::Pods, "ReplicaSet"};
  OwnedIndex sets_{api::ResourceId::ReplicaSets, "Deployment"};
  WorkQueue queue_;
  Retries retries_;
  Alarms availability_;  // when a ready pod will have been ready for minReadySeconds
};

}  // namespace tamp::world

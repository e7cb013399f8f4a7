// Rolls Deployments from one pod template to the next through ReplicaSets; what one look does is in rollout.h.
#pragma once

#include "sim/controllers/alarms.h"
#include "sim/controllers/owned_index.h"
#include "sim/controllers/retries.h"
#include "sim/engine/work_queue.h"

namespace tamp::world {

class Deployments {
 public:
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

 private:
  void wake_owner(Stage& stage, const api::Object& set);

  OwnedIndex sets_{api::ResourceId::ReplicaSets, "Deployment"};
  WorkQueue queue_;
  Retries retries_;
  Alarms deadlines_;
};

}  // namespace tamp::world

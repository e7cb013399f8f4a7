// Runs pods of Jobs to their end: parallelism, completions (also Indexed), backoffLimit with its growing waits, activeDeadlineSeconds,
// suspension, and the deletion of finished Jobs after ttlSecondsAfterFinished. Pods carry the finalizer
// batch.kubernetes.io/job-tracking until they are counted, so none is lost to whoever deletes pods.
#pragma once

#include <map>
#include <string>

#include "sim/controllers/alarms.h"
#include "sim/controllers/job_look.h"
#include "sim/controllers/owned_index.h"
#include "sim/controllers/retries.h"
#include "sim/engine/work_queue.h"

namespace tamp::world {

class Jobs {
 public:
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

 private:
  enum What : std::uint8_t { kLook, kExpire, kRelease };
  void look_at(Stage& stage, const Event& event);
  void expire(Stage& stage, const Event& event);
  void release(Stage& stage, const Event& event);

  OwnedIndex pods_{api::ResourceId::Pods, "Job"};
  WorkQueue queue_;
  Retries retries_;
  Alarms alarms_, expiries_;
  std::map<std::string, JobBackoff, std::less<>> backoffs_;  // by uid
};

}  // namespace tamp::world

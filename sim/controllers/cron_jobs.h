// Makes a Job whenever a CronJob's schedule is due, as its concurrencyPolicy allows, and keeps no more finished ones than its
// history limits. Schedules are in UTC; the API server refuses other time zones.
#pragma once

#include "sim/controllers/alarms.h"
#include "sim/controllers/owned_index.h"
#include "sim/controllers/retries.h"
#include "sim/engine/work_queue.h"

namespace tamp::world {

class CronJobs {
 public:
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

 private:
  OwnedIndex jobs_{api::ResourceId::Jobs, "CronJob"};
  WorkQueue queue_;
  Retries retries_;
  Alarms schedule_;
};

}  // namespace tamp::world

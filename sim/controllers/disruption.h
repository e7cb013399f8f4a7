// The status of PodDisruptionBudgets: how many pods may be evicted now. The eviction subresource of the API server takes
// from disruptionsAllowed and notes the pod in disruptedPods; this controller counts again when the pods follow, and
// forgets a noted pod that was not deleted within two minutes.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "sim/controllers/alarms.h"
#include "sim/controllers/retries.h"
#include "sim/engine/work_queue.h"

namespace tamp::world {

class Disruption {
 public:
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

 private:
  using Pods = std::map<std::string, api::ObjectPtr, std::less<>>;  // by name
  struct Budget {
    api::Tree selector;
    Pods pods;  // those that it selects
  };
  using Budgets = std::map<std::string, Budget, std::less<>>;  // by name

  void budget_changed(Stage& stage, const api::Change& change);
  void pod_changed(Stage& stage, const api::Change& change);
  void look_at_budget(Stage& stage, const Event& event);
  void look_at_stale_pod(Stage& stage, const Event& event);

  std::map<std::string, Budgets, std::less<>> budgets_;  // by namespace
  WorkQueue queue_;
  Retries retries_;
  Alarms rechecks_;
  Alarms stale_pods_;
};

}  // namespace tamp::world

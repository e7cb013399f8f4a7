// One pod on each node that may have it. The pod names its node by affinity, and the scheduler binds it; it bears the taints of
// nodes in trouble. A new template goes node by node, within maxUnavailable or with maxSurge.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "sim/controllers/alarms.h"
#include "sim/controllers/owned_index.h"
#include "sim/controllers/retries.h"
#include "sim/engine/work_queue.h"

namespace tamp::world {

class DaemonSets {
 public:
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

 private:
  void node_changed(Stage& stage, const api::Change& change);
  // Whether a pod that has failed on the node is to be ended now; if not, the set is looked at again when it
  // is.
  bool may_go(Stage& stage, const api::Object& set, const api::Object& pod, std::string_view node);

  OwnedIndex pods_{api::ResourceId::Pods, "DaemonSet"};
  OwnedIndex revisions_{api::ResourceId::ControllerRevisions, "DaemonSet"};
  WorkQueue queue_;
  Retries retries_;
  Alarms availability_;
  // A failed pod is not replaced in a hot loop: by set uid and node, the wait after the last one, 1 s to 15 min.
  struct Wait {
    Time since;
    Duration wait;
  };
  std::map<std::string, Wait> failed_pods_;
};

}  // namespace tamp::world

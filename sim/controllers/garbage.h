// What cleans up behind everybody: dependents of owners that go, the content of namespaces that go, pods that are stranded.
#pragma once

#include "sim/controllers/namespace_content.h"
#include "sim/controllers/owner_graph.h"
#include "sim/controllers/stranded_pods.h"

namespace tamp::world {

class Garbage {
 public:
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

 private:
  enum What : std::uint8_t { kOwner, kFurnishNamespace, kEmptyNamespace, kNode, kPod, kFinishedPods };

  OwnerGraph owners_{kOwner};
  NamespaceContent namespaces_{kFurnishNamespace, kEmptyNamespace};
  StrandedPods stranded_{kNode, kPod, kFinishedPods};
};

}  // namespace tamp::world

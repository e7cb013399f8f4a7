#include "sim/controllers/garbage.h"

namespace tamp::world {

void Garbage::changed(Stage& stage, const api::Change& change) {
  owners_.changed(stage, change);
  namespaces_.changed(stage, change);
  stranded_.changed(stage, change);
}

void Garbage::happen(Stage& stage, const Event& event) {
  switch (event.what) {
    case kOwner:
      return owners_.happen(stage, event);
    case kFurnishNamespace:
      return namespaces_.furnish(stage, event);
    case kEmptyNamespace:
      return namespaces_.empty(stage, event);
    case kNode:
      return stranded_.look_at_node(stage, event);
    case kPod:
      return stranded_.look_at_pod(stage, event);
    case kFinishedPods:
      return stranded_.look_at_finished(stage, event);
    default:
      return;
  }
}

}  // namespace tamp::world

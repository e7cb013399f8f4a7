// What a kubelet tells about its pods and its node, as Event objects in the words of the real one (1.36): Pulling, Pulled,
// Created, Started, Killing, BackOff, Failed, Unhealthy, and what admission refused.
#pragma once

#include <string>
#include <string_view>

#include "sim/engine/stage.h"
#include "sim/kubelet/pod_run.h"

namespace tamp::world {

// For the moment only: it refers to the stage and to the node's name.
class News {
 public:
  News(Stage& stage, std::string_view node) : stage_(stage), node_(node) {}

  // Of a pod or a node as a whole.
  void tell(const api::Object& about, std::string_view type, std::string_view reason, std::string message);
  // `list` is "containers" or "initContainers", `index` a place in it; of none nothing is told.
  void tell(const api::Object& pod, std::string_view list, std::size_t index, std::string_view type,
            std::string_view reason, std::string message);

  void pulling(const api::Object& pod, std::string_view list, std::size_t index);
  // Its image is there, and it was created and started.
  void started(const api::Object& pod, std::string_view list, std::size_t index, const ContainerRun& run);
  void pull_failed(const api::Object& pod, std::size_t index);
  void pull_backed_off(const api::Object& pod, std::size_t index);
  // Of all containers that run.
  void stopping(const api::Object& pod, const PodRun& run);

 private:
  Stage& stage_;
  std::string_view node_;
};

// A probe of this container failed: in the words of its kind of probe.
std::string probe_failure(const wire::Tree& probe, std::string_view pod_ip);

}  // namespace tamp::world

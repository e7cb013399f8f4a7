// What an autoscaler asks of pods: what they need, where they may go at all, and whether they keep a node from being empty.
// Rough where the real ones are: affinity between pods is left to the scheduler.
#pragma once

#include <cstdint>
#include <string_view>

#include "sim/api/object.h"

namespace tamp::world {

struct Needs {
  std::int64_t cpu_millis = 0, memory_bytes = 0, pods = 0;
  Needs& operator+=(const Needs& other) {
    cpu_millis += other.cpu_millis;
    memory_bytes += other.memory_bytes;
    pods += other.pods;
    return *this;
  }
  bool within(const Needs& room) const {
    return cpu_millis <= room.cpu_millis && memory_bytes <= room.memory_bytes && pods <= room.pods;
  }
};

// Of a pod or a pod template: its requests as the scheduler counts them, and one place.
Needs needs_of(const wire::Tree& pod);

// The scheduler has said that it fits nowhere, and it is nobody else's business yet.
bool is_unschedulable(const api::Object& pod);

// Belongs to a DaemonSet or the node itself, or has ended: a node with only such pods is empty.
bool leaves_node_empty(const api::Object& pod);

// nodeSelector and the required node affinity.
bool may_run_on_labels(const wire::Tree& pod_spec, const wire::Tree& labels);
// A list of {key, operator, values} as of node affinity and Karpenter's requirements: all hold.
bool requirements_hold(const wire::Tree& requirements, const wire::Tree& labels);
// Every NoSchedule and NoExecute taint of the list is tolerated.
bool tolerates_all(const wire::Tree& pod_spec, const wire::Tree& taints);
// Required anti-affinity to its own kind on a host, or a spread over hosts: one node takes one of them.
bool wants_a_host_of_its_own(const api::Object& pod);

}  // namespace tamp::world

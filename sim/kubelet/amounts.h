// What a pod asks of its node and may use at most, by the rules of the scheduler and of the kubelet's cgroups.
#pragma once

#include <cstdint>
#include <string_view>

#include "wire/tree.h"

namespace tamp::world {

struct Amounts {
  std::int64_t cpu_millis = 0, memory_bytes = 0;
  bool operator==(const Amounts&) const = default;
};

enum class Qos : std::uint8_t { Guaranteed, Burstable, BestEffort };

struct PodAmounts {
  Amounts requests;
  Amounts limits;  // 0: none. Of the pod as a whole: none as soon as one container has none
  Qos qos = Qos::BestEffort;
};

PodAmounts pod_amounts(const wire::Tree& pod);
// Of a node's status: "capacity" or "allocatable".
Amounts node_amounts(const wire::Tree& node, std::string_view which);
std::int64_t cpu_millis_of(const wire::Tree& quantity);
std::int64_t bytes_of(const wire::Tree& quantity);

}  // namespace tamp::world

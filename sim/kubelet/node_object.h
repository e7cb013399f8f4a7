// A Node as a cloud's machine registers it: who makes machines (autoscalers, scenarios) makes their Nodes with this.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/time.h"
#include "wire/tree.h"

namespace tamp::world {

struct NodeShape {
  std::string name;
  std::string instance_type;                // "c-4x-amd64-linux"
  std::string zone, region;                 // region empty: the zone less its last part
  std::string capacity_type = "on-demand";  // "spot", "reserved"
  std::string pool;                         // the NodePool; empty: none
  std::string arch = "amd64", os = "linux";
  std::string provider_id;  // empty: "sim://ZONE/NAME"
  std::int64_t cpu_millis = 4000, memory_bytes = std::int64_t{16} << 30;
  std::int64_t pods = 110, ephemeral_bytes = std::int64_t{20} << 30;
  // Kept back from pods.
  std::int64_t overhead_cpu_millis = 100, overhead_memory_bytes = std::int64_t{10} << 20;
  // More capacity: {"nvidia.com/gpu", "1"}.
  std::vector<std::pair<std::string, std::string>> extended;
  wire::Tree labels;  // besides those that follow from the shape; they win
  wire::Tree taints;  // of spec.taints
  wire::Tree annotations;
  std::string internal_ip;  // empty: from the name
  // Is the node ready at once? Otherwise its kubelet reports so a while after the node was made.
  bool ready = true;
};

// With the labels that kubelet, cloud and Karpenter set. Its conditions are of the time `now`.
wire::Tree make_node(const NodeShape& shape, Time now);

}  // namespace tamp::world

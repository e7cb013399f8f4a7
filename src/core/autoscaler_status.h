// What Cluster Autoscaler says of itself in the ConfigMap kube-system/cluster-autoscaler-status: its groups and how small they may
// become. Names are strings, since the status is read apart from any cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tamp {

struct AutoscalerGroup {
  std::string name;  // the cloud's: an autoscaling group, the URL of an instance group, a scale set
  std::optional<std::int64_t> min, max, target;
  bool operator==(const AutoscalerGroup&) const = default;
};

struct AutoscalerStatus {
  std::vector<AutoscalerGroup> groups;  // in the order of names
  bool operator==(const AutoscalerStatus&) const = default;
};

}  // namespace tamp

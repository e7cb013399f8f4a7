// The cluster in which a workload is replayed: one pool, a small catalogue unless one is given, and no node yet.
#pragma once

#include <optional>
#include <vector>

#include "core/cluster.h"
#include "core/result.h"
#include "replay/workload.h"
#include "wire/snapshot.h"

namespace tamp::replay {

struct Stage {
  Cluster cluster;
  std::vector<Pod> replicas;  // by deployment: what one of its pods looks like; not in the cluster
};

// `instance_types`: a catalogue in the format of Karpenter's KWOK provider.
Result<Stage> set_stage(const Workload& workload, const std::optional<wire::Input>& instance_types);

}  // namespace tamp::replay

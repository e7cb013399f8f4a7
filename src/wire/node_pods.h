// The pods of a node as its agent needs them: who they are, which cgroup is theirs, which tier, what they ask for. Reads what
// `kubectl get pods -o json` prints, and a kubelet's or an API server's PodList.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/cluster.h"
#include "core/policy.h"
#include "core/result.h"
#include "core/tier.h"
#include "wire/snapshot.h"
#include "wire/value.h"

namespace tamp::wire {

struct NodePod {
  std::string ns, name, uid;
  std::string
      cgroup;  // what names its cgroup: the uid, for a static pod the hash of its manifest (cgroup_names.h)
  std::string node;  // spec.nodeName; empty where none is given
  Tier tier = Tier::Normal;
  std::int64_t cpu_millis = 0, memory_bytes = 0;  // what the pod holds, by the scheduler's rule
  bool operator==(const NodePod&) const = default;
};

// One Pod; nothing if it has ended or no node has it yet. `scratch` is for the names of resources.
Result<std::optional<NodePod>> decode_node_pod(Cluster& scratch, Value value, const TierFloors& floors);

// In the order of namespace, name, uid. Pods that have ended and those that no node has yet are left out.
Result<std::vector<NodePod>> read_node_pods(const Input& input, const TierFloors& floors = {});

}  // namespace tamp::wire

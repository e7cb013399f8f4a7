// How many replicas a pod's workload wants.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "core/cluster.h"

namespace tamp::gates {

// Built once for a cluster; refers to it.
class ReplicaIndex {
 public:
  explicit ReplicaIndex(const Cluster& cluster);

  // spec.replicas of the pod's workload; of its Deployment where a ReplicaSet has one. Where the workload was not
  // read, as many as there are active pods of the same owner. A pod without an owner is alone.
  std::int64_t desired(const Pod& pod) const;

 private:
  struct Owner {
    Symbol ns;
    OwnerKind kind = OwnerKind::None;
    Symbol name;
    bool operator==(const Owner&) const = default;
  };
  struct OwnerHash {
    std::size_t operator()(const Owner& owner) const;
  };
  struct Replicas {
    std::int64_t seen = 0;
    std::int64_t wanted = -1;  // not read
  };
  std::unordered_map<Owner, Replicas, OwnerHash> owners_;
};

}  // namespace tamp::gates

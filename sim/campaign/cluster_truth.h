// What the auditor knows of pods and their controllers, straight from the API server's changes: the truth, while the controller sees
// it through watches that lag and break.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.h"
#include "sim/api/server.h"

namespace tamp::sim {

struct PodTruth {
  std::string ns, name, node, owner;
  bool ready = false, terminating = false, movable = true;
  bool is_protected = false;  // tier High or Critical
  std::optional<Time> bound;  // to its node
  std::optional<std::int64_t> grace;
};

// A ReplicaSet, StatefulSet, Job, …, by uid.
struct OwnerTruth {
  std::string kind, ns, name;
  std::int64_t desired = 0, ready = 0;
  bool exists = false;
  // After an eviction of ours: so many must be ready again before the next.
  std::optional<std::int64_t> needs;
  bool whole() const { return !needs || !exists || ready >= std::min(*needs, desired); }
};

class ClusterTruth {
 public:
  void hear(const world::api::Change& change, Time now);

  const PodTruth* pod(std::string_view uid) const;
  const std::map<std::string, PodTruth, std::less<>>& pods() const { return pods_; }
  OwnerTruth& owner(const std::string& uid) { return owners_[uid]; }
  const std::map<std::string, OwnerTruth>& owners() const { return owners_; }
  // A pod of that owner was evicted by us; `ready_before` as the journal has it.
  void evicted(const std::string& owner, std::int64_t ready_before);
  // A movable pod that has been on the node since before `since`; nullptr if there is none.
  const PodTruth* resident(std::string_view node, Time since) const;

 private:
  void count(const PodTruth& pod, std::int64_t by);
  void settle(const std::string& owner);

  std::map<std::string, PodTruth, std::less<>> pods_;  // by uid
  std::map<std::string, OwnerTruth> owners_;           // by uid
};

}  // namespace tamp::sim

// What a pod's volumes demand of a node. Compiled once per pod that has claims; most have none.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/cluster.h"
#include "schedule/requirement.h"
#include "schedule/sites.h"

namespace tamp::schedule {

// A volume as the attach limits count it: once per node, however many pods use it.
struct Attachment {
  Symbol driver;
  Symbol ns;     // with `name` the identity: claim for what Karpenter counts, volume handle for what Kubernetes counts
  Symbol name;
  auto operator<=>(const Attachment&) const = default;
};

struct PodVolumes {
  // The scheduler's filter that refuses the pod on every node ("" if none): a claim that is missing, lost, unbound though
  // its class binds at once, or exclusive (ReadWriteOncePod) and in use elsewhere.
  const char* refused_by = "";
  bool refused_before_filters = false;  // then no other filter's refusal matters
  std::vector<std::vector<NodeSelectorTerm>> node_affinity;  // of bound volumes: every one must match (OR within)
  std::vector<std::pair<Symbol, std::vector<Symbol>>> zones;  // zone or region label of a bound volume: allowed values
  // Claims still to be bound at first use: each needs, on the node, a free matching volume or a class that may provision.
  struct Unbound {
    std::vector<std::uint32_t> candidates;                  // indexes of PersistentVolumes that could be bound
    bool provisionable = false;
    std::vector<TopologyTerm> topologies;                   // of the class: any of them
    Symbol selected_node;                                   // where provisioning was already started
    std::int64_t request_bytes = 0;
    Symbol ns, name;
  };
  std::vector<Unbound> unbound;
  std::vector<Attachment> attachments;
  // For new nodes: alternatives, one of which must hold. Empty: no demand.
  std::vector<Requirements> alternatives;
};

class Volumes {
 public:
  Volumes(const Cluster& cluster, Dialect dialect);

  // Null for a pod without claims.
  const PodVolumes* of(PodId pod) const;
  // Most volumes of a driver that a node takes; nothing if unlimited.
  std::optional<std::int64_t> limit(NodeId node, Symbol driver) const;
  // "" if the node will do, else the name of the filter that refuses. Attach limits are not part of this.
  const char* check(const PodVolumes& needs, const Site& site) const;
  bool any() const { return !by_pod_.empty(); }

 private:
  const Cluster& cluster_;
  std::unordered_map<PodId, PodVolumes> by_pod_;
  std::unordered_map<std::uint64_t, std::int64_t> limits_;  // (node, driver)
};

}  // namespace tamp::schedule

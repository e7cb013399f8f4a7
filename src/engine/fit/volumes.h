// What a pod's volumes demand of a node. Compiled once per pod that has claims or disks; most have none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/cluster.h"
#include "fit/options.h"
#include "fit/requirement.h"
#include "fit/sites.h"

namespace tamp::fit {

using ClaimIndex = std::uint32_t;   // into Cluster::volume_claims
using VolumeIndex = std::uint32_t;  // into Cluster::volumes

// A volume as the attach limits count it: once per node, however many pods use it.
struct Attachment {
  Symbol driver;
  Symbol ns;  // with `name` the identity: a claim, or (ns invalid) a volume handle
  Symbol name;
  auto operator<=>(const Attachment&) const = default;
};

// A claim still to be bound when its first pod is placed: it needs, on that node, a free matching volume or a class that
// may provision there.
struct UnboundClaim {
  ClaimIndex claim = 0;
  std::vector<VolumeIndex> reserved;    // set aside for this claim: where there is one, it or none
  std::vector<VolumeIndex> candidates;  // would do but for their node affinity
  bool provisionable = false;
  const std::vector<TopologyTerm>* topologies = nullptr;  // of the class: any of them
  Symbol selected_node;                                   // where provisioning was already started
  std::int64_t request_bytes = 0;
};

// What became of an unbound claim when a pod was placed, in thought.
struct VolumeDecision {
  ClaimIndex claim = 0;
  std::optional<VolumeIndex> volume;  // nothing: a new one is provisioned
  Symbol node;                        // invalid: the new node
  PodId pod;
};

struct PodVolumes {
  // The filter that refuses the pod on every node ("" if none): a claim that is missing, lost, or unbound though its
  // class binds at once.
  const char* refused_by = "";
  bool refused_before_filters = false;  // then no other filter's refusal matters

  std::vector<Attachment> attachments;  // sorted, unique

  // Kubernetes' dialect:
  bool unattachable = false;            // a disk or claim over which the count of attachments stumbles
  std::vector<ClaimIndex> exclusive;    // ReadWriteOncePod: each is for one pod in the cluster
  std::vector<const PodVolume*> disks;  // in-tree disks that two pods on one node may not share
  std::vector<VolumeIndex> bound;       // their node affinity must hold
  std::vector<std::pair<Symbol, std::vector<Symbol>>>
      zones;                          // a bound volume's zone or region label: allowed values
  std::vector<UnboundClaim> unbound;  // smallest first
  bool no_new_node = false;           // no node that is yet to come will do

  // Of a new node, and in Karpenter's dialect of every node: alternatives, one of which must hold. Empty: no demand.
  std::vector<Requirements> alternatives;
};

class VolumeStore;

class Volumes {
 public:
  // Knows the volumes of no pod yet.
  Volumes(const Cluster& cluster, Dialect dialect);
  ~Volumes();

  void take_in(PodId pod);

  // Null for a pod without claims and disks.
  const PodVolumes* of(PodId pod) const;
  bool any() const { return !by_pod_.empty(); }

  // Null where the node has none; invalid nodes have none.
  const CsiNode* csi_node(NodeId node) const { return node.valid() ? csi_nodes_[node.index()] : nullptr; }
  // Most volumes of a driver that a node takes; nothing if unlimited.
  std::optional<std::int64_t> limit(NodeId node, Symbol driver) const;

  // Does one of the alternatives agree with the site's labels? Karpenter's question.
  bool karpenter_allows(const PodVolumes& needs, const Site& site) const;

  // Kubernetes': do bound volumes reach the node, by their node affinity and by their zone labels?
  bool bound_reach(const PodVolumes& needs, const Site& site) const;
  bool zones_match(const PodVolumes& needs, const Site& site) const;
  // How the unbound claims would be satisfied on the node, given what was decided before; nothing if they cannot.
  std::optional<std::vector<VolumeDecision>> decide(const PodVolumes& needs, const Site& site,
                                                    const std::vector<VolumeDecision>& before) const;

 private:
  const Cluster& cluster_;
  Dialect dialect_;
  std::unique_ptr<VolumeStore> store_;  // null until a pod has need of it
  std::unordered_map<PodId, PodVolumes> by_pod_;
  std::vector<const CsiNode*> csi_nodes_;  // by NodeId
};

// Two pods on one node may not share an in-tree disk: EBS never, the others unless both only read.
bool disks_conflict(const Cluster& cluster, const PodVolume& a, const PodVolume& b);

}  // namespace tamp::fit

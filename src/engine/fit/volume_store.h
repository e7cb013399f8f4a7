// Looking up what the volumes of a pod stand for: claims, persistent volumes, storage classes. Shared by the two readings
// of volumes, Kubernetes' and Karpenter's.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/cluster.h"
#include "fit/volumes.h"

namespace tamp::fit {

class VolumeStore {
 public:
  explicit VolumeStore(const Cluster& cluster);

  const Cluster& cluster() const { return cluster_; }
  // Null when there is none of that name.
  const PersistentVolumeClaim* claim(Symbol ns, Symbol name) const;
  const PersistentVolume* volume(Symbol name) const;
  const StorageClass* storage_class(Symbol name) const;

  ClaimIndex index_of(const PersistentVolumeClaim& claim) const {
    return static_cast<ClaimIndex>(&claim - cluster_.volume_claims.data());
  }
  VolumeIndex index_of(const PersistentVolume& volume) const {
    return static_cast<VolumeIndex>(&volume - cluster_.volumes.data());
  }
  bool is_empty(Symbol s) const { return !s.valid() || s == cluster_.known.empty; }
  // A driver's own zone label ("topology.ebs.csi.aws.com/zone") stands for the zone if every node that has it says so.
  bool stands_for_zone(Symbol key) const;

 private:
  const Cluster& cluster_;
  std::unordered_map<std::uint64_t, ClaimIndex> claims_;  // (namespace, name)
  std::unordered_map<Symbol, VolumeIndex> volumes_;
  std::unordered_map<Symbol, std::size_t> classes_;
  std::vector<Symbol> zone_keys_;  // sorted
};

// One pod's volumes as each of the two sees them.
PodVolumes compile_kube(const VolumeStore& store, const Pod& pod);
PodVolumes compile_karpenter(const VolumeStore& store, const Pod& pod);

// Kubernetes' dialect: what the volumes ask of a node that is yet to come, into `alternatives` and `no_new_node`. Errs on
// the side of no.
void demand_of_new_node(const VolumeStore& store, PodVolumes& volumes);

// Narrows `all` by one more volume's alternatives: every pair that can be had together. Where none can, all pairs are kept,
// each a contradiction, and the answer is false.
bool combine(const Cluster& cluster, std::vector<Requirements>& all, const std::vector<Requirements>& more);

// The expressions, with old label keys read as the new ones.
Requirements as_requirements(const Cluster& cluster, const std::vector<SelectorRequirement>& expressions);

}  // namespace tamp::fit

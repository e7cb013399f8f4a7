// The cluster as plain data. Built by codec/ from what the API server prints; read by everything else.
//
// Invariants (asserted by check_cluster in tests):
//  - names are unique per kind (and namespace); nodes, claims, pools and pods are sorted by name (namespace first),
//    so that two readings of the same cluster in any order are equal;
//  - pod.node, node.pods, node.claim and claim.node agree;
//  - every Symbol, PodSpecId and LabelSetId points into this cluster.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/catalogue.h"
#include "core/node.h"
#include "core/pod.h"
#include "core/policy.h"
#include "core/pool.h"
#include "core/storage.h"
#include "core/symbols.h"
#include "core/tier_requests.h"
#include "core/time.h"
#include "core/workload.h"

namespace tamp {

// Label keys, annotation values and words that rules refer to, interned when the cluster is made.
struct WellKnown {
  explicit WellKnown(Symbols& symbols);
  WellKnown() = default;
  Symbol empty, true_, hostname, zone, region, arch, os, instance_type, nodepool, capacity_type, initialized,
      registered, spot, on_demand, reserved, metadata_name, unschedulable_taint, disrupted_taint, any_ip, tcp,
      windows_build;
  // Node groups of other autoscalers, and how their nodes say "spot".
  Symbol eks_node_group, gke_node_pool, aks_agent_pool, eks_capacity_type, gke_spot, gke_preemptible,
      aks_priority;
  // Keys that Kubernetes once had for zone, region, arch, os and instance_type.
  Symbol old_zone, old_region, old_arch, old_os, old_instance_type;
};

struct Cluster {
  Cluster();

  Symbols symbols;
  WellKnown known;
  std::vector<Symbol> resource_names;  // by ResourceId

  std::vector<PodSpec> pod_specs;    // by PodSpecId
  std::vector<LabelSet> label_sets;  // by LabelSetId

  std::vector<Node> nodes;        // by NodeId, in name order
  std::vector<NodeClaim> claims;  // by ClaimId, in name order
  std::vector<NodePool> pools;    // by PoolId, in (name, kind) order
  std::vector<Pod> pods;          // by PodId, in (namespace, name) order
  std::vector<Namespace> namespaces;
  std::vector<PodDisruptionBudget> budgets;
  std::vector<DaemonSet> daemon_sets;
  std::vector<Workload> workloads;
  std::vector<PriorityClass> priority_classes;
  std::vector<PersistentVolume> volumes;
  std::vector<PersistentVolumeClaim> volume_claims;
  std::vector<StorageClass> storage_classes;
  std::vector<CsiNode> csi_nodes;
  std::optional<TemperPolicy> policy;  // the TemperPolicy named `default`
  std::optional<Catalogue> catalogue;  // without one there are no replacements

  std::string_view text(Symbol s) const { return symbols.text(s); }
  const PodSpec& spec(const Pod& pod) const { return pod_specs[pod.spec.index()]; }
  const LabelSet& labels(const Pod& pod) const { return label_sets[pod.labels.index()]; }

  ResourceId resource(std::string_view name);  // interns
  PodSpecId intern_spec(PodSpec spec);
  LabelSetId intern_labels(LabelSet labels);

  // Binary searches by name; invalid id when absent. A NodePool comes before a node group of the same name.
  // REQUIRES: finish() was called.
  NodeId find_node(std::string_view name) const;
  PoolId find_pool(std::string_view name) const;
  PodId find_pod(std::string_view ns, std::string_view name) const;

  // Sorts everything, joins pods, nodes and claims, makes pools for node groups that are known from labels only, and
  // numbers specs and label sets in the order of their first use, so that ids do not depend on the order of reading.
  // Called once, after all objects were added. Pods refer to nodes by name until then (see `bindings`).
  void finish();

  // (pod index, node name) pairs to be joined by finish(); a name that no node has leaves the pod unbound and is
  // reported in `dangling` (PodIds).
  std::vector<std::pair<std::uint32_t, Symbol>> bindings;
  std::vector<std::uint32_t> dangling;

 private:
  void renumber_specs();

  std::unordered_multimap<std::size_t, PodSpecId> spec_index_;  // by content hash
  std::unordered_multimap<std::size_t, LabelSetId> label_index_;
};

// The pool of a node: its karpenter.sh/nodepool label, else the node-group label of EKS, GKE or AKS.
PoolId pool_of(const Cluster& cluster, const Node& node);
// What the API says that the pods on a node hold, tier by tier. Counted are all that have not ended, as the node's agent counts
// them; one that is being deleted still holds what it has.
RequestsByTier requests_by_tier(const Cluster& cluster, const Node& node, const TierFloors& floors = {});
// spot, on-demand or reserved by the labels of Karpenter, EKS, GKE and AKS; invalid when none says.
Symbol capacity_type_of(const Cluster& cluster, const Node& node);

}  // namespace tamp

#include "core/cluster.h"

#include <algorithm>
#include <numeric>

#include "core/spec_hash.h"
#include "core/tier.h"

namespace tamp {
namespace {

// Sorts `things` by the texts that `keys` names, and returns where each thing went: new index by old index.
template <typename T, typename... Keys>
std::vector<std::uint32_t> sort_by_name(const Symbols& symbols, std::vector<T>& things, Keys... keys) {
  std::vector<std::uint32_t> order(things.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto less = [&](std::uint32_t a, std::uint32_t b) {
    int sign = 0;
    ((sign != 0 || things[a].*keys == things[b].*keys
          ? void()
          : void(sign = symbols.text(things[a].*keys).compare(symbols.text(things[b].*keys)))),
     ...);
    return sign != 0 ? sign < 0 : a < b;
  };
  std::sort(order.begin(), order.end(), less);

  std::vector<std::uint32_t> moved_to(things.size());
  std::vector<T> sorted;
  sorted.reserve(things.size());
  for (const std::uint32_t old : order) {
    moved_to[old] = static_cast<std::uint32_t>(sorted.size());
    sorted.push_back(std::move(things[old]));
  }
  things = std::move(sorted);
  return moved_to;
}

template <typename T>
auto find_by_name(const Symbols& symbols, const std::vector<T>& things, std::string_view name) {
  const auto it = std::lower_bound(things.begin(), things.end(), name,
                                   [&](const T& t, std::string_view n) { return symbols.text(t.name) < n; });
  return it != things.end() && symbols.text(it->name) == name ? it : things.end();
}

struct PoolName {
  Symbol name;
  PoolKind kind = PoolKind::Karpenter;
};

PoolName pool_name_of(const WellKnown& known, const LabelSet& labels) {
  if (const Symbol name = labels.get(known.nodepool); name.valid()) return {name, PoolKind::Karpenter};
  for (const Symbol key : {known.eks_node_group, known.gke_node_pool, known.aks_agent_pool})
    if (const Symbol name = labels.get(key); name.valid()) return {name, PoolKind::NodeGroup};
  return {};
}

void join_claims(Cluster& cluster) {
  std::unordered_map<Symbol, NodeId> by_provider;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const Symbol id = cluster.nodes[i].provider_id;
    if (!cluster.text(id).empty()) by_provider.emplace(id, NodeId(i));
  }
  for (std::size_t i = 0; i < cluster.claims.size(); ++i) {
    NodeClaim& claim = cluster.claims[i];
    NodeId node;
    if (const auto it = by_provider.find(claim.provider_id); it != by_provider.end())
      node = it->second;
    else if (!cluster.text(claim.node_name).empty())
      node = cluster.find_node(cluster.text(claim.node_name));
    if (!node || cluster.nodes[node.index()].claim) continue;
    claim.node = node;
    cluster.nodes[node.index()].claim = ClaimId(i);
  }
}

void join_pods(Cluster& cluster, const std::vector<std::uint32_t>& moved_to) {
  for (const auto& [old_index, node_name] : cluster.bindings) {
    const std::uint32_t index = moved_to[old_index];
    cluster.pods[index].node = cluster.find_node(cluster.text(node_name));
    if (!cluster.pods[index].node) cluster.dangling.push_back(index);
  }
  cluster.bindings.clear();
  std::sort(cluster.dangling.begin(), cluster.dangling.end());
  for (std::size_t i = 0; i < cluster.pods.size(); ++i)
    if (const NodeId node = cluster.pods[i].node) cluster.nodes[node.index()].pods.push_back(PodId(i));
}

void sort_pools(Cluster& cluster) {
  std::sort(cluster.pools.begin(), cluster.pools.end(), [&](const NodePool& a, const NodePool& b) {
    const int sign = cluster.text(a.name).compare(cluster.text(b.name));
    return sign != 0 ? sign < 0 : a.kind < b.kind;
  });
}

// Pools that nodes name but that no object describes.
void add_label_pools(Cluster& cluster) {
  std::unordered_map<Symbol, unsigned> seen;  // bit per kind
  const auto bit = [](PoolKind kind) { return 1u << static_cast<unsigned>(kind); };
  for (const NodePool& pool : cluster.pools) seen[pool.name] |= bit(pool.kind);
  for (const Node& node : cluster.nodes) {
    const PoolName found = pool_name_of(cluster.known, node.labels);
    if (cluster.text(found.name).empty()) continue;
    unsigned& kinds = seen[found.name];
    if ((kinds & bit(found.kind)) != 0) continue;
    kinds |= bit(found.kind);
    NodePool pool;
    pool.name = found.name;
    pool.kind = found.kind;
    cluster.pools.push_back(std::move(pool));
  }
}

}  // namespace

WellKnown::WellKnown(Symbols& symbols)
    : empty(symbols.intern("")),
      true_(symbols.intern("true")),
      hostname(symbols.intern("kubernetes.io/hostname")),
      zone(symbols.intern("topology.kubernetes.io/zone")),
      region(symbols.intern("topology.kubernetes.io/region")),
      arch(symbols.intern("kubernetes.io/arch")),
      os(symbols.intern("kubernetes.io/os")),
      instance_type(symbols.intern("node.kubernetes.io/instance-type")),
      nodepool(symbols.intern("karpenter.sh/nodepool")),
      capacity_type(symbols.intern("karpenter.sh/capacity-type")),
      initialized(symbols.intern("karpenter.sh/initialized")),
      registered(symbols.intern("karpenter.sh/registered")),
      spot(symbols.intern("spot")),
      on_demand(symbols.intern("on-demand")),
      reserved(symbols.intern("reserved")),
      metadata_name(symbols.intern("metadata.name")),
      unschedulable_taint(symbols.intern("node.kubernetes.io/unschedulable")),
      disrupted_taint(symbols.intern("karpenter.sh/disrupted")),
      any_ip(symbols.intern("0.0.0.0")),
      tcp(symbols.intern("TCP")),
      windows_build(symbols.intern("node.kubernetes.io/windows-build")),
      eks_node_group(symbols.intern("eks.amazonaws.com/nodegroup")),
      gke_node_pool(symbols.intern("cloud.google.com/gke-nodepool")),
      aks_agent_pool(symbols.intern("kubernetes.azure.com/agentpool")),
      eks_capacity_type(symbols.intern("eks.amazonaws.com/capacityType")),
      gke_spot(symbols.intern("cloud.google.com/gke-spot")),
      gke_preemptible(symbols.intern("cloud.google.com/gke-preemptible")),
      aks_priority(symbols.intern("kubernetes.azure.com/scalesetpriority")),
      old_zone(symbols.intern("failure-domain.beta.kubernetes.io/zone")),
      old_region(symbols.intern("failure-domain.beta.kubernetes.io/region")),
      old_arch(symbols.intern("beta.kubernetes.io/arch")),
      old_os(symbols.intern("beta.kubernetes.io/os")),
      old_instance_type(symbols.intern("beta.kubernetes.io/instance-type")) {}

Cluster::Cluster() : known(symbols) {
  for (const char* name : {"cpu", "memory", "pods", "ephemeral-storage"}) resource(name);
}

ResourceId Cluster::resource(std::string_view name) {
  const Symbol symbol = symbols.intern(name);
  const auto it = std::find(resource_names.begin(), resource_names.end(), symbol);
  if (it == resource_names.end()) {
    resource_names.push_back(symbol);
    return ResourceId(resource_names.size() - 1);
  }
  return ResourceId(static_cast<std::size_t>(it - resource_names.begin()));
}

PodSpecId Cluster::intern_spec(PodSpec spec) {
  const std::size_t hash = content_hash(spec);
  const auto [begin, end] = spec_index_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (pod_specs[it->second.index()] == spec) return it->second;
  const PodSpecId id(pod_specs.size());
  pod_specs.push_back(std::move(spec));
  spec_index_.emplace(hash, id);
  return id;
}

LabelSetId Cluster::intern_labels(LabelSet labels) {
  const std::size_t hash = content_hash(labels);
  const auto [begin, end] = label_index_.equal_range(hash);
  for (auto it = begin; it != end; ++it)
    if (label_sets[it->second.index()] == labels) return it->second;
  const LabelSetId id(label_sets.size());
  label_sets.push_back(std::move(labels));
  label_index_.emplace(hash, id);
  return id;
}

NodeId Cluster::find_node(std::string_view name) const {
  const auto it = find_by_name(symbols, nodes, name);
  return it == nodes.end() ? NodeId() : NodeId(static_cast<std::size_t>(it - nodes.begin()));
}

PoolId Cluster::find_pool(std::string_view name) const {
  const auto it = find_by_name(symbols, pools, name);
  return it == pools.end() ? PoolId() : PoolId(static_cast<std::size_t>(it - pools.begin()));
}

PodId Cluster::find_pod(std::string_view ns, std::string_view name) const {
  const auto key = std::pair(ns, name);
  const auto key_of = [&](const Pod& p) { return std::pair(symbols.text(p.ns), symbols.text(p.name)); };
  const auto it = std::lower_bound(pods.begin(), pods.end(), key,
                                   [&](const Pod& p, const auto& k) { return key_of(p) < k; });
  return it != pods.end() && key_of(*it) == key ? PodId(static_cast<std::size_t>(it - pods.begin()))
                                                : PodId();
}

void Cluster::renumber_specs() {
  std::vector<PodSpecId> new_spec(pod_specs.size());
  std::vector<LabelSetId> new_labels(label_sets.size());
  std::vector<PodSpec> specs;
  std::vector<LabelSet> sets;
  specs.reserve(pod_specs.size());
  sets.reserve(label_sets.size());
  const auto renumber = [](auto& id, auto& new_id, auto& from, auto& to) {
    if (!id) return;
    if (!new_id[id.index()]) {
      new_id[id.index()] = std::decay_t<decltype(id)>(to.size());
      to.push_back(std::move(from[id.index()]));
    }
    id = new_id[id.index()];
  };
  for (Pod& pod : pods) {
    renumber(pod.spec, new_spec, pod_specs, specs);
    renumber(pod.labels, new_labels, label_sets, sets);
  }
  for (DaemonSet& set : daemon_sets) {
    renumber(set.spec, new_spec, pod_specs, specs);
    renumber(set.labels, new_labels, label_sets, sets);
  }
  for (Workload& workload : workloads) {
    if (workload.template_spec) renumber(*workload.template_spec, new_spec, pod_specs, specs);
    renumber(workload.template_labels, new_labels, label_sets, sets);
  }
  pod_specs = std::move(specs);
  label_sets = std::move(sets);
  for (auto& [hash, id] : spec_index_) id = new_spec[id.index()];
  for (auto& [hash, id] : label_index_) id = new_labels[id.index()];
  std::erase_if(spec_index_, [](const auto& entry) { return !entry.second.valid(); });
  std::erase_if(label_index_, [](const auto& entry) { return !entry.second.valid(); });
}

void Cluster::finish() {
  sort_by_name(symbols, nodes, &Node::name);
  sort_by_name(symbols, claims, &NodeClaim::name);
  const auto pod_moved_to = sort_by_name(symbols, pods, &Pod::ns, &Pod::name);
  sort_by_name(symbols, namespaces, &Namespace::name);
  sort_by_name(symbols, budgets, &PodDisruptionBudget::ns, &PodDisruptionBudget::name);
  sort_by_name(symbols, daemon_sets, &DaemonSet::ns, &DaemonSet::name);
  sort_by_name(symbols, workloads, &Workload::ns, &Workload::name);
  std::stable_sort(workloads.begin(), workloads.end(),
                   [](const Workload& a, const Workload& b) { return a.kind < b.kind; });
  sort_by_name(symbols, priority_classes, &PriorityClass::name);
  sort_by_name(symbols, volumes, &PersistentVolume::name);
  sort_by_name(symbols, volume_claims, &PersistentVolumeClaim::ns, &PersistentVolumeClaim::name);
  sort_by_name(symbols, storage_classes, &StorageClass::name);
  sort_by_name(symbols, csi_nodes, &CsiNode::node_name);

  join_claims(*this);
  join_pods(*this, pod_moved_to);
  add_label_pools(*this);
  sort_pools(*this);
  renumber_specs();
}

PoolId pool_of(const Cluster& cluster, const Node& node) {
  const PoolName wanted = pool_name_of(cluster.known, node.labels);
  if (!wanted.name.valid()) return PoolId();
  const auto pool = std::ranges::find_if(
      cluster.pools, [&](const NodePool& p) { return p.name == wanted.name && p.kind == wanted.kind; });
  return pool == cluster.pools.end() ? PoolId()
                                     : PoolId(static_cast<std::size_t>(pool - cluster.pools.begin()));
}

RequestsByTier requests_by_tier(const Cluster& cluster, const Node& node, const TierFloors& floors) {
  RequestsByTier sums{};
  for (const PodId id : node.pods) {
    const Pod& pod = cluster.pods[id.index()];
    if (pod.terminal()) continue;
    const PodSpec& spec = cluster.spec(pod);
    RequestSum& sum = sums[static_cast<std::size_t>(tier_of(pod, spec, floors))];
    ++sum.pods;
    sum.cpu_millis = saturating_sum(sum.cpu_millis, spec.requests.get(kCpu));
    sum.memory_bytes = saturating_sum(sum.memory_bytes, spec.requests.get(kMemory));
  }
  return sums;
}

Symbol capacity_type_of(const Cluster& cluster, const Node& node) {
  const WellKnown& known = cluster.known;
  const LabelSet& labels = node.labels;
  if (const Symbol type = labels.get(known.capacity_type); type.valid()) return type;
  const std::string_view eks = cluster.text(labels.get(known.eks_capacity_type));
  if (eks == "SPOT") return known.spot;
  if (eks == "ON_DEMAND") return known.on_demand;
  if (labels.get(known.gke_spot) == known.true_ || labels.get(known.gke_preemptible) == known.true_)
    return known.spot;
  if (const Symbol priority = labels.get(known.aks_priority); priority.valid())
    return priority == known.spot ? known.spot : known.on_demand;
  if (labels.has(known.gke_node_pool) || labels.has(known.aks_agent_pool)) return known.on_demand;
  return Symbol();
}

}  // namespace tamp

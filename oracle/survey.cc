#include "oracle/survey.h"

#include <algorithm>

#include "oracle/affinity_terms.h"
#include "oracle/filters.h"

namespace tamp::world {
namespace {

bool matches_all(const Cluster& cluster, const Pod& incoming, const Pod& other) {
  const auto& terms = cluster.spec(incoming).affinity;
  return std::all_of(terms.begin(), terms.end(), [&](const PodAffinityTerm& term) {
    return incoming_term_matches(cluster, term, incoming, other);
  });
}

}  // namespace

Survey::Survey(const Placement& placement, const Census& census, PodId pod)
    : placement_(placement),
      census_(census),
      pod_(pod),
      spec_(placement.cluster().spec(placement.cluster().pods[pod.index()])) {
  named_ = std::any_of(spec_.node_affinity.begin(), spec_.node_affinity.end(),
                       [](const NodeSelectorTerm& term) { return !term.fields.empty(); });
  ports_ = !spec_.host_ports.empty() || !spec_.init_host_ports.empty();
  volumes_ = !placement.cluster().pods[pod.index()].volumes.empty();
  if (named_ && !node_affinity_admits(placement, pod))
    refused_everywhere_ = "NodeAffinity";
  else if (volumes_ && !volume_restrictions_admits(placement, pod))
    refused_everywhere_ = "VolumeRestrictions";
  else if (volumes_ && !volume_binding_admits(placement, pod))
    refused_everywhere_ = "VolumeBinding";
  else if (volumes_ && !volume_zone_admits(placement, pod))
    refused_everywhere_ = "VolumeZone";
  if (!refused_everywhere_.empty()) return;

  if (volumes_) count_claims();
  if (!spec_.spread.empty()) spread_ = count_spread(placement, pod);
  for (PodId other : census.opinionated) count_repulsion(other, placement.where(other), 1);
  if (spec_.affinity.empty() && spec_.anti_affinity.empty()) return;
  const Pod& own = placement.cluster().pods[pod.index()];
  attached_.resize(spec_.affinity.size());
  attached_to_itself_ = matches_all(placement.cluster(), own, own);
  for (NodeRef node : placement.nodes())
    for (PodId other : placement.all_on(node)) count_regard(other, node, 1);
}

void Survey::shift(PodId other, NodeRef node, std::int64_t by) {
  touched_.insert(node);
  if (ports_) count_ports(other, node, by);
  for (const PodVolume& volume : placement_.cluster().pods[other.index()].volumes)
    if (volume.kind == PodVolume::Kind::Claim &&
        std::find(once_pod_claims_.begin(), once_pod_claims_.end(), volume.claim) != once_pod_claims_.end())
      once_pod_uses_ += by;
  for (SpreadCount& count : spread_) count.shift(placement_, other, node, by);
  count_repulsion(other, node, by);
  if (!spec_.affinity.empty() || !spec_.anti_affinity.empty()) count_regard(other, node, by);
}

const Survey::Regard& Survey::regard(const Pod& other) {
  const auto [entry, fresh] = regards_.try_emplace(std::uint64_t{other.ns.value} << 32 | other.labels.value);
  Regard& regard = entry->second;
  if (!fresh) return regard;
  const Cluster& cluster = placement_.cluster();
  const Pod& pod = cluster.pods[pod_.index()];
  regard.attached = !spec_.affinity.empty() && matches_all(cluster, pod, other);
  for (const auto& term : spec_.anti_affinity)
    if (incoming_term_matches(cluster, term, pod, other)) regard.repelling.push_back(term.topology_key);
  return regard;
}

// Topology keys of the other's terms of anti-affinity that are about this pod.
const std::vector<Symbol>& Survey::repulsion(const Pod& other) {
  const auto [entry, fresh] = repulsions_.try_emplace(std::uint64_t{other.ns.value} << 32 | other.spec.value);
  if (!fresh) return entry->second;
  const Cluster& cluster = placement_.cluster();
  for (const auto& term : cluster.spec(other).anti_affinity)
    if (existing_term_matches(cluster, term, other, cluster.pods[pod_.index()]))
      entry->second.push_back(term.topology_key);
  return entry->second;
}

void Survey::count_regard(PodId other, NodeRef node, std::int64_t by) {
  const Regard& here = regard(placement_.cluster().pods[other.index()]);
  const LabelSet& labels = placement_.node(node).labels;
  for (Symbol key : here.repelling)
    if (const Symbol value = labels.get(key); value.valid()) forbidden_[key][value] += by;
  if (!here.attached) return;
  for (std::size_t i = 0; i < attached_.size(); ++i)
    if (const Symbol value = labels.get(spec_.affinity[i].topology_key); value.valid()) {
      partners_ += by;
      attached_[i][value] += by;
    }
}

void Survey::count_repulsion(PodId other, NodeRef node, std::int64_t by) {
  const LabelSet& labels = placement_.node(node).labels;
  for (Symbol key : repulsion(placement_.cluster().pods[other.index()]))
    if (const Symbol value = labels.get(key); value.valid()) forbidden_[key][value] += by;
}

void Survey::count_claims() {
  const Pod& pod = placement_.cluster().pods[pod_.index()];
  for (const PodVolume& volume : pod.volumes) {
    if (volume.kind == PodVolume::Kind::Disk) volumes_restricted_ = true;
    if (volume.kind != PodVolume::Kind::Claim || !claim_for_one_pod(placement_, pod.ns, volume.claim))
      continue;
    if (std::find(once_pod_claims_.begin(), once_pod_claims_.end(), volume.claim) != once_pod_claims_.end())
      continue;
    once_pod_claims_.push_back(volume.claim);
    if (claim_in_use(placement_, pod_, volume.claim)) ++once_pod_uses_;
  }
  if (once_pod_uses_ > 0) volumes_restricted_ = true;
}

void Survey::count_ports(PodId other, NodeRef node, std::int64_t by) {
  const Cluster& cluster = placement_.cluster();
  const std::vector<HostPort> theirs = host_ports(cluster.spec(cluster.pods[other.index()]));
  const auto [entry, fresh] = used_ports_.try_emplace(node);
  std::vector<HostPort>& used = entry->second;
  if (fresh)
    for (PodId present : placement_.all_on(node)) {
      const auto ports = host_ports(cluster.spec(cluster.pods[present.index()]));
      used.insert(used.end(), ports.begin(), ports.end());
    }
  for (const HostPort& port : theirs) std::erase(used, port);
  if (by > 0) used.insert(used.end(), theirs.begin(), theirs.end());
}

bool Survey::ports_free(NodeRef node) const {
  const auto used = used_ports_.find(node);
  if (used == used_ports_.end()) return node_ports_fits(placement_, pod_, node);
  return host_ports_free(placement_.cluster(), spec_, used->second);
}

bool Survey::room_on(NodeRef node) const {
  const ResourceList& room = placement_.node(node).allocatable;
  const auto leaves_room = [&](const NodeUse& use) {
    if (use.pods + 1 > room.get(kPods)) return false;
    const ResourceList& asked = spec_.fresh_requests.empty() ? spec_.requests : spec_.fresh_requests;
    return std::all_of(asked.begin(), asked.end(), [&](const ResourceAmount& a) {
      return a.id == kPods || a.amount <= 0 || a.amount <= room.get(a.id) - use.requested.get(a.id);
    });
  };
  if (touched_.contains(node)) return leaves_room(use_of(placement_, node));
  return leaves_room(census_.use[node.index()]);
}

bool Survey::neighbours_allow(const Node& node) const {
  bool attached = true;
  for (std::size_t i = 0; i < spec_.affinity.size(); ++i) {
    const Symbol value = node.labels.get(spec_.affinity[i].topology_key);
    if (!value.valid()) return false;
    const auto partners = attached_[i].find(value);
    attached = attached && partners != attached_[i].end() && partners->second > 0;
  }
  if (!attached && (partners_ > 0 || !attached_to_itself_)) return false;
  return std::none_of(forbidden_.begin(), forbidden_.end(), [&](const auto& entry) {
    const auto here = entry.second.find(node.labels.get(entry.first));
    return here != entry.second.end() && here->second > 0;
  });
}

FilterVerdict Survey::verdict(NodeRef node) const {
  auto refused = [](std::string_view plugin) { return FilterVerdict{false, plugin}; };
  if (!refused_everywhere_.empty()) return refused(refused_everywhere_);
  if (named_ && !node_affinity_named(placement_, pod_, node)) return refused("NodeAffinity");
  if (!node_unschedulable_fits(placement_, pod_, node)) return refused("NodeUnschedulable");
  if (!taint_toleration_fits(placement_, pod_, node)) return refused("TaintToleration");
  if (!node_affinity_fits(placement_, pod_, node)) return refused("NodeAffinity");
  if (ports_ && !ports_free(node)) return refused("NodePorts");
  if (!room_on(node)) return refused("NodeResourcesFit");
  if (volumes_) {
    if (volumes_restricted_ && (once_pod_uses_ > 0 || !disks_fit(placement_, pod_, node)))
      return refused("VolumeRestrictions");
    if (!node_volume_limits_fits(placement_, pod_, node)) return refused("NodeVolumeLimits");
    if (!volume_binding_fits(placement_, pod_, node)) return refused("VolumeBinding");
    if (!volume_zone_fits(placement_, pod_, node)) return refused("VolumeZone");
  }
  for (const SpreadCount& count : spread_)
    if (!count.allows(placement_.node(node))) return refused("PodTopologySpread");
  if (!neighbours_allow(placement_.node(node))) return refused("InterPodAffinity");
  return {};
}

}  // namespace tamp::world

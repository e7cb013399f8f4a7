// Volumes as kube-scheduler's filters read them: VolumeRestrictions, NodeVolumeLimits, VolumeBinding and VolumeZone.
#include <algorithm>
#include <array>
#include <string_view>

#include "fit/profile.h"
#include "fit/volume_store.h"

namespace tamp::fit {
namespace {

constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";

// In-tree plugins that the scheduler treats as their CSI drivers.
bool moved_to_csi(const Cluster& cluster, Symbol plugin) {
  static constexpr std::array<std::string_view, 5> kPlugins = {
      "kubernetes.io/aws-ebs", "kubernetes.io/gce-pd", "kubernetes.io/azure-disk", "kubernetes.io/cinder",
      "kubernetes.io/portworx-volume"};
  return std::find(kPlugins.begin(), kPlugins.end(), cluster.text(plugin)) != kPlugins.end();
}

bool may_conflict(const Cluster& cluster, const PodVolume& v) {
  static constexpr std::array<std::string_view, 4> kPlugins = {
      "kubernetes.io/aws-ebs", "kubernetes.io/gce-pd", "kubernetes.io/iscsi", "kubernetes.io/rbd"};
  return v.kind == PodVolume::Kind::Disk &&
         std::find(kPlugins.begin(), kPlugins.end(), cluster.text(v.plugin)) != kPlugins.end();
}

bool includes(const std::vector<Symbol>& have, const std::vector<Symbol>& want) {
  return std::all_of(want.begin(), want.end(),
                     [&](Symbol w) { return std::find(have.begin(), have.end(), w) != have.end(); });
}

// A volume's node affinity sees labels only: fields, which name nodes, are passed over.
bool some_term_matches(const Cluster& cluster, const std::vector<NodeSelectorTerm>& terms,
                       const LabelSet& labels) {
  return std::any_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& t) {
    if (t.expressions.empty() && t.fields.empty()) return false;
    return std::all_of(t.expressions.begin(), t.expressions.end(),
                       [&](const SelectorRequirement& r) { return requirement_matches(cluster, r, labels); });
  });
}

bool reaches(const Cluster& cluster, const PersistentVolume& pv, const Site& site) {
  return !pv.has_node_affinity || some_term_matches(cluster, pv.node_affinity, *site.labels);
}

bool topology_allows(const Cluster& cluster, const std::vector<TopologyTerm>& terms, const LabelSet& labels) {
  if (terms.empty()) return true;
  return std::any_of(terms.begin(), terms.end(), [&](const TopologyTerm& t) {
    return !t.expressions.empty() &&
           std::all_of(t.expressions.begin(), t.expressions.end(),
                       [&](const SelectorRequirement& r) { return requirement_matches(cluster, r, labels); });
  });
}

// What a claim attaches. One without a volume counts as a volume of its own, of its class's provisioner. Nodes without a
// CSINode do not migrate in-tree plugins, but neither do they have limits, so the difference never shows.
std::optional<Attachment> attachment_of(const VolumeStore& store, const PersistentVolumeClaim& pvc) {
  const Cluster& cluster = store.cluster();
  const PersistentVolume* pv = store.is_empty(pvc.volume_name) ? nullptr : store.volume(pvc.volume_name);
  if (pv) {
    if (pv->in_tree_plugin.valid() && !moved_to_csi(cluster, pv->in_tree_plugin)) return {};
    if (store.is_empty(pv->csi_driver) || store.is_empty(pv->csi_handle)) return {};
    return Attachment{pv->csi_driver, Symbol(), pv->csi_handle};
  }
  const StorageClass* sc =
      store.is_empty(pvc.storage_class) ? nullptr : store.storage_class(pvc.storage_class);
  if (!sc || store.is_empty(sc->csi_provisioner)) return {};
  if (sc->provisioner != sc->csi_provisioner && !moved_to_csi(cluster, sc->provisioner)) return {};
  return Attachment{sc->csi_provisioner, pvc.ns, pvc.name};
}

UnboundClaim unbound_claim(const VolumeStore& store, const PersistentVolumeClaim& pvc,
                           const StorageClass& sc) {
  const Cluster& cluster = store.cluster();
  UnboundClaim u;
  u.claim = store.index_of(pvc);
  u.topologies = &sc.allowed_topologies;
  u.selected_node = pvc.selected_node;
  u.request_bytes = pvc.request_bytes;
  u.provisionable =
      !store.is_empty(sc.provisioner) && cluster.text(sc.provisioner) != "kubernetes.io/no-provisioner";
  for (const PersistentVolume& pv : cluster.volumes) {
    if (pv.storage_class != pvc.storage_class || pv.volume_mode != pvc.volume_mode || pv.deleting) continue;
    const bool claimed = pv.claim_ns.valid() || pv.claim_name.valid() || pv.claim_uid.valid();
    const bool ours = claimed && pv.claim_ns == pvc.ns && pv.claim_name == pvc.name &&
                      (store.is_empty(pv.claim_uid) || pv.claim_uid == pvc.uid);
    if (claimed && !ours) continue;
    if (pv.capacity_bytes < pvc.request_bytes) continue;
    if (cluster.text(pv.attributes_class) != cluster.text(pvc.attributes_class)) continue;
    if (ours) {
      u.reserved.push_back(store.index_of(pv));
      continue;
    }
    if (cluster.text(pv.phase) != "Available" || !includes(pv.access_modes, pvc.access_modes)) continue;
    if (pvc.selector && !matches(*pvc.selector, pv.labels)) continue;
    u.candidates.push_back(store.index_of(pv));
  }
  return u;
}

// A volume of several zones lists them with "__" between; a list with an empty entry is not believed at all. Zones that
// nothing else in the cluster mentions have no symbol, and no node is there.
std::optional<std::vector<Symbol>> zones_in(const Cluster& cluster, std::string_view label) {
  std::vector<Symbol> zones;
  for (;;) {
    const auto end = label.find("__");
    const std::string_view zone = label.substr(0, end);
    if (zone.empty()) return {};
    if (const Symbol s = cluster.symbols.find(zone); s.valid()) zones.push_back(s);
    if (end == std::string_view::npos) return zones;
    label.remove_prefix(end + 2);
  }
}

void add_zones(const Cluster& cluster, const PersistentVolume& pv, PodVolumes& out) {
  for (const auto& [key, value] : pv.labels) {
    const std::string_view k = cluster.text(key);
    if (key != cluster.known.zone && key != cluster.known.region && k != kBetaZone && k != kBetaRegion)
      continue;
    if (auto allowed = zones_in(cluster, cluster.text(value)))
      out.zones.emplace_back(key, std::move(*allowed));
  }
}

// Refusals that are found before any node is looked at, the first plugin's first.
struct Refusals {
  bool restrictions = false, binding = false, zone = false;

  void write(PodVolumes& out) const {
    const char* first = restrictions ? "VolumeRestrictions"
                        : binding    ? "VolumeBinding"
                        : zone       ? "VolumeZone"
                                     : "";
    if (!*first) return;
    out.refused_by = first;
    out.refused_before_filters = true;
  }
};

void add_claim(const VolumeStore& store, const Pod& pod, const PodVolume& v, PodVolumes& out,
               Refusals& refusals) {
  const Cluster& cluster = store.cluster();
  const bool by_name = v.kind == PodVolume::Kind::Claim;
  const PersistentVolumeClaim* pvc = store.claim(pod.ns, v.claim);
  if (!pvc) {
    (by_name ? refusals.restrictions : refusals.binding) = true;
    return;
  }
  // The claim of a generic ephemeral volume must be controlled by the pod itself.
  if (!by_name && (!pvc->owner_uid.valid() || pvc->owner_uid != pod.uid)) {
    refusals.binding = true;
    out.unattachable = true;
    return;
  }
  if (auto attachment = attachment_of(store, *pvc)) out.attachments.push_back(*attachment);
  const auto is_exclusive = [&](Symbol mode) { return cluster.text(mode) == "ReadWriteOncePod"; };
  if (by_name && std::any_of(pvc->access_modes.begin(), pvc->access_modes.end(), is_exclusive))
    out.exclusive.push_back(store.index_of(*pvc));
  if (pvc->deleting || cluster.text(pvc->phase) == "Lost") refusals.binding = true;

  const PersistentVolume* pv = store.is_empty(pvc->volume_name) ? nullptr : store.volume(pvc->volume_name);
  if (!store.is_empty(pvc->volume_name)) {
    if (!pvc->bind_completed) refusals.binding = true;
    if (pv) {
      out.bound.push_back(store.index_of(*pv));
      if (by_name) add_zones(cluster, *pv, out);
    } else if (by_name) {
      refusals.zone = true;
    } else {
      out.refused_by = "VolumeBinding";  // on every node, but as a filter
    }
    return;
  }
  const StorageClass* sc =
      store.is_empty(pvc->storage_class) ? nullptr : store.storage_class(pvc->storage_class);
  if (sc && sc->wait_for_first_consumer)
    out.unbound.push_back(unbound_claim(store, *pvc, *sc));
  else
    refusals.binding = true;
}

}  // namespace

PodVolumes compile_kube(const VolumeStore& store, const Pod& pod) {
  const Cluster& cluster = store.cluster();
  PodVolumes out;
  Refusals refusals;
  for (const auto& v : pod.volumes) {
    if (v.claim.valid()) {
      add_claim(store, pod, v, out, refusals);
      continue;
    }
    if (may_conflict(cluster, v)) out.disks.push_back(&v);
    if (v.kind != PodVolume::Kind::Disk || !moved_to_csi(cluster, v.plugin)) continue;
    if (v.handle.valid())
      out.attachments.push_back({v.driver, Symbol(), v.handle});
    else
      out.unattachable = true;
  }
  refusals.write(out);
  std::sort(out.exclusive.begin(), out.exclusive.end());
  out.exclusive.erase(std::unique(out.exclusive.begin(), out.exclusive.end()), out.exclusive.end());
  // Small claims choose first, so that they leave the large volumes to the large claims.
  std::stable_sort(out.unbound.begin(), out.unbound.end(), [](const UnboundClaim& a, const UnboundClaim& b) {
    return a.request_bytes < b.request_bytes;
  });
  demand_of_new_node(store, out);
  return out;
}

bool disks_conflict(const Cluster& cluster, const PodVolume& a, const PodVolume& b) {
  if (a.plugin != b.plugin || a.disk != b.disk) return false;
  const std::string_view plugin = cluster.text(a.plugin);
  if (plugin == "kubernetes.io/aws-ebs") return true;
  if (a.read_only && b.read_only) return false;
  if (plugin != "kubernetes.io/rbd") return true;
  return std::any_of(a.monitors.begin(), a.monitors.end(), [&](Symbol monitor) {
    return std::find(b.monitors.begin(), b.monitors.end(), monitor) != b.monitors.end();
  });
}

bool Volumes::bound_reach(const PodVolumes& needs, const Site& site) const {
  const CsiNode* csi = csi_node(site.node);
  return std::all_of(needs.bound.begin(), needs.bound.end(), [&](VolumeIndex i) {
    const PersistentVolume& pv = cluster_.volumes[i];
    // A node that migrated the volume's plugin sees it as the CSI volume that it stands for.
    const bool migrated =
        csi && moved_to_csi(cluster_, pv.in_tree_plugin) &&
        std::binary_search(csi->migrated_plugins.begin(), csi->migrated_plugins.end(), pv.in_tree_plugin);
    if (!migrated) return reaches(cluster_, pv, site);
    if (!pv.csi_handle.valid()) return false;  // cannot be translated: an error, so the pod does not run
    return !pv.has_csi_node_affinity || some_term_matches(cluster_, pv.csi_node_affinity, *site.labels);
  });
}

bool Volumes::zones_match(const PodVolumes& needs, const Site& site) const {
  if (needs.zones.empty()) return true;
  // Where nodes have no zones at all, every volume is at hand.
  const auto labelled = [&](Symbol key) { return key.valid() && site.labels->has(key); };
  if (!labelled(cluster_.known.zone) && !labelled(cluster_.known.region) &&
      !labelled(cluster_.symbols.find(kBetaZone)) && !labelled(cluster_.symbols.find(kBetaRegion)))
    return true;
  return std::all_of(needs.zones.begin(), needs.zones.end(), [&](const auto& zone) {
    const auto& [key, allowed] = zone;
    Symbol value = site.labels->get(key);
    if (!value.valid()) value = site.labels->get(canonical_key(cluster_, key));
    return value.valid() && std::find(allowed.begin(), allowed.end(), value) != allowed.end();
  });
}

std::optional<std::vector<VolumeDecision>> Volumes::decide(const PodVolumes& needs, const Site& site,
                                                           const std::vector<VolumeDecision>& before) const {
  std::vector<VolumeDecision> now;
  const auto decided = [&](ClaimIndex claim) {
    return std::find_if(before.begin(), before.end(),
                        [&](const VolumeDecision& d) { return d.claim == claim; });
  };
  const auto taken = [&](VolumeIndex i) {
    const auto has = [&](const VolumeDecision& d) { return d.volume == i; };
    return std::any_of(before.begin(), before.end(), has) || std::any_of(now.begin(), now.end(), has);
  };
  // The volume reserved for the claim goes before all others, and where it does not reach the node there is no other.
  const auto match = [&](const UnboundClaim& u) -> std::optional<VolumeIndex> {
    for (const VolumeIndex i : u.reserved)
      if (!taken(i)) return reaches(cluster_, cluster_.volumes[i], site) ? std::optional(i) : std::nullopt;
    std::optional<VolumeIndex> best;
    for (const VolumeIndex i : u.candidates)
      if (!taken(i) && reaches(cluster_, cluster_.volumes[i], site) &&
          (!best || cluster_.volumes[i].capacity_bytes < cluster_.volumes[*best].capacity_bytes))
        best = i;
    return best;
  };
  for (const UnboundClaim& u : needs.unbound) {
    if (const auto d = decided(u.claim); d != before.end()) {
      if (d->volume ? !reaches(cluster_, cluster_.volumes[*d->volume], site) : d->node != site.name)
        return {};
      continue;
    }
    std::optional<VolumeIndex> volume;
    if (!u.selected_node.valid())
      volume = match(u);
    else if (u.selected_node != site.name)
      return {};
    if (!volume && (!u.provisionable || !topology_allows(cluster_, *u.topologies, *site.labels))) return {};
    now.push_back({u.claim, volume, site.name, PodId()});
  }
  return now;
}

}  // namespace tamp::fit

#include "schedule/volumes.h"

#include <algorithm>

#include "schedule/profile.h"

namespace tamp::schedule {
namespace {

std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) { return (std::uint64_t{a} << 32) | b; }

struct Store {
  const Cluster& c;
  std::unordered_map<std::uint64_t, const PersistentVolumeClaim*> claims;  // (namespace, name)
  std::unordered_map<Symbol, std::uint32_t> volumes;
  std::unordered_map<Symbol, const StorageClass*> classes;
  std::unordered_map<std::uint64_t, std::int32_t> exclusive_users;  // ReadWriteOncePod claims: bound pods

  explicit Store(const Cluster& cluster) : c(cluster) {
    for (const auto& p : c.volume_claims) claims.emplace(pair_key(p.ns.value, p.name.value), &p);
    for (std::uint32_t i = 0; i < c.volumes.size(); ++i) volumes.emplace(c.volumes[i].name, i);
    for (const auto& s : c.storage_classes) classes.emplace(s.name, &s);
    for (const auto& pod : c.pods) {
      if (!pod.bound() || pod.terminal()) continue;
      for (const auto& v : pod.volumes)
        if (v.claim.valid()) ++exclusive_users[pair_key(pod.ns.value, v.claim.value)];
    }
  }
  const PersistentVolumeClaim* claim(Symbol ns, Symbol name) const {
    auto it = claims.find(pair_key(ns.value, name.value));
    return it == claims.end() ? nullptr : it->second;
  }
  const PersistentVolume* volume(Symbol name) const {
    auto it = volumes.find(name);
    return it == volumes.end() ? nullptr : &c.volumes[it->second];
  }
  const StorageClass* storage_class(Symbol name) const {
    auto it = classes.find(name);
    return it == classes.end() ? nullptr : it->second;
  }
  bool is_empty(Symbol s) const { return !s.valid() || s == c.known.empty; }
};

bool includes(const std::vector<Symbol>& have, const std::vector<Symbol>& want) {
  return std::all_of(want.begin(), want.end(),
                     [&](Symbol w) { return std::find(have.begin(), have.end(), w) != have.end(); });
}

// Volumes that could be bound to a claim that waits for its first consumer, node affinity aside.
std::vector<std::uint32_t> bindable(const Store& store, const PersistentVolumeClaim& pvc) {
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < store.c.volumes.size(); ++i) {
    const PersistentVolume& pv = store.c.volumes[i];
    if (pv.deleting || pv.storage_class != pvc.storage_class || pv.volume_mode != pvc.volume_mode) continue;
    bool ours = pv.claim_ns == pvc.ns && pv.claim_name == pvc.name &&
                (store.is_empty(pv.claim_uid) || pv.claim_uid == pvc.uid);
    if (!store.is_empty(pv.claim_name) && !ours) continue;
    if (pv.capacity_bytes < pvc.request_bytes) continue;
    if (ours) return {i};  // reserved for this claim: this one or none
    if (store.c.text(pv.phase) != "Available" || !includes(pv.access_modes, pvc.access_modes)) continue;
    if (pvc.selector && !matches(*pvc.selector, pv.labels)) continue;
    out.push_back(i);
  }
  return out;
}

Requirements as_requirements(const Cluster& c, const std::vector<SelectorRequirement>& list) {
  Requirements r;
  for (const auto& q : list) {
    Requirement x = make_requirement(q, c.symbols);
    x.key = canonical_key(c, x.key);
    r.add(x, c.symbols);
  }
  return r;
}

// Alternatives of one claim for a node yet to be launched: the OR'd terms of its volume or of its class.
std::vector<Requirements> alternatives_of(const Store& store, const PersistentVolumeClaim& pvc, Dialect dialect) {
  std::vector<Requirements> out;
  if (!store.is_empty(pvc.volume_name)) {
    const PersistentVolume* pv = store.volume(pvc.volume_name);
    if (!pv || !pv->has_node_affinity) return out;
    for (const auto& term : pv->node_affinity) {
      auto list = term.expressions;
      // Karpenter expects a local volume to be left behind; Kubernetes holds the pod to its host.
      if (dialect == Dialect::Karpenter && pv->local_or_host_path)
        std::erase_if(list, [&](const SelectorRequirement& r) { return r.key == store.c.known.hostname; });
      if (!list.empty() || (dialect == Dialect::Karpenter && !term.expressions.empty()))
        out.push_back(as_requirements(store.c, list));
    }
    return out;
  }
  if (const StorageClass* sc = store.storage_class(pvc.storage_class))
    for (const auto& term : sc->allowed_topologies)
      if (!term.expressions.empty()) out.push_back(as_requirements(store.c, term.expressions));
  return out;
}

void combine(const Cluster& c, std::vector<Requirements>& all, const std::vector<Requirements>& more) {
  if (more.empty()) return;
  if (all.empty()) {
    all = more;
    return;
  }
  std::vector<Requirements> compatible_pairs, every_pair;
  for (const auto& a : all)
    for (const auto& b : more) {
      Requirements merged = a;
      merged.add(b, c.symbols);
      if (overlap(a, b, c.symbols)) compatible_pairs.push_back(merged);
      every_pair.push_back(std::move(merged));
    }
  all = compatible_pairs.empty() ? std::move(every_pair) : std::move(compatible_pairs);
}

void compile_karpenter(const Store& store, const Pod& pod, PodVolumes& out) {
  for (const auto& v : pod.volumes) {
    if (!v.claim.valid()) continue;
    const PersistentVolumeClaim* pvc = store.claim(pod.ns, v.claim);
    if (!pvc) {
      out.refused_by = "VolumeBinding";
      continue;
    }
    combine(store.c, out.alternatives, alternatives_of(store, *pvc, Dialect::Karpenter));
    Symbol driver;
    if (!store.is_empty(pvc->volume_name)) {
      const PersistentVolume* pv = store.volume(pvc->volume_name);
      if (!pv)
        out.refused_by = "VolumeBinding";
      else
        driver = pv->csi_driver;
    } else if (const StorageClass* sc = store.storage_class(pvc->storage_class)) {
      driver = sc->csi_provisioner;
    }
    if (driver.valid()) out.attachments.push_back({driver, pvc->ns, pvc->name});
  }
}

// Refusals come in two kinds: those found before any node is looked at, of which the first plugin's counts, and those of a
// filter, which every node repeats.
void compile_kube(const Store& store, const Pod& pod, PodVolumes& out) {
  const Cluster& c = store.c;
  bool missing_volume = false;
  auto refuse = [&](const char* plugin) {
    bool earlier = out.refused_before_filters && std::string_view(out.refused_by) == "VolumeBinding";
    if (!earlier) out.refused_by = plugin;
    out.refused_before_filters = true;
  };
  for (const auto& v : pod.volumes) {
    if (!v.claim.valid()) continue;
    const PersistentVolumeClaim* pvc = store.claim(pod.ns, v.claim);
    bool foreign = pvc && v.kind == PodVolume::Kind::Ephemeral && pvc->owner_uid != pod.uid;
    if (!pvc && v.kind == PodVolume::Kind::Claim) {
      out.refused_by = "VolumeRestrictions";
      out.refused_before_filters = true;
      return;
    }
    if (!pvc || pvc->deleting || foreign || c.text(pvc->phase) == "Lost") {
      refuse("VolumeBinding");
      continue;
    }
    bool exclusive = std::any_of(pvc->access_modes.begin(), pvc->access_modes.end(),
                                 [&](Symbol m) { return c.text(m) == "ReadWriteOncePod"; });
    if (exclusive && v.kind == PodVolume::Kind::Claim) {
      auto it = store.exclusive_users.find(pair_key(pod.ns.value, v.claim.value));
      std::int32_t users = it == store.exclusive_users.end() ? 0 : it->second;
      bool self = pod.bound() && !pod.terminal();
      if (users - (self ? 1 : 0) > 0 && !*out.refused_by) out.refused_by = "VolumeRestrictions";
    }
    combine(c, out.alternatives, alternatives_of(store, *pvc, Dialect::Kubernetes));
    const StorageClass* sc = store.storage_class(pvc->storage_class);
    if (!store.is_empty(pvc->volume_name) && pvc->bind_completed) {
      const PersistentVolume* pv = store.volume(pvc->volume_name);
      if (!pv) {
        if (v.kind == PodVolume::Kind::Claim)
          refuse("VolumeZone");
        else
          missing_volume = true;
        continue;
      }
      if (pv->has_node_affinity) out.node_affinity.push_back(pv->node_affinity);
      for (auto [k, value] : v.kind == PodVolume::Kind::Claim ? pv->labels : LabelSet()) {
        std::string_view key = c.text(k);
        if (key != "topology.kubernetes.io/zone" && key != "topology.kubernetes.io/region" &&
            key != "failure-domain.beta.kubernetes.io/zone" && key != "failure-domain.beta.kubernetes.io/region")
          continue;
        std::vector<Symbol> allowed;
        std::string_view text = c.text(value);
        while (true) {
          auto cut = text.find("__");
          if (Symbol s = c.symbols.find(text.substr(0, cut)); s.valid()) allowed.push_back(s);
          if (cut == std::string_view::npos) break;
          text.remove_prefix(cut + 2);
        }
        out.zones.emplace_back(k, std::move(allowed));
      }
      if (pv->csi_driver.valid())
        out.attachments.push_back({pv->csi_driver, Symbol(), pv->csi_handle.valid() ? pv->csi_handle : pv->name});
      continue;
    }
    bool waits = sc && sc->wait_for_first_consumer && store.is_empty(pvc->volume_name);
    if (!waits) {
      refuse("VolumeBinding");
      continue;
    }
    PodVolumes::Unbound u;
    u.candidates = bindable(store, *pvc);
    u.provisionable = !store.is_empty(sc->provisioner) && c.text(sc->provisioner) != "kubernetes.io/no-provisioner";
    u.topologies = sc->allowed_topologies;
    u.selected_node = pvc->selected_node;
    u.request_bytes = pvc->request_bytes;
    u.ns = pvc->ns;
    u.name = pvc->name;
    out.unbound.push_back(std::move(u));
    if (sc->csi_provisioner.valid()) out.attachments.push_back({sc->csi_provisioner, pvc->ns, pvc->name});
  }
  if (missing_volume && !*out.refused_by) out.refused_by = "VolumeBinding";
  std::sort(out.unbound.begin(), out.unbound.end(),
            [](const PodVolumes::Unbound& a, const PodVolumes::Unbound& b) { return a.request_bytes < b.request_bytes; });
}

bool topology_allows(const Cluster& c, const std::vector<TopologyTerm>& terms, const LabelSet& labels) {
  if (terms.empty()) return true;
  return std::any_of(terms.begin(), terms.end(), [&](const TopologyTerm& t) {
    return std::all_of(t.expressions.begin(), t.expressions.end(),
                       [&](const SelectorRequirement& r) { return requirement_matches(c, r, labels); });
  });
}

}  // namespace

Volumes::Volumes(const Cluster& cluster, Dialect dialect) : cluster_(cluster) {
  Store store(cluster);
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    const Pod& pod = cluster.pods[i];
    if (std::none_of(pod.volumes.begin(), pod.volumes.end(), [](const PodVolume& v) { return v.claim.valid(); })) continue;
    PodVolumes v;
    if (dialect == Dialect::Karpenter)
      compile_karpenter(store, pod, v);
    else
      compile_kube(store, pod, v);
    std::sort(v.attachments.begin(), v.attachments.end());
    v.attachments.erase(std::unique(v.attachments.begin(), v.attachments.end()), v.attachments.end());
    by_pod_.emplace(PodId(i), std::move(v));
  }
  for (const auto& n : cluster.csi_nodes) {
    NodeId id = cluster.find_node(cluster.text(n.node_name));
    if (!id.valid()) continue;
    for (const auto& d : n.drivers)
      if (d.limit) limits_.emplace(pair_key(id.value, d.name.value), *d.limit);
  }
}

const PodVolumes* Volumes::of(PodId pod) const {
  auto it = by_pod_.find(pod);
  return it == by_pod_.end() ? nullptr : &it->second;
}

std::optional<std::int64_t> Volumes::limit(NodeId node, Symbol driver) const {
  auto it = limits_.find(pair_key(node.value, driver.value));
  if (it == limits_.end()) return std::nullopt;
  return it->second;
}

const char* Volumes::check(const PodVolumes& needs, const Site& site) const {
  for (const auto& terms : needs.node_affinity)
    if (std::none_of(terms.begin(), terms.end(), [&](const NodeSelectorTerm& t) {
          return term_matches(cluster_, t, site.labels, Symbol());
        }))
      return "VolumeBinding";
  std::vector<std::uint32_t> taken;
  for (const auto& u : needs.unbound) {
    if (u.selected_node.valid() && u.selected_node != cluster_.known.empty) {
      if (u.selected_node != site.name || !u.provisionable || !topology_allows(cluster_, u.topologies, site.labels))
        return "VolumeBinding";
      continue;
    }
    const PersistentVolume* best = nullptr;
    std::uint32_t best_index = 0;
    for (std::uint32_t i : u.candidates) {
      const PersistentVolume& pv = cluster_.volumes[i];
      if (std::find(taken.begin(), taken.end(), i) != taken.end()) continue;
      if (pv.has_node_affinity && std::none_of(pv.node_affinity.begin(), pv.node_affinity.end(), [&](const NodeSelectorTerm& t) {
            return term_matches(cluster_, t, site.labels, Symbol());
          }))
        continue;
      if (!best || pv.capacity_bytes < best->capacity_bytes) {
        best = &pv;
        best_index = i;
      }
    }
    if (best) {
      taken.push_back(best_index);
      continue;
    }
    if (!u.provisionable || !topology_allows(cluster_, u.topologies, site.labels)) return "VolumeBinding";
  }
  if (!needs.zones.empty()) {
    const auto& k = cluster_.known;
    auto beta = [&](std::string_view text) { return site.labels.get(cluster_.symbols.find(text)); };
    bool labelled = site.labels.has(k.zone) || site.labels.has(k.region) ||
                    beta("failure-domain.beta.kubernetes.io/zone").valid() ||
                    beta("failure-domain.beta.kubernetes.io/region").valid();
    if (labelled)
      for (const auto& [key, values] : needs.zones) {
        Symbol v = site.labels.get(key);
        if (!v.valid()) v = site.labels.get(canonical_key(cluster_, key));
        if (!v.valid() || std::find(values.begin(), values.end(), v) == values.end()) return "VolumeZone";
      }
  }
  // Karpenter: one of the alternatives must agree with the node's labels.
  if (needs.node_affinity.empty() && needs.unbound.empty() && !needs.alternatives.empty()) {
    bool any = std::any_of(needs.alternatives.begin(), needs.alternatives.end(), [&](const Requirements& alternative) {
      return std::all_of(alternative.begin(), alternative.end(), [&](const Requirement& r) {
        Symbol v = site.labels.get(r.key);
        return v.valid() ? r.has(v, cluster_.symbols) : r.tolerates_absence();
      });
    });
    if (!any) return "VolumeBinding";
  }
  return "";
}

}  // namespace tamp::schedule

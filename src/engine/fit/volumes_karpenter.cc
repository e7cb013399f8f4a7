// Volumes as Karpenter's scheduler reads them: terms of OR'd node requirements, and attachments counted by claim.
#include <algorithm>

#include "fit/volume_store.h"

namespace tamp::fit {
namespace {

// Alternatives of one claim: the OR'd terms of its volume or of its class.
std::vector<Requirements> alternatives_of(const VolumeStore& store, const PersistentVolumeClaim& pvc) {
  const Cluster& cluster = store.cluster();
  std::vector<Requirements> out;
  if (!store.is_empty(pvc.volume_name)) {
    const PersistentVolume* pv = store.volume(pvc.volume_name);
    if (!pv || !pv->has_node_affinity) return out;
    for (const auto& term : pv->node_affinity) {
      auto list = term.expressions;
      // Karpenter expects a local volume to be left behind; Kubernetes holds the pod to its host.
      if (pv->local_or_host_path)
        std::erase_if(list, [&](const SelectorRequirement& r) { return r.key == cluster.known.hostname; });
      if (!term.expressions.empty()) out.push_back(as_requirements(cluster, list));
    }
    return out;
  }
  if (const StorageClass* sc = store.storage_class(pvc.storage_class))
    for (const auto& term : sc->allowed_topologies)
      if (!term.expressions.empty()) out.push_back(as_requirements(cluster, term.expressions));
  return out;
}

}  // namespace

PodVolumes compile_karpenter(const VolumeStore& store, const Pod& pod) {
  PodVolumes out;
  for (const auto& v : pod.volumes) {
    if (!v.claim.valid()) continue;
    const PersistentVolumeClaim* pvc = store.claim(pod.ns, v.claim);
    if (!pvc) {
      out.refused_by = "VolumeBinding";
      continue;
    }
    combine(store.cluster(), out.alternatives, alternatives_of(store, *pvc));
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
  return out;
}

bool Volumes::karpenter_allows(const PodVolumes& needs, const Site& site) const {
  if (needs.alternatives.empty()) return true;
  return std::any_of(needs.alternatives.begin(), needs.alternatives.end(),
                     [&](const Requirements& alternative) {
                       return std::all_of(alternative.begin(), alternative.end(), [&](const Requirement& r) {
                         Symbol v = site.labels->get(r.key);
                         return v.valid() ? r.has(v, cluster_.symbols) : r.tolerates_absence();
                       });
                     });
}

}  // namespace tamp::fit

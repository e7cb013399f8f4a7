#include "fit/volume_store.h"

#include <algorithm>

#include "fit/sites.h"

namespace tamp::fit {
namespace {

std::uint64_t pair_key(Symbol a, Symbol b) { return (std::uint64_t{a.value} << 32) | b.value; }

}  // namespace

VolumeStore::VolumeStore(const Cluster& cluster) : cluster_(cluster) {
  for (const auto& p : cluster.volume_claims) claims_.emplace(pair_key(p.ns, p.name), index_of(p));
  for (const auto& v : cluster.volumes) volumes_.emplace(v.name, index_of(v));
  for (std::size_t i = 0; i < cluster.storage_classes.size(); ++i)
    classes_.emplace(cluster.storage_classes[i].name, i);
  if (cluster.volumes.empty() && cluster.storage_classes.empty()) return;
  std::vector<Symbol> same, other;
  for (const Node& node : cluster.nodes)
    for (const auto& [key, value] : node.labels)
      if (cluster.text(key).ends_with("/zone"))
        (value == node.labels.get(cluster.known.zone) ? same : other).push_back(key);
  std::sort(same.begin(), same.end());
  same.erase(std::unique(same.begin(), same.end()), same.end());
  for (const Symbol key : same)
    if (std::find(other.begin(), other.end(), key) == other.end()) zone_keys_.push_back(key);
}

bool VolumeStore::stands_for_zone(Symbol key) const {
  return std::binary_search(zone_keys_.begin(), zone_keys_.end(), key);
}

const PersistentVolumeClaim* VolumeStore::claim(Symbol ns, Symbol name) const {
  const auto it = claims_.find(pair_key(ns, name));
  return it == claims_.end() ? nullptr : &cluster_.volume_claims[it->second];
}

const PersistentVolume* VolumeStore::volume(Symbol name) const {
  const auto it = volumes_.find(name);
  return it == volumes_.end() ? nullptr : &cluster_.volumes[it->second];
}

const StorageClass* VolumeStore::storage_class(Symbol name) const {
  const auto it = classes_.find(name);
  return it == classes_.end() ? nullptr : &cluster_.storage_classes[it->second];
}

Requirements as_requirements(const Cluster& cluster, const std::vector<SelectorRequirement>& expressions) {
  Requirements r;
  for (const auto& q : expressions) {
    Requirement x = make_requirement(q, cluster.symbols);
    x.key = canonical_key(cluster, x.key);
    r.add(x, cluster.symbols);
  }
  return r;
}

bool combine(const Cluster& cluster, std::vector<Requirements>& all, const std::vector<Requirements>& more) {
  if (more.empty()) return true;
  if (all.empty()) {
    all = more;
    return true;
  }
  std::vector<Requirements> compatible_pairs, every_pair;
  for (const auto& a : all)
    for (const auto& b : more) {
      Requirements merged = a;
      merged.add(b, cluster.symbols);
      if (overlap(a, b, cluster.symbols)) compatible_pairs.push_back(merged);
      every_pair.push_back(std::move(merged));
    }
  const bool possible = !compatible_pairs.empty();
  all = possible ? std::move(compatible_pairs) : std::move(every_pair);
  return possible;
}

}  // namespace tamp::fit

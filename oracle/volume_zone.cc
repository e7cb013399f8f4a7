#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "oracle/filters.h"
#include "oracle/storage.h"

namespace tamp::world {
namespace {

struct ZoneLabel {
  std::string_view key;
  std::string_view modern;  // the label that took its place
};
constexpr std::array<ZoneLabel, 4> kZoneLabels = {{
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"topology.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"topology.kubernetes.io/region", "topology.kubernetes.io/region"},
}};

std::optional<std::string_view> label(const Cluster& cluster, const LabelSet& labels, std::string_view key) {
  Symbol k = cluster.symbols.find(key);
  if (!k.valid() || !labels.has(k)) return {};
  return cluster.text(labels.get(k));
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

// A volume of several zones lists them with "__" between; a list with an empty entry is not believed at all.
std::vector<std::string_view> zones_of(std::string_view value) {
  std::vector<std::string_view> zones;
  for (;;) {
    auto end = value.find("__");
    auto zone = trimmed(value.substr(0, end));
    if (zone.empty()) return {};
    zones.push_back(zone);
    if (end == std::string_view::npos) return zones;
    value.remove_prefix(end + 2);
  }
}

bool volume_allows(const Cluster& cluster, const PersistentVolume& volume, const Node& node) {
  for (const auto& [key, modern] : kZoneLabels) {
    auto value = label(cluster, volume.labels, key);
    if (!value) continue;
    auto zones = zones_of(*value);
    if (zones.empty()) continue;
    auto actual = label(cluster, node.labels, key);
    if (!actual) actual = label(cluster, node.labels, modern);
    if (!actual || std::find(zones.begin(), zones.end(), *actual) == zones.end()) return false;
  }
  return true;
}

}  // namespace

bool volume_zone_admits(const Placement& placement, PodId pod) {
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  for (const PodVolume& volume : p.volumes) {
    if (volume.kind != PodVolume::Kind::Claim) continue;
    const auto* claim = find_claim(placement, p.ns, volume.claim);
    if (!claim) return false;
    if (!cluster.text(claim->volume_name).empty()) {
      if (!find_volume(placement, claim->volume_name)) return false;
      continue;
    }
    const StorageClass* cls = find_class(placement, claim->storage_class);
    if (!cls || !cls->wait_for_first_consumer) return false;
  }
  return true;
}

bool volume_zone_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  const Node& target = placement.node(node);
  // Where nodes have no zones at all, every volume is at hand.
  bool zoned = std::any_of(kZoneLabels.begin(), kZoneLabels.end(), [&](const ZoneLabel& l) {
    return label(cluster, target.labels, l.key).has_value();
  });
  if (!zoned) return true;
  for (const PodVolume& volume : p.volumes) {
    if (volume.kind != PodVolume::Kind::Claim) continue;
    const auto* claim = find_claim(placement, p.ns, volume.claim);
    const auto* bound = claim ? find_volume(placement, claim->volume_name) : nullptr;
    if (bound && !volume_allows(cluster, *bound, target)) return false;
  }
  return true;
}

}  // namespace tamp::world

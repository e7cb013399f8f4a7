#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "oracle/filters.h"
#include "oracle/storage.h"

namespace tamp::world {
namespace {

using Attachment = std::pair<std::string, std::string>;  // CSI driver, volume handle

// A claim without a volume yet counts as a volume of its own, of its class's provisioner.
std::optional<Attachment> attachment_by_class(const Placement& placement, const CsiNode* csi_node,
                                              const PersistentVolumeClaim& claim) {
  const Cluster& cluster = placement.cluster();
  const StorageClass* cls = find_class(placement, claim.storage_class);
  if (!cls) return {};
  std::string handle =
      "unbound claim " + std::string(cluster.text(claim.ns)) + "/" + std::string(cluster.text(claim.name));
  if (cls->provisioner == cls->csi_provisioner)
    return Attachment{std::string(cluster.text(cls->provisioner)), handle};
  if (!csi_node || !moved_to_csi(cluster, cls->provisioner)) return {};
  return Attachment{std::string(cluster.text(cls->csi_provisioner)), handle};
}

std::optional<Attachment> attachment_of(const Placement& placement, const CsiNode* csi_node,
                                        const PersistentVolumeClaim& claim) {
  const Cluster& cluster = placement.cluster();
  const PersistentVolume* volume =
      cluster.text(claim.volume_name).empty() ? nullptr : find_volume(placement, claim.volume_name);
  if (!volume) return attachment_by_class(placement, csi_node, claim);
  // In-tree volumes count for their CSI driver, but only where there is a CSINode to migrate them on.
  if (volume->in_tree_plugin.valid() && (!csi_node || !moved_to_csi(cluster, volume->in_tree_plugin)))
    return {};
  if (cluster.text(volume->csi_driver).empty() || cluster.text(volume->csi_handle).empty()) return {};
  return Attachment{std::string(cluster.text(volume->csi_driver)),
                    std::string(cluster.text(volume->csi_handle))};
}

// Adds what a pod attaches. False where the scheduler gives up with an error: a new pod's claim is missing, an
// ephemeral volume's claim belongs to somebody else, an in-tree disk cannot be translated.
bool add_attachments(const Placement& placement, const CsiNode* csi_node, PodId pod, bool new_pod,
                     std::set<Attachment>& into) {
  const Cluster& cluster = placement.cluster();
  const Pod& p = cluster.pods[pod.index()];
  for (const PodVolume& volume : p.volumes) {
    if (volume.kind == PodVolume::Kind::Disk && csi_node && moved_to_csi(cluster, volume.plugin)) {
      if (!volume.handle.valid()) return false;
      into.emplace(cluster.text(volume.driver), cluster.text(volume.handle));
    }
    if (!uses_claim(volume)) continue;
    const auto* claim = find_claim(placement, p.ns, volume.claim);
    if (!claim && new_pod) return false;
    if (!claim) continue;
    if (!claim_is_for(volume, *claim, p)) return false;
    if (auto attachment = attachment_of(placement, csi_node, *claim)) into.insert(*attachment);
  }
  return true;
}

}  // namespace

bool node_volume_limits_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const CsiNode* csi_node = find_csi_node(placement, placement.node(node));
  std::set<Attachment> wanted;
  if (!add_attachments(placement, csi_node, pod, true, wanted)) return false;

  std::map<std::string, std::int64_t> limits;
  if (csi_node)
    for (const CsiDriver& driver : csi_node->drivers)
      if (driver.limit) limits[std::string(cluster.text(driver.name))] = *driver.limit;
  if (wanted.empty() || limits.empty()) return true;

  std::set<Attachment> attached;
  for (PodId other : placement.pods_on(node, pod))
    if (!add_attachments(placement, csi_node, other, false, attached)) return false;

  // A volume that is attached already costs nothing more.
  std::map<std::string, std::int64_t> count, fresh;
  for (const auto& [driver, handle] : attached) ++count[driver];
  for (const auto& attachment : wanted)
    if (!attached.contains(attachment)) ++fresh[attachment.first];
  for (const auto& [driver, more] : fresh)
    if (limits.contains(driver) && count[driver] + more > limits[driver]) return false;
  return true;
}

}  // namespace tamp::world

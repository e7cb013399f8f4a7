// Looking up what a pod's volumes stand for, and what placing a pod does to them.
#pragma once

#include <string_view>
#include <vector>

#include "oracle/placement.h"

namespace tamp::world {

// nullptr when there is none of that name.
const PersistentVolumeClaim* find_claim(const Placement& placement, Symbol ns, Symbol name);
const PersistentVolume* find_volume(const Placement& placement, Symbol name);
// By a claim's class: nullptr for a claim without class, too.
const StorageClass* find_class(const Placement& placement, Symbol name);
const CsiNode* find_csi_node(const Placement& placement, const Node& node);

// Volumes by claim: those that name one, and generic ephemeral ones, whose claim is made for the pod.
bool uses_claim(const PodVolume& volume);
// The claim of a generic ephemeral volume must be controlled by the pod itself.
bool claim_is_for(const PodVolume& volume, const PersistentVolumeClaim& claim, const Pod& pod);

// One of the in-tree plugins that the scheduler treats as their CSI drivers.
bool moved_to_csi(const Cluster& cluster, Symbol plugin);

// One unbound claim's way to run on a node: by an existing volume, or (volume == nullptr) by a new one.
struct VolumeDecision {
  const PersistentVolumeClaim* claim = nullptr;
  const PersistentVolume* volume = nullptr;
};
// How the claims that wait for their first consumer would be satisfied on the node; nothing if they cannot.
std::optional<std::vector<VolumeDecision>> decide_volumes(const Placement& placement, PodId pod,
                                                          NodeRef node);

// Carries the decision out: volumes are reserved for their claims, claims are given the node.
void bind_volumes(Placement& placement, PodId pod, NodeRef node);

}  // namespace tamp::world

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/labels.h"
#include "core/symbols.h"

namespace tamp {

struct PersistentVolume {
  Symbol name;
  LabelSet labels;
  bool has_node_affinity = false;
  std::vector<NodeSelectorTerm> node_affinity;
  bool local_or_host_path = false;
  Symbol csi_driver;      // spec.csi.driver, or the CSI name of an in-tree volume source; invalid otherwise
  Symbol csi_handle;      // volumeHandle, or what an in-tree source translates to
  Symbol in_tree_plugin;  // "kubernetes.io/aws-ebs", …: a source that moved to CSI; else invalid
  // The node affinity after the translation to CSI (zones under the driver's own label), which holds in place of
  // node_affinity on nodes whose CsiNode lists the plugin as migrated. Read only where in_tree_plugin is valid.
  bool has_csi_node_affinity = false;
  std::vector<NodeSelectorTerm> csi_node_affinity;
  Symbol storage_class;
  std::int64_t capacity_bytes = 0;
  std::vector<Symbol> access_modes;        // sorted
  Symbol volume_mode;                      // Filesystem where none is given
  Symbol attributes_class;                 // volumeAttributesClassName; invalid when absent
  Symbol claim_ns, claim_name, claim_uid;  // spec.claimRef
  Symbol phase;
  bool deleting = false;
  bool operator==(const PersistentVolume&) const = default;
};

struct PersistentVolumeClaim {
  Symbol ns;
  Symbol name;
  Symbol uid;
  Symbol volume_name;
  Symbol storage_class;         // invalid when null; the symbol of "" when empty
  bool bind_completed = false;  // pv.kubernetes.io/bind-completed
  Symbol selected_node;         // volume.kubernetes.io/selected-node
  Symbol phase;                 // Pending | Bound | Lost
  bool deleting = false;
  std::vector<Symbol> access_modes;
  Symbol volume_mode;
  Symbol attributes_class;  // volumeAttributesClassName; invalid when absent
  std::optional<LabelSelector> selector;
  std::int64_t request_bytes = 0;
  Symbol owner_uid;  // controller owner: generic ephemeral volumes belong to their pod
  bool operator==(const PersistentVolumeClaim&) const = default;
};

struct TopologyTerm {
  std::vector<SelectorRequirement> expressions;  // key In values
  bool operator==(const TopologyTerm&) const = default;
};

struct StorageClass {
  Symbol name;
  Symbol provisioner;
  Symbol csi_provisioner;  // the CSI name of an in-tree provisioner, else the provisioner
  bool wait_for_first_consumer = false;
  std::vector<TopologyTerm> allowed_topologies;  // OR
  bool operator==(const StorageClass&) const = default;
};

struct CsiDriver {
  Symbol name;
  std::optional<std::int64_t> limit;
  bool operator==(const CsiDriver&) const = default;
};

struct CsiNode {
  Symbol node_name;
  std::vector<CsiDriver> drivers;
  std::vector<Symbol> migrated_plugins;  // storage.alpha.kubernetes.io/migrated-plugins, sorted
  bool operator==(const CsiNode&) const = default;
};

}  // namespace tamp

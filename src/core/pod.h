// A pod: what it asks of a node (PodSpec, shared by all pods that ask the same) and who it is (Pod).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/labels.h"
#include "core/resources.h"
#include "core/symbols.h"
#include "core/taint.h"
#include "core/time.h"

namespace tamp {

using PodId = Id<struct PodTag>;
using PodSpecId = Id<struct PodSpecTag>;
using LabelSetId = Id<struct LabelSetTag>;
using NodeId = Id<struct NodeTag>;

struct PodAffinityTerm {
  std::optional<LabelSelector> selector;  // absent selects nothing
  std::vector<Symbol> namespaces;         // sorted
  std::optional<LabelSelector> namespace_selector;
  Symbol topology_key;
  std::vector<Symbol> match_label_keys;     // sorted
  std::vector<Symbol> mismatch_label_keys;  // sorted
  auto operator<=>(const PodAffinityTerm&) const = default;
};

struct PreferredPodTerm {
  std::int32_t weight = 0;
  PodAffinityTerm term;
  auto operator<=>(const PreferredPodTerm&) const = default;
};

struct SpreadConstraint {
  Symbol topology_key;
  std::int32_t max_skew = 1;
  std::optional<std::int32_t> min_domains;
  bool schedule_anyway = false;  // otherwise DoNotSchedule
  bool honor_affinity = true;    // nodeAffinityPolicy, default Honor
  bool honor_taints = false;     // nodeTaintsPolicy, default Ignore
  std::optional<LabelSelector> selector;
  std::vector<Symbol> match_label_keys;  // sorted
  auto operator<=>(const SpreadConstraint&) const = default;
};

struct HostPort {
  Symbol ip;  // "0.0.0.0" where none is given
  Symbol protocol;
  std::int32_t port = 0;
  auto operator<=>(const HostPort&) const = default;
};

// Everything of a pod's spec that the scheduler looks at, except its volumes (which name claims and so differ from
// replica to replica). Interned: equal specs are one.
struct PodSpec {
  // Effective request, by the scheduler's rule: init containers, sidecars, pod overhead, pod-level resources and
  // in-place resize are already folded in. Always names kPods (1).
  ResourceList requests;
  // What a new pod of this spec will ask for, where that differs: one that runs may hold more than its spec says while it
  // is being resized in place. Empty: the same.
  ResourceList fresh_requests;
  LabelSet node_selector;
  bool has_node_affinity = false;               // requiredDuringScheduling… is present
  std::vector<NodeSelectorTerm> node_affinity;  // OR of terms
  std::vector<PreferredNodeTerm> preferred_node_affinity;
  std::vector<PodAffinityTerm> affinity;
  std::vector<PreferredPodTerm> preferred_affinity;
  std::vector<PodAffinityTerm> anti_affinity;
  std::vector<PreferredPodTerm> preferred_anti_affinity;
  std::vector<Toleration> tolerations;
  std::vector<SpreadConstraint> spread;
  std::vector<HostPort> host_ports;       // of containers
  std::vector<HostPort> init_host_ports;  // of restartable init containers (sidecars)
  bool has_resource_claims = false;       // dynamic resource allocation
  bool scheduling_gated = false;
  bool operator==(const PodSpec&) const = default;
};

struct PodVolume {
  enum class Kind : std::uint8_t {
    Claim,
    Ephemeral,
    InlineCsi,
    EmptyDir,
    MemoryEmptyDir,
    HostPath,
    Other,
    Disk
  };
  Kind kind = Kind::Other;
  Symbol name;    // the volume's name in the pod
  Symbol claim;   // PVC name for Claim; for Ephemeral the generated "<pod>-<volume>"
  Symbol driver;  // for InlineCsi; for a Disk whose plugin moved to CSI, its CSI driver
  bool read_only = false;
  // For Disk: an in-tree disk straight in the pod (gcePersistentDisk, awsElasticBlockStore, azureDisk, cinder,
  // portworxVolume, iscsi, rbd). Two pods on one node may conflict over it, and it counts for CSI attach limits.
  Symbol plugin;  // "kubernetes.io/gce-pd", "…/aws-ebs", "…/iscsi", "…/rbd", …
  Symbol disk;    // what makes it the same disk: pdName, volumeID, iqn, or "<pool>/<image>"
  Symbol handle;  // the CSI volume handle that it translates to; invalid where the plugin stayed in-tree
  std::vector<Symbol> monitors;  // of rbd, sorted: images are the same only if their monitors overlap
  auto operator<=>(const PodVolume&) const = default;
};

enum class PodPhase : std::uint8_t { Pending, Running, Succeeded, Failed, Unknown };

enum class OwnerKind : std::uint8_t {
  None,  // no ownerReferences
  ReplicaSet,
  ReplicationController,
  StatefulSet,
  DaemonSet,
  Job,
  Node,   // mirror (static) pod
  Other,  // some other controller
};

// What a pass asks of every pod comes first: large clusters are read from memory, line by line.
struct Pod {
  Symbol ns;
  Symbol name;
  Symbol uid;
  NodeId node;            // invalid while pending
  Symbol nominated_node;  // status.nominatedNodeName
  PodSpecId spec;
  LabelSetId labels;

  PodPhase phase = PodPhase::Running;
  bool ready = false;          // has condition Ready=True
  bool ready_false = false;    // has condition Ready=False
  bool crash_looping = false;  // a container waits in CrashLoopBackOff
  bool unschedulable = false;  // PodScheduled condition with reason Unschedulable
  bool mirror = false;         // kubernetes.io/config.mirror annotation or owned by a Node

  OwnerKind owner_kind = OwnerKind::None;
  bool has_controller = false;  // an ownerReference with controller: true

  // Annotations that mean something to Tamp; invalid symbol when absent.
  Symbol do_not_disrupt;      // karpenter.sh/do-not-disrupt
  Symbol do_not_evict;        // karpenter.sh/do-not-evict
  Symbol safe_to_evict;       // cluster-autoscaler.kubernetes.io/safe-to-evict
  Symbol safe_local_volumes;  // cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes
  Symbol deletion_cost;       // controller.kubernetes.io/pod-deletion-cost

  std::optional<std::int32_t> priority;
  std::optional<Time> deleted;  // metadata.deletionTimestamp
  std::vector<PodVolume> volumes;

  Symbol priority_class;
  Symbol owner_name;  // the controller's (or first owner's) name
  Symbol owner_uid;

  std::int64_t restarts = 0;  // of all its containers
  Duration grace;             // how long it may take to stop: terminationGracePeriodSeconds

  std::optional<Time> created;
  std::optional<Time> started;    // status.startTime
  std::optional<Time> scheduled;  // PodScheduled condition's last transition
  std::optional<Time> finished;   // newest container termination, for terminal pods

  bool terminal() const { return phase == PodPhase::Succeeded || phase == PodPhase::Failed; }
  bool terminating() const { return deleted.has_value(); }
  bool active() const { return !terminal() && !terminating(); }
  bool bound() const { return node.valid(); }
  bool daemon() const { return owner_kind == OwnerKind::DaemonSet; }
  bool operator==(const Pod&) const = default;
};

}  // namespace tamp

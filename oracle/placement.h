// Which pod is where: the state that the literal scheduler judges. It starts as the cluster is bound and is changed by
// evicting and placing pods, by adding a node that does not exist yet, and by nodes that go. Plain on purpose: it counts
// nothing; whoever asks a question counts anew.
#pragma once

#include <cstddef>
#include <vector>

#include "core/cluster.h"
#include "core/ids.h"

namespace tamp::world {

// A node of a placement: the cluster's nodes in their order, then those that were added.
using NodeRef = Id<struct PlacementNodeTag>;

class Placement {
 public:
  // `cluster` must outlive the placement.
  explicit Placement(const Cluster& cluster);
  // The same placement on a copy of its cluster.
  Placement(const Placement& other, const Cluster& copy) : Placement(other) { cluster_ = &copy; }

  const Cluster& cluster() const { return *cluster_; }

  NodeRef ref(NodeId node) const { return NodeRef(node.index()); }
  // A node that does not exist yet, such as a replacement. Its symbols are the cluster's.
  NodeRef add_node(Node node);
  // The node is on its way out: its pods are evicted and it is tainted against new ones, but it still counts where
  // topology domains are counted.
  void make_ghost(NodeRef node);
  // The node is gone.
  void remove_node(NodeRef node);

  void evict(PodId pod);
  // The pod now runs on `node`. Claims that wait for their first consumer are bound or provisioned for that node.
  void place(PodId pod, NodeRef node);

  // ---- for a cluster that changes under the placement. Nothing here counts as a move.
  // The cluster has this many pods now; new ones run nowhere.
  void resize_pods(std::size_t count);
  // Another version of the node, which is there again if it was gone.
  void replace_node(NodeRef node, Node version);
  void lift(PodId pod);
  void set_down(PodId pod, NodeRef node);

  std::size_t size() const { return nodes_.size(); }
  bool present(NodeRef node) const { return present_[node.index()]; }
  bool ghost(NodeRef node) const { return ghost_[node.index()]; }
  const Node& node(NodeRef node) const { return nodes_[node.index()]; }
  // Every node that is not gone.
  std::vector<NodeRef> nodes() const;
  // Where a pod runs; invalid while it runs nowhere.
  NodeRef where(PodId pod) const { return where_[pod.index()]; }
  // The pods on a node other than `except`, by id. Terminal pods hold nothing: the scheduler never sees them.
  std::vector<PodId> pods_on(NodeRef node, PodId except = PodId()) const;
  const std::vector<PodId>& all_on(NodeRef node) const { return pods_[node.index()]; }
  // Still where the cluster says it runs, so that its status (in-place resize) still means something.
  bool unmoved(PodId pod) const { return !moved_[pod.index()]; }

  // Storage as it is after the placements so far.
  std::vector<PersistentVolume> volumes;
  std::vector<PersistentVolumeClaim> claims;

 private:
  const Cluster* cluster_;
  std::vector<Node> nodes_;
  std::vector<bool> present_;
  std::vector<bool> ghost_;
  std::vector<std::vector<PodId>> pods_;  // by NodeRef
  std::vector<NodeRef> where_;            // by PodId
  std::vector<bool> moved_;               // by PodId
};

}  // namespace tamp::world

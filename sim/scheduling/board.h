// The scheduler's picture of the cluster: the objects of the API server as a Cluster, a placement and a census, kept current
// change by change. Unlike a Cluster that was read at once its lists are not sorted: a pod keeps its id while it lives, and
// its place is taken by another one afterwards. Nothing that the scheduler decides may depend on ids.
//
// A value: a copy is a board of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "oracle/census.h"
#include "sim/api/object.h"
#include "wire/kinds.h"

namespace tamp::world {

class Board {
 public:
  Board();
  Board(const Board& other);
  Board& operator=(const Board& other);
  ~Board() = default;

  // Whether anything that the scheduler looks at is different now.
  bool apply(const api::Change& change);

  const Cluster& cluster() const { return cluster_; }
  Symbol word(std::string_view text) { return cluster_.symbols.intern(text); }
  const Placement& placement() const { return placement_; }
  // To be given back as it was.
  Placement& scratch() { return placement_; }
  const Census& census() const { return census_; }
  // Nodes that are there, in the order in which kube-scheduler looks at them: zone by turns, the oldest first.
  const std::vector<NodeRef>& nodes() const { return order_; }
  // Pods that were promised a node and do not run yet.
  const std::vector<PodId>& nominated() const { return nominated_; }

  // Invalid if there is none.
  PodId find_pod(std::string_view ns, std::string_view name) const;
  NodeRef find_node(std::string_view name) const;
  const Pod& pod(PodId id) const { return cluster_.pods[id.index()]; }
  const Node& node(NodeRef ref) const { return placement_.node(ref); }
  std::string_view text(Symbol symbol) const { return cluster_.text(symbol); }

  // The pod is about to be bound: it takes its room before the API server says so.
  void assume(PodId pod, NodeRef node);
  // Grows with everything that may change a verdict.
  std::uint64_t generation() const { return generation_; }

 private:
  bool apply_pod(const api::Change& change);
  bool apply_node(const api::Change& change);
  template <typename T>
  bool apply_other(const api::Change& change, wire::ObjectKind kind, std::vector<T>& list);
  template <typename T>
  std::optional<T> decode(const api::Object& object, wire::ObjectKind kind);

  void lift(PodId pod);
  void set_down(PodId pod, NodeRef node);
  void note_nomination(PodId pod);
  void reorder();

  Cluster cluster_;
  Placement placement_;
  Census census_;
  std::vector<NodeRef> order_;
  std::vector<PodId> nominated_;
  std::vector<Symbol> bound_to_;  // by PodId: the node's name, which may not be there (yet)
  std::vector<PodId> free_pods_;
  std::vector<NodeRef> free_nodes_;
  std::vector<std::uint64_t> node_age_;            // by NodeRef: grows with each node that comes
  std::unordered_map<std::uint64_t, PodId> pods_;  // by namespace and name; never iterated
  std::unordered_map<Symbol, NodeRef> nodes_;      // never iterated
  std::uint64_t generation_ = 0, next_age_ = 0;
  std::string text_;  // the JSON that is being decoded
};

}  // namespace tamp::world

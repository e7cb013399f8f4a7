// One pod before all nodes: the verdicts of filter(), with what is the same for every node counted once, and kept while pods
// come and go. It shares the questions about one node with the literal filters; what it counts for itself is held
// against them by a property test.
//
// Pods come and go in thought only, for preemption and for pods that were promised a node. What kube-scheduler keeps then is
// not always what it would count anew, and preemption turns on it; the survey keeps the same:
//   - ports are a set: when one of two pods that hold a port leaves, the port is free;
//   - of ReadWriteOncePod claims it has a number: one for each claim in use, wherever; less one for each reference of a pod that
//     leaves, also from another namespace. The filter stays off if there was neither such a claim nor a disk to begin with;
//   - topology spread does not count pods that terminate, nor anybody for a selector without requirements, but takes them away.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "oracle/census.h"
#include "oracle/filter.h"
#include "oracle/spread_count.h"

namespace tamp::world {

class Survey {
 public:
  // Placement and census must outlive the survey. REQUIRES: the pod runs nowhere.
  Survey(const Placement& placement, const Census& census, PodId pod);

  // To be told of every pod that came to a node or left it since.
  void came(PodId other, NodeRef node) { shift(other, node, 1); }
  void left(PodId other, NodeRef node) { shift(other, node, -1); }

  FilterVerdict verdict(NodeRef node) const;
  // Refused before any node was looked at: the filter's name, or "".
  std::string_view refused_everywhere() const { return refused_everywhere_; }

 private:
  using Count = std::map<Symbol, std::int64_t>;  // by a label's value
  // What the pod's own terms say of another pod.
  struct Regard {
    bool attached = false;          // it satisfies all terms of affinity
    std::vector<Symbol> repelling;  // topology keys of the terms of anti-affinity that it matches
  };

  void shift(PodId other, NodeRef node, std::int64_t by);
  void count_regard(PodId other, NodeRef node, std::int64_t by);
  void count_repulsion(PodId other, NodeRef node, std::int64_t by);
  void count_claims();
  void count_ports(PodId other, NodeRef node, std::int64_t by);
  bool ports_free(NodeRef node) const;
  const Regard& regard(const Pod& other);
  const std::vector<Symbol>& repulsion(const Pod& other);
  bool room_on(NodeRef node) const;
  bool neighbours_allow(const Node& node) const;

  const Placement& placement_;
  const Census& census_;
  PodId pod_;
  const PodSpec& spec_;
  std::string_view refused_everywhere_;
  bool named_ = false;  // some term names nodes
  bool ports_ = false, volumes_ = false;
  std::set<NodeRef> touched_;                            // where the census does not hold any more
  std::map<NodeRef, std::vector<HostPort>> used_ports_;  // of nodes that were touched
  bool volumes_restricted_ = false;                      // VolumeRestrictions takes part
  std::vector<Symbol> once_pod_claims_;  // ReadWriteOncePod claims that the pod names, each once
  std::int64_t once_pod_uses_ = 0;
  std::vector<SpreadCount> spread_;
  std::map<Symbol, Count> forbidden_;  // by topology key: anti-affinity, the pod's own or that of others
  std::vector<Count> attached_;        // for each term of affinity, pods that satisfy all terms
  std::int64_t partners_ = 0;          // in any domain of any term
  bool attached_to_itself_ = false;    // it satisfies its own terms, and may be the first
  // Replicas are alike. Never iterated.
  std::unordered_map<std::uint64_t, Regard> regards_;                  // by namespace and labels
  std::unordered_map<std::uint64_t, std::vector<Symbol>> repulsions_;  // by namespace and specification
};

}  // namespace tamp::world

// Would these pods run elsewhere, if those nodes were gone?
//
// A Simulation holds the state that changes while pods are moved in thought: room, topology counts, host ports, attached
// volumes. It is forked and reverted without copying: every step is undone by its opposite, in reverse order.
//
// The placement follows Karpenter's scheduler, which is also sound for Kubernetes: biggest pods first; each goes to the
// first existing node that takes it, else to a new node, if one is allowed; a pod that finds no place is tried again as
// long as others make progress (it may need a pod of its affinity placed first).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "fit/claim.h"
#include "fit/index.h"
#include "fit/room.h"
#include "fit/topology_counts.h"
#include "fit/volume_book.h"

namespace tamp::fit {

// Why a pod is looking for a place. Only Moved pods decide whether a move is possible.
enum class Role : std::uint8_t { Moved, Pending, Leaving };

struct Seeker {
  PodId pod;
  Role role = Role::Moved;
};

struct Placement {
  PodId pod;
  Role role = Role::Moved;
  SiteId site;            // invalid: a new node
  std::size_t claim = 0;  // which of the outcome's claims, then
};

struct Outcome {
  enum class Kind : std::uint8_t { Placed, NoPlace, Uninitialized, SeveralNodes, TooDear };
  Kind kind = Kind::Placed;
  std::vector<Placement> placements;  // in the order in which they were made
  std::vector<PodId> homeless;        // moved pods without a place
  std::vector<Claim> claims;          // the new nodes that are needed
  std::vector<PodId> retried;         // pods that found no place at least once: they looked at every site

  bool placed() const { return kind == Kind::Placed; }
};

struct NewNode {
  bool allowed = true;
  // Kubernetes' dialect tries one template at a time, and others only for further nodes; Karpenter's takes the first that
  // works, by weight.
  std::optional<std::size_t> template_index;
  // New nodes that cost this much or more together, each as the cheapest of its types, are of no use: stop. Dollars per hour.
  double price_below = 1e300;
  // Kubernetes' dialect: so many new nodes, if one is not enough. At most as many as the index was made for.
  std::size_t at_most = 1;
  // Only types that cost less. Pods fill a new node before the next one is opened: this keeps the first from growing into a
  // machine that costs as much as two. Dollars per hour.
  double each_below = 1e300;
};

class Simulation {
 public:
  // `background` pods look for a place in every simulation: pending ones, and those of nodes that are going
  // anyway, which are off their nodes from the start.
  Simulation(const Index& index, std::vector<Seeker> background);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Takes the victims away, with `moved` (pods of theirs) looking for places. State is as before when it returns.
  Outcome try_without(std::span<const NodeId> victims, const Line& moved, const NewNode& new_node);
  Outcome try_without(std::span<const NodeId> victims, std::span<const PodId> moved,
                      const NewNode& new_node) {
    return try_without(victims, index_.line_up(moved), new_node);
  }

  // kube-scheduler's answer for one pod and one node in the present state: the name of the first filter that refuses, ""
  // if none. REQUIRES: Kubernetes' dialect.
  const char* filter(PodId pod, SiteId site) const;

  // Takes a bound pod off its node, and puts it back.
  void lift(PodId pod);
  void put_back(PodId pod);
  // Puts a lifted or pending pod on a site of the caller's choice, as the new pod that would come in its place, and takes it
  // away again: the scheduler may choose otherwise than we do. REQUIRES: Kubernetes' dialect, and filter() does not refuse it.
  void seat(PodId pod, SiteId site);
  void unseat(PodId pod, SiteId site);
  // The index has changed the order of sites.
  void reordered() { room_.refresh(); }
  // Nodes that take nobody until told otherwise, though they stay: they are to go next. Replaces what was said before.
  void avoid(std::span<const NodeId> nodes);
  // The node becomes an empty ghost: nothing can go there, its domains remain as the dialect sees them.
  void take_away(NodeId node);
  void bring_back(NodeId node);

  const Index& index() const { return index_; }
  std::span<const Seeker> background() const { return background_; }
  // One of the background that is off its node already: lifting it once more would count its room twice.
  bool leaving(PodId pod) const { return std::ranges::binary_search(leaving_, pod); }
  const TopologyCounts& counts() const { return counts_; }
  const Room& room() const { return room_; }
  const VolumeBook& volumes() const { return volumes_; }
  std::span<const NodeId> gone() const { return gone_list_; }

 private:
  friend struct Undo;
  bool place(const Seeker& seeker, const NewNode& new_node, Outcome& outcome);
  SiteId find_site(const Seeker& seeker, const Shape& shape, const Variant& variant);
  std::vector<PodId> lift_all(std::span<const NodeId> victims, const Line& moved);
  std::vector<Seeker> queue_up(const Line& moved) const;
  void place_all(std::vector<Seeker> queue, const NewNode& new_node, Outcome& outcome);
  void judge(std::span<const Seeker> left, Outcome& outcome) const;
  bool accepts(PodId pod, const Shape& shape, const Variant& variant, SiteId site) const;
  void take_ports(PodId pod, SiteId site);
  void arrive(PodId pod, SiteId site, const ResourceList& requests);
  void depart(PodId pod, SiteId site, const ResourceList& requests);
  // Opens a further new node for the pod.
  bool open_another(const Seeker& seeker, const Variant& variant, const NewNode& new_node, Outcome& outcome);
  void join_claim(const Seeker& seeker, Outcome& outcome, std::size_t number, const Join& join,
                  const NewNode& new_node);
  void leave_claims();
  // Takes back the domains that claims made, but for the first `keep` of them.
  void close_claims(std::size_t keep);
  // The new node makes domains: where it is certain to be, or wherever it may be.
  enum class Where : std::uint8_t { Settled, Anywhere };
  void open_claim(const Claim& claim, Where where);
  void count_in_claim(PodId pod, const Claim& claim);
  // Takes back what was placed, the newest first.
  void take_back(std::span<const Placement> placements);
  // second_look.cc: a moved pod for which a placement does not hold when it is looked at again; invalid if there is none.
  PodId second_look(const Outcome& outcome);
  bool worth_a_second_look(const Outcome& outcome) const;
  bool claim_accepts(PodId pod, const Variant& variant, const Claim& claim) const;
  bool spreads_over_unknown(const Variant& variant, std::span<const Claim> claims) const;
  void count(PodId pod, SiteId site, std::int32_t delta, bool as_bound);
  bool ports_free(PodId pod, SiteId site) const;
  // What the cheapest of the types costs that it may become, or the first one that costs less than `enough`.
  double cheapest(const Claim& claim, double enough) const;
  void keep_cheaper(Claim& claim, double price) const;

  const Index& index_;
  std::vector<Seeker> background_;  // in the order of their turns
  std::vector<PodId> leaving_;      // of them, sorted by id
  Room room_;
  TopologyCounts counts_;
  std::vector<std::uint8_t> gone_;  // by SiteId
  std::vector<NodeId> gone_list_;
  std::vector<std::uint8_t> avoided_;  // by SiteId
  struct PortUse {
    HostPort port;
    PodId pod;
  };
  std::vector<std::vector<PortUse>> ports_;  // by SiteId
  VolumeBook volumes_;
  // What the claims' pods added to the counters, to be taken back.
  struct ClaimCount {
    GroupId group;
    DomainId domain;
  };
  std::vector<ClaimCount> claim_counts_;
  std::vector<std::pair<ScopeId, DomainId>> claim_joins_;
  std::vector<double> cheapest_offering_;  // by TypeId
  // How far the search for a place has come, by PodSpecId. While a simulation goes on pods only arrive: what had no room for one
  // has none for the next of the same kind, which begins where the last one's search ended.
  struct Progress {
    std::uint64_t simulation = 0;
    const Variant* variant = nullptr;
    std::size_t block = 0, slot = 0;
  };
  std::vector<Progress> progress_;
  std::uint64_t simulations_ = 0;
};

}  // namespace tamp::fit

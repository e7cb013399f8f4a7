// Would these pods run elsewhere, if those nodes were gone?
//
// A Simulation holds the state that changes while pods are moved in thought: room, topology counts, host ports, attached
// volumes. It is forked and reverted without copying: every step is undone by its opposite, in reverse order.
//
// The placement follows Karpenter's scheduler, which is also sound for Kubernetes: biggest pods first; each goes to the
// first existing node that takes it, else to the new node, if one is allowed; a pod that finds no place is tried again as
// long as others make progress (it may need a pod of its affinity placed first).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "schedule/claim.h"
#include "schedule/index.h"
#include "schedule/room.h"
#include "schedule/topology_counts.h"
#include "schedule/volume_book.h"

namespace tamp::schedule {

// Why a pod is looking for a place. Only Moved pods decide whether a move is possible.
enum class Role : std::uint8_t { Moved, Pending, Leaving };

struct Seeker {
  PodId pod;
  Role role = Role::Moved;
};

struct Placement {
  PodId pod;
  Role role = Role::Moved;
  SiteId site;  // invalid: the new node
};

struct Outcome {
  enum class Kind : std::uint8_t { Placed, NoPlace, Uninitialized, SeveralNodes, TooDear };
  Kind kind = Kind::Placed;
  std::vector<Placement> placements;  // in the order in which they were made
  std::vector<PodId> homeless;        // moved pods without a place
  std::optional<Claim> claim;         // the new node, if one is needed
  std::vector<PodId> retried;         // pods that found no place at least once: they looked at every site

  bool placed() const { return kind == Kind::Placed; }
};

struct NewNode {
  bool allowed = true;
  // Kubernetes' dialect tries one template at a time; Karpenter's takes the first that works, by weight.
  std::optional<std::size_t> template_index;
  // A new node whose types all cost this much or more is of no use: stop. Dollars per hour.
  double price_below = 1e300;
};

class Simulation {
 public:
  // `background` pods look for a place in every simulation: pending ones, and those of nodes that are going anyway.
  Simulation(const Index& index, std::vector<Seeker> background);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  // Takes the victims away, with `moved` (pods of theirs) looking for places. State is as before when it returns.
  Outcome try_without(std::span<const NodeId> victims, std::span<const PodId> moved, const NewNode& new_node);

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
  const TopologyCounts& counts() const { return counts_; }
  const Room& room() const { return room_; }
  const VolumeBook& volumes() const { return volumes_; }
  std::span<const NodeId> gone() const { return gone_list_; }

 private:
  friend struct Undo;
  bool place(const Seeker& seeker, const NewNode& new_node, Outcome& outcome);
  SiteId find_site(const Seeker& seeker, const Shape& shape, const Variant& variant) const;
  bool accepts(PodId pod, const Shape& shape, const Variant& variant, SiteId site) const;
  void arrive(PodId pod, SiteId site, const ResourceList& requests);
  void depart(PodId pod, SiteId site, const ResourceList& requests);
  void join_claim(PodId pod, Outcome& outcome, const Join& join);
  void leave_claim();
  void open_claim(const Claim& claim, std::int32_t delta);
  void count_in_claim(PodId pod, const Claim& claim);
  // Takes back what was placed, the newest first.
  void take_back(std::span<const Placement> placements);
  // second_look.cc: a moved pod for which a placement does not hold when it is looked at again; invalid if there is none.
  PodId second_look(const Outcome& outcome);
  bool worth_a_second_look(const Outcome& outcome) const;
  bool claim_accepts(PodId pod, const Variant& variant, const Claim& claim) const;
  void count(PodId pod, SiteId site, std::int32_t delta, bool as_bound);
  bool ports_free(PodId pod, SiteId site) const;
  bool useless(const Claim& claim, double price_below) const;

  const Index& index_;
  std::vector<Seeker> background_;
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
  // What the claim's pods added to the counters, to be taken back.
  struct ClaimCount {
    GroupId group;
    DomainId domain;
  };
  std::vector<ClaimCount> claim_counts_;
  std::vector<std::pair<ScopeId, DomainId>> claim_joins_;
  std::vector<double> cheapest_offering_;  // by TypeId
};

}  // namespace tamp::schedule

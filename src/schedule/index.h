// A cluster compiled for simulation: every string, selector and taint is resolved into ids, bits and counters once, so that
// moving a pod in thought costs a few comparisons. Immutable after construction (memo tables apart); simulations share it.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/cluster.h"
#include "schedule/options.h"
#include "schedule/profile.h"
#include "schedule/requirement.h"
#include "schedule/sites.h"
#include "schedule/topology.h"
#include "schedule/topology_counts.h"
#include "schedule/volumes.h"

namespace tamp::schedule {

using ShapeId = Id<struct ShapeTag>;

struct GroupUse {
  GroupId group;
  bool self = false;  // the pod itself is among those the group counts
};

// A pod's constraints at one stage of relaxation. Stage 0 has them all; each later one has one preference less.
struct Variant {
  ProfileId profile;
  ReqId requirements;              // of a new node, preferences included
  ReqId strict;                    // required ones only: they alone narrow the domains a pod may use
  std::vector<GroupUse> groups;    // spread, affinity and anti-affinity that the pod asks for, each by itself
  std::vector<GroupUse> affinity;  // Kubernetes' dialect: required affinity terms, which are judged together
};

// Pods alike in spec, namespace and labels: the scheduler cannot tell them apart (their volumes aside).
struct Shape {
  Symbol ns;
  LabelSetId labels;
  PodSpecId spec;
  std::span<const Variant> variants;
  std::span<const GroupId> counted_by;   // groups that select it
  std::span<const GroupId> repelled_by;  // repulsions that select it
  std::vector<GroupId> repels;           // repulsions that it owns
};

// The bits of a profile over all sites.
struct ProfileMatch {
  std::vector<StaticVerdict> verdict;  // by SiteId
  std::vector<std::uint64_t> fits;     // by block of the order, a bit for each of its slots: verdict is Fits

  void arrange(const SiteOrder& order);
  void arrange(const SiteOrder& order, std::size_t block);
};

// A new node of some pool: what Karpenter calls a NodeClaim template.
struct Template {
  PoolId pool;
  ReqId requirements;
  std::vector<Taint> taints;
  std::vector<TypeId> types;                        // that its requirements allow
  std::vector<ResourceList> daemon_overhead;        // by TypeId: what DaemonSets will ask for on such a node
  std::vector<std::vector<HostPort>> daemon_ports;  // by TypeId
};

// What decides when a pod looks for a place: bigger ones first, then older ones, then by uid. Found out for those that are moved
// only: their order among all pods of the cluster is of no use to anybody.
struct Turn {
  std::pair<std::int64_t, std::int64_t> size;  // cpu and memory, both below zero: the biggest is the least
  std::optional<Time> created;
  std::array<std::uint64_t, 2> uid{};  // its first sixteen bytes
  PodId pod;
};

class Index {
 public:
  Index(const Cluster& cluster, const Options& options);
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  const Cluster& cluster() const { return cluster_; }
  const Options& options() const { return options_; }
  bool karpenter() const { return options_.dialect == Dialect::Karpenter; }
  const Sites& sites() const { return sites_; }
  const Site& site(SiteId s) const { return sites_.list[s.index()]; }
  SiteId site_of(NodeId n) const { return sites_.of_node[n.index()]; }
  const Topology& topology() const { return topology_; }
  const TopologyCounts& initial_counts() const { return counts_; }
  const Volumes& volumes() const { return volumes_; }
  const std::vector<Template>& templates() const {
    return templates_;
  }  // in the order in which they are tried
  // Is there a pool that could launch anything, whatever its machines? Karpenter does not simulate without one.
  bool any_pool_launches() const { return any_pool_launches_; }
  const Shape& shape(PodId p) const { return shapes_[shape_of_[p.index()].index()]; }
  ShapeId shape_id(PodId p) const { return shape_of_[p.index()]; }
  const ProfileMatch& match(ProfileId p) const { return matches_[p.index()]; }
  const Profile& profile(ProfileId p) const { return profiles_[p.index()]; }
  // What the pod holds where it is bound.
  const ResourceList& requests(PodId p) const { return cluster_.spec(cluster_.pods[p.index()]).requests; }
  // What it will ask for as a new pod. Karpenter does not make the difference.
  const ResourceList& fresh_requests(PodId p) const {
    return fresh_requests(cluster_.spec(cluster_.pods[p.index()]));
  }
  const ResourceList& fresh_requests(const PodSpec& spec) const {
    return karpenter() || spec.fresh_requests.empty() ? spec.requests : spec.fresh_requests;
  }

  std::size_t resources() const { return cluster_.resource_names.size(); }
  // Room left on each site, [site × resources()].
  const std::vector<std::int64_t>& initial_free() const { return free_; }
  // What the nodes of a pool have already taken of its limits is subtracted from these; by PoolId, then ResourceId.
  const std::vector<ResourceList>& limits_left() const { return limits_left_; }
  const std::vector<std::int64_t>& nodes_left() const { return nodes_left_; }

  Turn turn(PodId p) const;
  bool goes_first(const Turn& a, const Turn& b) const;

  // Memo of requirement sets; grows while simulating.
  RequirementTable& requirements() const { return requirements_; }
  // Kubernetes' dialect: what a profile with its `term`th OR'd affinity term asks of a new node of the template, beyond labels
  // that such a node lacks; invalid where it could never go there.
  ReqId demand(std::size_t template_index, ProfileId profile, std::size_t term) const;
  // Types of a template that a requirement set allows (labels and offerings, not room), as bits by position in
  // Template::types.
  const std::vector<std::uint64_t>& allowed_types(std::size_t template_index, ReqId reqs) const;
  const Requirements& type_requirements(TypeId t) const { return type_requirements_[t.index()]; }
  const std::vector<Requirements>& offering_requirements(TypeId t) const {
    return offering_requirements_[t.index()];
  }

  // A pod that the cluster got since, the last of its pods, takes part like those that were there. False if no pod was of its
  // shape: then only a new index can tell. Its room and its counts are the simulations' business.
  bool admit(PodId pod);
  // The pods of the node have changed: it is tried where it belongs now. Simulations must be told (Simulation::reordered).
  void reorder(NodeId node);
  std::size_t shapes() const { return shapes_.size(); }
  const Shape& shape(ShapeId s) const { return shapes_[s.index()]; }

  // Does the pod count for topology where it is now? Spread passes over pods that are going; affinity does not.
  bool counts_for(Group::Kind kind, const Pod& pod) const;

 private:
  void build_templates();
  void build_offered();
  void build_shapes();
  void number_shapes();
  void build_counts();
  void build_room();
  void build_sizes();
  ProfileId intern_profile(Profile p);
  std::vector<Variant> make_variants(const PodSpec& spec, Symbol ns, const LabelSet& labels,
                                     std::vector<GroupId>& repels);
  Variant make_variant(const PodSpec& stage, Symbol ns, const LabelSet& labels);
  ResourceList daemon_needs(const Site& site) const;
  PodMatcher matcher(const PodAffinityTerm& term, Symbol ns, bool as_repulsion) const;

  const Cluster& cluster_;
  Options options_;
  Sites sites_;
  Topology topology_;
  mutable RequirementTable requirements_;
  Volumes volumes_;
  std::vector<Requirements> type_requirements_;
  std::vector<std::vector<Requirements>> offering_requirements_;
  std::vector<Template> templates_;
  bool tolerate_soft_taints_ = false;  // some pool taints its nodes PreferNoSchedule
  bool any_pool_launches_ = false;
  std::vector<Profile> profiles_;
  std::vector<ReqId> profile_requirements_;  // by ProfileId, with its first term: what it asks of a new node
  std::unordered_multimap<std::size_t, ProfileId> profile_index_;
  std::vector<ProfileMatch> matches_;
  // What shapes point to: pods that differ in labels alone share variants, those that differ in requests alone share selections.
  struct Selection {
    std::vector<GroupId> counted_by, repelled_by;
  };
  std::deque<std::vector<Variant>> variants_;
  std::deque<Selection> selections_;
  std::vector<Shape> shapes_;
  std::vector<ShapeId> shape_of_;  // by PodId
  TopologyCounts counts_;
  std::vector<std::int64_t> free_;
  std::vector<ResourceList> limits_left_;
  std::vector<std::int64_t> nodes_left_;
  std::vector<std::pair<std::int64_t, std::int64_t>> sizes_;  // by PodSpecId; see Turn
  mutable std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> allowed_types_;
  mutable std::unordered_map<std::uint64_t, ReqId> demands_;
};

}  // namespace tamp::schedule

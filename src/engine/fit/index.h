// A cluster compiled for simulation: every string, selector and taint is resolved into ids, bits and counters once, so that
// moving a pod in thought costs a few comparisons. Immutable after construction (memo tables apart); simulations share it.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/cluster.h"
#include "fit/daemons.h"
#include "fit/options.h"
#include "fit/profile.h"
#include "fit/requirement.h"
#include "fit/shape_table.h"
#include "fit/sites.h"
#include "fit/topology.h"
#include "fit/topology_counts.h"
#include "fit/volumes.h"

namespace tamp::fit {

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

// What pods of one spec ask of nodes, and, where that depends on who they are, those of one namespace and labels.
struct Constraints {
  std::vector<Variant> variants;  // at least one
  std::vector<GroupId> repels;
};

// Pods that the scheduler cannot tell apart (their volumes aside): alike in spec, namespace and labels; or alike in spec alone, where
// neither it nor any other pod's asks who they are.
struct Shape {
  PodSpecId spec;
  Symbol ns;                            // of the first of them
  LabelSetId labels;                    // likewise
  const Constraints* constraints;       // never null
  const Selection* selected = nullptr;  // null: by no group

  std::span<const Variant> variants() const { return constraints->variants; }
  std::span<const GroupId> repels() const { return constraints->repels; }  // repulsions that it owns
  // Groups that select it.
  std::span<const GroupId> counted_by() const {
    return selected ? selected->counted_by : std::span<const GroupId>();
  }
  std::span<const GroupId> repelled_by() const {
    return selected ? selected->repelled_by : std::span<const GroupId>();
  }
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
  std::pair<std::int64_t, std::int64_t> size;   // cpu and memory, both below zero: the biggest is the least
  std::int64_t created = 0;                     // nanoseconds; the least where it is not known
  std::pair<std::uint64_t, std::uint64_t> uid;  // its first sixteen bytes
  PodId pod;
};

// Pods in the order of their turns.
struct Line {
  std::vector<PodId> pods;
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
  const PodSpec& spec(PodId p) const { return cluster_.pod_specs[shape(p).spec.index()]; }
  const ProfileMatch& match(ProfileId p) const { return matches_[p.index()]; }
  const Profile& profile(ProfileId p) const { return profiles_[p.index()]; }
  // What the pod holds where it is bound.
  const ResourceList& requests(PodId p) const { return spec(p).requests; }
  // What it will ask for as a new pod. Karpenter does not make the difference.
  const ResourceList& fresh_requests(PodId p) const { return fresh_requests(spec(p)); }
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
  Line line_up(std::span<const PodId> pods) const;

  // Memo of requirement sets; grows while simulating.
  RequirementTable& requirements() const { return requirements_; }
  // Kubernetes' dialect: what a profile with its `term`th OR'd affinity term asks of a new node of the template, beyond labels
  // that such a node lacks; invalid where it could never go there.
  ReqId demand(std::size_t template_index, ProfileId profile, std::size_t term) const;
  // Types of a template that a requirement set allows (labels and offerings, not room), as bits by position in
  // Template::types.
  const std::vector<std::uint64_t>& allowed_types(std::size_t template_index, ReqId reqs) const;
  const Requirements& type_requirements(TypeId t) const { return type_requirements_[t.index()]; }
  const Requirements& offering_requirements(TypeId t, std::size_t offering) const {
    return offering_kinds_[kinds_offered_[t.index()][offering]];
  }

  // A pod that the cluster got since, the last of its pods, takes part like those that were there. False if no pod was of its
  // shape: then only a new index can tell. Its room and its counts are the simulations' business.
  bool admit(PodId pod);
  // The pods of the node have changed: it is tried where it belongs now. Simulations must be told (Simulation::reordered).
  void reorder(NodeId node);
  std::size_t shapes() const { return shapes_.size(); }
  const Shape& shape(ShapeId s) const { return shapes_[s.index()]; }

  // Bound pods that use ports of their host, and pods that are on no node; as they were when the index was made.
  std::span<const PodId> with_host_ports() const { return with_host_ports_; }
  std::span<const PodId> unbound() const { return unbound_; }

  // Does the pod count for topology where it is now? Spread passes over pods that are going; affinity does not.
  bool counts_for(Group::Kind kind, const Pod& pod) const;

 private:
  void build_catalogue();
  void build_templates();
  std::vector<PoolId> launching_pools() const;
  Requirements pool_requirements(const NodePool& pool) const;
  void count_daemons(Template& t, const Requirements& node) const;
  // The catalogue's types, of those given, that the requirements allow and that can be had: bits by position.
  std::vector<std::uint64_t> types_within(std::span<const TypeId> types, const Requirements& reqs) const;
  void build_offered();
  void build_specs();
  void build_groups();
  void build_room();
  void take_in_pods();
  void close_overcommitted();
  // Where the number of the pod's shape is noted; invalid if it is the first of its kind. REQUIRES: all groups are made.
  ShapeId& shape_slot(const Pod& pod);
  ShapeId add_shape(const Pod& pod);
  ProfileId intern_profile(Profile p);
  Constraints make_constraints(const PodSpec& spec, Symbol ns, const LabelSet& labels);
  Variant make_variant(const PodSpec& stage, Symbol ns, const LabelSet& labels);
  void set_profile(Variant& v, const PodSpec& stage);
  void add_spread(Variant& v, const PodSpec& stage, Symbol ns, const LabelSet& labels);
  void add_affinities(Variant& v, const PodSpec& stage, Symbol ns, const LabelSet& labels);
  // `keys`: those of all the pod's constraints.
  NodeFilter spread_filter(const SpreadConstraint& c, const PodSpec& stage,
                           const std::vector<Symbol>& keys) const;
  ResourceList daemon_needs(const Site& site) const;
  PodMatcher matcher(const PodAffinityTerm& term, Symbol ns, bool as_repulsion) const;

  const Cluster& cluster_;
  Options options_;
  Sites sites_;
  Topology topology_;
  mutable RequirementTable requirements_;
  Volumes volumes_;
  std::vector<PodSpec> daemons_;
  std::vector<Requirements> type_requirements_;
  // Offerings ask for few different things: a zone and a kind of capacity, as a rule.
  std::vector<Requirements> offering_kinds_;
  std::vector<std::vector<std::uint32_t>> kinds_offered_;  // by TypeId, by position in its offerings
  std::vector<Template> templates_;
  bool tolerate_soft_taints_ = false;  // some pool taints its nodes PreferNoSchedule
  bool any_pool_launches_ = false;
  std::vector<Profile> profiles_;
  std::vector<ReqId> profile_requirements_;  // by ProfileId, with its first term: what it asks of a new node
  std::unordered_multimap<std::size_t, ProfileId> profile_index_;
  std::vector<ProfileMatch> matches_;
  // What a pass over all pods asks of their specs, in small pieces.
  struct SpecFacts {
    bool sociable = false;  // its constraints refer to other pods, so that namespace and labels matter
    bool host_ports = false;
    std::pair<std::int64_t, std::int64_t> size;  // see Turn
    const Constraints* constraints = nullptr;  // of the pod that was seen last: of all, unless it is sociable
    ShapeId shape;                             // of those that no group selects, likewise
  };
  std::vector<SpecFacts> spec_facts_;  // by PodSpecId
  std::vector<std::int64_t> held_;     // what a bound pod asks for, by PodSpecId × resources()
  std::deque<Constraints> constraints_;
  std::vector<Shape> shapes_;
  ShapeTable told_apart_;  // shapes of pods that are sociable, or that a group selects
  std::vector<PodId> with_host_ports_, unbound_;
  std::vector<ShapeId> shape_of_;  // by PodId
  TopologyCounts counts_;
  std::vector<std::int64_t> free_;
  std::vector<ResourceList> limits_left_;
  std::vector<std::int64_t> nodes_left_;
  mutable std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> allowed_types_;
  mutable std::unordered_map<std::uint64_t, ReqId> demands_;
};

}  // namespace tamp::fit

// Topology spread and inter-pod affinity as counters.
//
// Every constraint "count the pods that match S by the value of label K" is a Group; equal constraints of many pods are one
// group. A pod placed on a node adds one to each group that selects it, in the domain (value of K) of that node. The
// constraints themselves are then comparisons of a few integers, and nothing is recounted while pods move.
//
//   Spread        count of selected pods; bounds the skew between domains
//   Affinity      count of selected pods; the pod wants a domain with some
//   AntiAffinity  count of selected pods; the pod wants a domain with none
//   Repulsion     count of pods that *own* an anti-affinity term; a pod that the term selects stays away from them
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/cluster.h"
#include "fit/hash_index.h"
#include "fit/options.h"
#include "fit/profile.h"
#include "fit/sites.h"

namespace tamp::fit {

using KeyId = Id<struct TopologyKeyTag>;
using DomainId = Id<struct DomainTag>;
using GroupId = Id<struct GroupTag>;
using ScopeId = Id<struct ScopeTag>;
using OfferedId = Id<struct OfferedTag>;

// Which pods a constraint is about.
struct PodMatcher {
  bool all_namespaces = false;
  std::vector<Symbol> namespaces;         // sorted
  std::optional<LabelSelector> selector;  // absent: nobody
  bool operator==(const PodMatcher&) const = default;
};

// Which nodes take part in a spread constraint.
struct NodeFilter {
  bool honor_affinity = false;
  LabelSet node_selector;
  bool has_affinity = false;
  std::vector<NodeSelectorTerm> terms;
  bool honor_taints = false;
  std::vector<Toleration> tolerations;
  std::vector<Symbol>
      required_keys;  // a node without one of the pod's topology keys does not count (Kubernetes)
  bool operator==(const NodeFilter&) const = default;
};

// A key together with the nodes that take part: groups of one scope see the same domains.
struct Scope {
  KeyId key;
  NodeFilter filter;
  std::vector<std::uint8_t> member;     // by SiteId: takes part and has the key
  std::vector<std::uint32_t> sites_in;  // by DomainId: members there
  std::uint32_t domains_present = 0;    // domains with a member
};

struct Group {
  enum class Kind : std::uint8_t { Spread, Affinity, AntiAffinity, Repulsion };
  Kind kind = Kind::Spread;
  ScopeId scope;
  KeyId key;
  std::vector<PodMatcher> all_of;  // Kubernetes counts for affinity only pods that match every term
  std::int32_t max_skew = 0;
  std::optional<std::int32_t> min_domains;
  // Domains that exist though no node is there: a NodePool could launch one. Karpenter only.
  OfferedId offered;
};

// Both in group order.
struct Selection {
  std::vector<GroupId> counted_by;
  std::vector<GroupId> repelled_by;  // repulsions that the pod must keep away from
};

struct TopologyKey {
  Symbol label;
  bool hostname = false;
  std::vector<Symbol> domains;                     // by DomainId
  std::unordered_map<Symbol, DomainId> domain_of;  // look-up
  std::vector<DomainId> site_domain;               // by SiteId; invalid where the node lacks the label
  std::vector<DomainId> new_hosts;  // host names of the nodes that do not exist yet, by Claim::number
  OfferedId offered;                // to pods whatever they tolerate; invalid until it is asked for
  OfferedId offered_untainted;      // to pods that tolerate nothing; likewise

  // Invalid when no node and no offering has the value. The invalid symbol stands for the host name of the first new node.
  DomainId find(Symbol value) const {
    auto it = domain_of.find(value);
    return it == domain_of.end() ? DomainId() : it->second;
  }
};

// A domain value that new nodes of some pool may have, with the taints they would carry.
struct OfferedDomain {
  Symbol value;
  std::vector<std::vector<Taint>> taint_sets;  // any of them tolerated is enough
};

// Definitions only; see TopologyCounts for the numbers. Grows while an index is built, then stays.
class Topology {
 public:
  Topology(const Cluster& cluster, const Sites& sites, const Options& options)
      : cluster_(cluster), sites_(sites), dialect_(options.dialect), new_nodes_(options.new_nodes) {}

  // Domains that pools could add, by label key; set before the first group is made.
  void set_offered(std::map<Symbol, std::vector<OfferedDomain>> offered) { offered_ = std::move(offered); }

  KeyId key(Symbol label);
  GroupId spread(const SpreadConstraint& c, PodMatcher who, NodeFilter filter,
                 const std::vector<Toleration>& tolerations);
  GroupId affinity(Symbol topology_key, std::vector<PodMatcher> all_of,
                   const std::vector<Toleration>& tolerations);
  GroupId anti_affinity(Symbol topology_key, PodMatcher who, const std::vector<Toleration>& tolerations);
  GroupId repulsion(Symbol topology_key, PodMatcher who, const std::vector<Toleration>& tolerations);

  // Groups that select a pod of this namespace and labels; null where none does. REQUIRES: all groups are made.
  const Selection* selection(Symbol ns, LabelSetId labels);
  bool selects(const Group& group, Symbol ns, const LabelSet& labels) const;

  const std::vector<TopologyKey>& keys() const { return keys_; }
  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<Scope>& scopes() const { return scopes_; }
  const Group& group(GroupId g) const { return groups_[g.index()]; }
  DomainId domain(KeyId key, SiteId site) const { return keys_[key.index()].site_domain[site.index()]; }
  // Could a pool launch a node in this domain, for all that the group knows?
  bool offers(const Group& group, DomainId domain) const;

 private:
  GroupId add(Group group, NodeFilter filter, const std::vector<Toleration>& tolerations,
              bool tolerations_matter);
  ScopeId scope(KeyId key, NodeFilter filter);
  Selection find_selection(Symbol ns, const LabelSet& labels) const;
  OfferedId find_offered(KeyId key, const std::vector<Toleration>& tolerations, bool tolerations_matter);
  OfferedId offered_to(KeyId key, const std::vector<Toleration>& tolerations, bool tolerations_matter);

  const Cluster& cluster_;
  const Sites& sites_;
  Dialect dialect_;
  std::size_t new_nodes_;
  std::vector<TopologyKey> keys_;
  std::vector<Scope> scopes_;
  std::vector<Group> groups_;
  std::map<Symbol, std::vector<OfferedDomain>> offered_;
  std::vector<std::pair<KeyId, std::vector<DomainId>>>
      offered_sets_;  // by OfferedId; few, shared by many groups
  HashIndex<GroupId> group_index_;
  // Groups by one label that a selected pod must carry, sorted when the first selection is asked for; the rest, which must be
  // asked each time.
  struct ByLabel {
    std::uint64_t label;  // key and value
    GroupId group;
    auto operator<=>(const ByLabel&) const = default;
  };
  std::vector<ByLabel> by_label_;
  bool by_label_sorted_ = false;
  std::vector<GroupId> unlabelled_;
  std::deque<Selection> selections_;
  // Pods of one controller share their labels: each pair is matched once. One namespace for each label set is the rule.
  struct Selected {
    Symbol ns;
    const Selection* by = nullptr;
  };
  std::vector<Selected> selected_;                                          // by LabelSetId
  std::unordered_map<std::uint64_t, const Selection*> selected_elsewhere_;  // (namespace, labels)
};

}  // namespace tamp::fit

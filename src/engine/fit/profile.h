// Which nodes a pod may be on, as far as labels and taints decide it: the part of the question that does not change while
// pods move. Pods of one kind share a profile, and a profile meets a node once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/cluster.h"
#include "fit/requirement.h"
#include "fit/sites.h"

namespace tamp::fit {

using ProfileId = Id<struct ProfileTag>;

struct Profile {
  LabelSet node_selector;
  bool has_affinity = false;
  std::vector<NodeSelectorTerm> terms;          // OR; in Karpenter's dialect only the first counts
  std::vector<SelectorRequirement> preference;  // the preferred term that is treated as required for now
  std::vector<Toleration> tolerations;
  bool operator==(const Profile&) const = default;
};

// The first filter that refuses, in kube-scheduler's order.
enum class StaticVerdict : std::uint8_t { Fits, NodeUnschedulable, TaintToleration, NodeAffinity };

// Do required node selector and affinity accept the node? (kube-scheduler's rule; `name` for matchFields.)
bool node_affinity_matches(const Cluster& cluster, const LabelSet& selector, bool has_affinity,
                           std::span<const NodeSelectorTerm> terms, const LabelSet& labels, Symbol name);
// A requirement that kube-scheduler cannot parse matches nothing.
bool well_formed(const Cluster& cluster, const SelectorRequirement& r);
bool requirement_matches(const Cluster& cluster, const SelectorRequirement& r, const LabelSet& labels);
bool term_matches(const Cluster& cluster, const NodeSelectorTerm& term, const LabelSet& labels, Symbol name);

// Kubernetes: every OR'd term asks for a node of two names at once.
bool names_no_node(const Cluster& cluster, const Profile& profile);

// Taints that keep a pod away: NoSchedule and NoExecute for Kubernetes; for Karpenter PreferNoSchedule, too.
bool taints_tolerated(const Cluster& cluster, Dialect dialect, const std::vector<Taint>& taints,
                      const std::vector<Toleration>& tolerations);

// A profile's node selection as requirements on a node yet to be launched. `term` picks one of the OR'd terms.
Requirements profile_requirements(const Cluster& cluster, const Profile& profile, std::size_t term);

// Says which sites a profile may be on; what it asks is put together once for all of them. Refers to all that it is given.
class Judge {
 public:
  Judge(const Cluster& cluster, Dialect dialect, const Profile& profile);
  StaticVerdict operator()(const Site& site) const;

 private:
  const Cluster& cluster_;
  Dialect dialect_;
  const Profile& profile_;
  Requirements wanted_;   // Karpenter's dialect
  bool by_name_ = false;  // Kubernetes': every OR'd term names nodes
};

}  // namespace tamp::fit

// Matching labels, node selector terms and taints, word for word as the Kubernetes API reference describes them.
// model/ has a matcher of its own, which the fast scheduler uses; this one is separate so that a mistake in either shows.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "core/cluster.h"

namespace tamp::world {

// metav1.LabelSelector. An absent selector matches nothing, one without requirements everything.
bool selects(const std::optional<LabelSelector>& selector, const LabelSet& labels);

// The same selector asked about pod after pod: replicas share their labels, so each set of labels is looked at once.
class LabelMatcher {
 public:
  // `cluster` must outlive the matcher.
  LabelMatcher(const Cluster& cluster, std::optional<LabelSelector> selector)
      : cluster_(&cluster), selector_(std::move(selector)) {}
  bool operator()(const Pod& pod) const;

 private:
  const Cluster* cluster_;
  std::optional<LabelSelector> selector_;
  mutable std::vector<std::optional<bool>> answers_;  // by LabelSetId
};

// One entry of matchExpressions of a node selector term, whose operators are In, NotIn, Exists, DoesNotExist, Gt, Lt. A
// malformed one (Gt with a word or a negative number, In without values) does not hold anywhere.
bool requirement_holds(const Cluster& cluster, const SelectorRequirement& requirement,
                       const LabelSet& labels);

// A node selector: some term matches. A term that says nothing matches no node. matchFields know metadata.name alone and are skipped where `name` is invalid.
bool some_term_matches(const Cluster& cluster, const std::vector<NodeSelectorTerm>& terms,
                       const LabelSet& labels, Symbol name);

// nodeSelector and required node affinity of a pod, together.
bool node_affinity_matches(const Cluster& cluster, const PodSpec& spec, const Node& node);

bool tolerates(const Cluster& cluster, const Toleration& toleration, const Taint& taint);
bool tolerates(const Cluster& cluster, const std::vector<Toleration>& tolerations, const Taint& taint);
// Every taint that keeps pods from being scheduled (NoSchedule, NoExecute) is tolerated.
bool tolerates_all(const Cluster& cluster, const PodSpec& spec, const Node& node);

}  // namespace tamp::world

// What a TemperPolicy that somebody is about to store is told: refused if it cannot work, warned if it would not do what it
// seems to. The schema (deploy/crds) sees one field at a time; these rules see several, and the cluster.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/cluster.h"
#include "core/policy.h"

namespace tamp::documents {

// What the rules need to know of the cluster: small, so that a copy can be handed to another thread.
struct PoolFacts {
  std::string name;
  bool karpenter = false;  // a NodePool object; otherwise a node group known by its label
  ConsolidationPolicy policy = ConsolidationPolicy::WhenEmptyOrUnderutilized;  // its own
  bool consolidates = true;  // its own consolidateAfter is not Never
};
struct ClusterFacts {
  std::vector<PoolFacts> pools;  // in name order
};
ClusterFacts cluster_facts(const Cluster& cluster);

struct Review {
  std::vector<std::string> refusals;
  std::vector<std::string> warnings;
  // It is not what was written that is wrong, but who wrote it.
  bool forbidden = false;
};

// Refused: a budget whose schedule no cron parser reads (the decoder keeps such a one for pools that already have it), what
// tiers, thresholds and ttlSecondsAfterEmpty must not be. Warned: a name other than `default`, an override that matches no
// pool, Karpenter consolidating a pool that Tamp consolidates, too. Rules about pools need `facts`.
Review review_policy(const TemperPolicy& policy, const ClusterFacts* facts);

}  // namespace tamp::documents

// Where pods can be: the cluster's nodes (and, in Karpenter's dialect, its launched but unregistered NodeClaims) in the
// order in which they are tried, with their labels, taints and room as the dialect sees them.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "core/cluster.h"
#include "fit/options.h"
#include "fit/site_order.h"

namespace tamp::fit {

struct Site {
  NodeId node;    // invalid for a claim in flight
  ClaimId claim;  // invalid for a node that Karpenter did not make
  Symbol name;
  const LabelSet* labels = nullptr;  // never null; hostname always present in Karpenter's dialect
  std::vector<Taint> taints;
  bool initialized = true;
  bool unschedulable = false;
  bool leaving = false;  // being deleted: its pods look for a place, it takes none
  Closed closed = Closed::No;
};

struct Sites {
  std::vector<Site> list;          // by SiteId: in order of trial when they were made
  std::vector<SiteId> of_node;     // by NodeId
  SiteOrder order;                 // of trial, as it is now
  std::deque<LabelSet> rewritten;  // labels that are not those of the node or claim itself
};

Sites make_sites(const Cluster& cluster, const Options& options);
// Where a node belongs in Kubernetes' order, with the pods that it has now.
TrialKey trial_key(const Cluster& cluster, NodeId node);

// Karpenter reads old label keys as the new ones ("beta.kubernetes.io/arch" as "kubernetes.io/arch").
Symbol canonical_key(const Cluster& cluster, Symbol key);

// Does the toleration list cover the taint, by the API's rule? Numeric operators (Lt, Gt) are behind a gate that
// kube-scheduler has off and Karpenter does not ask.
bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint, const Cluster& cluster,
               Dialect dialect);

}  // namespace tamp::fit

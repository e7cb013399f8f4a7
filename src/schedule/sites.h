// Where pods can be: the cluster's nodes (and, in Karpenter's dialect, its launched but unregistered NodeClaims) in the
// order in which they are tried, with their labels, taints and room as the dialect sees them.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cluster.h"
#include "schedule/options.h"

namespace tamp::schedule {

using SiteId = Id<struct SiteTag>;

struct Site {
  NodeId node;    // invalid for a claim in flight
  ClaimId claim;  // invalid for a node that Karpenter did not make
  Symbol name;
  LabelSet labels;  // hostname always present in Karpenter's dialect
  std::vector<Taint> taints;
  bool initialized = true;
  bool unschedulable = false;
  bool leaving = false;  // being deleted: its pods look for a place, it takes none
  Closed closed = Closed::No;
};

struct Sites {
  std::vector<Site> list;       // by SiteId, in order of trial
  std::vector<SiteId> of_node;  // by NodeId
};

Sites make_sites(const Cluster& cluster, const Options& options);
// Is the site of a node whose pods have changed still where make_sites would put it?
bool in_place(const Cluster& cluster, const Options& options, const Sites& sites, NodeId node);

// Karpenter reads old label keys as the new ones ("beta.kubernetes.io/arch" as "kubernetes.io/arch").
Symbol canonical_key(const Cluster& cluster, Symbol key);

// Does the toleration list cover the taint, by the API's rule? Numeric operators (Lt, Gt) are behind a gate that
// kube-scheduler has off and Karpenter does not ask.
bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint, const Cluster& cluster,
               Dialect dialect);

}  // namespace tamp::schedule

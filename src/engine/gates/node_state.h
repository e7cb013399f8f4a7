// Where a node stands with the autoscaler that owns it. Gates and budgets ask the same questions and must get the same
// answers.
#pragma once

#include "gates/candidate.h"

namespace tamp::gates {

// Somebody would remove the machine: Karpenter, or the autoscaler of a recognised node group.
// Under `--compat` only a NodeClaim counts.
bool managed(const situation::Context& context, const Node& node);

// Karpenter's vocabulary (NodeClaim or NodePool) holds for it rather than Cluster Autoscaler's.
bool owned_by_karpenter(const Cluster& cluster, const Node& node);

// It came into service. Karpenter says so with a label; a node of a node group counts while it is Ready.
bool initialized(const Cluster& cluster, const Node& node);

// A run of Tamp's is removing it.
bool is_victim(const Node& node);

// Somebody is removing it already.
bool deleting(const situation::Context& context, const Node& node);

}  // namespace tamp::gates

// A command carried out on the cluster in memory: what the cluster will look like when it is done and has settled.
//
// Pods go where the command says; each replacement becomes a node of its cheapest type in its cheapest offering, with the pods of
// the DaemonSets that belong there. Nodes that went take their DaemonSet and finished pods along. Times are those of a cluster
// in which nothing is in motion: the new node is as old as it takes to be a candidate, and moved pods count as settled.
#pragma once

#include <cstddef>
#include <string>

#include "core/cluster.h"
#include "search/plan.h"

namespace tamp::search {

// Ids of nodes, claims and pods are other ones afterwards; symbols and all other ids stay. `serial` names the first new node, if
// there is one, and the numbers after it the others: no two steps on a cluster may share them.
std::string replacement_name(std::size_t serial);
void carry_out(Cluster& cluster, const price::Command& command, Time now, std::size_t serial);

}  // namespace tamp::search

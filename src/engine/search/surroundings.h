// What a simulation must take into account besides the nodes in question: nodes that may not receive pods, and pods that are
// looking for a place anyway.
#pragma once

#include <memory>
#include <vector>

#include "fit/options.h"
#include "fit/simulation.h"
#include "gates/candidate.h"

namespace tamp::search {

fit::Options schedule_options(const situation::Context& context);
// Of them, whether one node is closed.
fit::Closed closed(const situation::Context& context, NodeId node);

// Pending pods, and pods of nodes that are being removed.
std::vector<fit::Seeker> background_pods(const situation::Context& context, const Cluster& cluster);
// The same of the index's cluster, whose pods need not be looked through once more.
std::vector<fit::Seeker> background_pods(const situation::Context& context, const fit::Index& index);

// The cluster with a pending pod for every replica that its controller has yet to recreate; null where all are there.
// Ids of existing objects stay the same.
std::unique_ptr<Cluster> with_missing_pods(const Cluster& cluster);
// The same for a decision and its proof; null also under --compat, since Karpenter counts no missing pods.
std::unique_ptr<Cluster> completed_cluster(const situation::Context& context);

}  // namespace tamp::search

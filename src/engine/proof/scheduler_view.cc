#include "proof/scheduler_view.h"

#include "gates/node_state.h"
#include "search/surroundings.h"

namespace tamp::proof {

fit::Simulation& SchedulerView::simulation() {
  if (simulation_) return *simulation_;
  completed_ = search::completed_cluster(context_);
  const Cluster& cluster = completed_ ? *completed_ : context_.cluster;
  fit::Options options;
  for (const Node& node : context_.cluster.nodes)
    options.closed.push_back(gates::deleting(context_, node) ? fit::Closed::ForAll : fit::Closed::No);
  index_.emplace(cluster, options);
  return simulation_.emplace(*index_, search::background_pods(context_, *index_));
}

}  // namespace tamp::proof

// The cluster as kube-scheduler will see it while a move is carried out: with the pods that controllers have
// yet to recreate, and with everybody who looks for a place anyway. The decision was made on the same
// premises (search/moves.h).
//
// Two things differ, since the question is what the scheduler may do and not what it should: its rules are
// Kubernetes' under any settings, and of the nodes only those that somebody is removing are closed.
//
// Compiled when it is first asked for, and once for all moves of a proposal: whoever moves a pod in it takes
// that back.
#pragma once

#include <memory>
#include <optional>

#include "fit/simulation.h"
#include "gates/candidate.h"

namespace tamp::proof {

class SchedulerView {
 public:
  // Refers to the context's cluster and settings.
  explicit SchedulerView(const situation::Context& context) : context_(context) {}
  SchedulerView(const SchedulerView&) = delete;
  SchedulerView& operator=(const SchedulerView&) = delete;

  // Ids of what is in the context's cluster are the same here.
  fit::Simulation& simulation();

 private:
  situation::Context context_;
  std::unique_ptr<Cluster> completed_;  // null: nothing is missing
  std::optional<fit::Index> index_;
  std::optional<fit::Simulation> simulation_;
};

}  // namespace tamp::proof

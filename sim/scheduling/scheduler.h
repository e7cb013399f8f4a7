// kube-scheduler of the simulated world: takes waiting pods one by one, finds the nodes where each may run, binds it to the best,
// or makes room by preemption. The rules are in the files beside: filters.h and survey.h (may it run there?), score.h
// (which node is best?), preemption.h (who has to go?), pod_queue.h (who is next?), waking.h (when again?).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "oracle/refusal.h"
#include "oracle/survey.h"
#include "sim/engine/stage.h"
#include "sim/scheduling/announcer.h"
#include "sim/scheduling/board.h"
#include "sim/scheduling/pod_queue.h"

namespace tamp::world {

// Pods of other schedulers are none of its business.
inline constexpr std::string_view kSchedulerName = "default-scheduler";

class Scheduler {
 public:
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

  // How many pods wait.
  std::size_t waiting() const { return queue_.size(); }

 private:
  enum What : std::uint8_t { kLook, kProvision, kRelease };

  // What came of looking at the nodes for one pod.
  struct Findings {
    std::vector<NodeRef> feasible;
    std::set<std::string, std::less<>> refused_by;
    std::string message;              // why nowhere
    std::vector<NodeRef> resolvable;  // refused in a way that preemption may resolve
  };

  void pod_changed(Stage& stage, const api::Change& change);
  void claim_changed(Stage& stage, const api::Change& change);
  // Asks for a look at the queue when it has something to do.
  void look_when_due(Stage& stage);

  void attempt(Stage& stage, const PodName& name, WaitingPod waiting);
  Findings look_at_nodes(PodId pod, Survey& survey);
  NodeRef choose(Stage& stage, PodId pod, const api::Object& object, const std::vector<NodeRef>& feasible);
  bool bind(Stage& stage, PodId pod, const PodName& name, NodeRef node);

  // The node that the pod is now promised; "" to take a promise back; nothing to leave it as it is.
  struct PreemptionAnswer {
    std::optional<std::string> nominate;
    std::string message;
  };
  PreemptionAnswer preempt(Stage& stage, PodId pod, const api::Object& object, Survey& survey,
                           const Findings& findings);
  void evict(Stage& stage, const api::Object& preemptor, PodId victim, NodeRef node);
  void fail(Stage& stage, const PodName& name, WaitingPod waiting, const std::string& message,
            const std::optional<std::string>& nominate);

  Board board_;
  PodQueue queue_;
  Announcer announcer_;
  std::optional<Time> look_;  // already asked for
  std::size_t start_ = 0;     // where the search for nodes begins, so that all get their turn

  // Equal pods that just failed on the same board need not be tried again: nothing would be different.
  using Likeness = std::tuple<PodSpecId, LabelSetId, Symbol, std::int64_t, bool>;
  struct Futile {
    std::set<std::string, std::less<>> refused_by;
    std::string message;
  };
  std::map<Likeness, Futile> futile_;
  std::uint64_t futile_on_ = 0;  // the board's generation
};

}  // namespace tamp::world

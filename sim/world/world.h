// A simulated cluster with everything that lives in one: API server, scheduler, controllers, kubelets, an autoscaler, and a
// director who carries a scenario out. Time is virtual: it moves from one event to the next, as fast as that goes.
//
// A run is a function of its seed and its scenario, bit for bit, on every machine. A copy of a world is a world of its own
// with the same past and, left alone, the same future.
//
// Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/time.h"
#include "sim/api/dice.h"
#include "sim/api/server.h"
#include "sim/autoscalers/cluster_autoscaler.h"
#include "sim/autoscalers/karpenter.h"
#include "sim/controllers/cron_jobs.h"
#include "sim/controllers/daemon_sets.h"
#include "sim/controllers/deployments.h"
#include "sim/controllers/disruption.h"
#include "sim/controllers/garbage.h"
#include "sim/controllers/jobs.h"
#include "sim/controllers/node_lifecycle.h"
#include "sim/controllers/replica_sets.h"
#include "sim/controllers/stateful_sets.h"
#include "sim/engine/event_queue.h"
#include "sim/engine/stage.h"
#include "sim/engine/story.h"
#include "sim/kubelet/kubelets.h"
#include "sim/kubelet/pressure.h"
#include "sim/scenario/director.h"
#include "sim/scheduling/scheduler.h"

namespace tamp::world {

// Everybody who acts, in the order in which they hear of a change.
struct Cast {
  Scheduler scheduler;
  ReplicaSets replica_sets;
  Deployments deployments;
  StatefulSets stateful_sets;
  DaemonSets daemon_sets;
  Jobs jobs;
  CronJobs cron_jobs;
  Disruption disruption;
  Garbage garbage;
  NodeLifecycle node_lifecycle;
  Kubelets kubelets;
  Pressure pressure;
  Karpenter karpenter;
  ClusterAutoscaler cluster_autoscaler;
  Director director;
};

class World {
 public:
  World(std::uint64_t seed, Time start);

  // For callers from outside; what they write is heard by all at the next deliver() or step().
  api::Server& api() { return api_; }
  const api::Server& api() const { return api_; }
  Cast& cast() { return cast_; }
  const Cast& cast() const { return cast_; }

  Time now() const { return now_; }
  // When something will happen next.
  std::optional<Time> next() const { return queue_.next(); }

  // Tells everybody what was written since the last time.
  void deliver();
  // The next event and all that follows from it at once. REQUIRES: there is one.
  void step();
  // Everything up to and including `until`, where time then stands.
  void run_until(Time until);

  const Story& story() const { return story_; }
  Story& story() { return story_; }

  // From now on everybody throws what they would in a world of this seed.
  void reseed(std::uint64_t seed);

  // For the director and for faults: a stage in the name of an actor.
  Stage stage(Actor actor);

 private:
  void move_to(Time time);
  void befall(const Mishap& mishap);

  Time now_;
  api::Server api_;
  EventQueue queue_;
  Story story_;
  std::array<Dice, kActors> dice_;  // each actor throws its own
  Cast cast_;
  std::uint64_t heard_ = 0;  // the last revision that everybody was told of
};

}  // namespace tamp::world

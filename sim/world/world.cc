#include "sim/world/world.h"

#include <algorithm>
#include <cassert>

namespace tamp::world {
namespace {

std::array<Dice, kActors> throw_in(std::uint64_t seed) {
  Dice all(seed);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::array<Dice, kActors>{all.split(I)...};
  }(std::make_index_sequence<kActors>());
}

// Calls `action` with every member of the cast and whose it is.
template <typename Action>
void each(Cast& cast, const Action& action) {
  action(Actor::Scheduler, cast.scheduler);
  action(Actor::ReplicaSets, cast.replica_sets);
  action(Actor::Deployments, cast.deployments);
  action(Actor::StatefulSets, cast.stateful_sets);
  action(Actor::DaemonSets, cast.daemon_sets);
  action(Actor::Jobs, cast.jobs);
  action(Actor::CronJobs, cast.cron_jobs);
  action(Actor::Disruption, cast.disruption);
  action(Actor::Garbage, cast.garbage);
  action(Actor::NodeLifecycle, cast.node_lifecycle);
  action(Actor::Kubelets, cast.kubelets);
  action(Actor::Pressure, cast.pressure);
  action(Actor::Karpenter, cast.karpenter);
  action(Actor::ClusterAutoscaler, cast.cluster_autoscaler);
  action(Actor::Director, cast.director);
}

}  // namespace

World::World(std::uint64_t seed, Time start) : now_(start), api_(seed, start), dice_(throw_in(seed)) {}

void World::reseed(std::uint64_t seed) { dice_ = throw_in(seed); }

Stage World::stage(Actor actor) {
  return {api_, queue_, dice_[static_cast<std::size_t>(actor)], story_, now_};
}

void World::deliver() {
  while (const api::Change* next = api_.change_after(heard_)) {
    const api::Change change = *next;  // actors write, and the history moves
    heard_ = change.revision;
    each(cast_, [&](Actor actor, auto& who) {
      Stage stage = this->stage(actor);
      who.changed(stage, change);
    });
  }
}

void World::step() {
  assert(queue_.next());
  deliver();
  auto [when, event] = queue_.take();
  move_to(when);
  each(cast_, [&, &happening = event](Actor actor, auto& who) {
    if (actor != happening.actor) return;
    Stage stage = this->stage(actor);
    who.happen(stage, happening);
  });
  for (const Mishap& mishap : cast_.director.take_mishaps()) befall(mishap);
  deliver();
}

void World::run_until(Time until) {
  deliver();
  while (queue_.next() && *queue_.next() <= until) step();
  move_to(until);
}

void World::befall(const Mishap& mishap) {
  Stage kubelets = stage(Actor::Kubelets);
  switch (mishap.kind) {
    case Mishap::Kind::StopKubelet:
      return cast_.kubelets.stop(kubelets, mishap.node);
    case Mishap::Kind::StartKubelet:
      return cast_.kubelets.resume(kubelets, mishap.node);
    case Mishap::Kind::Reboot:
      return cast_.kubelets.reboot(kubelets, mishap.node);
    case Mishap::Kind::Agent:
      return;
  }
}

void World::move_to(Time time) {
  now_ = std::max(now_, time);
  api_.set_now(now_);
}

}  // namespace tamp::world

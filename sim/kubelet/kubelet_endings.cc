// Kubelets: how containers end, are started again and are stopped.
#include <fmt/format.h>

#include <algorithm>

#include "sim/kubelet/kubelets.h"
#include "sim/kubelet/news.h"

namespace tamp::world {
namespace {

using api::Object;
using api::ResourceId;
using wire::Tree;
using State = ContainerRun::State;
using PodStage = PodRun::Stage;

Duration millis(std::int64_t n) { return {n * 1'000'000}; }

// Restarted whatever it ended with, unless the policy says otherwise.
bool restarts_after(const Tree& pod, int exit_code) {
  const std::string_view policy = pod["spec"]["restartPolicy"].string("Always");
  return policy == "Always" || (policy == "OnFailure" && exit_code != 0);
}

}  // namespace

void Kubelets::exit(Stage& stage, const Key& key, PodRun& run, const Object& pod, int code, bool all) {
  run.token = ++tokens_;
  const bool again = restarts_after(pod.tree(), code);
  const Duration wait = run.restart_delay.after(stage.now);
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    ContainerRun& container = run.containers[i];
    // A pod that will not be started again ends as a whole.
    if (container.state != State::Running || (again && !all && i > 0)) continue;
    container.ending = Ending{i == 0 || all ? code : 0, i == 0 && code != 0 ? "Error" : "Completed",
                              container.started, stage.now, container.id};
    container.ready = false;
    container.state = State::Terminated;
    if (again && wait.ns > 0) {
      container.state = State::Waiting;
      container.reason = "CrashLoopBackOff";
      container.message = fmt::format("back-off {} restarting failed container={} pod={}_{}({})",
                                      wait == Duration::minutes(5) ? "5m0s" : format_duration(wait),
                                      pod.spec()["containers"].elements()[i]["name"].string(), key.second,
                                      key.first, run.uid);
      News(stage, run.node)
          .tell(pod, "containers", i, "Warning", "BackOff",
                fmt::format("Back-off restarting failed container {} in pod {}_{}({})",
                            pod.spec()["containers"].elements()[i]["name"].string(), key.second, key.first,
                            run.uid));
    }
  }
  if (again) {
    stage.story.tell(stage.now, "kubelet", "Crashed", pod_words(key.first, key.second),
                     fmt::format("exit code {}, restarted in {}", code, format_duration(wait)));
    report(stage, key, run);
    return plan(stage, {wait.ns + millis(stage.dice.between(200, 1200)).ns}, Restart, key, run);
  }
  run.stage = PodStage::Ended;
  for (ContainerRun& sidecar : run.init) {
    if (sidecar.state != State::Running) continue;
    sidecar.state = State::Terminated;
    sidecar.ready = false;
    sidecar.ending = Ending{0, "Completed", sidecar.started, stage.now, sidecar.id};
  }
  stage.story.tell(stage.now, "kubelet", code == 0 ? "Succeeded" : "Failed",
                   pod_words(key.first, key.second));
  report(stage, key, run);
}

void Kubelets::restart(Stage& stage, const Key& key, PodRun& run, const Object& pod) {
  std::optional<Time> ended;
  const auto again = [&](ContainerRun& container) {
    if (container.ending) ended = container.ending->finished;
    container.state = State::Running;
    container.started = stage.now;
    container.id = container_id(stage.dice);
    container.message.clear();
    ++container.restarts;
  };
  for (std::size_t i = 0; i < run.containers.size(); ++i)
    if (run.containers[i].state != State::Running) {
      again(run.containers[i]);
      News(stage, run.node).started(pod, "containers", i, run.containers[i]);
    }
  const auto& init = pod.spec()["initContainers"].elements();
  for (std::size_t i = 0; i < run.init.size() && i < init.size(); ++i)
    if (run.init[i].state != State::Running && init[i]["restartPolicy"].string() == "Always") {
      again(run.init[i]);
      run.init[i].ready = true;
      News(stage, run.node).started(pod, "initContainers", i, run.init[i]);
    }
  run.restart_delay.restarted(ended.value_or(stage.now), stage.now);
  plan_readiness_and_end(stage, key, run, pod);
  report(stage, key, run);
}

void Kubelets::expire(Stage& stage, const Key& key, PodRun& run, const Object& pod) {
  // The deadline outlives restarts, and may be that of another pod that had the same name.
  const Duration deadline = Duration::seconds(pod.spec()["activeDeadlineSeconds"].integer(INT32_MAX));
  if (!run.seen || stage.now < *run.seen + deadline) return;
  if (run.stage != PodStage::Starting && run.stage != PodStage::Running) return;
  run.token = ++tokens_;
  News news(stage, run.node);
  news.stopping(pod, run);
  for (ContainerRun& container : run.containers) {
    if (container.state == State::Running)
      container.ending = Ending{137, "Error", container.started, stage.now, container.id};
    container.state = container.ending ? State::Terminated : State::Waiting;
    container.ready = false;
  }
  run.stage = PodStage::Ended;
  run.reason = "DeadlineExceeded";
  run.message = "Pod was active on the node longer than the specified deadline";
  news.tell(pod, "Normal", run.reason, run.message);
  stage.story.tell(stage.now, "kubelet", "Failed", pod_words(key.first, key.second),
                   "its active deadline has passed");
  report(stage, key, run);
}

// ---- stop

void Kubelets::begin_to_stop(Stage& stage, const Key& key, PodRun& run, const Object& pod) {
  const Duration grace =
      Duration::seconds(std::max<std::int64_t>(0, pod.metadata()["deletionGracePeriodSeconds"].integer()));
  const auto runs = [](const ContainerRun& container) { return container.state == State::Running; };
  const bool any = std::any_of(run.containers.begin(), run.containers.end(), runs) ||
                   std::any_of(run.init.begin(), run.init.end(), runs);
  Duration needed = any ? run.behaviour.terminate.draw(stage.dice) : millis(stage.dice.between(20, 200));
  if (run.stage == PodStage::Stopping) {
    // Asked again: only a shorter grace period makes a difference.
    if (!run.stop_at || stage.now + grace >= *run.stop_at) return;
    needed = {INT64_MAX};
  } else {
    News(stage, run.node).stopping(pod, run);
  }
  if (run.stage != PodStage::Stopping && any && run.behaviour.never_terminates) {
    run.stage = PodStage::Stopping;
    run.token = ++tokens_;
    return;
  }
  run.stage = PodStage::Stopping;
  run.token = ++tokens_;
  run.killed = any && needed > grace;
  const Duration left = run.killed ? grace : needed;
  run.stop_at = stage.now + left;
  plan(stage, left, Stop, key, run);
}

void Kubelets::stopped(Stage& stage, const Key& key, PodRun& run) {
  bool any = false;
  for (auto* list : {&run.containers, &run.init})
    for (ContainerRun& container : *list) {
      container.ready = false;
      if (container.state != State::Running) continue;
      any = true;
      container.state = State::Terminated;
      container.ending = Ending{run.killed ? 137 : 0, run.killed ? "Error" : "Completed", container.started,
                                stage.now, container.id};
    }
  run.stage = PodStage::Stopped;
  if (any)
    stage.story.tell(stage.now, "kubelet", run.killed ? "Killed" : "Stopped",
                     pod_words(key.first, key.second), fmt::format("on {}", run.node));
  // Reading `run` is over when the object is removed: its change may come back before this returns.
  const std::string uid = run.uid;
  report(stage, key, run);
  stage.api.remove(ResourceId::Pods, key.first, key.second, {.uid = uid, .grace_seconds = 0});
}

}  // namespace tamp::world

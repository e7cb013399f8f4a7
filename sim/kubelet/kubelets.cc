#include "sim/kubelet/kubelets.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/kubelet/news.h"

namespace tamp::world {
namespace {

using api::Object;
using api::ResourceId;
using wire::Tree;
using State = ContainerRun::State;
using PodStage = PodRun::Stage;

Duration millis(std::int64_t n) { return {n * 1'000'000}; }

api::WriteOptions as_kubelet(std::string_view subresource = {}) {
  return {.manager = "kubelet", .subresource = std::string(subresource)};
}

}  // namespace

// ---- what changes

void Kubelets::changed(Stage& stage, const api::Change& change) {
  if (change.resource == ResourceId::Pods) pod_changed(stage, change);
  if (change.resource == ResourceId::Nodes) node_changed(stage, change);
}

void Kubelets::pod_changed(Stage& stage, const api::Change& change) {
  const Object& pod = change.object();
  if (pod.spec()["nodeName"].string().empty()) return;
  const Key key(pod.ns(), pod.name());
  auto found = runs_.find(key);
  if (found != runs_.end() && (!change.after || found->second.uid != pod.uid())) {
    forget(key);
    found = runs_.end();
  }
  if (!change.after) return;
  if (found == runs_.end()) {
    take_over(stage, pod);
    return;
  }
  PodRun& run = found->second;
  Machine* machine = machine_of(run.node);
  if (machine == nullptr || !machine->alive) return;
  if (pod.terminating()) {
    if (run.stage != PodStage::Stopped) begin_to_stop(stage, key, run, pod);
  } else if (!pod.spec()["readinessGates"].empty() && run.stage == PodStage::Running) {
    report(stage, key, run);
  }
}

void Kubelets::take_over(Stage& stage, const Object& pod) {
  const std::string node(pod.spec()["nodeName"].string());
  Machine* machine = machine_of(node);
  if (machine == nullptr || !machine->alive) return;
  const Key key(pod.ns(), pod.name());
  PodRun& run = runs_[key];
  run = adopt(pod.tree());
  run.uid = pod.uid();
  run.node = node;
  run.token = ++tokens_;
  run.amounts = pod_amounts(pod.tree());
  run.behaviour = behaviour_of(pod.tree());
  machine->pods.insert(key);
  if (run.stage == PodStage::Running) {
    for (const Tree& container : pod.spec()["containers"].elements())
      machine->images.emplace(container["image"].string());
    plan_readiness_and_end(stage, key, run, pod);
  }
  if (pod.terminating())
    begin_to_stop(stage, key, run, pod);
  else if (run.stage == PodStage::Seen)
    plan(stage, millis(stage.dice.between(5, 50)), Look, key, run);
}

void Kubelets::forget(const Key& key) {
  const auto found = runs_.find(key);
  if (found == runs_.end()) return;
  if (Machine* machine = machine_of(found->second.node)) {
    machine->pods.erase(key);
    const std::string& ip = found->second.pod_ip;
    const auto dot = ip.rfind('.');
    std::int64_t last = 0;
    if (dot != std::string::npos && ip != machine->host_ip)
      for (const char c : ip.substr(dot + 1)) last = last * 10 + (c - '0');
    machine->addresses.erase(last);
  }
  runs_.erase(found);
}

Kubelets::Machine* Kubelets::machine_of(std::string_view node) {
  const auto found = machines_.find(node);
  return found == machines_.end() ? nullptr : &found->second;
}

// ---- what happens

void Kubelets::plan(Stage& stage, Duration delay, What what, const Key& key, const PodRun& run) {
  stage.later(delay, {Actor::Kubelets, what, key.first, key.second, run.token});
}

void Kubelets::happen(Stage& stage, const Event& event) {
  if (event.what == Beat) return beat(stage);
  if (event.what != Report && event.what != Boot) return happen_to_pod(stage, event);
  Machine* machine = machine_of(event.name);
  if (machine == nullptr) return;
  if (event.what == Boot)
    boot(stage, event.name, *machine);
  else
    report_ready(stage, event.name, *machine);
}

void Kubelets::beat(Stage& stage) {
  for (auto& [name, machine] : machines_)
    if (machine.alive) renew_lease(stage, name, stage.now);
  stage.later(options_.renew_leases, {Actor::Kubelets, Beat, {}, {}, 0});
}

void Kubelets::happen_to_pod(Stage& stage, const Event& event) {
  const Key key(event.ns, event.name);
  const auto found = runs_.find(key);
  if (found == runs_.end()) return;
  if (found->second.token != event.number && event.what != Expire) return;
  PodRun& run = found->second;
  Machine* machine = machine_of(run.node);
  if (machine == nullptr) return;
  if (!machine->alive) {
    machine->missed.push_back(event);
    return;
  }
  const api::ObjectPtr pod = stage.api.get(ResourceId::Pods, key.first, key.second);
  if (!pod || pod->uid() != run.uid) return;
  switch (event.what) {
    case Look:
      return look(stage, key, run, *pod);
    case Pull:
      return pull_failed(stage, key, run, *pod);
    case PullBackOff:
      return back_off_pulling(stage, key, run, *pod);
    case Initialize:
      return initialize(stage, key, run, *pod);
    case Start:
      return start(stage, key, run, *pod);
    case BeReady:
      return be_ready(stage, key, run);
    case Probe:
      return probe(stage, key, run, *pod);
    case Exit:
      ++run.exits;
      return exit(stage, key, run, *pod, run.behaviour.exits_well ? 0 : 1, run.behaviour.exits_well);
    case Restart:
      return restart(stage, key, run, *pod);
    case Stop:
      return stopped(stage, key, run);
    case Expire:
      return expire(stage, key, run, *pod);
    default:
      return;
  }
}

void Kubelets::back_off_pulling(Stage& stage, const Key& key, PodRun& run, const api::Object& pod) {
  for (ContainerRun& container : run.containers) {
    container.reason = "ImagePullBackOff";
    container.message = "Back-off pulling image";
  }
  for (std::size_t i = 0; i < run.containers.size(); ++i) News(stage, run.node).pull_backed_off(pod, i);
  report(stage, key, run);
}

void Kubelets::initialize(Stage& stage, const Key& key, PodRun& run, const api::Object& pod) {
  run.sandbox = run.initialized = true;
  for (std::size_t i = 0; i < run.init.size(); ++i) {
    ContainerRun& container = run.init[i];
    container.id = container_id(stage.dice);
    container.started = stage.now;
    container.ready = true;
    const bool stays = pod.spec()["initContainers"].elements()[i]["restartPolicy"].string() == "Always";
    container.state = stays ? State::Running : State::Terminated;
    if (!stays) container.ending = Ending{0, "Completed", stage.now, stage.now, container.id};
    News(stage, run.node).started(pod, "initContainers", i, container);
  }
  report(stage, key, run);
  const Duration starting = run.behaviour.start.draw(stage.dice);
  const Duration pulling = pull_time(stage, run, pod, "containers");
  plan(stage, {starting.ns + pulling.ns}, Start, key, run);
}

void Kubelets::report(Stage& stage, const Key& key, const PodRun& run) {
  const Machine* machine = machine_of(run.node);
  stage.api.modify(
      ResourceId::Pods, key.first, key.second,
      [&](Tree& pod) {
        if (pod["metadata"]["uid"].string() == run.uid)
          write_status(pod, run, machine == nullptr ? "" : machine->host_ip, stage.now);
      },
      as_kubelet("status"));
}

// ---- start

bool Kubelets::admit(Stage& stage, const Key& key, PodRun& run, const Object& pod) {
  const Machine& machine = *machine_of(run.node);
  Amounts used;
  std::int64_t pods = 0;
  for (const Key& other : machine.pods) {
    const PodRun& neighbour = runs_.at(other);
    if (other == key || !neighbour.holds_resources()) continue;
    used.cpu_millis += neighbour.amounts.requests.cpu_millis;
    used.memory_bytes += neighbour.amounts.requests.memory_bytes;
    ++pods;
  }
  const Amounts& asked = run.amounts.requests;
  const auto refuse = [&](std::string_view reason, std::string_view resource, std::int64_t requested,
                          std::int64_t in_use, std::int64_t capacity) {
    run.stage = PodStage::Ended;
    run.reason = reason;
    const std::string shortage =
        fmt::format("Node didn't have enough resource: {}, requested: {}, used: {}, capacity: {}", resource,
                    requested, in_use, capacity);
    run.message = "Pod was rejected: " + shortage;
    News(stage, run.node).tell(pod, "Warning", reason, shortage);
    stage.story.tell(stage.now, "kubelet", "Rejected", pod_words(key.first, key.second),
                     fmt::format("by {}: {}", run.node, reason));
    report(stage, key, run);
    return false;
  };
  if (pods + 1 > machine.pods_most) return refuse("OutOfpods", "pods", 1, pods, machine.pods_most);
  if (asked.cpu_millis > 0 && used.cpu_millis + asked.cpu_millis > machine.allocatable.cpu_millis)
    return refuse("OutOfcpu", "cpu", asked.cpu_millis, used.cpu_millis, machine.allocatable.cpu_millis);
  if (asked.memory_bytes > 0 && used.memory_bytes + asked.memory_bytes > machine.allocatable.memory_bytes)
    return refuse("OutOfmemory", "memory", asked.memory_bytes, used.memory_bytes,
                  machine.allocatable.memory_bytes);
  return true;
}

// Of all images of `list` ("containers", "initContainers") that the node does not have: they are pulled one after the other,
// and the first one now.
Duration Kubelets::pull_time(Stage& stage, PodRun& run, const Object& pod, std::string_view list) {
  Machine& machine = *machine_of(run.node);
  std::vector<ContainerRun>& containers = list == "containers" ? run.containers : run.init;
  const auto& specs = pod.spec()[list].elements();
  Duration total;
  for (std::size_t i = 0; i < containers.size() && i < specs.size(); ++i) {
    if (!machine.images.emplace(specs[i]["image"].string()).second) continue;
    const Duration pull = run.behaviour.pull.draw(stage.dice);
    if (total.ns == 0) {
      News(stage, run.node).pulling(pod, list, i);
      containers[i].pulling_told = true;
    }
    containers[i].pull = pull;
    total.ns += pull.ns;
  }
  return total;
}

Duration Kubelets::time_to_start(Stage& stage, PodRun& run, const Object& pod) {
  const Duration start = run.behaviour.start.draw(stage.dice);
  return {start.ns + pull_time(stage, run, pod, "containers").ns};
}

void Kubelets::look(Stage& stage, const Key& key, PodRun& run, const Object& pod) {
  if (!admit(stage, key, run, pod)) return;
  run.stage = PodStage::Starting;
  run.seen = stage.now;
  run.initialized = run.init.empty();
  for (auto* list : {&run.init, &run.containers})
    for (ContainerRun& container : *list)
      container.reason = run.init.empty() ? "ContainerCreating" : "PodInitializing";
  report(stage, key, run);
  const Tree& deadline = pod.spec()["activeDeadlineSeconds"];
  if (deadline.is_number()) plan(stage, Duration::seconds(deadline.integer()), Expire, key, run);
  if (run.behaviour.pull_failures > 0)
    return plan(stage, {millis(500).ns + run.behaviour.pull.draw(stage.dice).ns}, Pull, key, run);
  if (run.init.empty()) return plan(stage, time_to_start(stage, run, pod), Start, key, run);
  Duration delay = millis(stage.dice.between(200, 600));
  delay.ns += pull_time(stage, run, pod, "initContainers").ns;
  for (std::size_t i = 0; i < run.init.size(); ++i) delay.ns += run.behaviour.init.draw(stage.dice).ns;
  plan(stage, delay, Initialize, key, run);
}

void Kubelets::pull_failed(Stage& stage, const Key& key, PodRun& run, const Object& pod) {
  if (run.pull_attempts >= run.behaviour.pull_failures) {
    if (!run.init.empty() && !run.initialized) return plan(stage, millis(500), Initialize, key, run);
    return plan(stage, time_to_start(stage, run, pod), Start, key, run);
  }
  // 10 s, doubling up to 5 minutes.
  const std::int64_t wait =
      std::min<std::int64_t>(std::int64_t{10} << std::min<std::int64_t>(run.pull_attempts, 5), 300);
  ++run.pull_attempts;
  const auto& specs = pod.spec()["containers"].elements();
  for (std::size_t i = 0; i < run.containers.size() && i < specs.size(); ++i) {
    run.containers[i].reason = "ErrImagePull";
    run.containers[i].message =
        fmt::format("failed to pull image \"{}\": not found", specs[i]["image"].string());
    News(stage, run.node).pull_failed(pod, i);
  }
  if (run.pull_attempts == 1)
    stage.story.tell(stage.now, "kubelet", "PullFailed", pod_words(key.first, key.second),
                     fmt::format("on {}", run.node));
  report(stage, key, run);
  plan(stage, millis(stage.dice.between(1000, 3000)), PullBackOff, key, run);
  plan(stage, Duration{Duration::seconds(wait).ns + millis(stage.dice.between(0, 1000)).ns}, Pull, key, run);
}

void Kubelets::start(Stage& stage, const Key& key, PodRun& run, const Object& pod) {
  Machine& machine = *machine_of(run.node);
  run.stage = PodStage::Running;
  run.sandbox = run.initialized = true;
  if (pod.spec()["hostNetwork"].boolean()) {
    run.pod_ip = machine.host_ip;
  } else {
    std::int64_t last = 2;
    while (last < 254 && machine.addresses.contains(last)) ++last;
    machine.addresses.insert(last);
    run.pod_ip = fmt::format("10.{}.{}.{}", 128 + machine.network / 256 % 128, machine.network % 256, last);
  }
  for (std::size_t i = 0; i < run.containers.size(); ++i) {
    ContainerRun& container = run.containers[i];
    container.state = State::Running;
    container.started = stage.now;
    container.id = container_id(stage.dice);
    container.message.clear();
    News(stage, run.node).started(pod, "containers", i, container);
  }
  plan_readiness_and_end(stage, key, run, pod);
  stage.story.tell(stage.now, "kubelet", "Started", pod_words(key.first, key.second),
                   fmt::format("on {}", run.node));
  report(stage, key, run);
}

// Of containers that run. Those without a probe are ready as soon as they run.
void Kubelets::plan_readiness_and_end(Stage& stage, const Key& key, PodRun& run, const Object& pod) {
  const auto& specs = pod.spec()["containers"].elements();
  std::optional<Duration> wait;
  for (std::size_t i = 0; i < run.containers.size() && i < specs.size(); ++i) {
    ContainerRun& container = run.containers[i];
    if (container.state != State::Running || container.ready) continue;
    const Tree& probe = specs[i]["readinessProbe"];
    const bool told = i == 0 && (run.behaviour.never_ready || run.behaviour.ready_after);
    if (!told && !probe.is_object()) {
      container.ready = true;
      continue;
    }
    Duration own = millis(stage.dice.between(0, 1000));
    if (run.behaviour.ready_after)
      own = run.behaviour.ready_after->draw(stage.dice);
    else
      own.ns += Duration::seconds(probe["initialDelaySeconds"].integer()).ns;
    wait = wait ? std::max(*wait, own) : own;
    const Duration first = Duration::seconds(probe["initialDelaySeconds"].integer());
    if (told && probe.is_object() && (run.behaviour.never_ready || own > first))
      plan(stage, first, Probe, key, run);
  }
  if (wait && !run.behaviour.never_ready) plan(stage, *wait, BeReady, key, run);
  if (run.behaviour.exit_after && run.exits < run.behaviour.exits)
    plan(stage, run.behaviour.exit_after->draw(stage.dice), Exit, key, run);
}

void Kubelets::be_ready(Stage& stage, const Key& key, PodRun& run) {
  for (ContainerRun& container : run.containers) container.ready = container.state == State::Running;
  stage.story.tell(stage.now, "kubelet", "Ready", pod_words(key.first, key.second));
  report(stage, key, run);
}

// Only the first container can be told to be unready. A real kubelet tells of 25 failures, and then of one every 5 minutes.
void Kubelets::probe(Stage& stage, const Key& key, PodRun& run, const Object& pod) {
  const auto& specs = pod.spec()["containers"].elements();
  if (run.stage != PodStage::Running || specs.empty() || run.containers.empty()) return;
  if (run.containers[0].ready || run.containers[0].state != State::Running) return;
  const Tree& probe = specs[0]["readinessProbe"];
  News(stage, run.node).tell(pod, "containers", 0, "Warning", "Unhealthy", probe_failure(probe, run.pod_ip));
  const Duration period = Duration::seconds(std::max<std::int64_t>(1, probe["periodSeconds"].integer(10)));
  plan(stage, ++run.failed_probes < 25 ? period : std::max(period, Duration::minutes(5)), Probe, key, run);
}

}  // namespace tamp::world

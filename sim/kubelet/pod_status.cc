#include <fmt/format.h>

#include <algorithm>

#include "sim/api/server.h"
#include "sim/kubelet/pod_run.h"

namespace tamp::world {
namespace {

using wire::Tree;
using State = ContainerRun::State;

Tree terminated(const Ending& ending) {
  return Tree::object({{"terminated", Tree::object({{"exitCode", ending.exit_code},
                                                    {"reason", ending.reason},
                                                    {"startedAt", api::format_time(ending.started)},
                                                    {"finishedAt", api::format_time(ending.finished)},
                                                    {"containerID", ending.container_id}})}});
}

Tree state_of(const ContainerRun& container) {
  switch (container.state) {
    case State::Running:
      return Tree::object({{"running", Tree::object({{"startedAt", api::format_time(container.started)}})}});
    case State::Terminated:
      return container.ending ? terminated(*container.ending) : Tree::object();
    case State::Waiting:
      break;
  }
  Tree waiting = Tree::object({{"reason", container.reason}});
  if (!container.message.empty()) waiting.set("message", container.message);
  return Tree::object({{"waiting", std::move(waiting)}});
}

// An id that follows from the image's name, as if it never changed.
std::string image_id(std::string_view image) {
  std::uint64_t hash = 14695981039346656037u;
  std::string digits;
  for (int round = 0; round < 4; ++round) {
    for (const char c : image) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    digits += fmt::format("{:016x}", hash);
  }
  return "sim.tamp.dev/image@sha256:" + digits;
}

Tree container_statuses(const Tree& specs, const std::vector<ContainerRun>& runs) {
  Tree list = Tree::array();
  for (std::size_t i = 0; i < runs.size() && i < specs.elements().size(); ++i) {
    const Tree& spec = specs.elements()[i];
    const ContainerRun& run = runs[i];
    const bool was_there = !run.id.empty();
    Tree status = Tree::object({{"name", spec["name"]},
                                {"image", spec["image"]},
                                {"imageID", was_there ? image_id(spec["image"].string()) : ""},
                                {"state", state_of(run)},
                                {"ready", run.ready},
                                {"started", run.state == State::Running},
                                {"restartCount", run.restarts}});
    status.set("lastState",
               run.ending && run.state != State::Terminated ? terminated(*run.ending) : Tree::object());
    if (was_there) status.set("containerID", run.id);
    list.append(std::move(status));
  }
  return list;
}

std::string unready_containers(const Tree& specs, const std::vector<ContainerRun>& runs,
                               std::string_view what) {
  std::string names;
  for (std::size_t i = 0; i < runs.size() && i < specs.elements().size(); ++i)
    if (!runs[i].ready)
      names += (names.empty() ? "" : " ") + std::string(specs.elements()[i]["name"].string());
  return fmt::format("containers with {} status: [{}]", what, names);
}

std::string_view phase_of_run(const Tree& spec, const PodRun& run, bool terminal) {
  if (!run.reason.empty()) return "Failed";
  if (!run.initialized && !terminal) return "Pending";
  bool waiting = false, running = false, failed = false, restarts = false;
  const std::string_view policy = spec["restartPolicy"].string("Always");
  for (const ContainerRun& container : run.containers) {
    waiting = waiting || (container.state == State::Waiting && !container.ending);
    running = running || container.state == State::Running;
    const bool bad =
        container.ending && container.ending->exit_code != 0 && container.state != State::Running;
    failed = failed || bad;
    restarts = restarts || policy == "Always" || (policy == "OnFailure" && bad);
  }
  if (terminal) return failed || run.containers.empty() || waiting ? "Failed" : "Succeeded";
  if (waiting) return "Pending";
  if (running || restarts) return "Running";
  return failed ? "Failed" : "Succeeded";
}

// Conditions that others must set before the pod counts as ready.
bool gates_open(const Tree& pod) {
  const auto& gates = pod["spec"]["readinessGates"].elements();
  return std::all_of(gates.begin(), gates.end(), [&](const Tree& gate) {
    return api::condition_true(pod, gate["conditionType"].string());
  });
}

// Replaced as a whole; what is empty is left out. The time of the transition stays while the status does.
void write_condition(Tree& pod, std::string_view type, bool holds, std::string_view reason,
                     std::string_view message, Time now) {
  const std::string_view status = holds ? "True" : "False";
  Tree condition = Tree::object({{"type", type}, {"status", status}, {"lastProbeTime", nullptr}});
  if (!reason.empty()) condition.set("reason", reason);
  if (!message.empty()) condition.set("message", message);
  if (pod["metadata"].has("generation")) condition.set("observedGeneration", pod["metadata"]["generation"]);
  condition.set("lastTransitionTime", api::format_time(now));
  auto& conditions = pod.ensure({"status", "conditions"}).elements();
  for (Tree& existing : conditions) {
    if (existing["type"].string() != type) continue;
    if (existing["status"].string() == status)
      condition.set("lastTransitionTime", existing["lastTransitionTime"]);
    existing = std::move(condition);
    return;
  }
  conditions.push_back(std::move(condition));
}

}  // namespace

bool PodRun::ready() const {
  return stage == Stage::Running &&
         std::all_of(containers.begin(), containers.end(), [](const ContainerRun& c) { return c.ready; });
}

void write_status(Tree& pod, const PodRun& run, std::string_view host_ip, Time now) {
  pod.ensure("status");  // first: a new member moves the others
  const Tree& spec = pod["spec"];
  if (!run.reason.empty() && !run.seen) {  // rejected before anything of it was there
    Tree status = Tree::object({{"phase", "Failed"}, {"reason", run.reason}, {"message", run.message}});
    status.set("startTime", api::format_time(now));
    if (pod["status"].has("qosClass")) status.set("qosClass", pod["status"]["qosClass"]);
    if (pod["status"].has("conditions")) status.set("conditions", pod["status"]["conditions"]);
    pod.set("status", std::move(status));
    return;
  }
  const bool terminal = run.stage == PodRun::Stage::Stopped || !run.reason.empty();
  const std::string phase(phase_of_run(spec, run, terminal));
  const bool ended = phase == "Succeeded" || phase == "Failed";
  Tree& status = pod.ensure("status");
  status.set("phase", phase);
  if (pod["metadata"].has("generation")) status.set("observedGeneration", pod["metadata"]["generation"]);
  if (!run.reason.empty()) {
    status.set("reason", run.reason);
    status.set("message", run.message);
  }
  if (run.seen) status.set("startTime", api::format_time(*run.seen));
  if (!host_ip.empty()) {
    status.set("hostIP", host_ip);
    status.set("hostIPs", Tree::array()).append(Tree::object({{"ip", host_ip}}));
  }
  if (!run.pod_ip.empty()) {
    status.set("podIP", run.pod_ip);
    status.set("podIPs", Tree::array()).append(Tree::object({{"ip", run.pod_ip}}));
  }
  status.set("containerStatuses", container_statuses(spec["containers"], run.containers));
  if (!run.init.empty())
    status.set("initContainerStatuses", container_statuses(spec["initContainers"], run.init));

  const bool well = phase == "Succeeded";
  write_condition(pod, "PodReadyToStartContainers", run.sandbox && !ended, "", "", now);
  if (run.initialized)
    write_condition(pod, "Initialized", true, well ? "PodCompleted" : "", "", now);
  else
    write_condition(pod, "Initialized", false, "ContainersNotInitialized",
                    unready_containers(pod["spec"]["initContainers"], run.init, "incomplete"), now);
  const bool ready = run.ready();
  if (ready) {
    write_condition(pod, "ContainersReady", true, "", "", now);
    if (gates_open(pod))
      write_condition(pod, "Ready", true, "", "", now);
    else
      write_condition(pod, "Ready", false, "ReadinessGatesNotReady", "a readiness gate is not \"True\"", now);
    return;
  }
  const std::string_view reason = well                ? "PodCompleted"
                                  : phase == "Failed" ? "PodFailed"
                                                      : "ContainersNotReady";
  const std::string message =
      ended ? std::string() : unready_containers(pod["spec"]["containers"], run.containers, "unready");
  write_condition(pod, "ContainersReady", false, reason, message, now);
  write_condition(pod, "Ready", false, reason, message, now);
}

PodRun adopt(const Tree& pod) {
  PodRun run;
  const Tree &spec = pod["spec"], &status = pod["status"];
  const std::string_view phase = status["phase"].string();
  run.stage = phase == "Running"                          ? PodRun::Stage::Running
              : phase == "Succeeded" || phase == "Failed" ? PodRun::Stage::Ended
                                                          : PodRun::Stage::Seen;
  const auto time = [](const Tree& text) {
    const auto parsed = parse_rfc3339(text.string());
    return parsed ? *parsed : Time{};
  };
  const auto statuses = [&](const Tree& specs, const Tree& list) {
    std::vector<ContainerRun> runs(specs.elements().size());
    for (std::size_t i = 0; i < runs.size(); ++i)
      for (const Tree& found : list.elements()) {
        if (found["name"].string() != specs.elements()[i]["name"].string()) continue;
        ContainerRun& container = runs[i];
        container.id = found["containerID"].string();
        container.restarts = found["restartCount"].integer();
        container.ready = found["ready"].boolean();
        const Tree& state = found["state"];
        if (state.has("running")) {
          container.state = State::Running;
          container.started = time(state["running"]["startedAt"]);
        }
        for (const Tree* ending : {&state["terminated"], &found["lastState"]["terminated"]}) {
          if (!ending->is_object() || container.ending) continue;
          container.ending = Ending{static_cast<int>((*ending)["exitCode"].integer()),
                                    (*ending)["exitCode"].integer() == 0 ? "Completed" : "Error",
                                    time((*ending)["startedAt"]), time((*ending)["finishedAt"]),
                                    std::string((*ending)["containerID"].string())};
          if (ending == &state["terminated"]) container.state = State::Terminated;
        }
      }
    return runs;
  };
  run.containers = statuses(spec["containers"], status["containerStatuses"]);
  run.init = statuses(spec["initContainers"], status["initContainerStatuses"]);
  if (run.stage == PodRun::Stage::Seen) return run;
  run.sandbox = run.initialized = true;
  if (status.has("startTime")) run.seen = time(status["startTime"]);
  run.pod_ip = status["podIP"].string();
  return run;
}

}  // namespace tamp::world

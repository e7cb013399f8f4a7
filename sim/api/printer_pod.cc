// How a pod is shown: READY, STATUS and RESTARTS say in a few letters what its containers do.
#include <fmt/format.h>

#include <optional>

#include "sim/api/printer.h"
#include "sim/api/server.h"

namespace tamp::world::api {
namespace {

// A sidecar: an init container that keeps running.
bool restartable(const Tree& pod, std::string_view name) {
  for (const Tree& container : pod["spec"]["initContainers"].elements())
    if (container["name"].string() == name) return container["restartPolicy"].string() == "Always";
  return false;
}

struct Restarts {
  std::int64_t count = 0;
  std::optional<Time> last;

  void add(const Tree& status) {
    count += status["restartCount"].integer();
    const auto ended = parse_rfc3339(status.at({"lastState", "terminated", "finishedAt"}).string());
    if (ended.ok() && (!last || *last < *ended)) last = *ended;
  }
  std::string text(Time now) const {
    if (count == 0 || !last) return std::to_string(count);
    return fmt::format("{} ({} ago)", count, human_duration(now - *last));
  }
};

// Why a container ended, if nobody gave a reason.
std::string ending(const Tree& terminated) {
  if (!terminated["reason"].string().empty()) return std::string(terminated["reason"].string());
  if (terminated["signal"].integer() != 0) return fmt::format("Signal:{}", terminated["signal"].integer());
  return fmt::format("ExitCode:{}", terminated["exitCode"].integer());
}

std::string or_none(std::string_view text) { return text.empty() ? "<none>" : std::string(text); }

std::string readiness_gates(const Tree& pod) {
  const auto& gates = pod["spec"]["readinessGates"].elements();
  if (gates.empty()) return "<none>";
  std::size_t open = 0;
  for (const Tree& gate : gates)
    if (condition_true(pod, gate["conditionType"].string())) ++open;
  return fmt::format("{}/{}", open, gates.size());
}

// What the containers of a pod say together.
class PodState {
 public:
  explicit PodState(const Tree& pod) : pod_(pod) {
    total_ = pod["spec"]["containers"].size();
    for (const Tree& container : pod["spec"]["initContainers"].elements())
      if (container["restartPolicy"].string() == "Always") ++total_;
    const Tree& status = pod["status"];
    reason_ = status["phase"].string();
    if (!status["reason"].string().empty()) reason_ = status["reason"].string();
    const Tree* scheduled = find_condition(pod, "PodScheduled");
    if (scheduled && (*scheduled)["reason"].string() == "SchedulingGated") reason_ = "SchedulingGated";
    if (!initializing() || condition_true(pod, "Initialized")) look_at_containers();
    if (pod["metadata"].has("deletionTimestamp")) {
      const std::string_view phase = status["phase"].string();
      if (status["reason"].string() == "NodeLost")
        reason_ = "Unknown";
      else if (phase != "Succeeded" && phase != "Failed")
        reason_ = "Terminating";
    }
  }

  std::string ready() const { return fmt::format("{}/{}", ready_, total_); }
  const std::string& reason() const { return reason_; }
  std::string restarts(Time now) const { return restarts_.text(now); }

 private:
  // The first init container that has not done its part says what the pod waits for.
  bool initializing() {
    const auto& statuses = pod_["status"]["initContainerStatuses"].elements();
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      const Tree& status = statuses[i];
      const bool sidecar = restartable(pod_, status["name"].string());
      restarts_.add(status);
      if (sidecar) sidecar_restarts_.add(status);
      const Tree* terminated = status["state"].find("terminated");
      const std::string_view waiting = status.at({"state", "waiting", "reason"}).string();
      if (terminated && (*terminated)["exitCode"].integer() == 0) continue;
      if (sidecar && status["started"].boolean()) {
        if (status["ready"].boolean()) ++ready_;
        continue;
      }
      if (terminated)
        reason_ = "Init:" + ending(*terminated);
      else if (!waiting.empty() && waiting != "PodInitializing")
        reason_ = "Init:" + std::string(waiting);
      else
        reason_ = fmt::format("Init:{}/{}", i, pod_["spec"]["initContainers"].size());
      return true;
    }
    return false;
  }

  void look_at_containers() {
    restarts_ = sidecar_restarts_;
    bool running = false;
    std::string error;
    const auto& statuses = pod_["status"]["containerStatuses"].elements();
    for (auto it = statuses.rbegin(); it != statuses.rend(); ++it) {
      const Tree& status = *it;
      restarts_.add(status);
      const std::string_view waiting = status.at({"state", "waiting", "reason"}).string();
      const Tree* terminated = status["state"].find("terminated");
      if (!waiting.empty()) {
        reason_ = waiting;
      } else if (terminated) {
        reason_ = ending(*terminated);
        if ((*terminated)["exitCode"].integer() != 0) error = reason_;
      } else if (status["ready"].boolean() && status["state"].has("running")) {
        running = true;
        ++ready_;
      }
    }
    if (reason_ != "Completed") return;
    if (running && condition_true(pod_, "Ready"))
      reason_ = "Running";
    else if (!error.empty())
      reason_ = error;
    else if (running)
      reason_ = "NotReady";
  }

  const Tree& pod_;
  std::size_t total_ = 0, ready_ = 0;
  std::string reason_;
  Restarts restarts_, sidecar_restarts_;
};

}  // namespace

Tree::Array pod_cells(const Tree& pod, Time now) {
  const PodState state(pod);
  const auto& ips = pod["status"]["podIPs"].elements();
  return {pod["metadata"]["name"],
          state.ready(),
          state.reason(),
          state.restarts(now),
          age(pod["metadata"]["creationTimestamp"], now),
          or_none(ips.empty() ? "" : ips.front()["ip"].string()),
          or_none(pod["spec"]["nodeName"].string()),
          or_none(pod["status"]["nominatedNodeName"].string()),
          readiness_gates(pod)};
}

}  // namespace tamp::world::api

// The agent without its clock and its port: the cgroup tree, the pods, the sampler, and when to look for cgroups again.
// Not thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "agent/cgroup_tree.h"
#include "agent/machine.h"
#include "agent/observation.h"
#include "agent/sampler.h"
#include "core/result.h"
#include "core/time.h"
#include "wire/node_pods.h"

namespace tamp::agent {

struct AgentOptions {
  std::string cgroup_root = "/sys/fs/cgroup";
  std::string node;                          // empty: as the pods have it, else as the machine calls itself
  Duration interval = Duration::seconds(1);  // between readings
  Duration scan_every = Duration::seconds(10);
  KernelPaths kernel;
};

// Which node this is: as given; the host's name if pods have it; the one that all pods are on. Where that does not decide, it is an
// error.
Result<std::string> name_of_node(const std::string& given, const std::vector<wire::NodePod>& pods,
                                 const std::string& hostname);

class Agent {
 public:
  static Result<Agent> start(AgentOptions options, std::vector<wire::NodePod> pods);

  // The pods as they are listed now; those of other nodes are left out.
  void follow(std::vector<wire::NodePod> pods);
  // One reading of everything, on the monotonic clock. Times do not fall.
  void tick(Time now, bool thorough = false);
  Snapshot snapshot(Moment now);

  const std::string& node() const { return node_; }

 private:
  Agent(AgentOptions options, CgroupTree tree, std::string node, Machine machine);
  void scan(Time now);

  AgentOptions options_;
  CgroupTree tree_;
  std::string node_;
  Machine machine_;
  Sampler sampler_;
  std::optional<Time> scanned_;
};

// The world's clocks. `sleep_until` takes a time of the monotonic one, and may return early when the program is to end.
struct Clock {
  std::function<Time()> monotonic, wall;
  std::function<void(Time)> sleep_until;
};

// Reads for so many seconds, at the beginning and at the end too, and returns the document.
std::string observe(Agent& agent, Duration span, Duration interval, const Clock& clock);

}  // namespace tamp::agent

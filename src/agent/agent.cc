#include "agent/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tamp::agent {

Result<std::string> name_of_node(const std::string& given, const std::vector<wire::NodePod>& pods,
                                 const std::string& hostname) {
  if (!given.empty()) return given;
  std::set<std::string> names;
  for (const wire::NodePod& pod : pods)
    if (!pod.node.empty()) names.insert(pod.node);
  if (names.empty() || names.contains(hostname)) return hostname;
  if (names.size() == 1) return *names.begin();
  return Error{
      fmt::format("the pods are on {} nodes (\"{}\", \"{}\", …) and this machine is \"{}\": --node-name must "
                  "say which it is",
                  names.size(), *names.begin(), *std::next(names.begin()), hostname)};
}

namespace {

// Pods of several nodes, as of a whole cluster: those that have a cgroup here tell which node this is.
std::vector<wire::NodePod> found_here(const CgroupTree& tree, const std::vector<wire::NodePod>& pods) {
  std::vector<std::string> uids;
  uids.reserve(pods.size());
  for (const wire::NodePod& pod : pods) uids.push_back(pod.cgroup);
  std::sort(uids.begin(), uids.end());
  std::set<std::string> found;
  for (const PodDirectory& directory : tree.find(uids)) found.insert(directory.uid);
  std::vector<wire::NodePod> here;
  for (const wire::NodePod& pod : pods)
    if (found.contains(pod.cgroup)) here.push_back(pod);
  return here;
}

}  // namespace

Agent::Agent(AgentOptions options, CgroupTree tree, std::string node, Machine machine)
    : options_(std::move(options)),
      tree_(std::move(tree)),
      node_(std::move(node)),
      machine_(std::move(machine)),
      sampler_(options_.interval) {}

Result<Agent> Agent::start(AgentOptions options, std::vector<wire::NodePod> pods) {
  Machine machine = read_machine(options.kernel);
  TAMP_TRY(CgroupTree tree, CgroupTree::open(options.cgroup_root));
  auto node = name_of_node(options.node, pods, machine.hostname);
  if (!node) {
    const auto here = found_here(tree, pods);
    if (here.empty()) return std::move(node).error();
    node = name_of_node(options.node, here, machine.hostname);
  }
  if (!node) return std::move(node).error();
  Agent agent(std::move(options), std::move(tree), std::move(node).value(), std::move(machine));
  agent.follow(std::move(pods));
  return agent;
}

void Agent::follow(std::vector<wire::NodePod> pods) {
  std::erase_if(pods, [&](const wire::NodePod& pod) { return !pod.node.empty() && pod.node != node_; });
  sampler_.follow(std::move(pods));
  scanned_.reset();
}

void Agent::scan(Time now) {
  if (std::string boot_id = read_boot_id(options_.kernel); boot_id != machine_.boot_id) {
    machine_ = read_machine(options_.kernel);
    sampler_.begin_anew();
  }
  sampler_.scan(tree_);
  scanned_ = now;
}

void Agent::tick(Time now, bool thorough) {
  if (!scanned_ || now - *scanned_ >= options_.scan_every || sampler_.lost_some()) scan(now);
  sampler_.sample(now, thorough);
}

Snapshot Agent::snapshot(Moment now) {
  return take_snapshot(sampler_, machine_, read_own_cost(options_.kernel), node_, now);
}

std::string observe(Agent& agent, Duration span, Duration interval, const Clock& clock) {
  const Time start = clock.monotonic();
  const Time end = start + span;
  // On a grid, so that the time a reading takes does not add up; what was slept through is left out.
  for (Time due = start; due < end;) {
    const Time now = clock.monotonic();
    agent.tick(now);
    while (due <= now) due = due + interval;
    clock.sleep_until(std::min(due, end));
  }
  agent.tick(clock.monotonic(), true);
  return write_observation(agent.snapshot({clock.monotonic(), clock.wall()}));
}

}  // namespace tamp::agent

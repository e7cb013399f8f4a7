#include "proof/motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "gates/candidate.h"

namespace tamp::proof {
namespace {

std::int64_t requested(const Cluster& cluster, const std::vector<PodId>& pods, ResourceId resource) {
  std::int64_t sum = 0;
  for (const PodId p : pods)
    sum = saturating_sum(sum, cluster.spec(cluster.pods[p.index()]).requests.get(resource));
  return sum;
}

std::int64_t left(std::int64_t allocatable, std::int64_t used) {
  return std::max<std::int64_t>(0, allocatable - used);
}

bool in_pools(const Cluster& cluster, const std::vector<NodeId>& victims, const Node& node) {
  const PoolId pool = pool_of(cluster, node);
  return std::any_of(victims.begin(), victims.end(),
                     [&](NodeId v) { return pool_of(cluster, cluster.nodes[v.index()]) == pool; });
}

// Nodes on which at least one of the moved pods may legally land.
std::vector<NodeId> legal_nodes(const Motion& motion) {
  const Cluster& cluster = motion.cluster();
  fit::Simulation& simulation = motion.view.simulation();
  const fit::Index& index = simulation.index();
  const Departure departure(simulation, cluster, motion.intent.victims);
  std::vector<PodId> kinds;  // one pod of each shape; pods with volumes each for themselves
  std::unordered_map<fit::ShapeId, bool> seen;
  for (const PodId p : motion.moved)
    if (!motion.pod(p).volumes.empty() || !std::exchange(seen[index.shape_id(p)], true)) kinds.push_back(p);

  std::vector<NodeId> legal;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const NodeId id(i);
    const Node& node = cluster.nodes[i];
    const auto& victims = motion.intent.victims;
    if (std::find(victims.begin(), victims.end(), id) != victims.end()) continue;
    if (node.marks.pause == cluster.known.true_ || !in_pools(cluster, victims, node)) continue;
    if (index.site(index.site_of(id)).closed != fit::Closed::No) continue;
    const auto takes = [&](PodId p) { return *simulation.filter(p, index.site_of(id)) == '\0'; };
    if (std::any_of(kinds.begin(), kinds.end(), takes)) legal.push_back(id);
  }
  return legal;
}

Survivor describe(const Motion& motion, NodeId id) {
  const Cluster& cluster = motion.cluster();
  const Node& node = cluster.nodes[id.index()];
  Survivor s;
  s.node = id;
  s.name = cluster.text(node.name);
  s.observation = motion.observed(id);
  if (s.observation != nullptr) {
    s.cores = s.observation->cores.value_or(0);
    s.memory_bytes = s.observation->memory_bytes.value_or(0);
  }
  if (!motion.evidence.measured) {
    s.cores = node.capacity.get(kCpu) / 1000;
    s.memory_bytes = node.capacity.get(kMemory);
  }
  s.stays = live_pods(cluster, id);
  s.free_cpu = left(node.allocatable.get(kCpu), requested(cluster, s.stays, kCpu));
  s.free_memory = left(node.allocatable.get(kMemory), requested(cluster, s.stays, kMemory));
  return s;
}

// One pod of each DaemonSet, and the static pods, of the nodes that go: a new node comes with the same.
std::vector<PodId> daemons_of(const Motion& motion) {
  std::vector<PodId> daemons;
  for (const NodeId v : motion.intent.victims)
    for (const PodId p : live_pods(motion.cluster(), v)) {
      const Pod& pod = motion.pod(p);
      const auto alike = [&](PodId other) {
        const Pod& known = motion.pod(other);
        return pod.daemon() ? known.owner_uid == pod.owner_uid && known.daemon() : known.node != pod.node;
      };
      if ((pod.daemon() || pod.mirror) && std::none_of(daemons.begin(), daemons.end(), alike))
        daemons.push_back(p);
    }
  return daemons;
}

// The smallest of the machines that may come.
Survivor describe(const Motion& motion, const price::Replacement& replacement) {
  const Cluster& cluster = motion.cluster();
  Survivor s;
  bool first = true;
  for (const TypeId t : replacement.types) {
    const InstanceType& type = cluster.catalogue->types[t.index()];
    const auto least = [&](std::int64_t& value, std::int64_t candidate) {
      value = first ? candidate : std::min(value, candidate);
    };
    least(s.cores, type.capacity.get(kCpu) / 1000);
    least(s.memory_bytes, type.capacity.get(kMemory));
    least(s.free_cpu, type.allocatable.get(kCpu));
    least(s.free_memory, type.allocatable.get(kMemory));
    first = false;
  }
  s.daemons = daemons_of(motion);
  s.free_cpu = left(s.free_cpu, requested(cluster, s.daemons, kCpu));
  s.free_memory = left(s.free_memory, requested(cluster, s.daemons, kMemory));
  return s;
}

void add_survivors(Motion& motion) {
  const price::Command* command = motion.intent.command;
  std::vector<NodeId> nodes = motion.moved.empty() ? std::vector<NodeId>{} : legal_nodes(motion);
  for (const NodeId id : nodes) motion.survivors.push_back(describe(motion, id));
  std::ranges::sort(motion.survivors, {},
                    [](const Survivor& s) { return std::tuple(-s.free_cpu, -s.free_memory, s.node); });
  const auto most = static_cast<std::size_t>(motion.guards().max_survivors);
  if (motion.survivors.size() > most) motion.survivors.resize(most);
  // Wherever the simulation put a pod must be looked at, whatever the cap.
  if (command != nullptr)
    for (const price::Move& move : command->moves)
      if (move.from.valid() && move.to.valid() &&
          std::none_of(motion.survivors.begin(), motion.survivors.end(),
                       [&](const Survivor& s) { return s.node == move.to; }))
        motion.survivors.push_back(describe(motion, move.to));
  std::ranges::sort(motion.survivors, {}, &Survivor::node);
  for (std::size_t i = 0; command != nullptr && i < command->replacements.size(); ++i) {
    motion.survivors.push_back(describe(motion, command->replacements[i]));
    motion.survivors.back().replacement = i;
    motion.survivors.back().name = price::replacement_alias(i);
  }
}

}  // namespace

std::string Motion::pod_name(PodId id) const {
  return fmt::format("{}/{}", cluster().text(pod(id).ns), cluster().text(pod(id).name));
}

Tier Motion::tier(PodId id) const {
  return tier_of(pod(id), cluster().spec(pod(id)), evidence.context.settings.tiers);
}

const Observation* Motion::observed(NodeId id) const {
  return find_observation(evidence.observations, node_name(id));
}

const PodObservation* Motion::measured(PodId id) const {
  const Pod& p = pod(id);
  const Observation* observation = p.bound() ? observed(p.node) : nullptr;
  if (observation == nullptr) return nullptr;
  const auto key = std::pair(cluster().text(p.ns), cluster().text(p.name));
  auto it = std::lower_bound(observation->pods.begin(), observation->pods.end(), key,
                             [](const PodObservation& o, const auto& wanted) {
                               return std::pair(std::string_view(o.ns), std::string_view(o.name)) < wanted;
                             });
  const std::string_view uid = cluster().text(p.uid);
  for (; it != observation->pods.end() && it->ns == key.first && it->name == key.second; ++it) {
    // The API's copy of a static pod has a uid of its own.
    if (it->uid.empty() || uid.empty() || it->uid == uid || p.mirror) return &*it;
  }
  return nullptr;
}

std::vector<PodId> live_pods(const Cluster& cluster, NodeId node) {
  std::vector<PodId> pods;
  for (const PodId p : cluster.nodes[node.index()].pods)
    if (!cluster.pods[p.index()].terminal()) pods.push_back(p);
  return pods;
}

Motion examine(const Evidence& evidence, SchedulerView& view, Intent intent) {
  Motion motion{evidence, view, std::move(intent), {}, {}, 0, 0};
  const Cluster& cluster = motion.cluster();
  std::sort(motion.intent.victims.begin(), motion.intent.victims.end());
  for (const NodeId v : motion.intent.victims)
    for (const PodId p : cluster.nodes[v.index()].pods)
      if (gates::reschedulable(cluster.pods[p.index()])) motion.moved.push_back(p);
  std::ranges::sort(motion.moved, {}, [&](PodId p) {
    return std::tuple(-static_cast<int>(motion.tier(p)), motion.pod(p).priority.value_or(0), p);
  });
  add_survivors(motion);
  for (const Survivor& s : motion.survivors) {
    motion.free_cpu += s.free_cpu;
    motion.free_memory += s.free_memory;
  }
  if (motion.intent.command != nullptr)
    for (const price::Move& move : motion.intent.command->moves) {
      if (!move.from.valid() || move.pod.index() >= cluster.pods.size()) continue;
      for (Survivor& s : motion.survivors)
        if (s.node == move.to && (s.node.valid() || s.replacement == move.replacement))
          s.comes.push_back(move.pod);
    }
  return motion;
}

Departure::Departure(fit::Simulation& simulation, const Cluster& cluster, const std::vector<NodeId>& victims)
    : simulation_(simulation), victims_(victims) {
  for (const NodeId v : victims)
    for (const PodId p : live_pods(cluster, v)) {
      if (simulation_.leaving(p)) continue;  // it was lifted when the simulation was made
      simulation_.lift(p);
      lifted_.push_back(p);
    }
  for (const NodeId v : victims) simulation_.take_away(v);
}

Departure::~Departure() {
  for (auto it = victims_.rbegin(); it != victims_.rend(); ++it) simulation_.bring_back(*it);
  for (auto it = lifted_.rbegin(); it != lifted_.rend(); ++it) simulation_.put_back(*it);
}

}  // namespace tamp::proof

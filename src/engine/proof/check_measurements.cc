// Is everything that the other checks need known, fresh, and about the node that we mean? Unknown is never healthy.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "proof/checks.h"

namespace tamp::proof::checks {
namespace {

constexpr std::string_view kName = "measurements";

// The first window without a value, "" if there is none.
std::string_view gap(const Windowed& w, bool ten = false) {
  if (ten && !w.s10) return "10s";
  if (!w.s60) return "60s";
  return w.s300 ? "" : "300s";
}

// What is unknown of a pod, as the document spells it; "" if nothing is. Background pods may use what is idle, so that their
// CPU plays no part.
std::string unknown_of(const PodObservation& pod, Tier tier) {
  if (!pod.working_set) return "memory.workingSetBytes";
  if (tier != Tier::Background)
    if (const auto w = gap(pod.cpu_usage, true); !w.empty()) return fmt::format("cpu.usageCores.{}", w);
  if (!is_protected(tier)) return "";
  if (const auto w = gap(pod.cpu_corrected); !w.empty()) return fmt::format("cpu.pressure.corrected.{}", w);
  if (const auto w = gap(pod.memory.some); !w.empty()) return fmt::format("memory.pressure.some.{}", w);
  if (const auto w = gap(pod.io.some); !w.empty()) return fmt::format("io.pressure.some.{}", w);
  return "";
}

std::string problem_with_pod(const Motion& motion, PodId id, Time document) {
  const GuardSettings& guards = motion.guards();
  const std::string name = motion.pod_name(id);
  const PodObservation* pod = motion.measured(id);
  if (pod == nullptr) return fmt::format("pod {} was not measured", name);
  if (pod->samples < guards.min_samples)
    return fmt::format("pod {} has {} samples, needs {}", name, pod->samples, guards.min_samples);
  if (!pod->age_s) return fmt::format("pod {}: the age of its last sample is not known", name);
  // The sample was that old when the document was made, and the document is not new either.
  const double age = *pod->age_s + std::max(0.0, (motion.now() - document).to_seconds());
  if (age > guards.max_observation_age.to_seconds())
    return fmt::format("pod {} was last sampled {:.0f}s ago, the limit is {}", name, age,
                       format_duration(guards.max_observation_age));
  if (const std::string what = unknown_of(*pod, motion.tier(id)); !what.empty())
    return fmt::format("pod {}: {} is not known", name, what);
  return "";
}

// An agent that sees another node than the API does is no measurement.
std::string other_node(const Motion& motion, NodeId id, const Observation& seen) {
  const Cluster& cluster = motion.cluster();
  const std::int64_t cores = cluster.nodes[id.index()].capacity.get(kCpu);
  if (cores >= 1000 && cores / 1000 != *seen.cores)
    return fmt::format("its agent sees {} cores, the API says {}", *seen.cores, cores / 1000);
  for (const PodObservation& pod : seen.pods) {
    const PodId known = cluster.find_pod(pod.ns, pod.name);
    if (!known.valid()) continue;
    const Pod& there = motion.pod(known);
    if (there.bound() && there.node != id && pod.uid == cluster.text(there.uid))
      return fmt::format("its agent sees pod {}, which the API has on {}", motion.pod_name(known),
                         motion.node_name(there.node));
  }
  return "";
}

// What the agent published on its node against what the API says of the node's pods. An agent reads no policy: its tiers are
// the policy's if it was started so, otherwise those of the default floors.
std::string other_requests(const Motion& motion, NodeId id) {
  const Node& node = motion.cluster().nodes[id.index()];
  if (!node.published_requests)
    return motion.evidence.requests_published ? "its agent has not published temper.codes/requests, so that "
                                                "nobody knows whether it sees this node"
                                              : "";
  if (!node.published_requests->readable) return "its annotation temper.codes/requests cannot be read";
  const RequestsByTier ours =
      requests_by_tier(motion.cluster(), node, motion.evidence.context.settings.tiers);
  if (node.published_requests->tiers == requests_by_tier(motion.cluster(), node)) return "";
  for (std::size_t t = 0; t < ours.size(); ++t) {
    const RequestSum &said = node.published_requests->tiers[t], &known = ours[t];
    if (said == known) continue;
    return fmt::format(
        "its agent sees {} {} pods that request {}m cpu and {} MiB, the API says {}, {}m and {} MiB",
        said.pods, word(static_cast<Tier>(t)), said.cpu_millis, said.memory_bytes >> 20, known.pods,
        known.cpu_millis, known.memory_bytes >> 20);
  }
  return "";
}

std::string problem_with_node(const Motion& motion, NodeId id) {
  const Observation* seen = motion.observed(id);
  if (seen == nullptr) return "was not observed";
  const Duration age = motion.now() - seen->at;
  const Duration limit = motion.guards().max_observation_age;
  if (age > limit)
    return fmt::format("its observation is {} old, the limit is {}",
                       format_duration(Duration::seconds(age.ns / 1'000'000'000)), format_duration(limit));
  if (age < Duration{-limit.ns})
    return fmt::format("its observation is from the future ({})", format_rfc3339(seen->at));
  if (!seen->cores || *seen->cores < 1) return "machine.cores is not known";
  if (!seen->memory_bytes || *seen->memory_bytes < 1) return "machine.memoryBytes is not known";
  if (std::string problem = other_node(motion, id, *seen); !problem.empty()) return problem;
  if (std::string problem = other_requests(motion, id); !problem.empty()) return problem;
  for (const PodId pod : live_pods(motion.cluster(), id)) {
    if (!motion.pod(pod).active()) continue;
    if (std::string problem = problem_with_pod(motion, pod, seen->at); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace

Check measurements(const Motion& motion) {
  std::vector<NodeId> nodes = motion.intent.victims;
  for (const Survivor& s : motion.survivors)
    if (s.node.valid()) nodes.push_back(s.node);
  Duration oldest;
  std::size_t pods = 0;
  for (const NodeId id : nodes) {
    const std::string name(motion.node_name(id));
    if (const std::string problem = problem_with_node(motion, id); !problem.empty())
      return failed(kName, fmt::format("node {}: {}", name, problem), name);
    oldest = std::max(oldest, motion.now() - motion.observed(id)->at);
    pods += motion.observed(id)->pods.size();
  }
  return passed(kName,
                fmt::format("{} pods on {} nodes, the oldest observation is {} old", pods, nodes.size(),
                            format_duration(Duration::seconds(oldest.ns / 1'000'000'000))));
}

}  // namespace tamp::proof::checks

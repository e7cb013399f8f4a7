#include "fit/daemons.h"

#include <algorithm>
#include <unordered_map>

namespace tamp::fit {
namespace {

// The newest pod of each DaemonSet that has any; of equally new ones the first.
std::vector<const Pod*> newest_pods(const Cluster& cluster) {
  std::unordered_map<Symbol, std::size_t> sets;  // by uid
  for (std::size_t i = 0; i < cluster.daemon_sets.size(); ++i)
    if (const Symbol uid = cluster.daemon_sets[i].uid; uid.valid()) sets.emplace(uid, i);
  std::vector<const Pod*> newest(cluster.daemon_sets.size());
  for (const Pod& pod : cluster.pods) {
    if (!pod.daemon() || !pod.has_controller) continue;
    const auto set = sets.find(pod.owner_uid);
    if (set == sets.end() || cluster.daemon_sets[set->second].ns != pod.ns) continue;
    const Pod*& best = newest[set->second];
    if (best == nullptr || best->created < pod.created) best = &pod;
  }
  return newest;
}

PodSpec as_karpenter(const PodSpec& pod, const PodSpec& from_template) {
  PodSpec spec = pod;
  if (!from_template.has_node_affinity) return spec;
  spec.has_node_affinity = true;
  spec.node_affinity = from_template.node_affinity;
  return spec;
}

PodSpec asking_for_the_larger(PodSpec spec, const PodSpec& pod) {
  for (const auto& [id, amount] : pod.fresh_requests.empty() ? pod.requests : pod.fresh_requests)
    spec.requests.set(id, std::max(amount, spec.requests.get(id)));
  return spec;
}

}  // namespace

std::vector<PodSpec> daemon_specs(const Cluster& cluster, Dialect dialect) {
  std::vector<PodSpec> specs;
  if (cluster.daemon_sets.empty()) return specs;
  const std::vector<const Pod*> newest = newest_pods(cluster);
  for (std::size_t i = 0; i < newest.size(); ++i) {
    const PodSpec& from_template = cluster.pod_specs[cluster.daemon_sets[i].spec.index()];
    if (newest[i] == nullptr)
      specs.push_back(from_template);
    else if (dialect == Dialect::Karpenter)
      specs.push_back(as_karpenter(cluster.spec(*newest[i]), from_template));
    else
      specs.push_back(asking_for_the_larger(from_template, cluster.spec(*newest[i])));
  }
  return specs;
}

}  // namespace tamp::fit

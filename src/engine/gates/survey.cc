#include "gates/survey.h"

#include <algorithm>

namespace tamp::gates {

Survey::Survey(const situation::Context& context)
    : limits(context.cluster),
      types(situation::index_types(context.cluster)),
      stability(gates::stability(context)) {
  const Cluster& cluster = context.cluster;
  // Karpenter's gates do not ask.
  const std::size_t asked = context.settings.karpenter_compat ? 0 : cluster.pods.size();
  for (std::size_t i = 0; i < asked; ++i) {
    const Pod& pod = cluster.pods[i];
    if (pod.nominated_node.valid() && !pod.bound() && pod.active())
      nominated.try_emplace(pod.nominated_node, i);
  }
  if (context.settings.protect_single_replica.value) replicas.emplace(cluster);
  resource_claims = std::ranges::any_of(cluster.pod_specs, &PodSpec::has_resource_claims);
  has_pool_objects = std::ranges::any_of(cluster.pools, &NodePool::has_object);
}

}  // namespace tamp::gates

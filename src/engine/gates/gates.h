// The gates before the simulation. Each is a small pure function that answers for one node: it passes, or it does not
// and says why, with the numbers, the name of what blocks and the place where the setting came from. assess.cc holds
// their order. Every gate may be asked about every node, also after an earlier one failed.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/message_format.h"
#include "gates/candidate.h"
#include "gates/survey.h"

namespace tamp::gates {

// A node under examination.
struct Probe {
  const situation::Context& context;
  const Survey& survey;
  const Node& node;
  const Candidate& candidate;  // everything but its verdict
  bool words = false;          // write a message for a pass too

  const Cluster& cluster() const { return context.cluster; }
  const Settings& settings() const { return context.settings; }
  bool compat() const { return context.settings.karpenter_compat; }
  const Pod& pod(PodId id) const { return context.cluster.pods[id.index()]; }
  // Null where the node belongs to no pool.
  const NodePool* pool() const {
    return candidate.pool.valid() ? &context.cluster.pools[candidate.pool.index()] : nullptr;
  }
  const PoolSettings* pool_settings() const {
    return candidate.pool.valid() ? &context.settings.pools[candidate.pool.index()] : nullptr;
  }
  std::string_view pool_name() const { return pool() == nullptr ? "" : cluster().text(pool()->name); }
  // Cluster Autoscaler's vocabulary of annotations holds here. Only gates ask that --compat leaves out.
  bool cluster_autoscaler() const;
};

// assess.cc: one node's candidate, with the first gate that fails.
Candidate assess_node(const situation::Context& context, const Survey& survey, NodeId node);

struct Finding {
  bool passed = true;
  std::string message;
  std::optional<SettingSource> source;

  Finding from(SettingSource where) && {
    source = where;
    return std::move(*this);
  }
};

template <typename... Args>
Finding pass(const Probe& probe, fmt::format_string<Args...> text, Args&&... args) {
  return {true, probe.words ? fmt::format(text, std::forward<Args>(args)...) : std::string(), std::nullopt};
}
template <typename... Args>
Finding fail(fmt::format_string<Args...> text, Args&&... args) {
  return {false, fmt::format(text, std::forward<Args>(args)...), std::nullopt};
}

namespace gate {

// gates_node.cc
Finding not_managed(const Probe& probe);
Finding not_initialized(const Probe& probe);
Finding is_deleting(const Probe& probe);
Finding nominated(const Probe& probe);
Finding paused(const Probe& probe);
Finding runs_tamp(const Probe& probe);
Finding node_do_not_disrupt(const Probe& probe);
Finding node_do_not_evict(const Probe& probe);
Finding scale_down_disabled(const Probe& probe);
Finding pool_not_found(const Probe& probe);

// gates_pod.cc
Finding pod_do_not_disrupt(const Probe& probe);
Finding pod_do_not_evict(const Probe& probe);
Finding pod_not_safe_to_evict(const Probe& probe);
Finding pod_local_storage(const Probe& probe);
Finding pod_without_controller(const Probe& probe);
Finding pod_resource_claims(const Probe& probe);
Finding pod_disruption_budget(const Probe& probe);
Finding multiple_disruption_budgets(const Probe& probe);
Finding single_replica(const Probe& probe);

// gates_settings.cc
Finding static_pool(const Probe& probe);
Finding consolidation_off(const Probe& probe);
Finding consolidation_never(const Probe& probe);
Finding instance_type_unknown(const Probe& probe);
Finding capacity_type_unknown(const Probe& probe);
Finding zone_unknown(const Probe& probe);
Finding not_empty(const Probe& probe);
Finding min_nodes(const Probe& probe);

// gates_time.cc
Finding consolidate_after(const Probe& probe);
Finding min_node_lifetime(const Probe& probe);
Finding grace_period(const Probe& probe);
Finding utilization(const Probe& probe);
Finding stabilizing(const Probe& probe);

}  // namespace gate
}  // namespace tamp::gates

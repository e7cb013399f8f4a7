#include "search/surroundings.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "gates/eviction_limits.h"
#include "gates/node_state.h"
#include "gates/protection.h"
#include "gates/settling.h"

namespace tamp::search {
namespace {

// Pods below this priority are there to be preempted (Cluster Autoscaler's default): they claim no room.
constexpr std::int32_t kExpendable = -10;
// More missing replicas than this of one controller are not believed: it is a controller at rest, not one catching up.
constexpr std::int64_t kMostMissing = 1000;

bool reserved_key(std::string_view key) {
  if (key == "kubernetes.io/hostname") return true;
  auto slash = key.find('/');
  std::string_view domain = slash == std::string_view::npos ? "" : key.substr(0, slash);
  bool karpenter =
      domain == "karpenter.sh" || domain.ends_with(".karpenter.sh") || domain == "karpenter.kwok.sh";
  if (!karpenter) return false;
  return key != "karpenter.sh/nodepool" && key != "karpenter.sh/capacity-type" &&
         !key.starts_with("karpenter.kwok.sh/instance-");
}

// Karpenter passes over pending pods that ask for what it never gives.
bool karpenter_would_provision(const Cluster& c, const Pod& pod) {
  if (pod.bound() || !pod.unschedulable || pod.daemon() || pod.owner_kind == OwnerKind::Node) return false;
  if (pod.nominated_node.valid() && pod.nominated_node != c.known.empty) return false;
  const PodSpec& spec = c.spec(pod);
  for (auto [k, v] : spec.node_selector)
    if (reserved_key(c.text(k))) return false;
  for (const auto& term : spec.node_affinity) {
    if (!term.fields.empty()) return false;
    for (const auto& r : term.expressions) {
      if (reserved_key(c.text(r.key))) return false;
      if (r.key == c.known.nodepool && r.op == SelectorOp::DoesNotExist) return false;
    }
  }
  return true;
}

bool would_be_evicted_by_karpenter(const situation::Context& context, const Cluster& c,
                                   const gates::EvictionLimits& limits, const Pod& pod) {
  if (!gates::reschedulable(pod)) return false;
  if (pod.active() && pod.do_not_disrupt.valid() &&
      gates::read_protection(c.text(pod.do_not_disrupt), pod.started, context.now).active)
    return false;
  if (!pod.active() || gates::tolerates_disruption(c, pod)) return true;
  auto over = limits.over(pod);
  if (over.size() > 1) return false;
  return over.empty() || !gates::fully_blocking(c.budgets[over.front()]) ||
         (c.budgets[over.front()].always_allow_unhealthy && pod.ready_false);
}

}  // namespace

fit::Closed closed(const situation::Context& context, NodeId id) {
  using fit::Closed;
  const Cluster& c = context.cluster;
  const Node& node = c.nodes[id.index()];
  if (context.settings.karpenter_compat)
    return gates::under_consolidate_after(context, id) ? Closed::ForMovedPods : Closed::No;
  // Unknown is never healthy: a node that does not say it is ready takes nothing.
  const bool paused = node.marks.pause == c.known.true_;
  const bool shut = paused || !node.ready.is_true() || !gates::initialized(c, node) ||
                    gates::deleting(context, node) || gates::within_grace_period(context, id);
  return shut ? Closed::ForAll : Closed::No;
}

fit::Options schedule_options(const situation::Context& context) {
  fit::Options options;
  options.dialect = context.settings.karpenter_compat ? fit::Dialect::Karpenter : fit::Dialect::Kubernetes;
  options.preferences = context.settings.preferences.value;
  if (!context.settings.karpenter_compat)
    options.new_nodes =
        static_cast<std::size_t>(std::max<std::int64_t>(1, context.settings.max_replacements.value));
  for (std::size_t i = 0; i < context.cluster.nodes.size(); ++i)
    options.closed.push_back(closed(context, NodeId(i)));
  return options;
}

namespace {

std::vector<fit::Seeker> seekers_among(const situation::Context& context, const Cluster& cluster,
                                       std::span<const PodId> unbound) {
  using fit::Role;
  const bool compat = context.settings.karpenter_compat;
  std::vector<fit::Seeker> seekers;
  std::optional<gates::EvictionLimits> limits;
  for (const Node& node : cluster.nodes) {
    if (!gates::deleting(context, node)) continue;
    if (!limits) limits.emplace(cluster);
    for (PodId p : node.pods) {
      const Pod& pod = cluster.pods[p.index()];
      if (compat ? would_be_evicted_by_karpenter(context, cluster, *limits, pod) : gates::reschedulable(pod))
        seekers.push_back({p, Role::Leaving});
    }
  }
  for (PodId p : unbound) {
    const Pod& pod = cluster.pods[p.index()];
    // A pod whose binding dangles belongs to no node and is looking for none.
    if (std::ranges::find(cluster.dangling, p.value) != cluster.dangling.end()) continue;
    const bool looking = compat ? karpenter_would_provision(cluster, pod)
                                : pod.active() && !pod.daemon() && !cluster.spec(pod).scheduling_gated &&
                                      pod.priority.value_or(0) >= kExpendable;
    if (looking) seekers.push_back({p, Role::Pending});
  }
  std::ranges::sort(seekers, {}, &fit::Seeker::pod);
  return seekers;
}

}  // namespace

std::vector<fit::Seeker> background_pods(const situation::Context& context, const Cluster& cluster) {
  std::vector<PodId> unbound;
  for (std::size_t i = 0; i < cluster.pods.size(); ++i)
    if (!cluster.pods[i].bound()) unbound.emplace_back(i);
  return seekers_among(context, cluster, unbound);
}

std::vector<fit::Seeker> background_pods(const situation::Context& context, const fit::Index& index) {
  return seekers_among(context, index.cluster(), index.unbound());
}

std::unique_ptr<Cluster> with_missing_pods(const Cluster& cluster) {
  struct Replicas {
    std::int64_t present = 0;
    PodId example;
  };
  std::unordered_map<Symbol, Replicas> by_owner;  // uid
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    const Pod& pod = cluster.pods[i];
    if (!pod.owner_uid.valid() || pod.owner_uid == cluster.known.empty || pod.daemon()) continue;
    Replicas& r = by_owner[pod.owner_uid];
    if (pod.active()) ++r.present;
    if (!r.example.valid()) r.example = PodId(i);
  }
  std::vector<Pod> missing;
  for (const auto& w : cluster.workloads) {
    bool counts_pods = w.kind == WorkloadKind::ReplicaSet || w.kind == WorkloadKind::ReplicationController ||
                       w.kind == WorkloadKind::StatefulSet;
    if (!counts_pods || w.deleting || !w.uid.valid()) continue;
    auto it = by_owner.find(w.uid);
    std::int64_t present = it == by_owner.end() ? 0 : it->second.present;
    std::int64_t lacking = std::min(w.desired - present, kMostMissing);
    if (lacking <= 0) continue;
    Pod pod;
    pod.ns = w.ns;
    if (it != by_owner.end()) {
      const Pod& example = cluster.pods[it->second.example.index()];
      pod.spec = example.spec;
      pod.labels = example.labels;
      pod.priority = example.priority;
    } else if (w.template_spec) {
      pod.spec = *w.template_spec;
      pod.labels = w.template_labels;
    } else {
      continue;
    }
    pod.name = w.name;
    pod.phase = PodPhase::Pending;
    pod.owner_uid = w.uid;
    pod.has_controller = true;
    for (std::int64_t i = 0; i < lacking; ++i) missing.push_back(pod);
  }
  if (missing.empty()) return nullptr;
  auto completed = std::make_unique<Cluster>(cluster);
  completed->pods.insert(completed->pods.end(), missing.begin(), missing.end());
  return completed;
}

std::unique_ptr<Cluster> completed_cluster(const situation::Context& context) {
  return context.settings.karpenter_compat ? nullptr : with_missing_pods(context.cluster);
}

}  // namespace tamp::search

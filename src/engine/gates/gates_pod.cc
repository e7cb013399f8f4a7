#include <algorithm>

#include "gates/gates.h"
#include "gates/protection.h"

namespace tamp::gates::gate {
namespace {

template <typename Predicate>
const Pod* find_pod(const Probe& probe, Predicate blocks) {
  for (PodId id : probe.node.pods)
    if (const Pod& pod = probe.pod(id); blocks(pod)) return &pod;
  return nullptr;
}

// Where only pods with the trait can block.
template <typename Predicate>
const Pod* find_pod(const Probe& probe, PodTrait trait, Predicate blocks) {
  return probe.candidate.has_pod(trait) ? find_pod(probe, blocks) : nullptr;
}

bool is_true(const Probe& probe, Symbol annotation) { return annotation == probe.cluster().known.true_; }

Protection protection_of(const Probe& probe, const Pod& pod) {
  if (!pod.do_not_disrupt.valid()) return {};
  return read_protection(probe.cluster().text(pod.do_not_disrupt), pod.started, probe.context.now);
}

// Pods that Cluster Autoscaler's rules look at: it does not evict DaemonSet and static pods, and an owner's
// safe-to-evict "true" overrides every rule.
bool drained_by_rules(const Probe& probe, const Pod& pod) {
  return pod.active() && !pod.daemon() && !pod.mirror && !is_true(probe, pod.safe_to_evict);
}

// Is `name` an entry of the comma-separated list?
bool lists(std::string_view list, std::string_view name) {
  while (true) {
    const std::size_t comma = list.find(',');
    if (list.substr(0, comma) == name) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

const PodVolume* local_volume(const Probe& probe, const Pod& pod) {
  const std::string_view safe = probe.cluster().text(pod.safe_local_volumes);
  const auto it = std::ranges::find_if(pod.volumes, [&](const PodVolume& v) {
    const bool local = v.kind == PodVolume::Kind::HostPath || v.kind == PodVolume::Kind::EmptyDir;
    return local && !lists(safe, probe.cluster().text(v.name));
  });
  return it == pod.volumes.end() ? nullptr : &*it;
}

// Pods that a drain would evict, and that budgets therefore stand in the way of. Karpenter leaves pods alone that
// tolerate its taint; the API server would refuse their eviction all the same.
bool under_budgets(const Probe& probe, const Pod& pod) {
  if (!pod.active() || pod.mirror || protection_of(probe, pod).active) return false;
  return !(probe.compat() && tolerates_disruption(probe.cluster(), pod));
}

std::string budget_name(const Probe& probe, std::uint32_t index) {
  const PodDisruptionBudget& budget = probe.cluster().budgets[index];
  return fmt::format("{}/{}", probe.cluster().text(budget.ns), probe.cluster().text(budget.name));
}

}  // namespace

Finding pod_do_not_disrupt(const Probe& probe) {
  const Pod* pod = find_pod(probe, PodTrait::DoNotDisrupt,
                            [&](const Pod& p) { return p.active() && protection_of(probe, p).active; });
  if (pod == nullptr) return pass(probe, "no pod forbids it");
  const std::string_view value = probe.cluster().text(pod->do_not_disrupt);
  if (const Protection protection = protection_of(probe, *pod); protection.until)
    return fail("pod {} is annotated karpenter.sh/do-not-disrupt: \"{}\", until {}",
                PodName{probe.cluster(), *pod}, value, Moment{*protection.until});
  return fail("pod {} is annotated karpenter.sh/do-not-disrupt: \"{}\"", PodName{probe.cluster(), *pod},
              value);
}

Finding pod_do_not_evict(const Probe& probe) {
  const Pod* pod = find_pod(probe, PodTrait::DoNotEvict,
                            [&](const Pod& p) { return p.active() && is_true(probe, p.do_not_evict); });
  if (pod == nullptr) return pass(probe, "no pod forbids it");
  return fail("pod {} is annotated karpenter.sh/do-not-evict: \"true\"", PodName{probe.cluster(), *pod});
}

Finding pod_not_safe_to_evict(const Probe& probe) {
  if (!probe.cluster_autoscaler()) return pass(probe, "not a node of Cluster Autoscaler");
  const Pod* pod = find_pod(probe, [&](const Pod& p) {
    if (!p.safe_to_evict.valid() || !drained_by_rules(probe, p)) return false;
    const std::string_view value = probe.cluster().text(p.safe_to_evict);
    return value == "false" || value == "on-completion";
  });
  if (pod == nullptr) return pass(probe, "no pod forbids it");
  return fail("pod {} is annotated cluster-autoscaler.kubernetes.io/safe-to-evict: \"{}\"",
              PodName{probe.cluster(), *pod}, probe.cluster().text(pod->safe_to_evict));
}

Finding pod_local_storage(const Probe& probe) {
  if (!probe.cluster_autoscaler()) return pass(probe, "not a node of Cluster Autoscaler");
  const Pod* pod = find_pod(
      probe, [&](const Pod& p) { return drained_by_rules(probe, p) && local_volume(probe, p) != nullptr; });
  if (pod == nullptr) return pass(probe, "no pod keeps data on the node");
  const PodVolume* volume = local_volume(probe, *pod);
  return fail("pod {} keeps data on the node: volume {} ({})", PodName{probe.cluster(), *pod},
              probe.cluster().text(volume->name),
              volume->kind == PodVolume::Kind::HostPath ? "hostPath" : "emptyDir");
}

Finding pod_without_controller(const Probe& probe) {
  const auto& allowed = probe.settings().allow_unowned_pods;
  if (allowed.value) return pass(probe, "allowUnownedPods is true").from(allowed.source);
  const Pod* pod = find_pod(probe, PodTrait::NoController, [&](const Pod& p) {
    if (p.has_controller || !reschedulable(p)) return false;
    return !(probe.cluster_autoscaler() && is_true(probe, p.safe_to_evict));
  });
  if (pod == nullptr) return pass(probe, "every pod has a controller").from(allowed.source);
  return fail("pod {} has no controller: nobody would create it again", PodName{probe.cluster(), *pod})
      .from(allowed.source);
}

Finding pod_resource_claims(const Probe& probe) {
  const Pod* pod = find_pod(probe, PodTrait::ResourceClaims, [&](const Pod& p) {
    return reschedulable(p) && probe.cluster().spec(p).has_resource_claims;
  });
  if (pod == nullptr) return pass(probe, "no pod claims devices");
  return fail("pod {} has dynamic resource claims, which the simulation cannot place",
              PodName{probe.cluster(), *pod});
}

Finding pod_disruption_budget(const Probe& probe) {
  const auto refused_by = [&](const Pod& pod) -> const std::uint32_t* {
    const auto budgets = probe.survey.limits.over(pod);
    if (budgets.size() != 1 || !under_budgets(probe, pod)) return nullptr;
    return refuses(probe.cluster().budgets[budgets.front()], pod) ? &budgets.front() : nullptr;
  };
  const Pod* pod =
      find_pod(probe, PodTrait::UnderBudget, [&](const Pod& p) { return refused_by(p) != nullptr; });
  if (pod == nullptr) return pass(probe, "every budget allows an eviction");
  const std::uint32_t index = *refused_by(*pod);
  const PodDisruptionBudget& budget = probe.cluster().budgets[index];
  if (budget.disruptions_allowed > 0)
    return fail("PodDisruptionBudget {} can never allow the eviction of pod {} (its status still says {})",
                budget_name(probe, index), PodName{probe.cluster(), *pod}, budget.disruptions_allowed);
  return fail("PodDisruptionBudget {} allows 0 disruptions; pod {} is under it", budget_name(probe, index),
              PodName{probe.cluster(), *pod});
}

Finding multiple_disruption_budgets(const Probe& probe) {
  const Pod* pod = find_pod(probe, PodTrait::UnderBudget, [&](const Pod& p) {
    return probe.survey.limits.over(p).size() > 1 && under_budgets(probe, p);
  });
  if (pod == nullptr) return pass(probe, "no pod is under two budgets");
  std::string names;
  for (const std::uint32_t index : probe.survey.limits.over(*pod))
    names += (names.empty() ? "" : ", ") + budget_name(probe, index);
  return fail("pod {} is under several PodDisruptionBudgets ({}): the API server refuses to evict it",
              PodName{probe.cluster(), *pod}, names);
}

Finding single_replica(const Probe& probe) {
  const auto& setting = probe.settings().protect_single_replica;
  if (!setting.value || !probe.survey.replicas)
    return pass(probe, "protectSingleReplica is false").from(setting.source);
  const Pod* pod = find_pod(
      probe, [&](const Pod& p) { return reschedulable(p) && probe.survey.replicas->desired(p) == 1; });
  if (pod == nullptr) return pass(probe, "every pod has a sibling").from(setting.source);
  return fail("pod {} is the only replica of its workload", PodName{probe.cluster(), *pod})
      .from(setting.source);
}

}  // namespace tamp::gates::gate

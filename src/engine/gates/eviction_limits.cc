#include "gates/eviction_limits.h"

#include <algorithm>

namespace tamp::gates {
namespace {

std::uint64_t key_of(const Pod& pod) { return std::uint64_t{pod.ns.value} << 32 | pod.labels.value; }

}  // namespace

EvictionLimits::EvictionLimits(const Cluster& cluster) {
  if (cluster.budgets.empty()) return;
  std::unordered_map<Symbol, std::vector<std::uint32_t>> by_namespace;
  for (std::size_t i = 0; i < cluster.budgets.size(); ++i)
    by_namespace[cluster.budgets[i].ns].push_back(static_cast<std::uint32_t>(i));
  for (const PodDisruptionBudget& budget : cluster.budgets) namespaces_.push_back(budget.ns);
  std::sort(namespaces_.begin(), namespaces_.end());

  for (const Pod& pod : cluster.pods) {
    if (!pod.bound()) continue;
    const auto candidates = by_namespace.find(pod.ns);
    if (candidates == by_namespace.end()) continue;
    const auto [entry, fresh] = by_labels_.try_emplace(key_of(pod));
    if (!fresh) continue;
    for (const std::uint32_t i : candidates->second) {
      const auto& selector = cluster.budgets[i].selector;
      if (selector && matches(*selector, cluster.labels(pod))) entry->second.push_back(i);
    }
  }
}

std::span<const std::uint32_t> EvictionLimits::over(const Pod& pod) const {
  if (by_labels_.empty()) return {};
  const auto it = by_labels_.find(key_of(pod));
  return it == by_labels_.end() ? std::span<const std::uint32_t>() : it->second;
}

bool EvictionLimits::covers(const Pod& pod) const {
  return by_labels_.contains(key_of(pod)) ||
         !std::binary_search(namespaces_.begin(), namespaces_.end(), pod.ns);
}

bool fully_blocking(const PodDisruptionBudget& budget) {
  if (budget.max_unavailable && budget.max_unavailable->value == 0) return true;
  return budget.min_available && budget.min_available->percent && budget.min_available->value == 100;
}

bool refuses(const PodDisruptionBudget& budget, const Pod& pod) {
  if (budget.always_allow_unhealthy && pod.ready_false) return false;
  return budget.disruptions_allowed <= 0 || fully_blocking(budget);
}

bool tolerates_disruption(const Cluster& cluster, const Pod& pod) {
  const auto& known = cluster.known;
  const auto named = [&](Symbol s) { return s.valid() && s != known.empty; };
  return std::ranges::any_of(cluster.spec(pod).tolerations, [&](const Toleration& t) {
    if (!t.any_effect && t.effect != TaintEffect::NoSchedule) return false;
    if (named(t.key) && t.key != known.disrupted_taint) return false;
    return t.op == Toleration::Op::Exists || (t.op == Toleration::Op::Equal && !named(t.value));
  });
}

}  // namespace tamp::gates

#include "sim/api/eviction.h"

#include <fmt/format.h>

#include <vector>

#include "sim/api/managed_fields.h"
#include "sim/api/pod_condition.h"
#include "sim/api/removal.h"
#include "sim/api/status.h"

namespace tamp::world::api {
namespace {

// A budget that has promised this many disruptions which its controller has not yet seen is not asked again.
constexpr std::size_t kMaxDisruptedPods = 2000;

Outcome too_many_requests(std::int64_t retry_after_seconds, std::string cause) {
  Tree details = Tree::object({{"causes", Tree::Array{Tree::object({{"reason", "DisruptionBudget"},
                                                                    {"message", std::move(cause)}})}}});
  if (retry_after_seconds > 0) details.set("retryAfterSeconds", retry_after_seconds);
  return failed(429, "TooManyRequests", "Cannot evict pod as it would violate the pod's disruption budget.",
                std::move(details));
}

Outcome still_processed(const Object& budget) {
  return too_many_requests(
      10, fmt::format("The disruption budget {} is still being processed by the server.", budget.name()));
}

std::string why_nothing_is_left(const Object& budget) {
  const Tree& status = budget.status();
  const std::int64_t needed = status["desiredHealthy"].integer(),
                     healthy = status["currentHealthy"].integer();
  const Tree* condition = find_condition(budget.tree(), "DisruptionAllowed");
  const bool told = condition != nullptr && (*condition)["status"].string() == "False" &&
                    !(*condition)["message"].string().empty();
  if (told && (*condition)["reason"].string() == "SyncFailed")
    return fmt::format(
        "The disruption budget {} does not allow evicting pods currently because it failed sync: {}",
        budget.name(), (*condition)["message"].string());
  if (healthy <= needed)
    return fmt::format("The disruption budget {} needs {} healthy pods and has {} currently", budget.name(),
                       needed, healthy);
  if (told)
    return fmt::format("The disruption budget {} does not allow evicting pods currently ({}): {}",
                       budget.name(), (*condition)["reason"].string(), (*condition)["message"].string());
  return fmt::format("The disruption budget {} does not allow evicting pods currently", budget.name());
}

// Takes one disruption from the budget and notes for whom. What refuses, if anything.
std::optional<Outcome> pay(Backend& backend, const ObjectPtr& budget, std::string_view pod, bool dry_run) {
  const Tree& status = budget->status();
  Resource shown = *backend.registry.find(ResourceId::PodDisruptionBudgets);
  shown.plural = shown.singular;
  if (status["observedGeneration"].integer() < budget->metadata()["generation"].integer())
    return still_processed(*budget);
  const std::int64_t allowed = status["disruptionsAllowed"].integer();
  if (allowed < 0) return forbidden(shown, budget->name(), "pdb disruptions allowed is negative");
  if (status["disruptedPods"].size() > kMaxDisruptedPods)
    return forbidden(shown, budget->name(),
                     "DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  if (allowed == 0) return too_many_requests(0, why_nothing_is_left(*budget));
  if (dry_run) return {};

  Tree updated = budget->tree();
  updated.ensure({"status", "disruptionsAllowed"}) = allowed - 1;
  if (allowed == 1) {
    set_condition(updated, "DisruptionAllowed", "False", "InsufficientPods", "", backend.now);
    for (Tree& condition : updated.ensure({"status", "conditions"}).elements())
      if (condition["type"].string() == "DisruptionAllowed")
        condition.set("observedGeneration", status["observedGeneration"]);
  }
  updated.ensure({"status", "disruptedPods"}).set(pod, format_time(backend.now));
  if (budget->metadata().has("managedFields"))
    track_update(&budget->tree(), updated, "kube-apiserver", "status", "policy/v1", backend.now,
                 find_schema("policy", "v1", "PodDisruptionBudget"));
  backend.store.put(ResourceId::PodDisruptionBudgets, std::move(updated));
  return {};
}

std::vector<ObjectPtr> budgets_of(const Backend& backend, const Object& pod) {
  std::vector<ObjectPtr> found;
  const Objects& all = backend.store.objects(ResourceId::PodDisruptionBudgets);
  for (auto it = all.lower_bound(std::pair(pod.ns(), std::string_view()));
       it != all.end() && it->first.first == pod.ns(); ++it)
    if (selects(it->second->spec()["selector"], pod.metadata()["labels"])) found.push_back(it->second);
  return found;
}

// A pod that does not serve, or is going anyway, costs nobody anything.
bool beyond_budgets(const Object& pod) {
  const std::string_view phase = pod.status()["phase"].string();
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" || pod.terminating();
}

// An unready pod goes for free if the budget says so, or if there are healthy ones enough without it.
bool free_because_unhealthy(const Object& pod, const Object& budget) {
  if (condition_true(pod.tree(), "Ready")) return false;
  if (budget.spec()["unhealthyPodEvictionPolicy"].string() == "AlwaysAllow") return true;
  const std::int64_t needed = budget.status()["desiredHealthy"].integer();
  return budget.status()["currentHealthy"].integer() >= needed && needed > 0;
}

Outcome mark_and_delete(Backend& backend, std::string_view ns, std::string_view name, DeleteOptions options) {
  Resource pods = *backend.registry.find(ResourceId::Pods);
  const ObjectPtr current = backend.store.get(ResourceId::Pods, ns, name);
  if (options.uid && options.uid->empty()) options.uid.reset();
  if (options.resource_version && options.resource_version->empty()) options.resource_version.reset();
  if (!options.dry_run) {
    if (auto refusal = precondition_failed(pods, *current, options)) return *std::move(refusal);
    Tree marked = current->tree();
    if (set_pod_condition(marked, "DisruptionTarget", "True", "EvictionByEvictionAPI",
                          "Eviction API: evicting", backend.now)) {
      const ObjectPtr stored = backend.store.put(ResourceId::Pods, std::move(marked));
      if (options.resource_version) options.resource_version = stored->metadata()["resourceVersion"].string();
    }
  }
  Outcome outcome = remove_object(backend, pods, ns, name, options).outcome;
  if (outcome.ok()) outcome.code = 201;
  return outcome;
}

}  // namespace

Outcome evict_pod(Backend& backend, std::string_view ns, std::string_view name,
                  const DeleteOptions& options) {
  const ObjectPtr pod = backend.store.get(ResourceId::Pods, ns, name);
  if (!pod) return not_found(*backend.registry.find(ResourceId::Pods), name);
  if (beyond_budgets(*pod)) return mark_and_delete(backend, ns, name, options);
  const std::vector<ObjectPtr> budgets = budgets_of(backend, *pod);
  if (budgets.size() > 1)
    return failed(
        500, "",
        "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
  if (!budgets.empty() && free_because_unhealthy(*pod, *budgets.front())) {
    // It must still be the version that was found unready, whatever the caller asks for; otherwise it is to be tried again.
    DeleteOptions of_this_version = options;
    of_this_version.resource_version = std::string(pod->metadata()["resourceVersion"].string());
    Outcome outcome = mark_and_delete(backend, ns, name, of_this_version);
    if (outcome.code == 409 && !options.resource_version) return still_processed(*budgets.front());
    return outcome;
  }
  if (!budgets.empty())
    if (auto refusal = pay(backend, budgets.front(), name, options.dry_run)) return *std::move(refusal);
  // A refused precondition comes after the payment, as in the real server: it costs a disruption all the same.
  return mark_and_delete(backend, ns, name, options);
}

}  // namespace tamp::world::api

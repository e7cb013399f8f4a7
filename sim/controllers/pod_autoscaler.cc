#include "sim/controllers/pod_autoscaler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/controllers/pod_facts.h"
#include "sim/controllers/record.h"
#include "wire/quantity.h"

namespace tamp::world {
namespace {

using api::ObjectPtr;
using api::ResourceId;
using api::Tree;

constexpr std::string_view kComponent = "horizontal-pod-autoscaler";
constexpr Duration kPeriod = Duration::seconds(15);
constexpr double kTolerance = 0.1;
constexpr Duration kDownWindow = Duration::seconds(300);

std::optional<ResourceId> target_resource(const Tree& reference) {
  const std::string_view kind = reference["kind"].string();
  if (kind == "Deployment") return ResourceId::Deployments;
  if (kind == "ReplicaSet") return ResourceId::ReplicaSets;
  if (kind == "StatefulSet") return ResourceId::StatefulSets;
  return {};
}

// The cpu metric of the autoscaler; nullptr if it has none.
const Tree* cpu_target(const api::Object& scaler) {
  for (const Tree& metric : scaler.spec()["metrics"].elements())
    if (metric["type"].string() == "Resource" && metric["resource"]["name"].string() == "cpu")
      return &metric["resource"]["target"];
  return nullptr;
}

std::int64_t requested_millicores(const api::Object& pod) {
  std::int64_t sum = 0;
  for (const Tree& container : pod.spec()["containers"].elements()) {
    const auto quantity = wire::parse_quantity(container["resources"]["requests"]["cpu"].string());
    if (quantity.ok()) sum += quantity->millis();
  }
  return sum;
}

// What the policies of one direction allow to change within their periods.
template <class History>
std::int64_t allowed_change(const Tree& rules, const History& history, std::int64_t current, bool up,
                            Time now) {
  if (rules["selectPolicy"].string() == "Disabled") return 0;
  const bool least = rules["selectPolicy"].string() == "Min";
  std::optional<std::int64_t> allowed;
  const auto consider = [&](std::string_view type, std::int64_t value, std::int64_t period) {
    std::int64_t done = 0;
    for (const auto& scaling : history)
      if (scaling.at + Duration::seconds(period) > now) done += scaling.by;
    const std::int64_t start = up ? current - done : current + done;
    std::int64_t change = 0;
    if (type == "Pods")
      change = value - done;
    else if (up)
      change = static_cast<std::int64_t>(
                   std::ceil(static_cast<double>(start) * (1.0 + static_cast<double>(value) / 100.0))) -
               current;
    else
      change = current - static_cast<std::int64_t>(static_cast<double>(start) *
                                                   (1.0 - static_cast<double>(value) / 100.0));
    change = std::max<std::int64_t>(0, change);
    allowed = !allowed ? change : least ? std::min(*allowed, change) : std::max(*allowed, change);
  };
  for (const Tree& policy : rules["policies"].elements())
    consider(policy["type"].string(), policy["value"].integer(), policy["periodSeconds"].integer());
  if (!allowed) {
    consider("Percent", 100, 15);
    if (up) consider("Pods", 4, 15);
  }
  return *allowed;
}

}  // namespace

void PodAutoscaler::changed(Stage& stage, const api::Change& change) {
  if (change.resource == ResourceId::Pods && !change.after) {
    usage_.erase({std::string(change.before->ns()), std::string(change.before->name())});
  } else if (change.resource == ResourceId::HorizontalPodAutoscalers) {
    if (!change.after)
      memories_.erase({std::string(change.before->ns()), std::string(change.before->name())});
    if (!change.after || ticking_) return;
    ticking_ = true;
    stage.later(kPeriod, {Actor::PodAutoscaler, 0, "", "", 1});
  }
}

void PodAutoscaler::happen(Stage& stage, const Event&) {
  std::vector<ObjectPtr> scalers;
  for (const auto& [key, scaler] : stage.api.objects(ResourceId::HorizontalPodAutoscalers))
    scalers.push_back(scaler);
  if (scalers.empty()) {
    ticking_ = false;
    return;
  }
  stage.later(kPeriod, {Actor::PodAutoscaler, 0, "", "", 1});
  for (const auto& scaler : scalers) look_at(stage, *scaler);
}

PodAutoscaler::Proposal PodAutoscaler::propose(const Stage& stage, const api::Object& scaler,
                                               const api::Object& target, std::int64_t current) const {
  Proposal proposal;
  proposal.replicas = current;
  const Tree* goal = cpu_target(scaler);
  if (goal == nullptr) return {.replicas = current, .problem = "only the cpu of pods is measured"};
  std::int64_t usage = 0, requests = 0, known = 0, missing = 0, missing_requests = 0, unready = 0,
               unready_requests = 0;
  for (const auto& pod : stage.api.list(ResourceId::Pods, scaler.ns())) {
    if (!is_active(*pod) || !api::selects(target.spec()["selector"], pod->metadata()["labels"])) continue;
    const std::int64_t requested = requested_millicores(*pod);
    const auto measured = usage_.find({std::string(pod->ns()), std::string(pod->name())});
    if (!is_ready(*pod)) {
      ++unready;
      unready_requests += requested;
    } else if (measured == usage_.end()) {
      ++missing;
      missing_requests += requested;
    } else {
      ++known;
      usage += measured->second;
      requests += requested;
    }
  }
  if (known == 0)
    return {
        .replicas = current,
        .problem = "unable to get metrics for resource cpu: no metrics returned from resource metrics API"};
  proposal.average = usage / known;
  double ratio = 1;
  const bool by_utilization = (*goal)["type"].string() == "Utilization";
  double per_pod = 0;  // the target for one pod, in millicores; for AverageValue
  if (by_utilization) {
    if (requests == 0) return {.replicas = current, .problem = "missing request for cpu"};
    proposal.utilization = usage * 100 / requests;
    ratio = static_cast<double>(proposal.utilization) /
            static_cast<double>((*goal)["averageUtilization"].integer(80));
  } else {
    const auto quantity = wire::parse_quantity((*goal)["averageValue"].string());
    if (!quantity.ok() || quantity->millis() <= 0) return {.replicas = current, .problem = "no target value"};
    per_pod = static_cast<double>(quantity->millis());
    ratio = static_cast<double>(usage) / static_cast<double>(known) / per_pod;
  }
  const bool counts_unready = unready > 0 && ratio > 1;
  if (missing == 0 && !counts_unready) {
    if (std::abs(1 - ratio) <= kTolerance) return proposal;
    proposal.replicas = static_cast<std::int64_t>(std::ceil(ratio * static_cast<double>(known)));
    return proposal;
  }
  // Pods without a measurement are assumed to be against the change: idle when it goes up, at the target when it goes down.
  std::int64_t pods = known, all_usage = usage, all_requests = requests;
  pods += missing;
  all_requests += missing_requests;
  if (ratio < 1) {
    const double assumed = by_utilization
                               ? static_cast<double>(missing_requests) *
                                     static_cast<double>((*goal)["averageUtilization"].integer(80)) / 100.0
                               : per_pod * static_cast<double>(missing);
    all_usage += static_cast<std::int64_t>(assumed);
  }
  if (counts_unready) {
    pods += unready;
    all_requests += unready_requests;
  }
  const double again = by_utilization ? static_cast<double>(all_usage * 100) /
                                            static_cast<double>(std::max<std::int64_t>(1, all_requests)) /
                                            static_cast<double>((*goal)["averageUtilization"].integer(80))
                                      : static_cast<double>(all_usage) / static_cast<double>(pods) / per_pod;
  if (std::abs(1 - again) <= kTolerance || (ratio < 1) != (again < 1)) return proposal;
  const auto replicas = static_cast<std::int64_t>(std::ceil(again * static_cast<double>(pods)));
  if ((again < 1 && replicas > current) || (again > 1 && replicas < current)) return proposal;
  proposal.replicas = replicas;
  return proposal;
}

std::int64_t PodAutoscaler::steady(const Stage& stage, const api::Object& scaler, std::int64_t current,
                                   std::int64_t wanted, Memory& memory) {
  const Tree& behavior = scaler.spec()["behavior"];
  const Duration up_window = Duration::seconds(behavior["scaleUp"]["stabilizationWindowSeconds"].integer(0));
  const Duration down_window = Duration::seconds(
      behavior["scaleDown"]["stabilizationWindowSeconds"].integer(kDownWindow.ns / 1'000'000'000));
  const Duration longest = std::max(up_window, down_window);
  std::erase_if(memory.recommendations, [&](const Recommendation& r) { return r.at + longest < stage.now; });
  memory.recommendations.push_back({stage.now, wanted});
  std::int64_t up = wanted, down = wanted;
  for (const Recommendation& r : memory.recommendations) {
    if (r.at + up_window >= stage.now) up = std::min(up, r.replicas);
    if (r.at + down_window >= stage.now) down = std::max(down, r.replicas);
  }
  std::int64_t result = std::clamp(current, up, std::max(up, down));

  const auto forget = [&](std::vector<Scaling>& history) {
    std::erase_if(history, [&](const Scaling& s) { return s.at + Duration::minutes(30) < stage.now; });
  };
  forget(memory.ups);
  forget(memory.downs);
  if (result > current)
    result =
        std::min(result, current + allowed_change(behavior["scaleUp"], memory.ups, current, true, stage.now));
  if (result < current)
    result = std::max(
        result, current - allowed_change(behavior["scaleDown"], memory.downs, current, false, stage.now));
  return result;
}

void PodAutoscaler::look_at(Stage& stage, const api::Object& scaler) {
  const Tree& reference = scaler.spec()["scaleTargetRef"];
  const auto resource = target_resource(reference);
  const auto target = resource ? stage.api.get(*resource, scaler.ns(), reference["name"].string()) : nullptr;
  Tree wrapped = Tree::object({{"status", scaler.status().is_object() ? scaler.status() : Tree::object()}});
  const auto condition = [&](std::string_view type, bool good, std::string_view reason,
                             std::string_view message) {
    api::set_condition(wrapped, type, good ? "True" : "False", reason, message, stage.now);
  };
  const auto write = [&] {
    if (wrapped["status"] == scaler.status()) return;
    stage.api.modify(
        ResourceId::HorizontalPodAutoscalers, scaler.ns(), scaler.name(),
        [&](Tree& tree) {
          if (tree["metadata"]["uid"].string() == scaler.uid()) tree.set("status", wrapped["status"]);
        },
        as_controller_manager("status"));
  };
  if (!target) {
    condition(
        "AbleToScale", false, "FailedGetScale",
        fmt::format("the HPA controller was unable to get the target's current scale: {} \"{}\" not found",
                    reference["kind"].string(), reference["name"].string()));
    return write();
  }
  condition("AbleToScale", true, "SucceededGetScale",
            "the HPA controller was able to get the target's current scale");
  const std::int64_t current = target->spec()["replicas"].integer(1);
  const std::int64_t lowest = scaler.spec()["minReplicas"].integer(1),
                     highest = scaler.spec()["maxReplicas"].integer(1);
  Memory& memory = memories_[{std::string(scaler.ns()), std::string(scaler.name())}];
  std::int64_t desired = current;
  bool desired_known = true;
  std::string reason = "cpu resource utilization (percentage of request) above target";
  if (current == 0 && lowest != 0) {
    condition("ScalingActive", false, "ScalingDisabled",
              "scaling is disabled since the replica count of the target is zero");
  } else if (current > highest) {
    desired = highest;
    reason = "Current number of replicas above Spec.MaxReplicas";
  } else if (current < lowest) {
    desired = lowest;
    reason = "Current number of replicas below Spec.MinReplicas";
  } else {
    const Proposal proposal = propose(stage, scaler, *target, current);
    if (!proposal.problem.empty()) {
      condition(
          "ScalingActive", false, "FailedGetResourceMetric",
          fmt::format("the HPA was unable to compute the replica count: failed to get cpu utilization: {}",
                      proposal.problem));
      Tree nothing = Tree::array();
      nothing.append(Tree::object({{"type", ""}}));
      wrapped.ensure("status").set("currentMetrics", std::move(nothing));
      desired_known = false;
    } else {
      condition("ScalingActive", true, "ValidMetricFound",
                "the HPA was able to successfully calculate a replica count from cpu resource utilization "
                "(percentage of request)");
      Tree metric = Tree::object({{"averageValue", fmt::format("{}m", proposal.average)}});
      if ((*cpu_target(scaler))["type"].string() == "Utilization")
        metric.set("averageUtilization", proposal.utilization);
      Tree metrics = Tree::array();
      metrics.append(
          Tree::object({{"type", "Resource"},
                        {"resource", Tree::object({{"name", "cpu"}, {"current", std::move(metric)}})}}));
      wrapped.ensure("status").set("currentMetrics", std::move(metrics));
      if (proposal.replicas < current) reason = "All metrics below target";
      desired = steady(stage, scaler, current, proposal.replicas, memory);
      if (desired > highest || desired < lowest) {
        condition("ScalingLimited", true, desired > highest ? "TooManyReplicas" : "TooFewReplicas",
                  desired > highest ? "the desired replica count is more than the maximum replica count"
                                    : "the desired replica count is less than the minimum replica count");
        desired = std::clamp(desired, lowest, std::max(lowest, highest));
      } else {
        condition("ScalingLimited", false, "DesiredWithinRange",
                  "the desired count is within the acceptable range");
      }
    }
  }
  if (desired != current) {
    const auto outcome = stage.api.modify(
        *resource, scaler.ns(), target->name(),
        [&](Tree& tree) { tree.ensure("spec").set("replicas", desired); }, as_controller_manager());
    if (outcome.ok()) {
      record(stage, kComponent, scaler, "Normal", "SuccessfulRescale",
             fmt::format("New size: {}; reason: {}", desired, reason));
      stage.story.tell(stage.now, "autoscaler", "Scaled",
                       fmt::format("{} {}/{}", reference["kind"].string(), scaler.ns(), target->name()),
                       fmt::format("from {} to {}", current, desired));
      condition("AbleToScale", true, "SucceededRescale",
                fmt::format("the HPA controller was able to update the target scale to {}", desired));
      wrapped.ensure("status").set("lastScaleTime", api::format_time(stage.now));
      (desired > current ? memory.ups : memory.downs).push_back({stage.now, std::abs(desired - current)});
    }
  }
  wrapped.ensure("status").set("currentReplicas", current);
  if (desired_known || !wrapped["status"].has("desiredReplicas"))
    wrapped.ensure("status").set("desiredReplicas", desired_known ? desired : 0);
  write();
}

}  // namespace tamp::world

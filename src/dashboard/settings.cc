#include <fmt/format.h>

#include "base/json_writer.h"
#include "codec/tree_writer.h"
#include "dashboard/documents.h"
#include "report/words.h"
#include "report/yaml_writer.h"

namespace tamp::dashboard {
namespace {

using codec::Tree;

std::string_view word(ConsolidationPolicy policy) {
  switch (policy) {
    case ConsolidationPolicy::WhenEmpty:
      return "WhenEmpty";
    case ConsolidationPolicy::WhenEmptyOrUnderutilized:
      return "WhenEmptyOrUnderutilized";
    case ConsolidationPolicy::Balanced:
      break;
  }
  return "Balanced";
}

std::string text(const DurationOrNever& value) {
  return value.value ? format_duration(*value.value) : "Never";
}

// What a person wrote, without what the server keeps beside it.
std::string policy_yaml(const Tree& object) {
  if (!object.is_object()) return "";
  Tree annotations = object.at({"metadata", "annotations"});
  if (annotations.is_object()) annotations.erase("kubectl.kubernetes.io/last-applied-configuration");
  Tree metadata = Tree::object({{"name", object.at({"metadata", "name"})}});
  if (!annotations.empty()) metadata.set("annotations", std::move(annotations));
  report::YamlWriter w;
  w.begin_object().field("apiVersion", object["apiVersion"].string()).field("kind", object["kind"].string());
  codec::write(w.key("metadata"), metadata);
  codec::write(w.key("spec"), object["spec"].is_null() ? Tree::object() : object["spec"]);
  w.end_object();
  return w.take();
}

void write_effective(JsonWriter& w, const Scene& scene) {
  const Settings& settings = scene.settings;
  const auto line = [&](std::string_view setting, std::string_view value, SettingSource source) {
    w.begin_object().field("setting", setting).field("value", value);
    w.field("source", report::name(source)).end_object();
  };
  const auto yes = [](bool value) { return value ? "true" : "false"; };
  w.key("effective").begin_array();
  line("consolidation.enabled", yes(settings.consolidation_enabled.value),
       settings.consolidation_enabled.source);
  line("utilizationThreshold", report::decimal(settings.utilization_threshold.value),
       settings.utilization_threshold.source);
  line("minNodeLifetime", format_duration(settings.min_node_lifetime.value),
       settings.min_node_lifetime.source);
  line("allowUnownedPods", yes(settings.allow_unowned_pods.value), settings.allow_unowned_pods.source);
  line("limits.minNodes", std::to_string(settings.min_nodes.value), settings.min_nodes.source);
  line("limits.protectSingleReplica", yes(settings.protect_single_replica.value),
       settings.protect_single_replica.source);
  const Cluster& cluster = scene.cluster();
  for (std::size_t i = 0; i < settings.pools.size() && i < cluster.pools.size(); ++i) {
    const PoolSettings& pool = settings.pools[i];
    const std::string name = "pool " + report::text(cluster, cluster.pools[i].name) + ": ";
    line(name + "consolidationPolicy", word(pool.policy.value), pool.policy.source);
    line(name + "consolidateAfter", text(pool.consolidate_after.value), pool.consolidate_after.source);
    line(name + "consolidationSavingsThreshold", fmt::format("{:g}", pool.savings_threshold.value),
         pool.savings_threshold.source);
    line(name + "consolidationGracePeriod", text(pool.grace_period.value), pool.grace_period.source);
  }
  w.end_array();
}

struct Sum {
  std::size_t commands = 0, victims = 0, moves = 0;
  Money savings;
  std::vector<std::string> nodes;
};

Sum decided(const decide::Context& context) {
  const decide::Plan plan = decide::make_plan(context, {});
  Sum sum;
  for (const decide::Command& command : plan.commands) {
    ++sum.commands;
    sum.victims += command.nodes.size();
    sum.moves += command.moves.size();
    sum.savings += command.savings;
    for (const NodeId node : command.nodes) sum.nodes.push_back(report::node_name(context.cluster, node));
  }
  return sum;
}

void write_sum(JsonWriter& w, std::string_view key, const Sum& sum) {
  w.key(key).begin_object().field("commands", sum.commands).field("victims", sum.victims);
  w.field("moves", sum.moves).field("hourlySavings", sum.savings.dollars());
  w.key("nodes").begin_array();
  for (const std::string& node : sum.nodes) w.string(node);
  w.end_array().end_object();
}

// The policy's default, where neither a pool's own entry nor --compat says otherwise.
template <typename T>
void lay_over(Setting<T>& setting, const std::optional<T>& wish) {
  if (!wish || setting.source == SettingSource::PolicyPool || setting.source == SettingSource::Compat) return;
  setting = {*wish, SettingSource::PolicyDefault};
}

std::string wish_yaml(const WhatIf& change) {
  Tree disruption = Tree::object(), spec = Tree::object();
  if (change.policy) disruption.set("consolidationPolicy", word(*change.policy));
  if (change.consolidate_after) disruption.set("consolidateAfter", text(*change.consolidate_after));
  if (change.savings_threshold) disruption.set("consolidationSavingsThreshold", *change.savings_threshold);
  if (change.grace_period) disruption.set("consolidationGracePeriod", text(*change.grace_period));
  if (!disruption.empty()) spec.set("disruption", std::move(disruption));
  if (change.utilization_threshold) spec.set("utilizationThreshold", *change.utilization_threshold);
  report::YamlWriter w;
  w.begin_object().field("apiVersion", "temper.codes/v1alpha1").field("kind", "TemperPolicy");
  w.key("metadata").begin_object().field("name", "default").end_object();
  codec::write(w.key("spec"), spec);
  w.end_object();
  return "# kubectl apply --server-side --field-manager=dashboard -f -\n" + w.take();
}

Result<DurationOrNever> read_duration(const Tree& value) {
  if (value.string() == "Never") return DurationOrNever{};
  TAMP_TRY(const Duration duration, parse_go_duration(value.string()));
  if (duration.ns < 0) return Error{"must not be negative"};
  return DurationOrNever{duration};
}

}  // namespace

std::string policy_document(const Look& look, const Tree& object) {
  JsonWriter w;
  w.begin_object().field("name", object.at({"metadata", "name"}).string("default"));
  w.field("yaml", policy_yaml(object));
  write_effective(w, *look.scene);
  w.end_object();
  return w.take();
}

Result<WhatIf> read_what_if(const std::string& json) {
  TAMP_TRY(const Tree body, codec::read_tree(json));
  if (!body.is_object()) return Error{"is not an object"};
  WhatIf change;
  for (const Tree::Member& member : body.members()) {
    const Tree& value = member.value;
    const auto number = [&](std::optional<double>& into, double most) -> Status {
      if (!value.is_number() || !(value.number() >= 0 && value.number() <= most))
        return Error{fmt::format("{}: must be a number from 0 to {}", member.key, most)};
      into = value.number();
      return success();
    };
    const auto duration = [&](std::optional<DurationOrNever>& into) -> Status {
      auto read = read_duration(value);
      if (!read) return std::move(read).error().with(member.key);
      into = *read;
      return success();
    };
    Status status = success();
    if (member.key == "consolidationSavingsThreshold")
      status = number(change.savings_threshold, 1e6);
    else if (member.key == "utilizationThreshold")
      status = number(change.utilization_threshold, 1);
    else if (member.key == "consolidateAfter")
      status = duration(change.consolidate_after);
    else if (member.key == "consolidationGracePeriod")
      status = duration(change.grace_period);
    else if (member.key == "consolidationPolicy") {
      for (const auto policy : {ConsolidationPolicy::WhenEmpty, ConsolidationPolicy::WhenEmptyOrUnderutilized,
                                ConsolidationPolicy::Balanced})
        if (value.string() == word(policy)) change.policy = policy;
      if (!change.policy)
        status = Error{"consolidationPolicy: must be WhenEmpty, WhenEmptyOrUnderutilized or Balanced"};
    } else {
      status = Error{fmt::format("{}: no such setting", member.key)};
    }
    TAMP_CHECK(std::move(status));
  }
  return change;
}

std::string what_if_document(const Scene& scene, const WhatIf& change) {
  Settings tried = scene.settings;
  lay_over(tried.utilization_threshold, change.utilization_threshold);
  for (PoolSettings& pool : tried.pools) {
    lay_over(pool.savings_threshold, change.savings_threshold);
    lay_over(pool.consolidate_after, change.consolidate_after);
    lay_over(pool.grace_period, change.grace_period);
    lay_over(pool.policy, change.policy);
  }
  const decide::Context now = scene.context();
  const decide::Context then{now.cluster, tried, now.now, now.last_node_deleted, now.leader_node};
  JsonWriter w;
  w.begin_object();
  write_sum(w, "before", decided(now));
  write_sum(w, "after", decided(then));
  w.field("yaml", wish_yaml(change)).end_object();
  return w.take();
}

}  // namespace tamp::dashboard

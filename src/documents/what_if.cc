#include "documents/what_if.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "documents/dashboard_documents.h"
#include "documents/policy_status.h"
#include "documents/setting_words.h"
#include "documents/yaml_writer.h"
#include "explain/words.h"
#include "proof/prover.h"
#include "wire/tree_writer.h"

namespace tamp::documents {
namespace {

using wire::Tree;

constexpr double kMostNodes = 1e6;

// ---- what would be decided

struct Decided {
  std::size_t victims = 0, moves = 0;  // of everything that could go, one after the other
  Money savings;
  std::optional<proof::ConsolidationPlan> plan;  // that would be published
  std::string refused;                           // why there is none although something could go
};

Decided decide_with(const Scene& scene, const Settings& settings) {
  const situation::Context now = scene.context();
  const situation::Context context{now.cluster, settings, now.now, now.last_node_deleted, now.leader_node};
  const search::Plan decision = search::make_plan(context, {});
  Decided decided;
  for (const price::Command& command : decision.commands) {
    decided.victims += command.nodes.size();
    decided.moves += command.moves.size();
    decided.savings += command.savings;
  }
  static const Observations kNone;
  const proof::Evidence evidence{context, scene.measuring ? scene.observations : kNone, scene.measuring,
                                 scene.requests_published,
                                 scene.reading->autoscaler ? &*scene.reading->autoscaler : nullptr};
  proof::Proposal proposal = proof::propose(evidence, decision);
  decided.plan = proposal.plan ? std::move(proposal.plan) : std::move(proposal.unproven);
  if (!decided.plan && !proposal.refusals.empty())
    decided.refused = documents::nearest_refusal(proposal.refusals);
  return decided;
}

void write_decided(JsonWriter& w, const Decided& decided) {
  w.begin_object().field("victims", decided.victims).field("moves", decided.moves);
  w.field("hourlySavings", decided.savings.dollars()).key("plan");
  if (decided.plan) {
    w.begin_object().key("victims").begin_array();
    for (const std::string& node : decided.plan->victims) w.string(node);
    w.end_array().field("moves", decided.plan->moves.size());
    w.field("hourlySavings", decided.plan->hourly_savings.dollars()).end_object();
  } else {
    w.null();
  }
  w.field("refused", decided.refused).end_object();
}

// ---- the settings

// The policy's default, where neither a pool's own entry nor --compat says otherwise.
template <typename T>
void lay_over(Setting<T>& setting, const std::optional<T>& wish) {
  if (!wish || setting.source == SettingSource::PolicyPool || setting.source == SettingSource::Compat) return;
  setting = {*wish, SettingSource::PolicyDefault};
}

Settings with(const Settings& settings, const WhatIf& change) {
  Settings tried = settings;
  lay_over(tried.utilization_threshold, change.utilization_threshold);
  lay_over(tried.min_node_lifetime, change.min_node_lifetime);
  lay_over(tried.allow_unowned_pods, change.allow_unowned_pods);
  lay_over(tried.protect_single_replica, change.protect_single_replica);
  lay_over(tried.min_nodes, change.min_nodes);
  for (PoolSettings& pool : tried.pools) {
    lay_over(pool.savings_threshold, change.savings_threshold);
    lay_over(pool.consolidate_after, change.consolidate_after);
    lay_over(pool.grace_period, change.grace_period);
    lay_over(pool.policy, change.policy);
  }
  const auto put = [](double& limit, const std::optional<double>& wish) { limit = wish.value_or(limit); };
  put(tried.guards.cpu_headroom, change.cpu_headroom);
  put(tried.guards.memory_headroom, change.memory_headroom);
  put(tried.guards.pressure.cpu, change.cpu_pressure);
  put(tried.guards.pressure.memory, change.memory_pressure);
  put(tried.guards.pressure.io, change.io_pressure);
  return tried;
}

std::string wish_yaml(const WhatIf& change) {
  Tree spec = Tree::object();
  const auto group = [&](std::string_view key, std::initializer_list<std::pair<const char*, Tree>> fields) {
    Tree members = Tree::object();
    for (const auto& [name, value] : fields)
      if (!value.is_null()) members.set(name, value);
    if (!members.empty()) spec.set(key, std::move(members));
  };
  const auto duration = [](const std::optional<DurationOrNever>& wish) {
    return wish ? Tree(text(*wish)) : Tree();
  };
  const auto plain = [](const auto& wish) { return wish ? Tree(*wish) : Tree(); };
  group("disruption", {{"consolidationPolicy", change.policy ? Tree(word(*change.policy)) : Tree()},
                       {"consolidateAfter", duration(change.consolidate_after)},
                       {"consolidationSavingsThreshold", plain(change.savings_threshold)},
                       {"consolidationGracePeriod", duration(change.grace_period)}});
  if (change.utilization_threshold) spec.set("utilizationThreshold", *change.utilization_threshold);
  if (change.min_node_lifetime) spec.set("minNodeLifetime", format_duration(*change.min_node_lifetime));
  if (change.allow_unowned_pods) spec.set("allowUnownedPods", *change.allow_unowned_pods);
  group("limits", {{"minNodes", plain(change.min_nodes)},
                   {"protectSingleReplica", plain(change.protect_single_replica)}});
  const auto both = [](std::initializer_list<std::pair<const char*, Tree>> fields) {
    Tree members = Tree::object();
    for (const auto& [name, value] : fields)
      if (!value.is_null()) members.set(name, value);
    return members.empty() ? Tree() : members;
  };
  group("guards",
        {{"headroom", both({{"cpu", plain(change.cpu_headroom)}, {"memory", plain(change.memory_headroom)}})},
         {"pressure", both({{"cpu", plain(change.cpu_pressure)},
                            {"memory", plain(change.memory_pressure)},
                            {"io", plain(change.io_pressure)}})}});
  documents::YamlWriter w;
  w.begin_object().field("apiVersion", "temper.codes/v1alpha1").field("kind", "TemperPolicy");
  w.key("metadata").begin_object().field("name", "default").end_object();
  wire::write(w.key("spec"), spec);
  w.end_object();
  // What it does not name stays as it is, whoever wrote it; what it names is taken over.
  return "# kubectl apply --server-side --force-conflicts --field-manager=tamp-what-if -f -\n" + w.take();
}

// ---- the body

// Reads one field of the body into the change, or says what is wrong with it.
class FieldReader {
 public:
  FieldReader(const std::string& name, const Tree& value) : name_(name), value_(value) {}

  Status number(std::optional<double>& into, double most) const {
    if (!value_.is_number() || !(value_.number() >= 0 && value_.number() <= most))
      return Error{fmt::format("{}: must be a number from 0 to {}", name_, most)};
    into = value_.number();
    return success();
  }
  Status whole(std::optional<std::int64_t>& into) const {
    std::optional<double> read;
    TAMP_CHECK(number(read, kMostNodes));
    if (*read != std::floor(*read)) return Error{name_ + ": must be a whole number"};
    into = static_cast<std::int64_t>(*read);
    return success();
  }
  Status yes_or_no(std::optional<bool>& into) const {
    if (value_.kind() != Tree::Kind::Boolean) return Error{name_ + ": must be true or false"};
    into = value_.boolean();
    return success();
  }
  Status duration(std::optional<Duration>& into) const {
    auto read = parse_go_duration(value_.string());
    if (!read) return std::move(read).error().with(name_);
    if (read->ns < 0) return Error{name_ + ": must not be negative"};
    into = *read;
    return success();
  }
  Status duration(std::optional<DurationOrNever>& into) const {
    std::optional<Duration> read;
    if (value_.string() != "Never") TAMP_CHECK(duration(read));
    into = DurationOrNever{read};
    return success();
  }
  Status policy(std::optional<ConsolidationPolicy>& into) const {
    for (const auto policy : {ConsolidationPolicy::WhenEmpty, ConsolidationPolicy::WhenEmptyOrUnderutilized,
                              ConsolidationPolicy::Balanced})
      if (value_.string() == word(policy)) into = policy;
    if (!into) return Error{name_ + ": must be WhenEmpty, WhenEmptyOrUnderutilized or Balanced"};
    return success();
  }

 private:
  const std::string& name_;
  const Tree& value_;
};

Status read_field(const std::string& name, const Tree& value, WhatIf& change) {
  const FieldReader field(name, value);
  if (name == "consolidationSavingsThreshold") return field.number(change.savings_threshold, 1e6);
  if (name == "consolidateAfter") return field.duration(change.consolidate_after);
  if (name == "consolidationGracePeriod") return field.duration(change.grace_period);
  if (name == "consolidationPolicy") return field.policy(change.policy);
  if (name == "utilizationThreshold") return field.number(change.utilization_threshold, 1);
  if (name == "minNodeLifetime") return field.duration(change.min_node_lifetime);
  if (name == "allowUnownedPods") return field.yes_or_no(change.allow_unowned_pods);
  if (name == "protectSingleReplica") return field.yes_or_no(change.protect_single_replica);
  if (name == "minNodes") return field.whole(change.min_nodes);
  if (name == "cpuHeadroom") return field.number(change.cpu_headroom, 1);
  if (name == "memoryHeadroom") return field.number(change.memory_headroom, 1);
  if (name == "cpuPressure") return field.number(change.cpu_pressure, 1);
  if (name == "memoryPressure") return field.number(change.memory_pressure, 1);
  if (name == "ioPressure") return field.number(change.io_pressure, 1);
  return Error{name + ": no such setting"};
}

}  // namespace

Result<WhatIf> read_what_if(const std::string& json) {
  TAMP_TRY(const Tree body, wire::read_tree(json));
  if (!body.is_object()) return Error{"is not an object"};
  WhatIf change;
  for (const Tree::Member& member : body.members())
    TAMP_CHECK(read_field(std::string(member.key), member.value, change));
  return change;
}

void write_present(JsonWriter& w, const Scene& scene) {
  const Settings& settings = scene.settings;
  const PoolSettings* pool = settings.pools.empty() ? nullptr : &settings.pools.front();
  for (const PoolSettings& one : settings.pools)
    if (one.savings_threshold.source != SettingSource::PolicyPool) {
      pool = &one;
      break;
    }
  const PoolSettings built_in;
  if (pool == nullptr) pool = &built_in;
  w.begin_object().field("consolidationPolicy", word(pool->policy.value));
  w.field("consolidateAfter", text(pool->consolidate_after.value));
  w.field("consolidationSavingsThreshold", pool->savings_threshold.value);
  w.field("consolidationGracePeriod", text(pool->grace_period.value));
  w.field("utilizationThreshold", settings.utilization_threshold.value);
  w.field("minNodeLifetime", format_duration(settings.min_node_lifetime.value));
  w.field("allowUnownedPods", settings.allow_unowned_pods.value);
  w.field("protectSingleReplica", settings.protect_single_replica.value);
  w.field("minNodes", settings.min_nodes.value);
  w.field("cpuHeadroom", settings.guards.cpu_headroom);
  w.field("memoryHeadroom", settings.guards.memory_headroom);
  w.field("cpuPressure", settings.guards.pressure.cpu);
  w.field("memoryPressure", settings.guards.pressure.memory);
  w.field("ioPressure", settings.guards.pressure.io).end_object();
}

std::string decided_document(const Scene& scene) {
  JsonWriter w;
  write_decided(w, decide_with(scene, scene.settings));
  return w.take();
}

std::string what_if_document(const Scene& scene, const WhatIf& change, std::string_view before) {
  JsonWriter w;
  w.begin_object().key("before").raw(before);
  write_decided(w.key("after"), decide_with(scene, with(scene.settings, change)));
  w.field("yaml", wish_yaml(change)).end_object();
  return w.take();
}

}  // namespace tamp::documents

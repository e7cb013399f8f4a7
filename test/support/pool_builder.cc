#include "support/pool_builder.h"

#include <charconv>
#include <string>
#include <utility>

namespace tamp::test {

Budget make_budget(std::string_view nodes) {
  Budget b;
  b.nodes = nodes;
  bool percent = nodes.ends_with('%');
  std::string_view digits = percent ? nodes.substr(0, nodes.size() - 1) : nodes;
  std::int64_t n = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (error != std::errc() || end != digits.data() + digits.size() || n < 0 || (percent && n > 100)) {
    b.invalid = true;
    b.problem = "not a number or percentage";
  } else {
    (percent ? b.percent : b.count) = n;
  }
  return b;
}

PoolBuilder::PoolBuilder(Cluster& cluster, std::string_view name) : cluster_(&cluster) {
  pool_.name = word(name);
  pool_.uid = word("uid-pool-" + std::string(name));
  pool_.has_object = true;
  pool_.node_class_label = word("karpenter.kwok.sh/kwoknodeclass");
  pool_.node_class_name = word("default");
  pool_.ready = {ConditionStatus::True, kCreated};
}

PoolBuilder& PoolBuilder::budget(Budget budget) {
  if (!pool_.disruption.budgets) pool_.disruption.budgets.emplace();
  pool_.disruption.budgets->push_back(std::move(budget));
  return *this;
}
PoolBuilder& PoolBuilder::policy(ConsolidationPolicy policy) {
  pool_.disruption.policy = policy;
  return *this;
}
PoolBuilder& PoolBuilder::consolidate_after(Duration d) {
  pool_.disruption.consolidate_after = DurationOrNever{d};
  return *this;
}
PoolBuilder& PoolBuilder::never_consolidate() {
  pool_.disruption.consolidate_after = DurationOrNever{};
  return *this;
}
PoolBuilder& PoolBuilder::savings_threshold(double dollars) {
  pool_.disruption.savings_threshold = dollars;
  return *this;
}
PoolBuilder& PoolBuilder::grace_period(Duration d) {
  pool_.disruption.grace_period = DurationOrNever{d};
  return *this;
}
PoolBuilder& PoolBuilder::weight(std::int32_t value) {
  pool_.weight = value;
  return *this;
}
PoolBuilder& PoolBuilder::replicas(std::int64_t count) {
  pool_.replicas = count;
  return *this;
}
PoolBuilder& PoolBuilder::label(std::string_view key, std::string_view value) {
  set_label(*cluster_, pool_.template_labels, key, value);
  return *this;
}
PoolBuilder& PoolBuilder::taint(std::string_view key, std::string_view value, TaintEffect effect) {
  pool_.taints.push_back({word(key), word(value), effect});
  return *this;
}
PoolBuilder& PoolBuilder::startup_taint(std::string_view key, std::string_view value, TaintEffect effect) {
  pool_.startup_taints.push_back({word(key), word(value), effect});
  return *this;
}
PoolBuilder& PoolBuilder::requirement(std::string_view key, SelectorOp op, Values values,
                                      std::optional<std::int32_t> min_values) {
  pool_.requirements.push_back({make_requirement(*cluster_, key, op, values), min_values});
  return *this;
}
PoolBuilder& PoolBuilder::limit(std::string_view resource, std::int64_t amount) {
  pool_.has_limits = true;
  pool_.limits.set(cluster_->resource(resource), amount);
  return *this;
}
PoolBuilder& PoolBuilder::limit_nodes(std::int64_t count) {
  pool_.has_limits = true;
  pool_.node_limit = count;
  return *this;
}
PoolBuilder& PoolBuilder::not_ready() {
  pool_.ready = {ConditionStatus::False, kCreated};
  return *this;
}
PoolBuilder& PoolBuilder::deleting(Time since) {
  pool_.deleted = since;
  return *this;
}

}  // namespace tamp::test

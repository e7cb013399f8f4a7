#include "support/cluster_builder.h"

#include <algorithm>
#include <utility>

namespace tamp::test {
namespace {

// The builder of that name, made if there was none.
template <typename Builder, typename... Args>
Builder& named(std::deque<Builder>& builders, std::map<std::string, std::size_t>& index,
               const std::string& key, Args&&... args) {
  auto [it, fresh] = index.try_emplace(key, builders.size());
  if (fresh) builders.emplace_back(std::forward<Args>(args)...);
  return builders[it->second];
}

}  // namespace

BudgetBuilder::BudgetBuilder(Cluster& cluster, std::string_view name) : cluster_(&cluster) {
  budget_.name = cluster.symbols.intern(name);
  ns("default");
}
BudgetBuilder& BudgetBuilder::ns(std::string_view name) {
  budget_.ns = cluster_->symbols.intern(name);
  return *this;
}
BudgetBuilder& BudgetBuilder::selects(std::string_view key, std::string_view value) {
  budget_.selector = make_selector(*cluster_, key, value);
  return *this;
}
BudgetBuilder& BudgetBuilder::allows(std::int64_t disruptions) {
  budget_.disruptions_allowed = disruptions;
  return *this;
}
BudgetBuilder& BudgetBuilder::always_allow_unhealthy() {
  budget_.always_allow_unhealthy = true;
  return *this;
}

NodeBuilder& ClusterBuilder::node(std::string_view name) {
  return named(nodes_, node_index_, std::string(name), base_, name);
}
PoolBuilder& ClusterBuilder::pool(std::string_view name) {
  return named(pools_, pool_index_, std::string(name), base_, name);
}
TypeBuilder& ClusterBuilder::type(std::string_view name) {
  return named(types_, type_index_, std::string(name), base_, name);
}

ClusterBuilder& ClusterBuilder::kwok_types() {
  struct Family {
    const char* name;
    std::int64_t gi_per_cpu;
  };
  for (std::int64_t cpus : {1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256})
    for (const Family& family : {Family{"c", 2}, Family{"s", 4}, Family{"m", 8}})
      for (const char* os : {"linux", "windows"})
        for (const char* arch : {"amd64", "arm64"}) {
          std::int64_t gi = family.gi_per_cpu * cpus;
          double price = 0.025 * static_cast<double>(cpus) + 0.001 * static_cast<double>(gi * kGi) / 1e9;
          std::string name = std::string(family.name) + "-" + std::to_string(cpus) + "x-" + arch + "-" + os;
          type(name)
              .cpu(1000 * cpus)
              .memory_gi(gi)
              .resource("ephemeral-storage", 20 * kGi)
              .max_pods(std::min<std::int64_t>(16 * cpus, 1024))
              .arch(arch)
              .os(os)
              .price(price)
              .spot_price(0.7 * price);
        }
  return *this;
}

PodBuilder& ClusterBuilder::pod(std::string_view name) {
  return pods_.emplace_back(base_, name, 0, 1, false);
}
PodBuilder& ClusterBuilder::pods(std::size_t count, std::string_view name) {
  std::size_t& used = replicas_[std::string(name)];
  auto& builder = pods_.emplace_back(base_, name, used, count, true);
  used += count;
  return builder;
}
PodBuilder& ClusterBuilder::daemon_set(std::string_view name) {
  return pods_.emplace_back(base_, name, 0, 0, false).as_daemon_set();
}

PvBuilder& ClusterBuilder::pv(std::string_view name) {
  return named(pvs_, pv_index_, std::string(name), base_, name);
}
PvcBuilder& ClusterBuilder::pvc(std::string_view name, std::string_view ns) {
  return named(pvcs_, pvc_index_, std::string(ns) + "/" + std::string(name), base_, name).ns(ns);
}
bool ClusterBuilder::has_pvc(std::string_view name, std::string_view ns) const {
  return pvc_index_.contains(std::string(ns) + "/" + std::string(name));
}
StorageClassBuilder& ClusterBuilder::storage_class(std::string_view name, std::string_view provisioner) {
  return named(classes_, class_index_, std::string(name), base_, name, provisioner);
}
CsiNodeBuilder& ClusterBuilder::csi_node(std::string_view node) {
  return named(csi_nodes_, csi_node_index_, std::string(node), base_, node);
}
PvBuilder& ClusterBuilder::bound_claim(std::string_view name, std::string_view driver, std::string_view ns) {
  std::string volume = "pv-" + std::string(name);
  std::string uid = "uid-pvc-" + std::string(name);
  pvc(name, ns).uid(uid).bound_to(volume);
  return pv(volume).csi(driver).phase("Bound").claimed_by(ns, name, uid);
}

BudgetBuilder& ClusterBuilder::pdb(std::string_view name) { return budgets_.emplace_back(base_, name); }
Workload& ClusterBuilder::workload(WorkloadKind kind, std::string_view name, std::int64_t desired,
                                   std::int64_t ready, std::string_view ns) {
  auto& w = workloads_.emplace_back();
  w.kind = kind;
  w.ns = word(ns);
  w.name = word(name);
  w.uid = word("uid-owner-" + std::string(name));
  w.desired = desired;
  w.ready = ready;
  w.current = desired;
  return w;
}
ClusterBuilder& ClusterBuilder::ns(std::string_view name, std::string_view key, std::string_view value) {
  auto [it, fresh] = namespace_index_.try_emplace(std::string(name), base_.namespaces.size());
  if (fresh) {
    auto& made = base_.namespaces.emplace_back();
    made.name = word(name);
    set_label(base_, made.labels, kNamespaceName, name);
  }
  if (!key.empty()) set_label(base_, base_.namespaces[it->second].labels, key, value);
  return *this;
}
ClusterBuilder& ClusterBuilder::priority_class(std::string_view name, std::int32_t value) {
  base_.priority_classes.push_back({word(name), value});
  return *this;
}
TemperPolicy& ClusterBuilder::policy() {
  if (!base_.policy) base_.policy.emplace().name = "default";
  return *base_.policy;
}

PodAffinityTerm ClusterBuilder::term(LabelSelector selector, std::string_view topology) {
  PodAffinityTerm t;
  t.selector = std::move(selector);
  t.topology_key = word(topology);
  return t;
}
SpreadConstraint ClusterBuilder::constraint(LabelSelector selector, std::string_view topology,
                                            std::int32_t max_skew) {
  SpreadConstraint s;
  s.selector = std::move(selector);
  s.topology_key = word(topology);
  s.max_skew = max_skew;
  return s;
}

Cluster ClusterBuilder::build() const {
  Cluster cluster = base_;
  for (const auto& b : types_) b.build_into(cluster);
  for (const auto& b : nodes_) b.build_into(cluster);
  for (const auto& b : pods_) b.build_into(cluster);
  for (const auto& b : pvs_) b.build_into(cluster);
  for (const auto& b : pvcs_) b.build_into(cluster);
  for (const auto& b : classes_) b.build_into(cluster);
  for (const auto& b : csi_nodes_) b.build_into(cluster);
  for (const auto& b : pools_) b.build_into(cluster);
  for (auto b : budgets_) cluster.budgets.push_back(b.budget());
  cluster.workloads.insert(cluster.workloads.end(), workloads_.begin(), workloads_.end());

  for (const auto& node : nodes_) {
    if (!node.managed() || !node.pool().valid()) continue;
    bool known = std::any_of(cluster.pools.begin(), cluster.pools.end(),
                             [&](const NodePool& p) { return p.name == node.pool(); });
    if (!known) PoolBuilder(cluster, base_.text(node.pool())).build_into(cluster);
  }
  for (const auto& pod : cluster.pods) {
    bool known = std::any_of(cluster.namespaces.begin(), cluster.namespaces.end(),
                             [&](const Namespace& n) { return n.name == pod.ns; });
    if (known) continue;
    Namespace made{.name = pod.ns, .labels = {}};
    made.labels.set(cluster.symbols.intern(kNamespaceName), pod.ns);
    cluster.namespaces.push_back(std::move(made));
  }
  cluster.finish();
  return cluster;
}

Settings settings_for(const Cluster& cluster) {
  Settings settings;
  for (const auto& pool : cluster.pools) {
    PoolSettings s;
    s.budgets.value = {make_budget("10%")};
    const auto& own = pool.disruption;
    if (own.policy) s.policy = {*own.policy, SettingSource::NodePool};
    if (own.consolidate_after) s.consolidate_after = {*own.consolidate_after, SettingSource::NodePool};
    if (own.savings_threshold) s.savings_threshold = {*own.savings_threshold, SettingSource::NodePool};
    if (own.grace_period) s.grace_period = {*own.grace_period, SettingSource::NodePool};
    if (own.budgets) s.budgets = {*own.budgets, SettingSource::NodePool};
    settings.pools.push_back(std::move(s));
  }
  return settings;
}

Settings compat_settings_for(const Cluster& cluster) {
  Settings settings = settings_for(cluster);
  settings.karpenter_compat = true;
  settings.utilization_threshold = {1.0, SettingSource::Compat};
  settings.min_node_lifetime = {Duration{0}, SettingSource::Compat};
  settings.allow_unowned_pods = {true, SettingSource::Compat};
  settings.preferences = {PreferencePolicy::Respect, SettingSource::Compat};
  for (auto& pool : settings.pools) {
    pool.savings_threshold = {0.0, SettingSource::Compat};
    pool.grace_period = {DurationOrNever{}, SettingSource::Compat};
  }
  return settings;
}

}  // namespace tamp::test

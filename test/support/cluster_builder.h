// A cluster in three lines, for tests of every room:
//
//   ClusterBuilder c;
//   c.node("a").cpu(4000).memory_gi(8);
//   c.pods(5, "web").on("a").cpu(250).memory_mi(256);  // owned by ReplicaSet web, labelled app=web
//   Cluster cluster = c.build();
//
// Each word adds an object and returns its builder, which stays valid as long as the ClusterBuilder; asking for a node,
// pool, type, volume … a second time continues the first. Pods are added anew by each call, and numbered on: two
// calls of pods(2, "web") make web-0 … web-3. Defaults are those of an ordinary consolidatable cluster; what a builder
// has no word for can be written into the model value that it hands out (pod(), spec(), node(), claim(), pool() …).
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "core/cluster.h"
#include "core/settings.h"
#include "support/node_builder.h"
#include "support/pod_builder.h"
#include "support/pool_builder.h"
#include "support/storage_builder.h"
#include "support/type_builder.h"
#include "support/words.h"

namespace tamp::test {

class BudgetBuilder {  // PodDisruptionBudget
 public:
  BudgetBuilder(Cluster& cluster, std::string_view name);
  BudgetBuilder& ns(std::string_view name);
  BudgetBuilder& selects(std::string_view key, std::string_view value);
  BudgetBuilder& allows(std::int64_t disruptions);
  BudgetBuilder& always_allow_unhealthy();
  PodDisruptionBudget& budget() { return budget_; }

 private:
  Cluster* cluster_;
  PodDisruptionBudget budget_;
};

class ClusterBuilder {
 public:
  ClusterBuilder() = default;
  ClusterBuilder(const ClusterBuilder&) = delete;
  ClusterBuilder& operator=(const ClusterBuilder&) = delete;

  NodeBuilder& node(std::string_view name);
  PoolBuilder& pool(std::string_view name);
  TypeBuilder& type(std::string_view name);
  // The 144 machines of Karpenter's KWOK provider: c-1x-amd64-linux … m-256x-arm64-windows.
  ClusterBuilder& kwok_types();

  PodBuilder& pod(std::string_view name);
  PodBuilder& pods(std::size_t count, std::string_view name);
  // A pod that is not part of the cluster, to be copied with renamed() and added.
  PodBuilder prototype(std::string_view name) { return PodBuilder(base_, name, 0, 1, false); }
  PodBuilder& add_pod(PodBuilder pod) { return pods_.emplace_back(std::move(pod)); }
  // A DaemonSet; .on("a").on("b") adds its pods on those nodes.
  PodBuilder& daemon_set(std::string_view name);

  PvBuilder& pv(std::string_view name);
  PvcBuilder& pvc(std::string_view name, std::string_view ns = "default");
  bool has_pvc(std::string_view name, std::string_view ns = "default") const;
  StorageClassBuilder& storage_class(std::string_view name, std::string_view provisioner);
  CsiNodeBuilder& csi_node(std::string_view node);
  // A claim and the CSI volume to which it is bound ("pv-<claim>"), each knowing the other.
  PvBuilder& bound_claim(std::string_view name, std::string_view driver, std::string_view ns = "default");

  BudgetBuilder& pdb(std::string_view name);
  Workload& workload(WorkloadKind kind, std::string_view name, std::int64_t desired, std::int64_t ready,
                     std::string_view ns = "default");
  ClusterBuilder& ns(std::string_view name, std::string_view key = "", std::string_view value = "");
  ClusterBuilder& priority_class(std::string_view name, std::int32_t value);
  TemperPolicy& policy();

  // For terms and constraints that are written out in full.
  Symbol word(std::string_view text) { return base_.symbols.intern(text); }
  std::string_view text(Symbol s) const { return base_.text(s); }
  LabelSelector selector(std::string_view key, std::string_view value) {
    return make_selector(base_, key, value);
  }
  LabelSelector selector(std::string_view key, SelectorOp op, Values values = {}) {
    return {{make_requirement(base_, key, op, values)}};
  }
  PodAffinityTerm term(LabelSelector selector, std::string_view topology);
  SpreadConstraint constraint(LabelSelector selector, std::string_view topology, std::int32_t max_skew = 1);

  // May be called again after more was added. Makes what was only mentioned: namespaces and NodePools.
  Cluster build() const;

 private:
  Cluster base_;  // symbols and resource names of everything below
  std::deque<NodeBuilder> nodes_;
  std::deque<PoolBuilder> pools_;
  std::deque<TypeBuilder> types_;
  std::deque<PodBuilder> pods_;
  std::deque<PvBuilder> pvs_;
  std::deque<PvcBuilder> pvcs_;
  std::deque<StorageClassBuilder> classes_;
  std::deque<CsiNodeBuilder> csi_nodes_;
  std::deque<BudgetBuilder> budgets_;
  std::deque<Workload> workloads_;
  std::map<std::string, std::size_t> replicas_, node_index_, pool_index_, type_index_, pv_index_, pvc_index_,
      class_index_, csi_node_index_, namespace_index_;
};

// The settings that hold where nobody set anything but the pools of `cluster` themselves.
Settings settings_for(const Cluster& cluster);
// The same under `--compat karpenter-1.14`.
Settings compat_settings_for(const Cluster& cluster);

}  // namespace tamp::test

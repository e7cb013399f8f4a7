// Small random clusters as model values, for property tests: every kind of constraint that the scheduler knows, drawn
// from vocabularies so small that matches and mismatches are both common. The same seed gives the same cluster, whatever
// the compiler: no call has two arguments that draw, since the order of arguments is the compiler's.
#pragma once

#include <cstdint>
#include <random>

#include "support/cluster_builder.h"

namespace tamp::test {

// Probabilities are per workload (a group of equal replicas) unless said otherwise. 0 switches a rule off.
struct RandomShape {
  int min_nodes = 2, max_nodes = 8;
  int min_pods = 3, max_pods = 25;
  int max_replicas = 5;

  // Nodes.
  double taint = 0.2, cordon = 0.06, missing_label = 0.08, extended_resource = 0.3, csi_limits = 0.5;
  double unmanaged = 0.0, uninitialized = 0.0, spot = 0.3;
  // Pods.
  double pending = 0.15, terminating = 0.05, terminal = 0.05, resized = 0.05;  // per pod
  double other_namespace = 0.25, bare = 0.05, statefulset = 0.1;
  double selector = 0.15, node_affinity = 0.2, toleration = 0.3, ports = 0.12, big = 0.1;
  double spread = 0.25, affinity = 0.12, anti_affinity = 0.15, preferences = 0.1;
  double claim = 0.15, disk = 0.05, broken_claim = 0.1;
  double daemon_sets = 0.5, priorities = 0.2, budgets = 0.2, do_not_disrupt = 0.05;
  // Bound pods go where they have room (requests and count), except with this probability.
  double overcommit = 0.05;
  // Instance types for nodes and replacements: the KWOK catalogue up to 16 cores instead of free sizes.
  bool catalogue = false;
};

class RandomCluster {
 public:
  explicit RandomCluster(std::uint64_t seed, RandomShape shape = {});
  Cluster build() { return builder_.build(); }
  // To add to it before build().
  ClusterBuilder& builder() { return builder_; }

 private:
  bool chance(double p) { return std::uniform_real_distribution<double>(0, 1)(random_) < p; }
  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  std::string_view pick(Values options);
  SelectorOp pick_op();
  TaintEffect pick_effect();

  void add_nodes();
  void add_storage();
  void add_daemons();
  void add_workload();
  void shape_pod(PodBuilder& pod, std::string_view app);
  void add_toleration(PodBuilder& pod);
  void add_node_rules(PodBuilder& pod);
  void add_pod_rules(PodBuilder& pod, std::string_view app);
  void add_volumes(PodBuilder& pod);
  PodAffinityTerm random_term(std::string_view app);
  LabelSelector random_selector(std::string_view app);
  SpreadConstraint random_spread(std::string_view app);
  std::string place(std::int64_t cpu, std::int64_t memory_mi);

  struct Room {
    std::string name;
    std::int64_t cpu, memory_mi, pods;
  };

  std::mt19937_64 random_;
  RandomShape shape_;
  ClusterBuilder builder_;
  std::vector<Room> rooms_;
  int pods_ = 0;
  int serial_ = 0;
};

inline Cluster random_cluster(std::uint64_t seed, RandomShape shape = {}) {
  return RandomCluster(seed, shape).build();
}

}  // namespace tamp::test

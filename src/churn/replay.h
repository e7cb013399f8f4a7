// A workload replayed minute by minute, and what the rules of consolidation make of it.
//
// Each minute: the workload changes; pods without a place go to the node with most room, as kube-scheduler has it, or to a new machine, the
// cheapest that holds those that wait; then one pass of consolidation, whose command is carried out at once. What it takes
// to start a machine or a pod is left out: it would hit all rules alike. Pure: the same workload gives the same day.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "churn/staging.h"
#include "churn/workload.h"
#include "model/settings.h"

namespace tamp::churn {

struct Rules {
  std::string name;
  Settings settings;
  bool consolidate = true;
};

struct Sample {
  std::int64_t minute = 0;
  std::size_t nodes = 0, pods = 0;
  double dollars_per_hour = 0;
};

struct Outcome {
  std::string name;
  double dollars = 0;  // of the whole time
  std::size_t evictions = 0;
  std::size_t most_evictions = 0;  // of one pod
  std::size_t again = 0;           // evictions of a pod less than an hour after its last one
  std::size_t nodes_removed = 0, nodes_replaced = 0;  // by consolidation; the second are machines it bought
  std::size_t most_removed_in_half_an_hour = 0;
  std::int64_t median_lifetime = 0;  // minutes, of nodes that are gone
  std::vector<Sample> samples;       // every ten minutes
};

Outcome replay(const Stage& stage, const Workload& workload, const Rules& rules, Time begin);

// What each design does by itself, and all of them together: nothing at all; the old rules, which are Karpenter's; the old rules
// with one design; the defaults.
std::vector<Rules> rules_to_compare(const Cluster& cluster);
// The defaults with other savings thresholds.
std::vector<Rules> rules_of_a_sweep(const Cluster& cluster, const std::vector<double>& thresholds);

}  // namespace tamp::churn

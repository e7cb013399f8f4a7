// A workload replayed minute by minute, and what the rules of consolidation make of it.
//
// Each minute: the workload changes; pods without a place go to the node with most room, as kube-scheduler has it, or to a new machine, the
// cheapest that holds those that wait; then one pass of consolidation, whose command is carried out at once. What it takes
// to start a machine or a pod is left out: it would hit all rules alike. Pure: the same workload gives the same day.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/settings.h"
#include "core/time.h"
#include "replay/staging.h"
#include "replay/workload.h"

namespace tamp::replay {

// What a TemperPolicy's `limits` allow the controller's own runs: they are no gates, a command beyond them is not carried out.
struct Limits {
  std::size_t evictions_per_hour = 0;
  Duration pod_cooldown;
};

struct Rules {
  std::string name;
  Settings settings;
  bool consolidate = true;
  std::optional<Limits> limits = {};
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
  std::size_t most_evictions = 0;                   // of one pod
  std::size_t most_evictions_in_an_hour = 0;        // of one pod, within any hour
  std::size_t again = 0;                            // evictions of a pod less than an hour after its last one
  std::size_t nodes_removed = 0, nodes_bought = 0;  // by consolidation
  std::size_t nodes_disrupted = 0;                  // of those removed, the ones that had pods to move
  std::size_t most_disrupted_in_half_an_hour = 0;
  std::size_t bought_and_disrupted =
      0;                             // machines that consolidation bought and disrupted again within an hour
  std::int64_t median_lifetime = 0;  // minutes, of nodes that are gone
  std::vector<Sample> samples;       // every ten minutes

  bool cascade() const;
};

// aws/karpenter-provider-aws#7146 in figures: 7 of 14 to 17 nodes disrupted within 30 minutes, replacements disrupted again after 5 to
// 10, pods restarted up to 4 times. An empty node that goes disrupts nobody and does not count.
inline constexpr std::size_t kCascadingNodes = 7;
inline constexpr std::size_t kCascadingRestarts =
    3;  // of one pod within an hour: the third is not bad luck any more

Outcome replay(const Stage& stage, const Workload& workload, const Rules& rules, Time begin);

// What each design does by itself, and all of them together: nothing at all; the old rules, which are Karpenter's; the old rules
// with one design; the defaults.
std::vector<Rules> rules_to_compare(const Cluster& cluster);
// The defaults with other savings thresholds.
std::vector<Rules> rules_of_a_sweep(const Cluster& cluster, const std::vector<double>& thresholds);

}  // namespace tamp::replay

// A NodePool: the template of its nodes and how they may be disrupted. Pools of other autoscalers, recognised by node
// labels, have a name and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/labels.h"
#include "core/node.h"
#include "core/resources.h"
#include "core/taint.h"
#include "core/time.h"

namespace tamp {

struct PoolRequirement {
  SelectorRequirement requirement;
  std::optional<std::int32_t> min_values;
  bool operator==(const PoolRequirement&) const = default;
};

enum class ConsolidationPolicy : std::uint8_t { WhenEmpty, WhenEmptyOrUnderutilized, Balanced };

enum class DisruptionReason : std::uint8_t { Empty, Underutilized, Drifted };

// A five-field cron schedule in UTC, as robfig/cron parses it. Bits are the values that match.
struct CronSchedule {
  std::uint64_t minute = 0, hour = 0, day = 0, month = 0, weekday = 0;
  bool day_star = false, weekday_star = false;  // "*" or "?": then the other one alone decides
  std::optional<Duration> every;                // @every
  bool operator==(const CronSchedule&) const = default;
};

struct Budget {
  std::string nodes = "10%";          // as written, for messages
  std::optional<std::int64_t> count;  // exactly one of count and percent, none if invalid
  std::optional<std::int64_t> percent;
  std::string schedule_text;
  std::optional<CronSchedule> schedule;
  std::optional<Duration> duration;
  bool all_reasons = true;  // no `reasons` given
  std::vector<DisruptionReason> reasons;
  bool has_schedule = false;
  bool invalid = false;  // a bad value or schedule: the pool allows nothing
  std::string problem;   // why it is invalid
  bool operator==(const Budget&) const = default;
};

// A duration or the word Never.
struct DurationOrNever {
  std::optional<Duration> value;  // absent = Never
  bool operator==(const DurationOrNever&) const = default;
};

// The `disruption` block. Every field is optional so that several layers (policy entry, policy default, pool, flag,
// built-in) can be laid over each other.
struct DisruptionBlock {
  std::optional<ConsolidationPolicy> policy;
  std::optional<DurationOrNever> consolidate_after;
  std::optional<double>
      savings_threshold;  // $/h per unit of disruption cost; "Consolidation Savings Threshold"
  std::optional<DurationOrNever> grace_period;  // "Consolidation Grace Period"
  std::optional<std::vector<Budget>> budgets;
  bool operator==(const DisruptionBlock&) const = default;
};

// Which autoscaler owns the nodes of a pool: it decides which vocabulary of annotations holds there.
enum class PoolKind : std::uint8_t { Karpenter, NodeGroup };

struct NodePool {
  Symbol name;
  Symbol uid;
  PoolKind kind = PoolKind::Karpenter;
  bool has_object = false;  // a NodePool object was read; otherwise known from labels alone
  std::int32_t weight = 0;
  std::optional<std::int64_t> replicas;  // static pool
  LabelSet template_labels;
  Symbol node_class_label;  // "<group>/<kind lower-case>"
  Symbol node_class_name;
  std::vector<Taint> taints;
  std::vector<Taint> startup_taints;
  std::vector<PoolRequirement> requirements;
  bool has_limits = false;
  ResourceList limits;
  std::optional<std::int64_t> node_limit;  // limits.nodes
  DisruptionBlock disruption;
  Condition ready;
  std::optional<Time> deleted;
  bool operator==(const NodePool&) const = default;
};

}  // namespace tamp

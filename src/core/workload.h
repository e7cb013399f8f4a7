// Controllers of pods and the budgets over them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/labels.h"
#include "core/pod.h"
#include "core/symbols.h"

namespace tamp {

struct Namespace {
  Symbol name;
  LabelSet labels;
  bool operator==(const Namespace&) const = default;
};

enum class WorkloadKind : std::uint8_t { Deployment, ReplicaSet, ReplicationController, StatefulSet, Job };

struct Workload {
  WorkloadKind kind = WorkloadKind::ReplicaSet;
  Symbol ns;
  Symbol name;
  Symbol uid;
  Symbol owner_uid;                        // a ReplicaSet's Deployment
  std::int64_t desired = 1;                // spec.replicas (Job: parallelism)
  std::int64_t ready = 0;                  // status.readyReplicas
  std::int64_t current = 0;                // status.replicas
  std::optional<PodSpecId> template_spec;  // of the pods it will create
  LabelSetId template_labels;
  bool deleting = false;
  bool operator==(const Workload&) const = default;
};

struct DaemonSet {
  Symbol ns;
  Symbol name;
  Symbol uid;
  PodSpecId spec;  // of its template, limits merged into requests
  LabelSetId labels;
  bool operator==(const DaemonSet&) const = default;
};

// A count or a percentage.
struct IntOrPercent {
  bool percent = false;
  std::int64_t value = 0;
  bool operator==(const IntOrPercent&) const = default;
};

struct PodDisruptionBudget {
  Symbol ns;
  Symbol name;
  std::optional<LabelSelector> selector;  // absent selects nothing
  std::int64_t disruptions_allowed = 0;
  std::optional<IntOrPercent> min_available;
  std::optional<IntOrPercent> max_unavailable;
  bool always_allow_unhealthy = false;  // unhealthyPodEvictionPolicy: AlwaysAllow
  bool operator==(const PodDisruptionBudget&) const = default;
};

struct PriorityClass {
  Symbol name;
  std::int32_t value = 0;
  bool operator==(const PriorityClass&) const = default;
};

}  // namespace tamp

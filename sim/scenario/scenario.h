// A scenario: a fleet, what runs on it, and what happens when, as data. docs/reference/scenarios.md describes the file.
// Where a file gives several values or a range, the seed chooses; everything else is as written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "wire/tree.h"

namespace tamp::world {

// One of several values, or a whole number between two: [100m, 250m], 2..8, or just 3.
struct Choice {
  std::vector<std::string> values;                               // one of these, if there are any
  std::optional<std::pair<std::int64_t, std::int64_t>> between;  // or a number in here
  bool given() const { return !values.empty() || between.has_value(); }
};

// Machines that are there from the start.
struct Fleet {
  int count = 1;
  std::string name;  // with a number behind it: "node" makes node-1, node-2, …
  std::string pool;  // NodePool or node group
  Choice type;       // of the machine catalogue
  Choice zone;
  Choice capacity_type;
  wire::Tree labels, taints;  // besides those that the pool gives
};

// A Deployment, StatefulSet, DaemonSet, Job or CronJob in short form.
struct WorkloadPlan {
  std::string kind = "Deployment";
  std::string ns = "default";
  std::string name;
  int copies = 1;  // so many of them: name-1, name-2, …
  Choice replicas;
  Choice cpu, memory;  // requests
  std::string cpu_limit, memory_limit;
  std::string priority_class;
  std::string pool;           // only on nodes of this pool
  std::string spread;         // "zone" or "host": a DoNotSchedule constraint
  std::string anti_affinity;  // "required" or "preferred": one to a host
  wire::Tree budget;          // spec of a PodDisruptionBudget without its selector
  wire::Tree annotations;     // of the pods
  std::vector<std::pair<std::string, std::string>> behaviour;  // sim.tamp.dev/KEY of the pods
  std::vector<std::pair<Duration, int>> day;                   // replicas from this time of day on, in order
  std::string schedule;                                        // of a CronJob
  wire::Tree pod;                                              // merged into the pod's spec
};

// What happens, once or again and again. `what` holds the one member of the file's entry that says so, with its value,
// and the members beside it.
struct Happening {
  Duration at;                    // since the start of the scenario; before it, if negative
  std::optional<Duration> every;  // and then again
  wire::Tree what;
};

struct Scenario {
  std::string name, title, text;
  Time start;
  Duration warmup;  // so long before `start` the world begins, so that it is lived in when it starts
  Duration length = Duration::hours(1);
  wire::Tree autoscaler;  // {kind: Karpenter | ClusterAutoscaler | None, …}
  wire::Tree machines;    // a catalogue in the format of Karpenter's KWOK provider; null: the built-in one
  bool agents = false;    // nodes are measured
  std::vector<wire::Tree> objects;  // as they are, first of all
  std::vector<Fleet> fleets;
  std::vector<WorkloadPlan> workloads;
  std::vector<Happening> happenings;
};

// YAML or JSON. Errors name the field.
Result<Scenario> read_scenario(const std::string& bytes);

// The scenarios that come with the program.
struct BuiltinScenario {
  std::string_view name;
  std::string_view text;  // YAML
};
const std::vector<BuiltinScenario>& builtin_scenarios();

}  // namespace tamp::world

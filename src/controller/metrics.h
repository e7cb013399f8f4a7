// What the controller tells Prometheus, as typed methods; docs/reference/metrics.md has a line for each name. The number of
// series is bounded whatever the cluster is like: a label takes a fixed number of different values, later ones count as
// "other". Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/money.h"
#include "core/time.h"
#include "net/http_server.h"

namespace tamp::controller {

enum class PlanPhase : std::uint8_t { View, Decide, Publish };
// What became of a pass. NotReady: the caches have not seen the whole cluster yet.
enum class PassResult : std::uint8_t { Published, Unchanged, NotReady, Failed };
// As net::ReflectorState::Phase; the number is the metric's value.
enum class WatchState : std::uint8_t { Starting, Listing, Current, Absent, Broken };

// What one pass found. Reasons that it does not name are gone from the metrics afterwards.
struct PlanFigures {
  std::int64_t candidates = 0;
  std::map<std::string, std::int64_t, std::less<>> blocked_nodes;  // by reason (gates/reason.h)
  Money savings;                                                   // of the plan, per hour
  Money cluster_cost;                                              // per hour; unknown prices count nothing
  std::int64_t nodes = 0, pods = 0;
};

class Metrics {
 public:
  explicit Metrics(std::string_view version, std::string_view compiler);
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  // ---- planning
  void phase_took(PlanPhase phase, Duration time);
  void pass_ended(PassResult result);
  void set_plan(const PlanFigures& figures);
  // One for every consolidation that "Consolidation Savings Threshold" held back.
  void threshold_blocked(std::string_view node_pool, std::int64_t times = 1);
  // How many objects could not be read, by kind; kinds that it does not name are gone afterwards.
  void set_unreadable(const std::map<std::string, std::int64_t, std::less<>>& by_kind);

  // ---- runs; the words are those of ConsolidationRun.status
  void set_active_runs(std::int64_t runs);
  void run_entered(std::string_view phase);
  void run_ended(std::string_view phase, std::string_view reason, Duration since_approval);
  void run_mutation(std::string_view kind, std::string_view state);
  void guard_tripped(std::string_view guard);

  // ---- the API server; `resource` is the plural ("pods")
  void set_watch(std::string_view resource, WatchState state, Duration since_contact);
  void watch_relisted(std::string_view resource);
  // `code` 0: there was no answer.
  void api_request(std::string_view verb, std::string_view resource, int code, Duration time);
  void api_throttled(Duration waited);
  void event_written(std::string_view type);  // Normal, Warning

  // ---- the agents
  // An answer to a question for measurements: "ok", or why it was refused.
  void observation(std::string_view result);
  void set_observed_nodes(std::int64_t nodes);

  // ---- the process
  void set_leader(bool leader);
  void webhook_answered(bool allowed);

  // Everything, in Prometheus' text format. Reads the process_* values as it goes.
  net::HttpResponse exposition();

 private:
  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace tamp::controller

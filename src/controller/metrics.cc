#include "controller/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <mutex>
#include <utility>
#include <vector>

#include "controller/process_stats.h"

namespace tamp::controller {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;
using prometheus::Labels;

// More than the pools, kinds, reasons and codes of any cluster that we know of; a bound, not an expectation.
constexpr std::size_t kMaxSeries = 1000;

const std::vector<double> kPhaseSeconds = {0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
const std::vector<double> kRunSeconds = {10, 30, 60, 120, 300, 600, 900, 1200, 1800, 2700, 3600, 7200};
const std::vector<double> kRequestSeconds = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};

std::string_view word(PlanPhase phase) {
  switch (phase) {
    case PlanPhase::View:
      return "view";
    case PlanPhase::Decide:
      return "decide";
    case PlanPhase::Publish:
      return "publish";
  }
  return "";
}

std::string_view word(PassResult result) {
  switch (result) {
    case PassResult::Published:
      return "published";
    case PassResult::Unchanged:
      return "unchanged";
    case PassResult::NotReady:
      return "not_ready";
    case PassResult::Failed:
      return "failed";
  }
  return "";
}

// The series of one metric, never more than kMaxSeries and one for all others.
template <typename T>
class Series {
 public:
  explicit Series(Family<T>& family) : family_(family) {}

  template <typename... Arguments>
  T& at(const Labels& labels, const Arguments&... arguments) {
    if (const auto found = series_.find(labels); found != series_.end()) return *found->second;
    if (series_.size() < kMaxSeries) {
      T& metric = family_.Add(labels, arguments...);
      series_.emplace(labels, &metric);
      return metric;
    }
    Labels other = labels;
    for (auto& [name, value] : other) value = "other";
    return family_.Add(other, arguments...);
  }

  void clear() {
    for (const auto& [labels, metric] : series_) family_.Remove(metric);
    series_.clear();
  }

 private:
  Family<T>& family_;
  std::map<Labels, T*> series_;
};

std::string text(std::string_view view) { return std::string(view); }

}  // namespace

struct Metrics::Families {
  Series<Counter> counter(const char* name, const char* help) {
    return Series(prometheus::BuildCounter().Name(name).Help(help).Register(registry));
  }
  Series<Gauge> gauge(const char* name, const char* help) {
    return Series(prometheus::BuildGauge().Name(name).Help(help).Register(registry));
  }
  Series<Histogram> histogram(const char* name, const char* help) {
    return Series(prometheus::BuildHistogram().Name(name).Help(help).Register(registry));
  }

  std::mutex mutex;
  prometheus::Registry registry;
  double cpu_seconds = 0;  // as far as counted

  Series<Counter> blocked_by_threshold =
      counter("karpenter_consolidation_threshold_blocked_total",
              "Consolidations held back because they save less than the savings threshold asks for.");
  Series<Histogram> plan_duration =
      histogram("tamp_plan_duration_seconds", "Time that a phase of a pass took.");
  Series<Counter> passes = counter("tamp_passes_total", "Passes of the planner by what became of them.");
  Series<Gauge> candidates =
      gauge("tamp_candidates", "Nodes that passed every gate before the simulation, in the last pass.");
  Series<Gauge> nodes_blocked = gauge(
      "tamp_nodes_blocked", "Nodes that stay, by the first gate that they did not pass, in the last pass.");
  Series<Gauge> savings =
      gauge("tamp_identified_savings_dollars_per_hour", "What the plan of the last pass would save.");
  Series<Gauge> cost = gauge("tamp_cluster_cost_dollars_per_hour", "What all nodes with a known price cost.");
  Series<Gauge> nodes = gauge("tamp_cluster_nodes", "Nodes in the last pass.");
  Series<Gauge> pods = gauge("tamp_cluster_pods", "Pods in the last pass.");
  Series<Gauge> unreadable =
      gauge("tamp_unreadable_objects", "Objects of the cluster that Tamp could not read, by kind.");
  Series<Gauge> runs_active = gauge("tamp_run_active", "Runs that are not over.");
  Series<Counter> run_phases = counter("tamp_run_phases_total", "Phases that runs entered.");
  Series<Counter> runs = counter("tamp_runs_total", "Runs that ended, by how and why.");
  Series<Histogram> run_duration =
      histogram("tamp_run_duration_seconds", "Time from the approval of a run to its end.");
  Series<Counter> run_mutations =
      counter("tamp_run_mutations_total", "Changes of the cluster that were tried, by what came of them.");
  Series<Counter> guard_trips = counter("tamp_run_guard_trips_total", "Times that a guard stopped a run.");
  Series<Gauge> watch_lag =
      gauge("tamp_watch_lag_seconds", "Time since the API server last said anything on this watch.");
  Series<Gauge> watch_state = gauge(
      "tamp_watch_state", "0: starting, 1: listing, 2: current, 3: no such kind in this cluster, 4: broken.");
  Series<Counter> relists = counter("tamp_watch_relists_total", "Times that everything was read anew.");
  Series<Histogram> api_duration =
      histogram("tamp_api_request_duration_seconds", "Time until the API server's answer.");
  Series<Counter> api_requests =
      counter("tamp_api_requests_total", "Requests to the API server by the code of the answer.");
  Series<Counter> throttle_wait = counter("tamp_api_throttle_wait_seconds_total",
                                          "Time that requests waited for the client-side rate limit.");
  Series<Counter> events = counter("tamp_events_total", "Events written, by type.");
  Series<Counter> observations =
      counter("tamp_observations_total", "Answers of agents, by what became of them.");
  Series<Gauge> observed_nodes = gauge("tamp_observed_nodes", "Nodes whose agent has answered.");
  Series<Gauge> leader = gauge("tamp_leader", "1 if this replica is the leader.");
  Series<Counter> webhook_requests = counter("tamp_webhook_requests_total", "Admission reviews answered.");
  Series<Gauge> build_info = gauge("tamp_build_info", "Always 1; the labels say what is running.");
  Series<Counter> process_cpu =
      counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.");
  Series<Gauge> process_resident = gauge("process_resident_memory_bytes", "Resident memory size in bytes.");
  Series<Gauge> process_virtual = gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.");
  Series<Gauge> process_fds = gauge("process_open_fds", "Number of open file descriptors.");
  Series<Gauge> process_max_fds = gauge("process_max_fds", "Maximum number of open file descriptors.");
  Series<Gauge> process_start =
      gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.");
  Series<Gauge> process_threads = gauge("process_threads", "Number of operating system threads.");
};

Metrics::Metrics(std::string_view version, std::string_view compiler)
    : families_(std::make_unique<Families>()) {
  Families& f = *families_;
  f.build_info.at({{"version", text(version)}, {"compiler", text(compiler)}}).Set(1);
  // Series that exist from the start make a rate of their first step, too.
  f.leader.at({}).Set(0);
  f.runs_active.at({}).Set(0);
  f.throttle_wait.at({});
  f.webhook_requests.at({{"allowed", "true"}});
  f.webhook_requests.at({{"allowed", "false"}});
  for (const PassResult result :
       {PassResult::Published, PassResult::Unchanged, PassResult::NotReady, PassResult::Failed})
    f.passes.at({{"result", text(word(result))}});
}

Metrics::~Metrics() = default;

void Metrics::phase_took(PlanPhase phase, Duration time) {
  const std::lock_guard lock(families_->mutex);
  families_->plan_duration.at({{"phase", text(word(phase))}}, kPhaseSeconds).Observe(time.to_seconds());
}

void Metrics::pass_ended(PassResult result) {
  const std::lock_guard lock(families_->mutex);
  families_->passes.at({{"result", text(word(result))}}).Increment();
}

void Metrics::set_plan(const PlanFigures& figures) {
  const std::lock_guard lock(families_->mutex);
  Families& f = *families_;
  f.candidates.at({}).Set(static_cast<double>(figures.candidates));
  f.nodes_blocked.clear();
  for (const auto& [reason, nodes] : figures.blocked_nodes)
    f.nodes_blocked.at({{"reason", reason}}).Set(static_cast<double>(nodes));
  f.savings.at({}).Set(figures.savings.dollars());
  f.cost.at({}).Set(figures.cluster_cost.dollars());
  f.nodes.at({}).Set(static_cast<double>(figures.nodes));
  f.pods.at({}).Set(static_cast<double>(figures.pods));
}

void Metrics::threshold_blocked(std::string_view node_pool, std::int64_t times) {
  const std::lock_guard lock(families_->mutex);
  families_->blocked_by_threshold.at({{"nodepool", text(node_pool)}}).Increment(static_cast<double>(times));
}

void Metrics::set_unreadable(const std::map<std::string, std::int64_t, std::less<>>& by_kind) {
  const std::lock_guard lock(families_->mutex);
  families_->unreadable.clear();
  for (const auto& [kind, objects] : by_kind)
    families_->unreadable.at({{"kind", kind}}).Set(static_cast<double>(objects));
}

void Metrics::set_active_runs(std::int64_t runs) {
  const std::lock_guard lock(families_->mutex);
  families_->runs_active.at({}).Set(static_cast<double>(runs));
}

void Metrics::run_entered(std::string_view phase) {
  const std::lock_guard lock(families_->mutex);
  families_->run_phases.at({{"phase", text(phase)}}).Increment();
}

void Metrics::run_ended(std::string_view phase, std::string_view reason, Duration since_approval) {
  const std::lock_guard lock(families_->mutex);
  families_->runs.at({{"outcome", text(phase)}, {"reason", text(reason)}}).Increment();
  families_->run_duration.at({{"outcome", text(phase)}}, kRunSeconds).Observe(since_approval.to_seconds());
}

void Metrics::run_mutation(std::string_view kind, std::string_view state) {
  const std::lock_guard lock(families_->mutex);
  families_->run_mutations.at({{"kind", text(kind)}, {"state", text(state)}}).Increment();
}

void Metrics::guard_tripped(std::string_view guard) {
  const std::lock_guard lock(families_->mutex);
  families_->guard_trips.at({{"guard", text(guard)}}).Increment();
}

void Metrics::set_watch(std::string_view resource, WatchState state, Duration since_contact) {
  const std::lock_guard lock(families_->mutex);
  const Labels labels = {{"resource", text(resource)}};
  families_->watch_state.at(labels).Set(static_cast<double>(state));
  families_->watch_lag.at(labels).Set(since_contact.to_seconds());
}

void Metrics::watch_relisted(std::string_view resource) {
  const std::lock_guard lock(families_->mutex);
  families_->relists.at({{"resource", text(resource)}}).Increment();
}

void Metrics::api_request(std::string_view verb, std::string_view resource, int code, Duration time) {
  const std::lock_guard lock(families_->mutex);
  Labels labels = {{"verb", text(verb)}, {"resource", text(resource)}};
  families_->api_duration.at(labels, kRequestSeconds).Observe(time.to_seconds());
  labels.emplace("code", code == 0 ? "none" : std::to_string(code));
  families_->api_requests.at(labels).Increment();
}

void Metrics::api_throttled(Duration waited) {
  const std::lock_guard lock(families_->mutex);
  families_->throttle_wait.at({}).Increment(waited.to_seconds());
}

void Metrics::event_written(std::string_view type) {
  const std::lock_guard lock(families_->mutex);
  families_->events.at({{"type", text(type)}}).Increment();
}

void Metrics::observation(std::string_view result) {
  const std::lock_guard lock(families_->mutex);
  families_->observations.at({{"result", std::string(result)}}).Increment();
}

void Metrics::set_observed_nodes(std::int64_t nodes) {
  const std::lock_guard lock(families_->mutex);
  families_->observed_nodes.at({}).Set(static_cast<double>(nodes));
}

void Metrics::set_leader(bool leader) {
  const std::lock_guard lock(families_->mutex);
  families_->leader.at({}).Set(leader ? 1 : 0);
}

void Metrics::webhook_answered(bool allowed) {
  const std::lock_guard lock(families_->mutex);
  families_->webhook_requests.at({{"allowed", allowed ? "true" : "false"}}).Increment();
}

net::HttpResponse Metrics::exposition() {
  const auto process = read_process_stats();
  const std::lock_guard lock(families_->mutex);
  Families& f = *families_;
  if (process) {
    f.process_cpu.at({}).Increment(process->cpu_seconds - std::exchange(f.cpu_seconds, process->cpu_seconds));
    f.process_resident.at({}).Set(static_cast<double>(process->resident_bytes));
    f.process_virtual.at({}).Set(static_cast<double>(process->virtual_bytes));
    f.process_fds.at({}).Set(static_cast<double>(process->open_fds));
    f.process_max_fds.at({}).Set(static_cast<double>(process->max_fds));
    f.process_start.at({}).Set(process->start_seconds);
    f.process_threads.at({}).Set(static_cast<double>(process->threads));
  }
  return {200, "text/plain; version=0.0.4; charset=utf-8",
          prometheus::TextSerializer().Serialize(f.registry.Collect())};
}

}  // namespace tamp::controller

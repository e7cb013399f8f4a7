#include "wire/guards.h"

#include <fmt/format.h>

#include "wire/duration.h"

namespace tamp::wire {
namespace {

constexpr Words<DaemonCores> kDaemonCores[] = {{"Each", DaemonCores::Each},
                                               {"Together", DaemonCores::Together}};
constexpr Words<ReapMode> kReapModes[] = {
    {"Autoscaler", ReapMode::Autoscaler}, {"NodeClaim", ReapMode::NodeClaim}, {"None", ReapMode::None}};

void share(Decoder& d, Value parent, std::string_view key, double& target) {
  const auto value = d.number(parent, key);
  if (!value) return;
  if (!(*value >= 0 && *value <= 1))
    d.fail(parent.get(key), fmt::format("is {}, must be between 0 and 1", *value));
  target = *value;
}

void duration(Decoder& d, Value parent, std::string_view key, Duration& target) {
  target = decode_duration(d, parent, key).value_or(target);
}

void count(Decoder& d, Value parent, std::string_view key, std::int64_t least, std::int64_t most,
           std::int64_t& target) {
  target = d.integer(parent, key, least, most).value_or(target);
}

void pressure(Decoder& d, Value value, PressureLimits& limits) {
  share(d, value, "cpu", limits.cpu);
  share(d, value, "memory", limits.memory);
  share(d, value, "io", limits.io);
}

std::optional<PrometheusGuard> prometheus(Decoder& d, Value run) {
  const Value value = d.object(run, "prometheus");
  if (!value.present()) return std::nullopt;
  PrometheusGuard guard;
  guard.url = d.text(value, "url");
  guard.query = d.text(value, "query");
  if (!guard.url.starts_with("http://") && !guard.url.starts_with("https://"))
    d.fail(value, "must begin with http:// or https://", "url");
  if (guard.query.empty()) d.fail(value, "is missing", "query");
  const auto max = d.number(value, "max");
  if (!max) d.fail(value, "is missing", "max");
  guard.max = max.value_or(0);
  return guard;
}

RunGuards run_guards(Decoder& d, Value run) {
  constexpr double kMostFactor = 1000;
  RunGuards g;
  pressure(d, d.object(run, "pressure"), g.pressure);
  if (const auto factor = d.number(run, "baselineFactor")) {
    if (!(*factor >= 1 && *factor <= kMostFactor))
      d.fail(run.get("baselineFactor"), fmt::format("is {}, must be between 1 and {}", *factor, kMostFactor));
    g.baseline_factor = *factor;
  }
  share(d, run, "baselineFloor", g.baseline_floor);
  count(d, run, "minSamples", 1, 1'000'000, g.min_samples);
  duration(d, run, "maxObservationAge", g.max_observation_age);
  duration(d, run, "pendingReplacementAfter", g.pending_replacement_after);
  count(d, run, "crashLoopRestarts", 1, 1'000, g.crash_loop_restarts);
  duration(d, run, "pdbPatience", g.pdb_patience);
  duration(d, run, "launchTimeout", g.launch_timeout);
  duration(d, run, "settle", g.settle);
  duration(d, run, "afterReapWatch", g.after_reap_watch);
  share(d, run, "unhealthyClusterShare", g.unhealthy_cluster_share);
  g.prometheus = prometheus(d, run);
  return g;
}

}  // namespace

GuardSettings decode_guards(Decoder& d, Value spec) {
  GuardSettings g;
  const Value value = d.object(spec, "guards");
  duration(d, value, "maxObservationAge", g.max_observation_age);
  count(d, value, "minSamples", 1, 1'000'000, g.min_samples);
  pressure(d, d.object(value, "pressure"), g.pressure);
  if (const Value longer = d.object(value, "pressure300s"); longer.present()) {
    g.pressure_300s = g.pressure;
    pressure(d, longer, *g.pressure_300s);
  }
  const Value headroom = d.object(value, "headroom");
  share(d, headroom, "cpu", g.cpu_headroom);
  share(d, headroom, "memory", g.memory_headroom);
  const Value cores = d.object(value, "wholeCores");
  count(d, cores, "reserved", 0, 1'000, g.reserved_cores);
  g.daemon_cores = d.word<DaemonCores>(cores, "daemons", kDaemonCores, g.daemon_cores);
  count(d, value, "maxSurvivors", 1, 1'000, g.max_survivors);
  count(d, value, "schedulerOrders", 6, 10'000, g.scheduler_orders);
  g.survive_one_more = d.flag(value, "surviveOneMore", g.survive_one_more);
  duration(d, value, "planExpiry", g.plan_expiry);
  g.run = run_guards(d, d.object(value, "run"));
  return g;
}

ReapSettings decode_reap(Decoder& d, Value spec) {
  ReapSettings reap;
  const Value value = d.object(spec, "reap");
  reap.mode = d.word<ReapMode>(value, "mode", kReapModes, reap.mode);
  duration(d, value, "escalateAfter", reap.escalate_after);
  duration(d, value, "giveUpAfter", reap.give_up_after);
  return reap;
}

}  // namespace tamp::wire

#include "situation/resolve_settings.h"

#include <gtest/gtest.h>

#include "core/pattern.h"
#include "wire/reading_for_test.h"

namespace tamp::situation {
namespace {

using wire::testing::read;

std::string policy(const std::string& spec, const std::string& name = "default") {
  return "{apiVersion: temper.codes/v1alpha1, kind: TemperPolicy, metadata: {name: " + name +
         "}, spec: " + spec + "}";
}
std::string error_of(const std::string& spec) { return wire::testing::error_of(policy(spec)); }

std::string pool(const std::string& name, const std::string& disruption = "{}") {
  return "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: " + name +
         "}, spec: {disruption: " + disruption + "}}";
}

Settings settings_of(const std::string& objects, const FlagSettings& flags = {}) {
  return resolve_settings(read(objects).cluster, flags);
}

TEST(Pattern, StarsAndQuestionMarks) {
  EXPECT_TRUE(matches_pattern("spot-*", "spot-a"));
  EXPECT_TRUE(matches_pattern("*", ""));
  EXPECT_TRUE(matches_pattern("a*b*c", "a-xx-b-b-c"));
  EXPECT_TRUE(matches_pattern("p?", "p1"));
  EXPECT_FALSE(matches_pattern("p?", "p"));
  EXPECT_FALSE(matches_pattern("spot-*", "on-demand"));
  EXPECT_FALSE(matches_pattern("a", "ab"));
}

TEST(Settings, BuiltInDefaults) {
  const Settings s = settings_of(pool("p"));
  EXPECT_EQ(s.utilization_threshold.value, 0.75);
  EXPECT_EQ(s.min_node_lifetime.value, Duration::minutes(5));
  EXPECT_FALSE(s.allow_unowned_pods.value);
  EXPECT_TRUE(s.consolidation_enabled.value);
  EXPECT_EQ(s.preferences.value, PreferencePolicy::Ignore);
  ASSERT_EQ(s.pools.size(), 1u);
  EXPECT_EQ(s.pools[0].policy.value, ConsolidationPolicy::WhenEmptyOrUnderutilized);
  EXPECT_EQ(s.pools[0].consolidate_after.value.value, Duration{0});
  EXPECT_EQ(s.pools[0].savings_threshold.value, 0.01);
  EXPECT_EQ(s.pools[0].grace_period.value.value, std::nullopt);
  ASSERT_EQ(s.pools[0].budgets.value.size(), 1u);
  EXPECT_EQ(s.pools[0].budgets.value[0].percent, 10);
  EXPECT_EQ(s.pools[0].budgets.source, SettingSource::BuiltIn);
}

TEST(Settings, EveryLayerOverTheNext) {
  FlagSettings flags;
  flags.savings_threshold = Setting<double>{0.2, SettingSource::Flag};
  flags.utilization_threshold = Setting<double>{0.6, SettingSource::Environment};

  const std::string bare = pool("spot-1");
  EXPECT_EQ(settings_of(bare, flags).pools[0].savings_threshold.value, 0.2);
  EXPECT_EQ(settings_of(bare, flags).pools[0].savings_threshold.source, SettingSource::Flag);
  EXPECT_EQ(settings_of(bare, flags).utilization_threshold.source, SettingSource::Environment);

  const std::string own = pool("spot-1", "{consolidationSavingsThreshold: 0.3}");
  EXPECT_EQ(settings_of(own, flags).pools[0].savings_threshold.value, 0.3);
  EXPECT_EQ(settings_of(own, flags).pools[0].savings_threshold.source, SettingSource::NodePool);

  const std::string with_default =
      own + "\n---\n" +
      policy("{utilizationThreshold: 0.4, disruption: {consolidationSavingsThreshold: 0.4}}");
  EXPECT_EQ(settings_of(with_default, flags).pools[0].savings_threshold.value, 0.4);
  EXPECT_EQ(settings_of(with_default, flags).pools[0].savings_threshold.source, SettingSource::PolicyDefault);
  EXPECT_EQ(settings_of(with_default, flags).utilization_threshold.value, 0.4);

  const std::string with_entry =
      own + "\n---\n" +
      policy(
          "{disruption: {consolidationSavingsThreshold: 0.4, consolidateAfter: 1m}, nodePools: [{name: "
          "'spot-*', "
          "disruption: {consolidationSavingsThreshold: 0.5}}, {name: spot-1, disruption: "
          "{consolidationSavingsThreshold: 0.6}}, {name: '*', disruption: {consolidationSavingsThreshold: "
          "0.7, "
          "consolidationGracePeriod: 1h}}]}");
  const PoolSettings s = settings_of(with_entry, flags).pools[0];
  EXPECT_EQ(s.savings_threshold.value, 0.6);  // the exact name comes before patterns
  EXPECT_EQ(s.savings_threshold.source, SettingSource::PolicyPool);
  EXPECT_EQ(s.grace_period.value.value, Duration::hours(1));  // each field from the first entry that sets it
  EXPECT_EQ(s.consolidate_after.value.value, Duration::minutes(1));
  EXPECT_EQ(s.consolidate_after.source, SettingSource::PolicyDefault);
}

TEST(Settings, OfTwoPatternsTheFirstCounts) {
  const Settings s = settings_of(
      pool("spot-1") + "\n---\n" +
      policy("{nodePools: [{name: 'spot-*', disruption: {consolidateAfter: 1m}}, {name: '*', disruption: "
             "{consolidateAfter: 2m}}]}"));
  EXPECT_EQ(s.pools[0].consolidate_after.value.value, Duration::minutes(1));
}

TEST(Settings, CompatKnowsOnlyWhatKarpenterKnows) {
  FlagSettings flags;
  flags.karpenter_compat = true;
  flags.utilization_threshold = Setting<double>{0.6, SettingSource::Flag};
  const Settings s = settings_of(
      pool("p",
           "{consolidationPolicy: WhenEmpty, consolidateAfter: 30s, consolidationSavingsThreshold: 0.3, "
           "consolidationGracePeriod: 1h, budgets: [{nodes: '1'}]}") +
          "\n---\n" +
          policy(
              "{consolidation: {enabled: false}, minNodeLifetime: 1h, allowUnownedPods: false, disruption: "
              "{consolidateAfter: 9m}, limits: {minNodes: 5}}"),
      flags);
  EXPECT_TRUE(s.karpenter_compat);
  EXPECT_TRUE(s.consolidation_enabled.value);
  EXPECT_EQ(s.utilization_threshold.value, 1.0);
  EXPECT_EQ(s.utilization_threshold.source, SettingSource::Compat);
  EXPECT_EQ(s.min_node_lifetime.value, Duration{0});
  EXPECT_TRUE(s.allow_unowned_pods.value);
  EXPECT_EQ(s.min_nodes.value, 0);
  EXPECT_EQ(s.preferences.value, PreferencePolicy::Respect);
  EXPECT_EQ(s.pools[0].savings_threshold.value, 0);
  EXPECT_EQ(s.pools[0].grace_period.value.value, std::nullopt);
  EXPECT_EQ(s.pools[0].policy.value, ConsolidationPolicy::WhenEmpty);
  EXPECT_EQ(s.pools[0].consolidate_after.value.value, Duration::seconds(30));
  EXPECT_EQ(s.pools[0].consolidate_after.source, SettingSource::NodePool);
  EXPECT_EQ(s.pools[0].budgets.value[0].count, 1);
}

TEST(Settings, CompatLeavesFlagsThatKarpenterHasToo) {
  FlagSettings flags;
  flags.karpenter_compat = true;
  flags.preferences = Setting<PreferencePolicy>{PreferencePolicy::Ignore, SettingSource::Flag};
  flags.spot_to_spot = Setting<bool>{true, SettingSource::Flag};
  const Settings s = settings_of(pool("p"), flags);
  EXPECT_EQ(s.preferences.value, PreferencePolicy::Ignore);
  EXPECT_TRUE(s.spot_to_spot.value);
}

TEST(Policy, EveryField) {
  const wire::Reading r = read(
      policy("{mode: Act, planner: Requests, approval: Automatic, consolidation: {enabled: false}, "
             "ttlSecondsAfterEmpty: 30, "
             "disruption: {budgets: [{nodes: 20%}]}, utilizationThreshold: 0.5, utilizationFormula: Maximum, "
             "minNodeLifetime: "
             "10m, allowUnownedPods: true, limits: {minNodes: 2, maxEvictionsPerHour: 7, podCooldown: 2h, "
             "protectSingleReplica: true}, tiers: {critical: 9, high: 8, normal: 7, low: 6}}"));
  ASSERT_TRUE(r.cluster.policy.has_value());
  const TemperPolicy& p = *r.cluster.policy;
  EXPECT_EQ(p.mode, "Act");
  EXPECT_EQ(p.planner, "Requests");
  EXPECT_EQ(p.approval, "Automatic");
  EXPECT_EQ(p.consolidation_enabled, false);
  EXPECT_EQ(p.ttl_after_empty, Duration::seconds(30));
  EXPECT_EQ(p.disruption.budgets->at(0).percent, 20);
  EXPECT_EQ(p.utilization_threshold, 0.5);
  EXPECT_EQ(p.utilization_formula, UtilizationFormula::Maximum);
  EXPECT_EQ(p.min_node_lifetime, Duration::minutes(10));
  EXPECT_EQ(p.allow_unowned_pods, true);
  EXPECT_EQ(p.min_nodes, 2);
  EXPECT_EQ(p.max_evictions_per_hour, 7);
  EXPECT_EQ(p.pod_cooldown, Duration::hours(2));
  EXPECT_EQ(p.protect_single_replica, true);
  EXPECT_EQ(p.tiers.low, 6);
  const Settings s = resolve_settings(r.cluster, {});
  EXPECT_EQ(s.ttl_after_empty.value, Duration::seconds(30));
  EXPECT_TRUE(s.protect_single_replica.value);
  EXPECT_EQ(s.tiers.critical, 9);
}

TEST(Policy, Guards) {
  const wire::Reading r = read(policy(
      "{guards: {maxObservationAge: 2m, minSamples: 10, pressure: {cpu: 0.2, memory: 0.1, io: 0.3}, "
      "pressure300s: {cpu: 0.15}, headroom: {cpu: 0.7, memory: 0.6}, wholeCores: {reserved: 2, daemons: "
      "Together}, maxSurvivors: 9, schedulerOrders: 8, surviveOneMore: true, planExpiry: 1h}}"));
  const GuardSettings g = resolve_settings(r.cluster, {}).guards;
  EXPECT_EQ(g.max_observation_age, Duration::minutes(2));
  EXPECT_EQ(g.min_samples, 10);
  EXPECT_EQ(g.pressure, (PressureLimits{0.2, 0.1, 0.3}));
  EXPECT_EQ(g.long_pressure(), (PressureLimits{0.15, 0.1, 0.3}))
      << "what is left out is as in the other window";
  EXPECT_EQ(g.cpu_headroom, 0.7);
  EXPECT_EQ(g.memory_headroom, 0.6);
  EXPECT_EQ(g.reserved_cores, 2);
  EXPECT_EQ(g.daemon_cores, DaemonCores::Together);
  EXPECT_EQ(g.max_survivors, 9);
  EXPECT_EQ(g.scheduler_orders, 8);
  EXPECT_TRUE(g.survive_one_more);
  EXPECT_EQ(g.plan_expiry, Duration::hours(1));
  EXPECT_EQ(g.run, RunGuards{});
  EXPECT_EQ(resolve_settings(read(policy("{}")).cluster, {}).guards, GuardSettings{});
}

TEST(Policy, GuardsOfARun) {
  const wire::Reading r = read(policy(
      "{guards: {run: {pressure: {cpu: 0.3}, baselineFactor: 2, baselineFloor: 0.01, minSamples: 7, "
      "maxObservationAge: 20s, pendingReplacementAfter: 3m, crashLoopRestarts: 2, pdbPatience: 4m, "
      "launchTimeout: 6m, settle: 1m, afterReapWatch: 5m, unhealthyClusterShare: 0.5, prometheus: {url: "
      "'http://prometheus:9090', query: 'max(p99)', max: 0.006}}}, reap: {mode: NodeClaim, escalateAfter: "
      "1m, "
      "giveUpAfter: 10m}}"));
  const Settings s = resolve_settings(r.cluster, {});
  const RunGuards& g = s.guards.run;
  EXPECT_EQ(g.pressure, (PressureLimits{0.3, 0.10, 0.40}));
  EXPECT_EQ(g.baseline_factor, 2);
  EXPECT_EQ(g.baseline_floor, 0.01);
  EXPECT_EQ(g.min_samples, 7);
  EXPECT_EQ(g.max_observation_age, Duration::seconds(20));
  EXPECT_EQ(g.pending_replacement_after, Duration::minutes(3));
  EXPECT_EQ(g.crash_loop_restarts, 2);
  EXPECT_EQ(g.pdb_patience, Duration::minutes(4));
  EXPECT_EQ(g.launch_timeout, Duration::minutes(6));
  EXPECT_EQ(g.settle, Duration::minutes(1));
  EXPECT_EQ(g.after_reap_watch, Duration::minutes(5));
  EXPECT_EQ(g.unhealthy_cluster_share, 0.5);
  EXPECT_EQ(g.prometheus, (PrometheusGuard{"http://prometheus:9090", "max(p99)", 0.006}));
  EXPECT_EQ(s.reap.mode, ReapMode::NodeClaim);
  EXPECT_EQ(s.reap.escalate_after, Duration::minutes(1));
  EXPECT_EQ(s.reap.give_up_after, Duration::minutes(10));
}

TEST(Policy, GuardsThatAreRefused) {
  const auto refused = [](const std::string& spec, std::string_view what) {
    EXPECT_NE(error_of(spec).find(what), std::string::npos) << error_of(spec);
  };
  refused("{guards: {headroom: {cpu: 1.5}}}", "spec.guards.headroom.cpu: is 1.5, must be between 0 and 1");
  refused("{guards: {minSamples: 0}}", "spec.guards.minSamples");
  refused("{guards: {wholeCores: {daemons: Never}}}", "spec.guards.wholeCores.daemons");
  refused("{guards: {run: {baselineFactor: 0.5}}}", "spec.guards.run.baselineFactor: is 0.5");
  refused("{guards: {run: {prometheus: {url: 'ftp://x', query: q, max: 1}}}}",
          "spec.guards.run.prometheus.url");
  refused("{guards: {run: {prometheus: {url: 'http://x', query: q}}}}",
          "spec.guards.run.prometheus.max: is missing");
  refused("{reap: {mode: Now}}", "spec.reap.mode");
}

TEST(Policy, PauseIsAnAnnotation) {
  const wire::Reading r = read(
      "{apiVersion: temper.codes/v1alpha1, kind: TemperPolicy, metadata: {name: default, annotations: "
      "{temper.codes/pause: 'true'}}}");
  EXPECT_TRUE(resolve_settings(r.cluster, {}).paused);
}

TEST(Policy, OnlyTheOneNamedDefaultCounts) {
  const wire::Reading r = read(policy("{utilizationThreshold: 0.1}", "other"));
  EXPECT_FALSE(r.cluster.policy.has_value());
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_EQ(r.warnings[0], "file: TemperPolicy other: is ignored: only the one named default counts");
}

TEST(Policy, AFileOfItsOwnReplacesTheOneAmongTheObjects) {
  wire::Inputs inputs = wire::testing::inputs_of(policy("{utilizationThreshold: 0.1}"));
  inputs.policy = wire::Input{"policy", policy("{utilizationThreshold: 0.2}", "mine")};
  EXPECT_EQ(read(inputs).cluster.policy->utilization_threshold, 0.2);

  inputs.policy = wire::Input{"policy", "{apiVersion: v1, kind: Pod, metadata: {name: p}}"};
  EXPECT_EQ(wire::testing::error_of(inputs), "policy: Pod is not a TemperPolicy");
  inputs.policy = wire::Input{"policy", policy("{}") + "\n---\n" + policy("{}", "two")};
  EXPECT_EQ(wire::testing::error_of(inputs), "policy: TemperPolicy two: there is more than one TemperPolicy");
}

TEST(Policy, Errors) {
  EXPECT_EQ(error_of("{ttlSecondsAfterEmpty: 30}"),
            "file: TemperPolicy default: spec.ttlSecondsAfterEmpty: must not be set while consolidation is "
            "enabled (set "
            "consolidation.enabled to false, or leave this out)");
  EXPECT_EQ(error_of("{consolidation: {enabled: false}, ttlSecondsAfterEmpty: -1}"),
            "file: TemperPolicy default: spec.ttlSecondsAfterEmpty: is -1, must be at least 0");
  EXPECT_EQ(error_of("{utilizationThreshold: 1.5}"),
            "file: TemperPolicy default: spec.utilizationThreshold: is 1.5, must be between 0 and 1");
  EXPECT_EQ(error_of("{utilizationThreshold: -0.5}"),
            "file: TemperPolicy default: spec.utilizationThreshold: is -0.5, must be between 0 and 1");
  EXPECT_EQ(
      error_of("{utilizationFormula: Median}"),
      "file: TemperPolicy default: spec.utilizationFormula: is \"Median\", must be one of Average, Maximum");
  EXPECT_EQ(error_of("{mode: Panic}"),
            "file: TemperPolicy default: spec.mode: is \"Panic\", must be one of Observe, Act");
  EXPECT_EQ(error_of("{minNodeLifetime: Never}"),
            "file: TemperPolicy default: spec.minNodeLifetime: must be a duration such as 5m; Never has no "
            "meaning here");
  EXPECT_EQ(error_of("{nodePools: [{disruption: {}}]}"),
            "file: TemperPolicy default: spec.nodePools[0].name: is missing");
  EXPECT_EQ(error_of("{tiers: {low: 5}}"),
            "file: TemperPolicy default: spec.tiers: must fall from critical to low, but are 1000000, "
            "100000, 0, 5");
}

// ---- guards at the edge of what they may be

TEST(GuardsEdge, SharesAreFromNothingToAll) {
  for (const char* field :
       {"pressure: {cpu: $}", "pressure: {memory: $}", "pressure: {io: $}", "pressure300s: {cpu: $}",
        "headroom: {cpu: $}", "headroom: {memory: $}", "run: {pressure: {io: $}}", "run: {baselineFloor: $}",
        "run: {unhealthyClusterShare: $}"}) {
    const auto with = [&](const char* value) {
      std::string spec = "{guards: {" + std::string(field) + "}}";
      return error_of(spec.replace(spec.find('$'), 1, value));
    };
    for (const char* good : {"0", "0.5", "1"}) EXPECT_EQ(with(good), "") << field << good;
    for (const char* bad : {"-0.01", "1.01"})
      EXPECT_NE(with(bad).find("must be between 0 and 1"), std::string::npos) << field << bad;
  }
}

TEST(GuardsEdge, CountsHaveALeastAndAMost) {
  struct Case {
    const char* field;
    std::int64_t least, most;
  };
  for (const Case& c :
       {Case{"minSamples: ", 1, 1'000'000}, Case{"maxSurvivors: ", 1, 1'000},
        Case{"schedulerOrders: ", 6, 10'000}, Case{"wholeCores: {reserved: ", 0, 1'000},
        Case{"run: {minSamples: ", 1, 1'000'000}, Case{"run: {crashLoopRestarts: ", 1, 1'000}}) {
    const auto with = [&](std::int64_t value) {
      const std::string field = c.field;
      return error_of("{guards: {" + field + std::to_string(value) +
                      (field.find('{') == std::string::npos ? "" : "}") + "}}");
    };
    EXPECT_EQ(with(c.least), "") << c.field;
    EXPECT_EQ(with(c.most), "") << c.field;
    EXPECT_NE(with(c.least - 1), "") << c.field;
    EXPECT_NE(with(c.most + 1), "") << c.field;
  }
}

TEST(GuardsEdge, TheFactorOfTheBaseline) {
  for (const char* good : {"1", "1000"})
    EXPECT_EQ(error_of(std::string("{guards: {run: {baselineFactor: ") + good + "}}}"), "") << good;
  for (const char* bad : {"0.99", "1000.1"})
    EXPECT_NE(error_of(std::string("{guards: {run: {baselineFactor: ") + bad + "}}}"), "") << bad;
}

TEST(GuardsEdge, AQueryNeedsAUrlAQueryAndALimit) {
  const auto with = [](const std::string& prometheus) {
    return error_of("{guards: {run: {prometheus: {" + prometheus + "}}}}");
  };
  EXPECT_EQ(with("url: 'http://x', query: q, max: 1"), "");
  EXPECT_EQ(with("url: 'https://x', query: q, max: 0"), "");
  for (const char* bad : {"url: 'x', query: q, max: 1", "query: q, max: 1", "url: 'http://x', max: 1",
                          "url: 'http://x', query: '', max: 1", "url: 'http://x', query: q"})
    EXPECT_NE(with(bad), "") << bad;
}

TEST(GuardsEdge, WhatIsNotSetKeepsItsDefault) {
  const auto guards = [](const std::string& spec) {
    return resolve_settings(read(policy("{guards: {" + spec + "}}")).cluster, {}).guards;
  };
  EXPECT_FALSE(guards("").pressure_300s);
  EXPECT_TRUE(guards("surviveOneMore: true").survive_one_more);
  EXPECT_FALSE(guards("surviveOneMore: false").survive_one_more);
  // Of the longer window what is not said is as in the shorter one.
  const GuardSettings longer = guards("pressure: {cpu: 0.3, io: 0.4}, pressure300s: {cpu: 0.2}");
  EXPECT_EQ(longer.pressure_300s->cpu, 0.2);
  EXPECT_EQ(longer.pressure_300s->io, 0.4);
}

}  // namespace
}  // namespace tamp::situation

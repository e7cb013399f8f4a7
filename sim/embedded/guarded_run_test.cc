// Whole runs in virtual time, the real controller against the simulated fleet: the stories of "Automated node consolidation
// under an SLO guard".
#include <algorithm>

#include "documents/run_document.h"
#include "sim/embedded/guarded_fleet_testing.h"

namespace tamp::embed {
namespace {

using wire::Tree;

// The fleet of the story with enough small work on it that a victim has nine pods to lose.
world::Scenario busy_fleet() {
  world::Scenario scenario = builtin_scenario("slo-fleet");
  for (world::WorkloadPlan& workload : scenario.workloads) {
    if (workload.name == "filler") workload.replicas.values = {"10"};
    if (workload.name == "batch") workload.replicas.values = {"13"};
  }
  return scenario;
}

std::vector<std::string> of_kind(const std::vector<std::string>& mutations, const std::string& kind) {
  std::vector<std::string> out;
  for (const std::string& m : mutations)
    if (m.starts_with(kind + " ")) out.push_back(m.substr(kind.size() + 1));
  return out;
}

TEST(GuardedRun, ThreeNodesBecomeTwo) {
  GuardedFleet fleet(busy_fleet());
  fleet.start_controller();
  const auto before = fleet.settled_objects();
  fleet.approve();
  ASSERT_TRUE(fleet.reaches("AwaitingReap", Duration::minutes(20))) << fleet.logged();
  const Time empty = fleet.loop().now();

  const std::vector<std::string> mutations = fleet.mutations();
  const auto index = [&](std::string_view kind, bool last) {
    const auto is = [&](const std::string& m) { return m.starts_with(kind); };
    return last ? mutations.rend() - std::find_if(mutations.rbegin(), mutations.rend(), is)
                : std::find_if(mutations.begin(), mutations.end(), is) - mutations.begin() + 1;
  };
  EXPECT_EQ(of_kind(mutations, "Protect").size(), 2U);
  EXPECT_EQ(of_kind(mutations, "Cordon").size(), 1U);
  EXPECT_EQ(of_kind(mutations, "Evict").size(), 9U);
  EXPECT_LT(index("Protect", true), index("Cordon", false))
      << "a victim was touched before survivors were safe";
  EXPECT_LT(index("Cordon", true), index("Evict", false));
  // Background first, Critical last.
  const std::vector<std::string> order = {"Background", "Low", "Normal", "High", "Critical"};
  std::map<std::string, std::ptrdiff_t> tier_of;
  for (const Tree& move : fleet.run().at({"status", "journal", "moves"}).elements())
    tier_of[std::string(move["name"].string())] =
        std::find(order.begin(), order.end(), move["tier"].string()) - order.begin();
  std::vector<std::ptrdiff_t> tiers;
  for (const std::string& pod : of_kind(mutations, "Evict")) tiers.push_back(tier_of.at(pod));
  EXPECT_TRUE(std::is_sorted(tiers.begin(), tiers.end()));

  // GKE's autoscaler leaves a cordoned node alone: after five minutes the taint takes the cordon's place.
  ASSERT_TRUE(fleet.reaches("Escalated", Duration::minutes(6))) << fleet.logged();
  EXPECT_GE(fleet.loop().now() - empty, Duration::seconds(295));
  ASSERT_TRUE(fleet.reaches("Succeeded", Duration::minutes(25))) << fleet.logged();
  EXPECT_GE(fleet.loop().now() - empty, Duration::minutes(14)) << "the autoscaler has a window of its own";
  EXPECT_EQ(fleet.reason(), "Completed");
  EXPECT_EQ(fleet.nodes(), 2U);
  fleet.run_for(Duration::minutes(15));

  // Nothing but the victim is different.
  auto after = fleet.settled_objects();
  const std::string victim(fleet.run().at({"status", "victims"}).elements().front().string());
  std::size_t gone = 0;
  for (const auto& [key, text] : before) {
    if (key.ends_with("/" + victim)) {
      EXPECT_FALSE(after.contains(key));
      ++gone;
      continue;
    }
    EXPECT_EQ(after[key], text) << key;
    after.erase(key);
  }
  EXPECT_EQ(gone, 1U);
  EXPECT_TRUE(after.empty()) << after.begin()->first;
  // What the protected pods felt of it, as the run's own record has it: shares of time, 0 where nothing is written.
  const Tree& guards = fleet.run().at({"status", "journal", "guards"});
  for (const char* when : {"during", "after"})
    for (const char* resource : {"cpu", "memory", "io"})
      EXPECT_LE(guards[when][resource].number(), guards["before"][resource].number() + 0.02)
          << when << " " << resource << wire::to_json(guards);
  EXPECT_TRUE(guards["tripped"].string().empty());
  EXPECT_TRUE(guards["lateTrip"].string().empty());
  EXPECT_TRUE(fleet.run().at({"metadata", "finalizers"}).empty());
}

// The clients may not share a host, and planning is not told: two nodes leave one of them without a place.
TEST(GuardedRun, AReplacementWithoutAPlaceEndsItAfterFiveMinutes) {
  world::Scenario scenario = builtin_scenario("anti-affinity");
  scenario.happenings.clear();
  // And no fourth node comes for it.
  scenario.autoscaler.ensure("groups").elements().front().set("max", 3);
  GuardedFleet fleet(std::move(scenario));
  fleet.start_controller(false);
  const auto before = fleet.settled_objects();
  fleet.approve();
  ASSERT_TRUE(fleet.reaches("Draining", Duration::minutes(5))) << fleet.logged();
  const auto pending_since = [&]() -> std::optional<Time> {
    for (const auto& [key, pod] : fleet.world().api().objects(world::api::ResourceId::Pods))
      if (pod->spec()["nodeName"].string().empty() && !pod->terminating())
        return *parse_rfc3339(pod->metadata()["creationTimestamp"].string());
    return std::nullopt;
  };
  ASSERT_TRUE(fleet.run_until([&] { return pending_since().has_value(); }, Duration::minutes(10)))
      << fleet.logged();
  const Time since = *pending_since();
  ASSERT_TRUE(fleet.reaches("RolledBack", Duration::minutes(7))) << fleet.logged();
  EXPECT_EQ(fleet.reason(), "PendingReplacement");
  EXPECT_GE(fleet.loop().now() - since, Duration::minutes(5));
  EXPECT_LE(fleet.loop().now() - since, Duration::seconds(315));
  EXPECT_EQ(fleet.settled_objects(), before) << "zero residue";
  EXPECT_EQ(fleet.nodes(), 3U);
  // The node is there again, and so is the client.
  ASSERT_TRUE(fleet.run_until([&] { return !pending_since(); }, Duration::minutes(2))) << fleet.logged();

  // Relaxed to preferred, the next plan is carried out to its end.
  const auto relaxed = fleet.world().api().patch(
      world::api::ResourceId::Deployments, "default", "memtier", world::api::PatchType::Merge,
      *wire::read_tree(
          R"({"spec":{"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":1}},"template":{"spec":{"affinity":{"podAntiAffinity":{)"
          R"("requiredDuringSchedulingIgnoredDuringExecution":null,"preferredDuringSchedulingIgnoredDuringExecution":[)"
          R"({"weight":100,"podAffinityTerm":{"topologyKey":"kubernetes.io/hostname",)"
          R"("labelSelector":{"matchLabels":{"app":"memtier"}}}}]}}}}}})"));
  ASSERT_TRUE(relaxed.ok()) << relaxed.message();
  fleet.world().deliver();
  fleet.kill_controller();
  fleet.start_controller();
  fleet.run_for(Duration::minutes(10));
  fleet.approve("run-2");
  ASSERT_TRUE(fleet.reaches("Succeeded", Duration::hours(1), "run-2"))
      << fleet.phase("run-2") << fleet.reason("run-2") << fleet.logged();
  EXPECT_EQ(fleet.nodes(), 2U);
  EXPECT_FALSE(pending_since());
}

TEST(GuardedRun, AnAbortLeavesNothingBehind) {
  GuardedFleet fleet(busy_fleet());
  fleet.start_controller();
  const auto before = fleet.settled_objects();
  fleet.approve();
  ASSERT_TRUE(fleet.reaches("Draining", Duration::minutes(5))) << fleet.logged();
  fleet.run_for(Duration::seconds(10));
  EXPECT_NE(fleet.settled_objects(), before);
  fleet.world().api().patch(
      fleet.custom("consolidationruns"), "", "run-1", world::api::PatchType::Merge,
      *wire::read_tree(R"({"metadata":{"annotations":{"temper.codes/abort":"true"}}})"));
  fleet.world().deliver();
  ASSERT_TRUE(fleet.reaches("RolledBack", Duration::minutes(2))) << fleet.logged();
  EXPECT_EQ(fleet.settled_objects(), before);
  const std::size_t evictions = of_kind(fleet.mutations(), "Evict").size();
  fleet.run_for(Duration::minutes(5));
  EXPECT_EQ(of_kind(fleet.mutations(), "Evict").size(), evictions);
  EXPECT_EQ(fleet.nodes(), 3U);
}

// What `tamp demo` plays: three nodes become two; then there is a plan again, which somebody approves and gives up.
TEST(GuardedRun, TheDemosStory) {
  GuardedFleet fleet(builtin_scenario("slo-fleet"));
  fleet.start_controller();
  fleet.approve();
  ASSERT_TRUE(fleet.reaches("Succeeded", Duration::minutes(24))) << fleet.logged();
  EXPECT_EQ(fleet.nodes(), 2U);
  ASSERT_TRUE(fleet.run_until([&] { return !fleet.published_hash().empty(); }, Duration::minutes(10)))
      << wire::to_json(fleet.policy()) << fleet.logged();
  const auto before = fleet.settled_objects();
  fleet.approve("run-2");
  ASSERT_TRUE(fleet.reaches("Draining", Duration::minutes(5), "run-2")) << fleet.logged();
  fleet.run_for(Duration::seconds(10));
  fleet.world().api().patch(
      fleet.custom("consolidationruns"), "", "run-2", world::api::PatchType::Merge,
      *wire::read_tree(R"({"metadata":{"annotations":{"temper.codes/abort":"true"}}})"));
  fleet.world().deliver();
  ASSERT_TRUE(fleet.reaches("RolledBack", Duration::minutes(2), "run-2")) << fleet.logged();
  EXPECT_FALSE(of_kind(fleet.mutations("run-2"), "Evict").empty());
  EXPECT_EQ(fleet.settled_objects(), before);
  EXPECT_EQ(fleet.nodes(), 2U);
}

TEST(GuardedRun, DeletingTheRunIsAnAbort) {
  GuardedFleet fleet(busy_fleet());
  fleet.start_controller();
  const auto before = fleet.settled_objects();
  fleet.approve();
  ASSERT_TRUE(fleet.reaches("Draining", Duration::minutes(5))) << fleet.logged();
  fleet.world().api().remove(fleet.custom("consolidationruns"), "", "run-1");
  fleet.world().deliver();
  ASSERT_TRUE(fleet.run_until([&] { return fleet.run().is_null(); }, Duration::minutes(2))) << fleet.logged();
  EXPECT_EQ(fleet.settled_objects(), before);
}

TEST(GuardedRun, WhatDriftedBetweenPlanAndApprovalIsNotTouched) {
  GuardedFleet fleet(busy_fleet());
  fleet.start_controller();
  ASSERT_TRUE(fleet.run_until([&] { return !fleet.published_hash().empty(); }, Duration::minutes(10)));
  const std::string hash = fleet.published_hash();
  const std::string victim(fleet.policy()
                               .at({"status", "plan", "commands"})
                               .elements()
                               .front()["nodes"]
                               .elements()
                               .front()
                               .string());
  for (const auto& [key, node] : fleet.world().api().objects(world::api::ResourceId::Nodes))
    if (key.second != victim) {
      fleet.world().api().patch(world::api::ResourceId::Nodes, "", key.second, world::api::PatchType::Merge,
                                *wire::read_tree(R"({"metadata":{"labels":{"team":"other"}}})"));
      break;
    }
  fleet.world().deliver();
  const auto before = fleet.settled_objects();
  fleet.approve_hash(hash);
  ASSERT_TRUE(fleet.reaches("RolledBack", Duration::minutes(5))) << fleet.logged();
  EXPECT_TRUE(fleet.mutations().empty());
  EXPECT_EQ(fleet.settled_objects(), before);
  EXPECT_TRUE(fleet.reason() == "StalePlan" || fleet.reason() == "Drifted") << fleet.reason();
}

TEST(GuardedRun, AHashIsGoodForOneRun) {
  GuardedFleet fleet(busy_fleet());
  fleet.start_controller();
  const std::string hash = fleet.approve();
  ASSERT_TRUE(fleet.reaches("Draining", Duration::minutes(5))) << fleet.logged();
  fleet.approve_hash(hash, "run-2");
  ASSERT_TRUE(fleet.reaches("RolledBack", Duration::minutes(1), "run-2")) << fleet.logged();
  EXPECT_TRUE(fleet.mutations("run-2").empty());
  EXPECT_EQ(fleet.policy().at({"status", "plan"}).is_null(), true) << "a plan was published beside a run";
}

TEST(GuardedRun, ARefusalIsRecordedEvenIfItsLeaderDiesOverIt) {
  GuardedFleet fleet(busy_fleet());
  fleet.start_controller();
  fleet.approve_hash(std::string(64, '0'), "run-1");
  ASSERT_TRUE(fleet.reaches("RolledBack", Duration::minutes(1))) << fleet.logged();
  EXPECT_EQ(fleet.reason(), "StalePlan");
  const auto records = [&]() -> std::string {
    const auto map =
        fleet.world().api().get(world::api::ResourceId::ConfigMaps, "tamp-system", "run-1-audit-1");
    return map ? std::string(map->tree()["data"]["audit.jsonl"].string()) : "";
  };
  EXPECT_EQ(records(), "") << "nothing was lost that could be made up for";
  fleet.kill_controller();
  fleet.start_controller();
  fleet.run_for(Duration::minutes(1));
  EXPECT_NE(records().find("StalePlan"), std::string::npos) << records();
  EXPECT_TRUE(fleet.run().at({"metadata", "finalizers"}).empty());
}

TEST(GuardedRun, WhileThePolicyObservesNothingIsTouched) {
  GuardedFleet fleet(busy_fleet());
  fleet.patch_policy(R"({"spec":{"mode":"Observe"}})");
  fleet.start_controller();
  const auto before = fleet.settled_objects();
  fleet.approve();
  ASSERT_TRUE(fleet.reaches("RolledBack", Duration::minutes(1))) << fleet.logged();
  EXPECT_EQ(fleet.reason(), "NotActing");
  EXPECT_EQ(fleet.settled_objects(), before);
}

// Whoever is killed at whatever moment: the next one completes what was begun or takes it back.
class KilledAt : public testing::TestWithParam<int> {};

TEST_P(KilledAt, TheNextOneGoesOn) {
  GuardedFleet fleet(busy_fleet(), 7);
  fleet.start_controller();
  const auto before = fleet.settled_objects();
  fleet.approve();
  std::uint64_t chance = static_cast<std::uint64_t>(GetParam()) * std::uint64_t{0x9E3779B97F4A7C15} + 1;
  const auto over = [&] { return fleet.phase() == "Succeeded" || fleet.phase() == "RolledBack"; };
  for (int kills = 0; kills < 12 && !over(); ++kills) {
    chance = chance * 6364136223846793005ULL + 1442695040888963407ULL;
    // Somewhere within the first phases: mostly between two requests.
    fleet.run_for(Duration::nanoseconds(static_cast<std::int64_t>((chance >> 20) % 40'000'000'000ULL)));
    fleet.kill_controller();
    fleet.run_for(Duration::seconds(1));
    fleet.start_controller();
  }
  ASSERT_TRUE(fleet.run_until(over, Duration::hours(1))) << fleet.phase() << fleet.logged();
  fleet.run_for(Duration::minutes(15));
  auto after = fleet.settled_objects();
  const bool done = fleet.phase() == "Succeeded";
  EXPECT_EQ(fleet.nodes(), done ? 2U : 3U);
  for (const auto& [key, text] : before)
    if (!done || after.contains(key)) {
      EXPECT_EQ(after[key], text) << key << fleet.logged();
    }
  EXPECT_EQ(after.size() + (done ? 1U : 0U), before.size());
}

INSTANTIATE_TEST_SUITE_P(Seeds, KilledAt, testing::Range(1, 2));

// The desk refused it for a reason that has passed: the plan is still there, and nobody has used it.
TEST(AutomaticApproval, IsGivenAgainAfterOneThatWasRefused) {
  GuardedFleet fleet(builtin_scenario("slo-fleet"));
  fleet.start_controller();
  ASSERT_TRUE(fleet.run_until([&] { return !fleet.published_hash().empty(); }, Duration::minutes(10)))
      << fleet.logged();
  const std::string hash = fleet.published_hash();
  const std::string name = "auto-" + hash.substr(0, 12);
  const Time long_ago = fleet.loop().now() - Duration::hours(1);
  const auto earlier_run = [&](std::vector<run::Victim> victims) {
    run::Run run;
    run.victims = std::move(victims);
    run.phases = {{run::Phase::Approved, long_ago, ""}};
    if (!run.victims.empty()) run::enter(run, run::Phase::Validating, long_ago);
    run::enter(run, run::Phase::RolledBack, long_ago, "NotAutomatic");
    return R"({"apiVersion":"temper.codes/v1alpha1","kind":"ConsolidationRun","metadata":{"name":")" + name +
           R"("},"spec":{"planHash":")" + hash + R"(","approvedBy":"tamp","source":"policy"},"status":)" +
           documents::write_status(run) + "}";
  };
  const auto put = [&](const std::string& text) {
    const wire::Tree object = *wire::read_tree(text);
    auto& api = fleet.world().api();
    const auto runs = fleet.custom("consolidationruns");
    if (fleet.run(name).is_null()) {
      const auto made = api.create(runs, "", object);
      EXPECT_TRUE(made.ok()) << made.message();
    }
    wire::Tree operations = wire::Tree::array();
    operations.append(wire::Tree::object({{"op", "add"}, {"path", "/status"}, {"value", object["status"]}}));
    const auto patched =
        api.patch(runs, "", name, world::api::PatchType::Json, operations, {.subresource = "status"});
    EXPECT_TRUE(patched.ok()) << patched.message();
    fleet.world().deliver();
  };
  // First as if it had been taken in: a plan is good for one run.
  put(earlier_run({{"somewhere", "uid", "", "", false, false}}));
  fleet.patch_policy(R"({"spec":{"approval":"Automatic"}})");
  fleet.run_for(Duration::minutes(2));
  ASSERT_EQ(fleet.published_hash(), hash);
  EXPECT_TRUE(fleet.run(name + "-2").is_null()) << fleet.logged();
  put(earlier_run({}));
  EXPECT_TRUE(fleet.run_until([&] { return !fleet.run(name + "-2").is_null(); }, Duration::minutes(2)))
      << fleet.logged();
  EXPECT_EQ(fleet.run(name + "-2").at({"spec", "planHash"}).string(), hash);
}

// Somebody said no to exactly this plan: no policy says yes to it, and a plan that nobody spoke of is not meant.
TEST(DismissedPlan, IsNotApprovedByPolicy) {
  GuardedFleet fleet(builtin_scenario("slo-fleet"));
  fleet.start_controller();
  ASSERT_TRUE(fleet.run_until([&] { return !fleet.published_hash().empty(); }, Duration::minutes(10)))
      << fleet.logged();
  const std::string hash = fleet.published_hash();
  const auto dismissed = [&](const wire::Tree& value) {
    wire::Tree annotations = wire::Tree::object({{"temper.codes/dismissed", value}});
    return wire::to_json(
        wire::Tree::object({{"metadata", wire::Tree::object({{"annotations", std::move(annotations)}})}}));
  };
  fleet.patch_policy(dismissed(documents::write_dismissal({hash, "ann", "not on Fridays", ""})));
  fleet.patch_policy(R"({"spec":{"approval":"Automatic"}})");
  fleet.run_for(Duration::minutes(5));
  ASSERT_EQ(fleet.published_hash(), hash) << "it is still the plan that ann has seen";
  EXPECT_TRUE(fleet.world().api().objects(fleet.custom("consolidationruns")).empty());
  EXPECT_NE(fleet.logged().find("dismissed by ann"), std::string::npos) << fleet.logged();
  fleet.patch_policy(dismissed(nullptr));
  EXPECT_TRUE(
      fleet.run_until([&] { return !fleet.world().api().objects(fleet.custom("consolidationruns")).empty(); },
                      Duration::minutes(5)))
      << "without her word it is approved " << fleet.logged();
}

}  // namespace
}  // namespace tamp::embed

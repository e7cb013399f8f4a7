// The gates where two of their conditions meet: what one of them alone does not decide.
#include <gtest/gtest.h>

#include "gates/decide_testing.h"
#include "gates/lifetime.h"
#include "gates/node_state.h"
#include "gates/protection.h"
#include "gates/replica_index.h"
#include "gates/settling.h"
#include "gates/utilization.h"
#include "situation/node_price.h"

namespace tamp::gates {
namespace {

using test::ClusterBuilder;
using test::kNow;

// Node "a" of Karpenter, node "g" of Cluster Autoscaler.
struct GateEdges : testing::Test {
  GateEdges() {
    b.type("m").cpu(4000).memory_gi(16).price(1);
    b.node("a").type("m");
    b.node("g").type("m").node_group("group");
  }
  bool passes(Reason reason, std::string_view node = "a") { return Scene(b).gate(reason, node).passed; }
  std::string says(Reason reason, std::string_view node = "a") { return Scene(b).gate(reason, node).message; }
  ClusterBuilder b;
};

// ---- nodes

TEST_F(GateEdges, ANodeWithANodeClaimIsKarpentersWhateverElseItsLabelsSay) {
  b.node("a").unlabel(test::kNodePool).label("eks.amazonaws.com/nodegroup", "group").scale_down_disabled();
  b.pod("web").on("a").empty_dir().safe_to_evict("false");
  for (const Reason reason : {Reason::ScaleDownDisabled, Reason::PodNotSafeToEvict, Reason::PodLocalStorage})
    EXPECT_TRUE(passes(reason)) << name(reason);
  b.node("l").unmanaged().pool("default").scale_down_disabled();
  EXPECT_TRUE(passes(Reason::ScaleDownDisabled, "l")) << "of a NodePool, though without a claim";
}

TEST_F(GateEdges, WhoIsRemovingANodeIsSaid) {
  EXPECT_EQ(says(Reason::Deleting), "not going");
  b.node("a").claim().deleted = kNow;
  EXPECT_EQ(says(Reason::Deleting), "NodeClaim a is being deleted since 2026-11-15T00:00:00Z");
  b.node("a").claim().deleted.reset();
  b.node("a").claim().instance_terminating = {ConditionStatus::True, kNow};
  EXPECT_EQ(says(Reason::Deleting), "the machine of NodeClaim a is terminating");
  b.node("g").node().deleted = kNow;
  EXPECT_EQ(says(Reason::Deleting, "g"), "the node is being deleted since 2026-11-15T00:00:00Z");
  b.node("g").node().deleted.reset();
  b.node("g").taint("ToBeDeletedByClusterAutoscaler");
  EXPECT_EQ(says(Reason::Deleting, "g"), "a taint says that an autoscaler is removing the node");
}

TEST_F(GateEdges, ARunsOwnMarksSayThatItRemovesTheNode) {
  for (const OwnMark mark : {OwnMark::Cordon, OwnMark::Taint, OwnMark::NoLoadBalancer}) {
    ClusterBuilder c;
    c.node("a").node().marks.own = static_cast<std::uint8_t>(mark);
    EXPECT_EQ(Scene(c).gate(Reason::Deleting, "a").message, "a run of Tamp's is removing the node");
  }
  ClusterBuilder protected_;
  protected_.node("a").node().marks.own = static_cast<std::uint8_t>(OwnMark::DoNotDisrupt);
  EXPECT_EQ(Scene(protected_).reason("a"), "") << "a survivor's";
}

TEST_F(GateEdges, KarpentersTaintRemovesANodeWhenItKeepsPodsAway) {
  b.node("a").taint("karpenter.sh/disrupted", "", TaintEffect::NoExecute);
  EXPECT_TRUE(passes(Reason::Deleting));
  b.node("a").taint("karpenter.sh/disrupted");
  EXPECT_FALSE(passes(Reason::Deleting));
}

// Under --compat the claim is asked, and the node only where there is none.
TEST_F(GateEdges, UnderCompatANodeWithoutAClaimIsAskedItself) {
  const auto is_deleting = [&](std::string_view node) {
    const Scene scene = Scene::compat(b);
    return deleting(scene.context(), scene.cluster.nodes[scene.id(node).index()]);
  };
  EXPECT_FALSE(is_deleting("g"));
  b.node("g").node().deleted = kNow;
  b.node("a").node().deleted = kNow;
  EXPECT_TRUE(is_deleting("g"));
  EXPECT_FALSE(is_deleting("a"));
}

TEST_F(GateEdges, ANodeThatIsNotReadySaysSinceWhenIfItKnows) {
  b.node("g").node().ready = {ConditionStatus::Unknown, std::nullopt};
  EXPECT_EQ(says(Reason::NotInitialized, "g"), "the node is not Ready (Unknown)");
  b.node("g").node().ready = {};
  EXPECT_EQ(says(Reason::NotInitialized, "g"), "the node is not Ready (not reported)");
}

TEST_F(GateEdges, UnderCompatAnEmptyCatalogueIsNone) {
  Scene scene = Scene::compat(b);
  EXPECT_TRUE(scene.gate(Reason::PoolNotFound, "a").passed);
  scene.cluster.catalogue->types.clear();
  EXPECT_EQ(scene.gate(Reason::PoolNotFound, "a").message,
            "NodePool default has no instance types: the catalogue is empty");
}

TEST_F(GateEdges, APendingPodThatLeavesWaitsForNoNode) {
  b.pod("vip").nominated("a").terminating();
  EXPECT_TRUE(passes(Reason::Nominated));
  b.pod("vip2").nominated("a");
  EXPECT_FALSE(passes(Reason::Nominated));
}

// ---- pods

TEST_F(GateEdges, ClusterAutoscalersRulesAskPodsThatADrainWouldEvict) {
  b.daemon_set("agent").on("g").empty_dir().safe_to_evict("false");
  b.pod("static").on("g").mirror().host_path().safe_to_evict("false");
  b.pod("done").on("g").phase(PodPhase::Succeeded).empty_dir().safe_to_evict("false");
  b.pod("leaving").on("g").terminating().empty_dir().safe_to_evict("false");
  EXPECT_TRUE(passes(Reason::PodLocalStorage, "g"));
  EXPECT_TRUE(passes(Reason::PodNotSafeToEvict, "g"));
  b.pod("odd").on("g").safe_to_evict("perhaps");
  EXPECT_TRUE(passes(Reason::PodNotSafeToEvict, "g"));
}

TEST_F(GateEdges, ListedVolumesAreWholeNames) {
  auto& pod = b.pod("cache").on("g").empty_dir();  // volume v0
  for (const auto& [list, safe] : {std::pair("v0", true),
                                   {"x,v0", true},
                                   {"v0,x", true},
                                   {"v", false},
                                   {"v00", false},
                                   {"", false},
                                   {"x", false},
                                   {",v0", true}}) {
    pod.safe_local_volumes(list);
    EXPECT_EQ(passes(Reason::PodLocalStorage, "g"), safe) << list;
  }
}

TEST_F(GateEdges, ADevicesClaimantIsThePodThatClaims) {
  b.daemon_set("gpu").on("a").resource_claims();
  b.pod("web").on("a");
  EXPECT_TRUE(passes(Reason::PodResourceClaims));
}

TEST_F(GateEdges, APodThatForbidsItsDisruptionIsNotTheBudgets) {
  b.pdb("quorum").selects("app", "db").allows(0);
  b.pod("db").on("a").do_not_disrupt();
  EXPECT_TRUE(passes(Reason::PodDisruptionBudget));
  EXPECT_FALSE(passes(Reason::PodDoNotDisrupt));
}

TEST_F(GateEdges, APodUnderTwoBudgetsIsTheOtherGates) {
  b.pdb("one").selects("app", "db").allows(0);
  b.pdb("two").selects("app", "db").allows(0);
  auto& pod = b.pod("db").on("a");
  EXPECT_TRUE(passes(Reason::PodDisruptionBudget));
  EXPECT_FALSE(passes(Reason::MultipleDisruptionBudgets));
  pod.terminating();
  EXPECT_TRUE(passes(Reason::MultipleDisruptionBudgets)) << "it leaves by itself";
}

TEST_F(GateEdges, AWorkloadOfNoReplicasHasNoOnlyOne) {
  b.pod("web").on("a");
  b.workload(WorkloadKind::ReplicaSet, "web", 0, 0);
  b.pod("alone").on("g").bare();
  Scene scene(b);
  scene.settings.protect_single_replica = {true, SettingSource::PolicyDefault};
  EXPECT_TRUE(scene.gate(Reason::SingleReplica, "a").passed);
  EXPECT_EQ(scene.gate(Reason::SingleReplica, "g").message,
            "pod default/alone is the only replica of its workload");
}

TEST_F(GateEdges, ReplicasAreCountedByOwner) {
  b.pod("one").on("a").owner(OwnerKind::StatefulSet, "db");
  b.pod("two").on("a").owner(OwnerKind::ReplicaSet, "db");
  b.pod("three").on("a").owner(OwnerKind::StatefulSet, "db").ns("other");
  b.pod("four").on("a").owner(OwnerKind::ReplicaSet, "db").phase(PodPhase::Failed);
  const Cluster cluster = b.build();
  const ReplicaIndex index(cluster);
  for (const Pod& pod : cluster.pods) EXPECT_EQ(index.desired(pod), 1) << cluster.text(pod.name);
}

// ---- settings

TEST_F(GateEdges, HowManyPodsWouldHaveToMoveIsSaid) {
  b.pool("default").policy(ConsolidationPolicy::WhenEmpty);
  b.pods(2, "web").on("a");
  EXPECT_EQ(says(Reason::NotEmpty),
            "consolidationPolicy of pool default is WhenEmpty, but 2 pods would have to move");
}

TEST_F(GateEdges, SettingsOfANodeOfNoPoolDoNotExist) {
  b.node("l").unmanaged();
  for (const Reason reason : {Reason::StaticPool, Reason::ConsolidationNever, Reason::NotEmpty,
                              Reason::ConsolidateAfter, Reason::GracePeriod})
    EXPECT_TRUE(passes(reason, "l")) << name(reason);
  b.pod("web").on("l");
  EXPECT_TRUE(passes(Reason::NotEmpty, "l"));
}

// ---- time

TEST_F(GateEdges, WhatIsNotSettledIsExplained) {
  b.pod("back").pending();
  Scene scene(b);
  scene.last_node_deleted = kNow - Duration::minutes(1);
  EXPECT_EQ(
      scene.gate(Reason::Stabilizing, "a").message,
      "a node was deleted 1m ago and pod default/back is pending; the window closes at 2026-11-15T00:04:00Z");
  scene.last_node_deleted = kNow - Duration::minutes(5);
  EXPECT_EQ(scene.gate(Reason::Stabilizing, "a").message,
            "the last node was deleted 5m ago, the window is 5m");
}

TEST_F(GateEdges, AWorkloadThatIsBeingDeletedAndAPodThatIsOverAreNoSign) {
  b.workload(WorkloadKind::ReplicaSet, "web", 3, 0).deleting = true;
  b.pod("over").pending().phase(PodPhase::Failed);
  b.pod("leaving").pending().terminating();
  Scene scene(b);
  scene.last_node_deleted = kNow - Duration::minutes(1);
  EXPECT_TRUE(scene.gate(Reason::Stabilizing, "a").passed);
}

TEST_F(GateEdges, AGracePeriodOfNothingIsOff) {
  b.pool("default").grace_period(Duration{0});
  auto& node = b.node("a");
  node.claim().last_pod_event.reset();
  node.claim().initialized.since.reset();
  node.node().created.reset();
  const Scene scene(b);
  EXPECT_FALSE(within_grace_period(scene.context(), scene.id("a")));
}

TEST_F(GateEdges, KarpentersDestinationsInStaticOrUnreadPoolsAreNotHeldBack) {
  b.pool("default").consolidate_after(Duration::hours(1));
  b.node("a").last_pod_event(kNow);
  const auto held_back = [&] {
    const Scene scene = Scene::compat(b);
    return under_consolidate_after(scene.context(), scene.id("a"));
  };
  EXPECT_TRUE(held_back());
  b.pool("default").pool().has_object = false;
  EXPECT_FALSE(held_back());
  b.pool("default").pool().has_object = true;
  b.pool("default").replicas(3);
  EXPECT_FALSE(held_back());
}

TEST_F(GateEdges, KarpentersDestinationsWithoutAnyTimeAreNotHeldBack) {
  b.pool("default").consolidate_after(Duration::hours(1));
  auto& node = b.node("a");
  node.claim().last_pod_event.reset();
  node.claim().initialized.since.reset();
  const Scene scene = Scene::compat(b);
  EXPECT_FALSE(under_consolidate_after(scene.context(), scene.id("a")));
}

TEST_F(GateEdges, AResourceThatANodeDoesNotHaveIsNotUsed) {
  b.node("a").cpu(0).memory_gi(16);
  b.pod("web").on("a").cpu(1000).memory_gi(8);
  b.pod("over").on("a").memory_gi(8).phase(PodPhase::Succeeded);
  const Cluster cluster = b.build();
  const NodeUtilization used = node_utilization(cluster, cluster.nodes[cluster.find_node("a").index()]);
  EXPECT_EQ(used.cpu, 0);
  EXPECT_EQ(used.memory, 0.5);
  EXPECT_EQ(used.by(UtilizationFormula::Average), 0.25);
  EXPECT_EQ(used.by(UtilizationFormula::Maximum), 0.5);
}

// ---- what a node is

TEST_F(GateEdges, ANodesMachineIsTheLastOfItsNameThatRunsItsSystem) {
  // Three entries of one machine: linux, windows, linux.
  for (const char* name : {"n", "o"}) b.type(name).cpu(4000).memory_gi(16).price(2);
  b.type("n").os("windows");
  const auto type = [&](std::string_view os, std::string_view arch = "amd64") {
    Scene scene(b);
    LabelSet& labels = scene.cluster.nodes[scene.id("a").index()].labels;
    labels.set(scene.cluster.known.os, scene.cluster.symbols.intern(os));
    labels.set(scene.cluster.known.arch, scene.cluster.symbols.intern(arch));
    for (InstanceType& t : scene.cluster.catalogue->types) t.name = scene.cluster.symbols.find("m");
    return situation::price_node(scene.context(), situation::index_types(scene.cluster),
                                 scene.cluster.nodes[scene.id("a").index()])
        .type;
  };
  EXPECT_EQ(type("linux"), TypeId(2));
  EXPECT_EQ(type("windows"), TypeId(1));
  EXPECT_EQ(type("plan9"), TypeId(2)) << "none runs it: the last of the name";
  EXPECT_EQ(type("linux", "riscv"), TypeId(2));
}

TEST_F(GateEdges, AProtectionLastsAsLongAsItSays) {
  const auto active = [](std::string_view value, std::optional<Time> start) {
    return read_protection(value, start, kNow).active;
  };
  EXPECT_TRUE(active("1h", kNow - Duration{Duration::hours(1).ns - 1}));
  EXPECT_FALSE(active("1h", kNow - Duration::hours(1)));
  EXPECT_TRUE(active("1ns", kNow));
  EXPECT_FALSE(active("0s", std::nullopt));
  EXPECT_TRUE(active("1ns", std::nullopt));
  EXPECT_EQ(read_protection("1h", kNow, kNow).until, kNow + Duration::hours(1));
  EXPECT_FALSE(Protection{}.active);
}

TEST_F(GateEdges, ALifetimeEndsAtItsEnd) {
  const auto remaining = [&](Duration total, Duration age) {
    b.node("a").expire_after(total).created(kNow - age);
    const Cluster cluster = b.build();
    return lifetime_remaining(cluster, cluster.nodes[cluster.find_node("a").index()], kNow);
  };
  EXPECT_DOUBLE_EQ(remaining(Duration::hours(4), Duration::hours(1)), 0.75);
  EXPECT_DOUBLE_EQ(remaining(Duration::hours(4), Duration::hours(5)), 0.0);
  EXPECT_DOUBLE_EQ(remaining(Duration::hours(4), Duration::hours(-1)), 1.0);
  EXPECT_DOUBLE_EQ(remaining(Duration{0}, Duration::hours(-1)), 0.0);
}

// ---- deletion costs as Go reads them

TEST_F(GateEdges, DeletionCosts) {
  const auto cost = [](std::string_view text) {
    ClusterBuilder c;
    c.pod("p").deletion_cost(text);
    const Cluster cluster = c.build();
    return pod_cost(cluster, cluster.pods[0]);
  };
  for (const char* two : {"0x8000000p0", "0x8_000_000p0", "0x_8000000p0", "0X8000000P0", "1_3_4_217_728",
                          "0x80.p20", "+0x8000000p0"})
    EXPECT_DOUBLE_EQ(cost(two), 2.0) << two;
  EXPECT_DOUBLE_EQ(cost("-134217728"), 0.0);
  EXPECT_DOUBLE_EQ(cost("0xap23"), 1 + 10.0 * 8388608 / 134217728);
  EXPECT_DOUBLE_EQ(cost("0xFp23"), 1 + 15.0 * 8388608 / 134217728);
  for (const char* bad : {"0x", "0x_p1", "0x8000000_p0", "1_e8", "_134217728", "134217728_", "1._5", "0x-8p1",
                          "0x+8p1", "-+1", "+-1", "0xinfp1", "0xnanp1", "-", "+", "1__3", "0x8g_8p1"})
    EXPECT_DOUBLE_EQ(cost(bad), 1.0) << bad;
}

}  // namespace
}  // namespace tamp::gates

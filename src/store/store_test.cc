#include "store/store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "wire/reading_for_test.h"

namespace tamp::store {
namespace {

using wire::testing::dump;
using wire::testing::read;

constexpr wire::ObjectKind kPod = wire::ObjectKind::Pod, kNode = wire::ObjectKind::Node,
                           kPolicy = wire::ObjectKind::TemperPolicy;

std::string node(std::string_view name, std::string_view more = "") {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","resourceVersion":"5"}},"status":{{"capacity":{{"cpu":"4","pods":"10"}}{}}}}})",
      name, more);
}
std::string pod(std::string_view name, std::string_view on, std::string_view more = "") {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","namespace":"shop","resourceVersion":"6"{}}},"spec":{{"nodeName":"{}"}}}})",
      name, more, on);
}
std::string list(wire::ObjectKind kind, const std::vector<std::string>& items, std::string_view next = "") {
  return fmt::format(
      R"({{"kind":"{}List","metadata":{{"resourceVersion":"9","continue":"{}"}},"items":[{}]}})",
      wire::info(kind).kind, next, fmt::join(items, ","));
}
std::string event(std::string_view type, const std::string& object) {
  return fmt::format(R"({{"type":"{}","object":{}}})", type, object);
}

void fill(ClusterStore& store, wire::ObjectKind kind, const std::vector<std::string>& items) {
  store.begin_list(kind);
  ASSERT_TRUE(store.add_page(kind, list(kind, items)).ok());
  store.end_list(kind);
}
void apply(ClusterStore& store, wire::ObjectKind kind, std::string_view type, const std::string& object) {
  const auto result = store.apply_event(kind, event(type, object));
  ASSERT_TRUE(result.ok()) << result.error().message;
}
std::string error_of(const Result<wire::EventInfo>& result) { return result ? "" : result.error().message; }
std::string error_of(const Result<wire::PageInfo>& result) { return result ? "" : result.error().message; }

std::vector<std::string> pods_of(const ClusterStore& store) {
  const wire::Reading reading = store.view();
  std::vector<std::string> names;
  for (const Pod& p : reading.cluster.pods) names.emplace_back(reading.cluster.text(p.name));
  return names;
}
using Names = std::vector<std::string>;

TEST(Store, IsEmptyAtFirst) {
  const ClusterStore store;
  EXPECT_EQ(wire::testing::dump(store.view().cluster),
            wire::testing::dump(wire::testing::read(R"({"kind":"List","items":[]})").cluster));
  EXPECT_TRUE(store.unreadable().empty());
  EXPECT_TRUE(store.policies().empty());
}

TEST(Store, APageSaysWhereTheListGoesOn) {
  ClusterStore store;
  store.begin_list(kPod);
  const auto page = store.add_page(kPod, list(kPod, {pod("a", "n")}, "more"));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->continue_token, "more");
  EXPECT_EQ(page->resource_version, "9");
}

TEST(Store, AListTakesEffectWhenItEnds) {
  ClusterStore store;
  fill(store, kNode, {node("n")});
  store.begin_list(kPod);
  ASSERT_TRUE(store.add_page(kPod, list(kPod, {pod("a", "n")}, "x")).ok());
  ASSERT_TRUE(store.add_page(kPod, list(kPod, {pod("b", "n")})).ok());
  EXPECT_EQ(pods_of(store), Names{});
  store.end_list(kPod);
  EXPECT_EQ(pods_of(store), (Names{"a", "b"}));
}

TEST(Store, WhatANewListDoesNotNameIsGone) {
  ClusterStore store;
  fill(store, kNode, {node("n")});
  fill(store, kPod, {pod("a", "n"), pod("b", "n")});
  fill(store, kPod, {pod("b", "n"), pod("c", "n")});
  EXPECT_EQ(pods_of(store), (Names{"b", "c"}));
}

TEST(Store, AListThatIsGivenUpChangesNothing) {
  ClusterStore store;
  fill(store, kNode, {node("n")});
  fill(store, kPod, {pod("a", "n")});
  const auto before = store.generation();
  store.begin_list(kPod);
  ASSERT_TRUE(store.add_page(kPod, list(kPod, {pod("b", "n")}, "x")).ok());
  store.begin_list(kPod);
  ASSERT_TRUE(store.add_page(kPod, list(kPod, {pod("a", "n")})).ok());
  EXPECT_EQ(pods_of(store), Names{"a"});
  store.end_list(kPod);
  EXPECT_EQ(pods_of(store), Names{"a"});
  EXPECT_EQ(store.generation(), before);
}

TEST(Store, EventsAddChangeAndRemove) {
  ClusterStore store;
  fill(store, kNode, {node("n"), node("m")});
  fill(store, kPod, {});
  apply(store, kPod, "ADDED", pod("a", "n"));
  apply(store, kPod, "ADDED", pod("b", "n"));
  apply(store, kPod, "ADDED", pod("c", "n"));
  apply(store, kPod, "DELETED", pod("a", "n"));
  apply(store, kPod, "MODIFIED", pod("c", "m"));
  const wire::Reading r = store.view();
  ASSERT_EQ(r.cluster.pods.size(), 2u);
  EXPECT_EQ(r.cluster.pods[r.cluster.find_pod("shop", "b").index()].node, r.cluster.find_node("n"));
  EXPECT_EQ(r.cluster.pods[r.cluster.find_pod("shop", "c").index()].node, r.cluster.find_node("m"));
  apply(store, kPod, "DELETED", pod("a", "n"));  // again: the server may repeat itself
  EXPECT_EQ(pods_of(store), (Names{"b", "c"}));
}

TEST(Store, AnEventSaysWhereTheWatchStands) {
  ClusterStore store;
  fill(store, kNode, {node("n")});
  const auto added = store.apply_event(kPod, event("ADDED", pod("a", "n")));
  ASSERT_TRUE(added.ok());
  EXPECT_EQ(added->type, wire::EventInfo::Type::Added);
  EXPECT_EQ(added->resource_version, "6");
  const auto bookmark =
      store.apply_event(kPod, R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"77"}}})");
  ASSERT_TRUE(bookmark.ok());
  EXPECT_EQ(bookmark->resource_version, "77");
  EXPECT_EQ(pods_of(store), Names{"a"});
  const auto error = store.apply_event(
      kPod,
      R"({"type":"ERROR","object":{"kind":"Status","code":410,"reason":"Expired","message":"too old"}})");
  ASSERT_TRUE(error.ok());
  EXPECT_EQ(error->type, wire::EventInfo::Type::Error);
  EXPECT_EQ(error->error_code, 410);
}

TEST(Store, BytesThatMakeNoSenseAreErrorsAndChangeNothing) {
  ClusterStore store;
  fill(store, kNode, {node("n")});
  fill(store, kPod, {pod("a", "n")});
  const auto before = store.generation();
  EXPECT_NE(error_of(store.apply_event(kPod, "{")), "");
  EXPECT_NE(error_of(store.apply_event(kPod, R"({"type":"ADDED"})")), "");
  EXPECT_EQ(error_of(store.apply_event(kPod, event("ADDED", R"({"metadata":{"resourceVersion":"1"}})"))),
            "object: metadata.name: is missing");
  EXPECT_EQ(error_of(store.apply_event(
                kPod, event("ADDED", R"({"kind":"Node","metadata":{"name":"x","resourceVersion":"1"}})"))),
            "object: is a Node, not a Pod");
  EXPECT_EQ(error_of(store.add_page(kPod, list(kNode, {}))), "is a NodeList, not a PodList");
  EXPECT_EQ(error_of(store.add_page(kPod, list(kPod, {pod("b", "n"), "{}"}))),
            "items[1]: metadata.name: is missing");
  EXPECT_EQ(store.generation(), before);
  EXPECT_EQ(pods_of(store), Names{"a"});
}

TEST(Store, PodsOnMissingNodesAreLeftOutUntilTheNodeIsThere) {
  ClusterStore store;
  fill(store, kPod, {pod("a", "n")});
  wire::Reading r = store.view();
  EXPECT_TRUE(r.cluster.pods.empty());
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_TRUE(r.warnings[0].starts_with("Pod shop/a: spec.nodeName: there is no node \"n\""));
  fill(store, kNode, {node("n")});
  r = store.view();
  EXPECT_EQ(r.cluster.pods.size(), 1u);
  EXPECT_TRUE(r.warnings.empty());
}

TEST(Store, PrioritiesFollowTheClass) {
  ClusterStore store;
  const std::string named =
      R"({"metadata":{"name":"p","resourceVersion":"1"},"spec":{"priorityClassName":"gold"}})";
  const auto gold = [](int value) {
    return fmt::format(R"({{"metadata":{{"name":"gold","resourceVersion":"1"}},"value":{}}})", value);
  };
  fill(store, kPod, {named});
  EXPECT_EQ(store.view().cluster.pods[0].priority, std::nullopt);
  apply(store, wire::ObjectKind::PriorityClass, "ADDED", gold(7));
  EXPECT_EQ(store.view().cluster.pods[0].priority, 7);
  apply(store, wire::ObjectKind::PriorityClass, "MODIFIED", gold(8));
  EXPECT_EQ(store.view().cluster.pods[0].priority, 8);
}

TEST(Store, KindsOfWorkloadsAreKeptApart) {
  ClusterStore store;
  const std::string web = R"({"metadata":{"name":"web","resourceVersion":"1"},"spec":{"replicas":3}})";
  fill(store, wire::ObjectKind::Deployment, {web});
  fill(store, wire::ObjectKind::ReplicaSet, {web});
  fill(store, wire::ObjectKind::Job, {web});
  fill(store, wire::ObjectKind::ReplicaSet, {});
  const Cluster cluster = store.view().cluster;
  ASSERT_EQ(cluster.workloads.size(), 2u);
  EXPECT_EQ(cluster.workloads[0].kind, WorkloadKind::Deployment);
  EXPECT_EQ(cluster.workloads[1].kind, WorkloadKind::Job);
}

TEST(Store, AKindThatIsNotServedHasNoObjects) {
  ClusterStore store;
  fill(store, kNode, {node("n")});
  store.forget_kind(kNode);
  EXPECT_TRUE(store.view().cluster.nodes.empty());
}

// ---- generation

TEST(StoreGeneration, AHeartbeatIsNoChange) {
  ClusterStore store;
  const auto beat = [](int minute) {
    return fmt::format(
        R"({{"metadata":{{"name":"n","resourceVersion":"{0}","managedFields":[{{"time":"{0}"}}]}},
            "status":{{"capacity":{{"cpu":"4"}},"conditions":[{{"type":"Ready","status":"True",
            "lastHeartbeatTime":"2026-01-01T00:{0:02}:00Z","lastTransitionTime":"2026-01-01T00:00:00Z"}}]}}}})",
        minute);
  };
  fill(store, kNode, {beat(1)});
  const auto before = store.generation();
  apply(store, kNode, "MODIFIED", beat(2));
  fill(store, kNode, {beat(3)});
  EXPECT_EQ(store.generation(), before);
}

TEST(StoreGeneration, GrowsWithWhatCounts) {
  ClusterStore store;
  auto last = store.generation();
  const auto grew = [&] { return std::exchange(last, store.generation()) < store.generation(); };
  fill(store, kNode, {node("n")});
  EXPECT_TRUE(grew());
  fill(store, kPod, {pod("a", "n")});
  EXPECT_TRUE(grew());
  apply(store, kPod, "MODIFIED", pod("a", "n", R"(,"labels":{"app":"web"})"));
  EXPECT_TRUE(grew()) << "labels";
  apply(store, kPod, "MODIFIED", pod("a", "n", R"(,"labels":{"app":"web"},"generation":4)"));
  EXPECT_FALSE(grew()) << "nothing that is read";
  apply(store, kPod, "MODIFIED", pod("a", "m", R"(,"labels":{"app":"web"})"));
  EXPECT_TRUE(grew()) << "where it runs";
  apply(store, kNode, "MODIFIED", node("n", R"(,"allocatable":{"cpu":"3"})"));
  EXPECT_TRUE(grew()) << "allocatable";
  apply(store, kPod, "DELETED", pod("a", "m"));
  EXPECT_TRUE(grew()) << "gone";
  apply(store, kPod, "DELETED", pod("a", "m"));
  EXPECT_FALSE(grew()) << "gone already";
}

// ---- what cannot be read

TEST(StoreUnreadable, IsNamedAndItsOlderVersionIsNotUsed) {
  ClusterStore store;
  fill(store, kNode, {node("n")});
  fill(store, kPod, {pod("a", "n"), pod("b", "n")});
  const auto before = store.generation();
  apply(store, kPod, "MODIFIED", pod("a", "n", R"(,"labels":{"x":7})"));
  EXPECT_GT(store.generation(), before);
  EXPECT_EQ(pods_of(store), Names{"b"});
  ASSERT_EQ(store.unreadable().size(), 1u);
  const UnreadableObject bad = store.unreadable()[0];
  EXPECT_EQ(bad.kind, kPod);
  EXPECT_EQ(bad.ns, "shop");
  EXPECT_EQ(bad.name, "a");
  EXPECT_EQ(bad.message, "Pod shop/a: metadata.labels.x: must be a string");
  EXPECT_TRUE(forbids_plan(bad));
}

TEST(StoreUnreadable, GoesWhenItBecomesReadableOrIsDeletedOrIsNotListed) {
  const std::string bad = pod("a", "n", R"(,"labels":{"x":7})");
  for (const int way : {0, 1, 2}) {
    ClusterStore store;
    fill(store, kNode, {node("n")});
    fill(store, kPod, {bad});
    ASSERT_EQ(store.unreadable().size(), 1u);
    const auto before = store.generation();
    if (way == 0) apply(store, kPod, "MODIFIED", pod("a", "n"));
    if (way == 1) apply(store, kPod, "DELETED", bad);
    if (way == 2) fill(store, kPod, {});
    EXPECT_TRUE(store.unreadable().empty());
    EXPECT_GT(store.generation(), before);
    EXPECT_EQ(pods_of(store), way == 0 ? Names{"a"} : Names{});
  }
}

// ---- policies

std::string policy(std::string_view name, int version, std::string_view spec) {
  return fmt::format(
      R"({{"metadata":{{"name":"{}","uid":"u-{}","resourceVersion":"{}","generation":2}},"spec":{{{}}},"status":{{"plan":{}}}}})",
      name, name, version, spec, version);
}

TEST(StorePolicies, AreKnownByNameAndTheDefaultCounts) {
  ClusterStore store;
  fill(store, kPolicy,
       {policy("spare", 5, R"("utilizationThreshold":0.1)"),
        policy("default", 4, R"("utilizationThreshold":0.6)")});
  const auto policies = store.policies();
  ASSERT_EQ(policies.size(), 2u);
  EXPECT_EQ(policies[0].name, "default");
  EXPECT_EQ(policies[0].uid, "u-default");
  EXPECT_EQ(policies[0].resource_version, "4");
  EXPECT_EQ(policies[0].generation, 2);
  EXPECT_EQ(policies[0].error, "");
  EXPECT_EQ(policies[1].name, "spare");
  const wire::Reading r = store.view();
  EXPECT_EQ(r.cluster.policy->utilization_threshold, 0.6);
  EXPECT_EQ(r.warnings, Names{"TemperPolicy spare: is ignored: only the one named default counts"});
}

TEST(StorePolicies, AStatusThatIsWrittenIsNoChange) {
  ClusterStore store;
  fill(store, kPolicy, {policy("default", 4, "")});
  const auto before = store.generation();
  apply(store, kPolicy, "MODIFIED", policy("default", 5, ""));
  EXPECT_EQ(store.generation(), before);
  EXPECT_EQ(store.policies()[0].resource_version, "5");
}

TEST(StorePolicies, OneThatCannotBeReadSaysWhy) {
  ClusterStore store;
  fill(store, kPolicy, {policy("default", 4, R"("mode":"Sleep")"), policy("spare", 4, R"("mode":7)")});
  ASSERT_EQ(store.policies().size(), 2u);
  EXPECT_NE(store.policies()[0].error, "");
  EXPECT_NE(store.policies()[0].error.find("spec.mode"), std::string::npos);
  EXPECT_FALSE(store.view().cluster.policy.has_value());
  ASSERT_EQ(store.unreadable().size(), 2u);
  EXPECT_TRUE(forbids_plan(store.unreadable()[0]));
  EXPECT_FALSE(forbids_plan(store.unreadable()[1])) << "it does not count";
  apply(store, kPolicy, "MODIFIED", policy("default", 5, R"("mode":"Act")"));
  EXPECT_EQ(store.policies()[0].error, "");
  EXPECT_EQ(store.view().cluster.policy->mode, "Act");
}

// ---- catalogue and prices

TEST(Store, MachinesAndPricesAreLaidOverEveryView) {
  ClusterStore store;
  const wire::Input types{"types.json",
                          R"([{"name":"m","resources":{"cpu":"4"},"offerings":[{"Price":0.5,"Requirements":[
      {"key":"karpenter.sh/capacity-type","operator":"In","values":["on-demand"]}]}]}])"};
  const wire::Input prices{"prices.csv", "InstanceID,AssetClass,MarketPriceHourly\nn,node,0.25\n"};
  ASSERT_TRUE(store.set_instance_types(types).ok());
  ASSERT_TRUE(store.set_prices(prices).ok());
  fill(store, kNode, {node("n")});
  store.compact();
  const wire::Reading r = store.view();
  ASSERT_TRUE(r.cluster.catalogue.has_value());
  EXPECT_EQ(r.cluster.text(r.cluster.catalogue->types.at(0).name), "m");
  EXPECT_EQ(r.cluster.nodes[0].price_override, Money::from_dollars(0.25));

  EXPECT_FALSE(store.set_prices({"prices.csv", "nothing\n"}).ok());
  EXPECT_EQ(store.view().cluster.nodes[0].price_override, Money::from_dollars(0.25)) << "the old ones stay";
}

// ---- what is left behind

TEST(StoreCompaction, NamesOfThePastDoNotPileUp) {
  ClusterStore store;
  fill(store, kNode, {node("n")});
  std::size_t most = 0;
  for (int i = 0; i < 15'000; ++i) {
    const std::string name = fmt::format("run-{}", i);
    const std::string labels = fmt::format(R"(,"uid":"u-{}","labels":{{"run":"{}"}})", i, i);
    apply(store, kPod, "ADDED", pod(name, "n", labels));
    if (i > 0) apply(store, kPod, "DELETED", pod(fmt::format("run-{}", i - 1), "n"));
    most = std::max(most, store.size().symbols);
  }
  EXPECT_EQ(pods_of(store), Names{"run-14999"});
  EXPECT_LT(most, 10'000u) << "of the 45,000 that there were";
  EXPECT_LT(store.size().label_sets, 3'000u);
  store.compact();
  EXPECT_LT(store.size().symbols, 100u);
  EXPECT_EQ(store.size().label_sets, 1u);
}

TEST(StoreCompaction, ResourcesOfThePastDoNotUseUpTheirNumber) {
  ClusterStore store;
  for (int i = 0; i < 2'000; ++i)
    apply(store, kNode, "MODIFIED", node("n", fmt::format(R"(,"allocatable":{{"example.com/r{}":"1"}})", i)));
  EXPECT_TRUE(store.unreadable().empty());
}

TEST(StoreCompaction, ListsUnderWayGoOn) {
  ClusterStore store;
  fill(store, kNode, {node("n")});
  store.begin_list(kPod);
  ASSERT_TRUE(store.add_page(kPod, list(kPod, {pod("a", "n")}, "x")).ok());
  store.compact();
  ASSERT_TRUE(store.add_page(kPod, list(kPod, {pod("b", "n"), pod("a", "n")})).ok());
  store.end_list(kPod);
  EXPECT_EQ(pods_of(store), (Names{"a", "b"}));
}

}  // namespace
}  // namespace tamp::store

// What is read at the edge of what may be read.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "store/store.h"
#include "wire/cgroup_files.h"
#include "wire/cgroup_names.h"
#include "wire/csv.h"
#include "wire/kinds.h"
#include "wire/observation.h"
#include "wire/published_status.h"
#include "wire/quantity.h"
#include "wire/reading_for_test.h"

namespace tamp::wire {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- kinds

TEST(Kinds, AreServedWhereTheApiServerHasThem) {
  std::vector<std::string> namespaced, custom, paths;
  for (const KindInfo& k : kinds()) {
    EXPECT_EQ(&info(k.id), &k);
    if (k.namespaced) namespaced.emplace_back(k.kind);
    if (k.custom) custom.emplace_back(k.kind);
  }
  EXPECT_THAT(namespaced,
              ElementsAre("Pod", "PodDisruptionBudget", "DaemonSet", "Deployment", "ReplicaSet",
                          "ReplicationController", "StatefulSet", "Job", "PersistentVolumeClaim"));
  EXPECT_THAT(custom, ElementsAre("NodeClaim", "NodePool", "TemperPolicy"));
}

// ---- quantities

TEST(QuantityEdge, NegativeIsBelowZero) {
  EXPECT_TRUE(parse_quantity("-1n")->negative());
  EXPECT_FALSE(parse_quantity("0")->negative());
  EXPECT_FALSE(parse_quantity("-0")->negative());
  EXPECT_FALSE(parse_quantity("1n")->negative());
}

TEST(QuantityEdge, DigitsBeyondWhatFitsStillCount) {
  // 37 digits; the last ones do not fit, and say how large the number is all the same.
  EXPECT_EQ(parse_quantity("1000000000000000000000000000000000000e-36")->units(), 1);
  EXPECT_EQ(parse_quantity("1000000000000000000000000000000000000000e-36")->units(), 1000);
  EXPECT_EQ(parse_quantity("1000000000000000000000000000000000000001e-36")->units(), 1001) << "rounded up";
  EXPECT_EQ(parse_quantity("1.000000000000000000000000000000000000000000")->millis(), 1000);
}

TEST(QuantityEdge, WithoutDigitsIsZeroWhereTheApiServerTakesItSo) {
  for (const char* zero : {"Ki", "Gi", "Ti", "k", "E", "m", "n", ".", "+", "-", "e3", ".Mi"})
    EXPECT_TRUE(parse_quantity(zero).ok()) << zero;
  for (const char* bad : {"Pi", "Ei", ".Pi", "e-10"}) EXPECT_FALSE(parse_quantity(bad).ok()) << bad;
  EXPECT_TRUE(parse_quantity("e-9").ok());
}

TEST(QuantityEdge, SaturatesAtTheVeryEnd) {
  EXPECT_EQ(parse_quantity("9223372036854775806")->units(), INT64_MAX - 1);
  EXPECT_EQ(parse_quantity("9223372036854775.806")->millis(), INT64_MAX - 1);
  EXPECT_EQ(parse_quantity("9223372036854775.807")->millis(), INT64_MAX);
  EXPECT_EQ(parse_quantity("9223372036854775.808")->millis(), INT64_MAX);
  EXPECT_EQ(parse_quantity("-9223372036854775807")->units(), -INT64_MAX);
  EXPECT_EQ(parse_quantity("-9223372036854775809")->units(), INT64_MIN);
}

TEST(QuantityEdge, CanonicalTextsOfEachFamily) {
  const std::pair<const char*, const char*> cases[] = {
      {"1023", "1023"},        {"1024", "1024"},     {"0.5Mi", "512Ki"},
      {"1Ki", "1Ki"},          {"1536Ki", "1536Ki"}, {"1.5Ki", "1536"},
      {"1023.5Ki", "1048064"}, {"-2Mi", "-2Mi"},     {"1e6", "1e6"},
      {"1000e3", "1e6"},       {"5e0", "5"},         {"1500e-6", "1500e-6"},
      {"1000000k", "1G"},      {"1000000n", "1m"},   {"-1500m", "-1500m"},
      {"7Ei", "7Ei"},
  };
  for (const auto& [text, canonical] : cases) EXPECT_EQ(parse_quantity(text)->canonical(), canonical) << text;
}

// ---- files of the kernel

TEST(KernelEdge, Limits) {
  EXPECT_EQ(parse_limit("4611686018427387903\n"), Limit{(std::uint64_t{1} << 62) - 1});
  EXPECT_EQ(parse_limit("4611686018427387904\n"), Limit{}) << "2^62 is none";
}

TEST(KernelEdge, Kibibytes) {
  EXPECT_EQ(parse_kib_key("K: 18014398509481983 kB\n", "K"), std::uint64_t{18014398509481983} * 1024);
  EXPECT_EQ(parse_kib_key("K: 18014398509481984 kB\n", "K"), std::nullopt) << "2^64 bytes do not fit";
}

TEST(KernelEdge, Lists) {
  EXPECT_EQ(count_of_list("5-5\n"), 1U);
  EXPECT_EQ(count_of_list("1048576\n"), 1U);
  EXPECT_EQ(count_of_list("1048577\n"), std::nullopt);
  EXPECT_EQ(count_of_list("1-1048576\n"), 1048576U);
  EXPECT_EQ(count_of_list("0-1048576\n"), std::nullopt) << "one more";
  EXPECT_EQ(count_of_list("1-1048576,0\n"), std::nullopt);
}

TEST(KernelEdge, NamesOfPodDirectories) {
  const std::string longest(128, 'a');
  EXPECT_EQ(pod_of_cgroup("pod" + longest), longest);
  EXPECT_EQ(pod_of_cgroup("pod" + longest + "a"), std::nullopt);
  EXPECT_EQ(pod_of_cgroup("podA.b_c-D9"), "a.b-c-d9");
  for (const char* other : {"poda b", "poda/b", "poda:b", "pod@"})
    EXPECT_EQ(pod_of_cgroup(other), std::nullopt);
}

// ---- comma-separated values

TEST(CsvEdge, QuotesAtTheEnd) {
  EXPECT_THAT(parse_csv("a,\"b\"")->at(0).fields, ElementsAre("a", "b"));
  EXPECT_THAT(parse_csv("\"\"\"\"")->at(0).fields, ElementsAre("\""));
  EXPECT_THAT(parse_csv("\"a\"\"\"")->at(0).fields, ElementsAre("a\""));
  EXPECT_EQ(parse_csv("\"a\"b\"").error().message,
            "line 1: a quote inside a field that does not begin with one");
  EXPECT_EQ(parse_csv("\"a\" \"b\"").ok(), false);
  EXPECT_EQ(parse_csv("\"\"\"").error().message, "line 1: a quote is not closed");
}

TEST(CsvEdge, RowsAndFieldsThatAreEmpty) {
  EXPECT_EQ(parse_csv("")->size(), 0U);
  EXPECT_EQ(parse_csv("\n\r\n")->size(), 0U);
  EXPECT_THAT(parse_csv("\"\"")->at(0).fields, ElementsAre("")) << "quoted: it is there";
  EXPECT_THAT(parse_csv(",")->at(0).fields, ElementsAre("", ""));
  EXPECT_THAT(parse_csv("\xEF\xBB\xBF"
                        "a")
                  ->at(0)
                  .fields,
              ElementsAre("a"))
      << "a byte order mark";
  const auto rows = parse_csv("a\n\nb\n");
  ASSERT_EQ(rows->size(), 2U);
  EXPECT_EQ((*rows)[0].line, 1U);
  EXPECT_EQ((*rows)[1].line, 3U);
}

// ---- observations

TEST(ObservationEdge, TheNewestOfEachNodeCounts) {
  const auto document = [](const char* node, std::int64_t at, const char* boot) {
    Observation o;
    o.node = node;
    o.at = Time{at};
    o.boot_id = boot;
    return o;
  };
  const Observations all =
      newest_of_each_node({document("b", 1, "old"), document("a", 5, "first"), document("b", 3, "new"),
                           document("b", 2, "older"), document("a", 5, "second")});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].node, "a");
  EXPECT_EQ(all[0].boot_id, "first") << "of equals the first";
  EXPECT_EQ(all[1].node, "b");
  EXPECT_EQ(all[1].boot_id, "new");
}

// ---- the status of a policy

TEST(PublishedStatusEdge, ConditionsAreTrueWhenTheySaySo) {
  const auto status = read_published_status(
      R"({"metadata":{"resourceVersion":"7"},"status":{"conditions":[
{"type":"A","status":"True","lastTransitionTime":"2026-11-15T00:00:00Z"},
{"type":"B","status":"False"},{"type":"C","status":"Unknown"},{"type":"D"}]}})");
  ASSERT_TRUE(status.ok());
  ASSERT_EQ(status->conditions.size(), 4U);
  EXPECT_TRUE(status->conditions[0].is_true);
  EXPECT_EQ(status->conditions[0].since, *parse_rfc3339("2026-11-15T00:00:00Z"));
  for (std::size_t i : {1U, 2U, 3U}) EXPECT_FALSE(status->conditions[i].is_true) << i;
  EXPECT_FALSE(PublishedCondition{}.is_true);
  EXPECT_EQ(read_published_status("{}").error().message, "metadata.resourceVersion: is missing");
}

// ---- prices

constexpr const char* kNodes = "{apiVersion: v1, kind: Node, metadata: {name: a}}";
constexpr const char* kHeader =
    "InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly\n";

Inputs with_prices(const std::string& rows) {
  Inputs in = testing::inputs_of(kNodes);
  in.prices = Input{"prices", rows};
  return in;
}

TEST(PricesEdge, FromNothingToABillion) {
  const auto price = [](const std::string& text) {
    const Reading reading =
        testing::read(with_prices(std::string(kHeader) + "a,,node,metadata.name,," + text + "\n"));
    return reading.cluster.nodes[0].price_override;
  };
  EXPECT_EQ(price("0"), Money{});
  EXPECT_EQ(price("  0.5 \t"), Money::from_dollars(0.5));
  EXPECT_EQ(price("999999999"), Money::from_dollars(999999999));
  EXPECT_THAT(testing::error_of(with_prices(std::string(kHeader) + "a,,node,metadata.name,,1000000000\n")),
              HasSubstr("must be between 0 and 1000000000"));
}

TEST(PricesEdge, RowsThatMatchAreNotCounted) {
  const Reading reading = testing::read(with_prices(std::string(kHeader) + "a,,node,,,1\nb,,node,,,1\n"));
  EXPECT_THAT(reading.warnings, ElementsAre("prices: 1 of 2 prices match no node and no on-demand offering"));
  EXPECT_THAT(testing::read(with_prices(std::string(kHeader) + "a,,node,,,1\n")).warnings, ElementsAre());
}

TEST(PricesEdge, ColumnsThatMustBeThere) {
  EXPECT_EQ(testing::error_of(with_prices("InstanceID,MarketPriceHourly\na,1\n")),
            "prices: line 1: the column AssetClass is missing");
  EXPECT_EQ(testing::error_of(with_prices("AssetClass,MarketPriceHourly\nnode,1\n")),
            "prices: line 1: both columns InstanceID and InstanceType are missing");
  EXPECT_EQ(testing::error_of(with_prices("InstanceType,AssetClass,MarketPriceHourly\nbig,node,1\n")), "");
  EXPECT_EQ(testing::error_of(with_prices(" instanceid ,ASSETCLASS,MarketPriceHourly\na,node,1\n")), "");
}

// ---- a policy

std::string policy_error(const std::string& spec) {
  return testing::error_of(
      "{apiVersion: temper.codes/v1alpha1, kind: TemperPolicy, metadata: {name: default}, spec: " + spec +
      "}");
}

TEST(PolicyEdge, TiersFallFromCriticalToLow) {
  EXPECT_EQ(policy_error("{tiers: {critical: 4, high: 3, normal: 2, low: 1}}"), "");
  for (const char* equal : {"{tiers: {critical: 3, high: 3, normal: 2, low: 1}}",
                            "{tiers: {critical: 4, high: 2, normal: 2, low: 1}}",
                            "{tiers: {critical: 4, high: 3, normal: 1, low: 1}}"})
    EXPECT_THAT(policy_error(equal), HasSubstr("must fall from critical to low")) << equal;
}

TEST(PolicyEdge, Thresholds) {
  for (const char* good : {"0", "1", "0.5"})
    EXPECT_EQ(policy_error(std::string("{utilizationThreshold: ") + good + "}"), "") << good;
  for (const char* bad : {"-0.01", "1.01"})
    EXPECT_THAT(policy_error(std::string("{utilizationThreshold: ") + bad + "}"),
                HasSubstr("must be between 0 and 1"));
  EXPECT_EQ(policy_error("{limits: {minNodes: 0, maxEvictionsPerHour: 0}}"), "");
  EXPECT_THAT(policy_error("{limits: {minNodes: -1}}"), HasSubstr("must be at least 0"));
  EXPECT_THAT(policy_error("{limits: {maxEvictionsPerHour: -1}}"), HasSubstr("must be at least 0"));
  EXPECT_EQ(policy_error("{consolidation: {enabled: false}, ttlSecondsAfterEmpty: 0}"), "");
  EXPECT_THAT(policy_error("{consolidation: {enabled: false}, ttlSecondsAfterEmpty: -1}"),
              HasSubstr("at least 0"));
  EXPECT_THAT(policy_error("{ttlSecondsAfterEmpty: 5}"),
              HasSubstr("must not be set while consolidation is enabled"));
}

// ---- disruption budgets

TEST(BudgetEdge, NodesAndWindows) {
  const auto pool = [](const std::string& budget) {
    return "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: p}, spec: {disruption: {budgets: "
           "[" +
           budget + "]}}}";
  };
  const auto budget = [&](const std::string& text) {
    return testing::read(pool(text)).cluster.pools[0].disruption.budgets->at(0);
  };
  EXPECT_EQ(budget("{nodes: '100%'}").percent, 100);
  EXPECT_EQ(budget("{nodes: '99%'}").percent, 99);
  EXPECT_EQ(budget("{nodes: '0'}").count, 0);
  EXPECT_EQ(budget("{nodes: '99999999999999999999'}").count, INT64_MAX);
  for (const char* nodes : {"101%", "999%", "%", "", "-1", "1.5", "5 %"})
    EXPECT_NE(testing::error_of(pool(std::string("{nodes: '") + nodes + "'}")), "") << nodes;
  const auto window_error = [&](const char* window) {
    return testing::error_of(pool(std::string("{nodes: '1', schedule: '@daily', duration: ") + window + "}"));
  };
  for (const char* window : {"5m", "8h", "8h30m", "8h0s", "5m0s", "8h30m0s"})
    EXPECT_EQ(window_error(window), "");
  for (const char* window : {"0s", "5s", "10s", "5m10s", "m", "h", "h5m", "8h5", "80s", "x0s"})
    EXPECT_NE(window_error(window), "") << window;
}

// ---- the store

TEST(StoreEdge, ItsGenerationMovesWithNewsAlone) {
  store::ClusterStore store;
  const auto news = [&](const char* type, const std::string& pod) {
    const std::uint64_t before = store.generation();
    EXPECT_TRUE(
        store.apply_event(ObjectKind::Pod, std::string(R"({"type":")") + type + R"(","object":)" + pod + "}")
            .ok());
    return store.generation() != before;
  };
  const auto pod = [](const std::string& spec) {
    return R"({"metadata":{"name":"p","namespace":"shop","resourceVersion":"6"},"spec":)" + spec + "}";
  };
  const std::string good = pod("{}"), broken = pod(R"({"nodeName":5})"), other = pod(R"({"priority":"x"})");
  EXPECT_TRUE(news("ADDED", good));
  EXPECT_FALSE(news("MODIFIED", good)) << "nothing that a decision depends on";
  EXPECT_TRUE(news("MODIFIED", broken));
  EXPECT_TRUE(store.view().cluster.pods.empty()) << "what it was is not known any more";
  ASSERT_EQ(store.unreadable().size(), 1U);
  EXPECT_FALSE(news("MODIFIED", broken)) << "as broken as before";
  EXPECT_TRUE(news("MODIFIED", other)) << "something else is wrong";
  EXPECT_TRUE(news("MODIFIED", good));
  EXPECT_TRUE(store.unreadable().empty());
  EXPECT_TRUE(news("MODIFIED", broken));
  EXPECT_TRUE(news("DELETED", broken));
  EXPECT_FALSE(news("DELETED", broken)) << "the server may repeat itself";
  EXPECT_TRUE(store.unreadable().empty());
}

TEST(StoreEdge, AListIsNewsIfItDiffers) {
  store::ClusterStore store;
  const auto news = [&](const std::vector<std::string>& names) {
    const std::uint64_t before = store.generation();
    store.begin_list(ObjectKind::Pod);
    std::string items;
    for (const std::string& name : names)
      items += (items.empty() ? "" : ",") +
               (R"({"metadata":{"name":")" + name + R"(","namespace":"shop"},"spec":{"nodeName":)") +
               (name.starts_with("broken") ? "5" : R"("n")") + "}}";
    EXPECT_TRUE(
        store.add_page(ObjectKind::Pod, R"({"metadata":{"resourceVersion":"9"},"items":[)" + items + "]}")
            .ok());
    store.end_list(ObjectKind::Pod);
    return store.generation() != before;
  };
  EXPECT_TRUE(news({"a", "b"}));
  EXPECT_FALSE(news({"b", "a"})) << "in whatever order";
  EXPECT_TRUE(news({"a"}));
  EXPECT_TRUE(news({"c"}));
  EXPECT_TRUE(news({"c", "broken-1"}));
  EXPECT_FALSE(news({"broken-1", "c"}));
  EXPECT_TRUE(news({"c", "broken-2"}));
  EXPECT_TRUE(news({}));
  EXPECT_FALSE(news({}));
}

TEST(StoreEdge, KeepsItsObjectsWhenOthersLeave) {
  store::ClusterStore store;
  const auto event = [&](const char* type, const std::string& name) {
    EXPECT_TRUE(store
                    .apply_event(ObjectKind::Node, std::string(R"({"type":")") + type +
                                                       R"(","object":{"metadata":{"name":")" + name +
                                                       R"(","resourceVersion":"7"}}})")
                    .ok());
  };
  const auto names = [&] {
    std::string all;
    const Reading reading = store.view();
    for (const Node& n : reading.cluster.nodes) all += std::string(reading.cluster.text(n.name)) + " ";
    return all;
  };
  for (const char* name : {"a", "b", "c", "d"}) event("ADDED", name);
  event("DELETED", "b");
  EXPECT_EQ(names(), "a c d ");
  event("DELETED", "d");
  EXPECT_EQ(names(), "a c ") << "d had taken the place of b";
  event("DELETED", "c");
  event("DELETED", "a");
  EXPECT_EQ(names(), "");
  event("ADDED", "c");
  store.compact();
  event("DELETED", "a");
  EXPECT_EQ(names(), "c ");
}

}  // namespace
}  // namespace tamp::wire

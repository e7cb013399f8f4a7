#include "wire/prices.h"

#include <gtest/gtest.h>

#include "wire/csv.h"
#include "wire/reading_for_test.h"

namespace tamp::wire {
namespace {

constexpr const char* kTypes =
    R"([{"name":"big","architecture":"amd64","operatingSystems":["linux"],"resources":{"cpu":"4"},"offerings":[
  {"Price":1,"Requirements":[{"key":"karpenter.sh/capacity-type","operator":"In","values":["on-demand"]},
                             {"key":"topology.kubernetes.io/zone","operator":"In","values":["us-east-1a"]}]},
  {"Price":0.4,"Requirements":[{"key":"karpenter.sh/capacity-type","operator":"In","values":["spot"]},
                               {"key":"topology.kubernetes.io/zone","operator":"In","values":["us-east-1a"]}]},
  {"Price":2,"Requirements":[{"key":"karpenter.sh/capacity-type","operator":"In","values":["on-demand"]},
                             {"key":"topology.kubernetes.io/zone","operator":"In","values":["eu-west-1a"]}]}]}])";

constexpr const char* kNodes =
    "{apiVersion: v1, kind: NodeList, items: [{metadata: {name: a, labels: {rack: R1, "
    "node.kubernetes.io/instance-type: "
    "odd}}, spec: {providerID: 'aws:///us-east-1a/i-1'}}, {metadata: {name: b, labels: "
    "{karpenter.sh/capacity-type: spot, "
    "node.kubernetes.io/instance-type: odd}}}, {metadata: {name: c, labels: {topology.kubernetes.io/region: "
    "us-east-1, "
    "node.kubernetes.io/instance-type: big}}}]}";

constexpr const char* kHeader =
    "EndTimestamp,InstanceID,Region,AssetClass,InstanceIDField,InstanceType,MarketPriceHourly,Version\n";

Inputs inputs(const std::string& csv) {
  Inputs in = testing::inputs_of(kNodes);
  in.instance_types = Input{"types", kTypes};
  in.prices = Input{"prices", csv};
  return in;
}
std::string error_of(const std::string& row) { return testing::error_of(inputs(kHeader + row)); }

struct PricesTest : ::testing::Test {
  Reading reading;
  void apply(const std::string& rows) { reading = testing::read(inputs(kHeader + rows)); }
  std::optional<double> price(std::string_view node) {
    const auto& money = reading.cluster.nodes[reading.cluster.find_node(node).index()].price_override;
    if (!money) return std::nullopt;
    return money->dollars();
  }
  double offering(std::size_t i) { return reading.cluster.catalogue->types[0].offerings[i].price.dollars(); }
};

TEST_F(PricesTest, ARowForATypeOverridesItsOnDemandOfferings) {
  apply(",,,node,,big,0.9,\n");
  EXPECT_EQ(offering(0), 0.9);
  EXPECT_EQ(offering(1), 0.4);
  EXPECT_EQ(offering(2), 0.9);
  EXPECT_EQ(price("c"), std::nullopt);
}

TEST_F(PricesTest, ARowForATypeIsForAllSystemsThatRunOnIt) {
  std::string linux = kTypes, windows = kTypes;
  windows.replace(windows.find("linux"), 5, "windows");
  const std::string both = linux.replace(linux.rfind(']'), 1, ",") + windows.substr(1);
  Inputs in = inputs(std::string(kHeader) + ",,,node,,big,0.9,\n");
  in.instance_types = Input{"types", both};
  reading = testing::read(in);
  ASSERT_EQ(reading.cluster.catalogue->types.size(), 2u);
  for (const InstanceType& type : reading.cluster.catalogue->types)
    EXPECT_EQ(type.offerings[0].price.dollars(), 0.9);
}

TEST_F(PricesTest, ARegionNarrowsIt) {
  apply(",,us-east-1,node,,big,0.9,\n");
  EXPECT_EQ(offering(0), 0.9);
  EXPECT_EQ(offering(2), 2);
}

TEST_F(PricesTest, ATypeThatTheCatalogueLacksPricesItsOnDemandNodes) {
  apply(",,,node,,odd,0.7,\n");
  EXPECT_EQ(price("a"), 0.7);
  EXPECT_EQ(price("b"), std::nullopt);  // spot
}

TEST_F(PricesTest, ARowForASingleNode) {
  apply(",A,,node,metadata.name,,0.1,\n,i-1,,NODE,spec.providerID,,0.2,\n");
  EXPECT_EQ(price("a"), 0.2);  // the later row wins
  apply(",aws:///us-east-1a/i-1,,node,spec.providerID,,0.2,\n");
  EXPECT_EQ(price("a"), 0.2);
  apply(",r1,,node,metadata.labels.rack,,0.3,\n");
  EXPECT_EQ(price("a"), 0.3);
  apply(",c,eu-west-1,node,metadata.name,,0.3,\n");
  EXPECT_EQ(price("c"), std::nullopt);
  apply(",c,us-east-1,node,metadata.name,,0.3,\n");
  EXPECT_EQ(price("c"), 0.3);
}

TEST_F(PricesTest, ANodeIsMoreSpecificThanItsType) {
  apply(",a,,node,metadata.name,,0.1,\n,,,node,,odd,0.7,\n");
  EXPECT_EQ(price("a"), 0.1);
}

TEST_F(PricesTest, TheInstanceTypeLabelAsIdFieldNamesAType) {
  apply(",big,,node,metadata.labels.node.kubernetes.io/instance-type,,0.8,\n");
  EXPECT_EQ(offering(0), 0.8);
}

TEST_F(PricesTest, OtherAssetClassesAreSkippedAndUnusedRowsAreCounted) {
  apply(",v,,pv,metadata.name,,nonsense,\n,nobody,,node,metadata.name,,1,\n");
  ASSERT_EQ(reading.warnings.size(), 1u);
  EXPECT_EQ(reading.warnings[0], "prices: 1 of 1 prices match no node and no on-demand offering");
}

TEST_F(PricesTest, Errors) {
  EXPECT_EQ(error_of(",a,,node,metadata.name,,cheap,\n"),
            "prices: line 2: MarketPriceHourly: \"cheap\" is not a number");
  EXPECT_EQ(error_of("\n,a,,node,metadata.name,,-1,\n"),
            "prices: line 3: MarketPriceHourly: is -1, must be between 0 and 1000000000 dollars per hour");
  EXPECT_EQ(error_of(",a,,node,metadata.name,,nan,\n"),
            "prices: line 2: MarketPriceHourly: is nan, must be between 0 and 1000000000 dollars per hour");
  EXPECT_EQ(error_of(",a,,node,metadata.name,,inf,\n"),
            "prices: line 2: MarketPriceHourly: is inf, must be between 0 and 1000000000 dollars per hour");
  EXPECT_EQ(error_of(",a,,node,metadata.name\n"), "prices: line 2: MarketPriceHourly: \"\" is not a number");
  EXPECT_EQ(error_of(",,,node,,,1,\n"), "prices: line 2: both InstanceID and InstanceType are empty");
  EXPECT_EQ(error_of(",a,,node,status.phase,,1,\n"),
            "prices: line 2: InstanceIDField: is \"status.phase\", must be metadata.name, spec.providerID or "
            "metadata.labels.<key>");
  EXPECT_EQ(testing::error_of(inputs("a,b\n")), "prices: line 1: the column MarketPriceHourly is missing");
  EXPECT_EQ(testing::error_of(inputs("")), "prices: the file is empty");
}

TEST(Csv, QuotesCommasAndLineEnds) {
  const auto rows = parse_csv("a,\"b,\"\"c\"\"\"\r\n\r\n\"d\ne\",\n");
  ASSERT_TRUE(rows.ok());
  ASSERT_EQ(rows->size(), 2u);
  EXPECT_EQ((*rows)[0].fields, (std::vector<std::string>{"a", "b,\"c\""}));
  EXPECT_EQ((*rows)[1].fields, (std::vector<std::string>{"d\ne", ""}));
  EXPECT_EQ((*rows)[1].line, 3u);
}

TEST(Csv, BrokenQuotesAreErrors) {
  EXPECT_EQ(parse_csv("a\n\"b").error().message, "line 2: a quote is not closed");
  EXPECT_EQ(parse_csv("a\"b").error().message, "line 1: a quote inside a field that does not begin with one");
}

}  // namespace
}  // namespace tamp::wire

#include "wire/catalogue.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "wire/reading_for_test.h"

namespace tamp::wire {
namespace {

constexpr const char* kOffering =
    R"({"Price":0.5,"Available":true,"Requirements":[
        {"key":"karpenter.sh/capacity-type","operator":"In","values":["on-demand"]},
        {"key":"topology.kubernetes.io/zone","operator":"In","values":["z1"]}]})";

std::string type(const std::string& name, const std::string& rest, const std::string& offerings = kOffering) {
  return R"({"name":")" + name + R"(","architecture":"amd64","operatingSystems":["linux"],"offerings":[)" +
         offerings + "]" + rest + "}";
}
constexpr const char* kResources = R"(,"resources":{"cpu":"4","memory":"4096Mi"})";

struct CatalogueTest : ::testing::Test {
  Cluster cluster;
  std::string read(const std::string& types) {
    cluster = Cluster();
    const auto status = read_catalogue(cluster, {"types", "[" + types + "]"});
    return status ? "" : status.error().message;
  }
  const InstanceType& first() { return cluster.catalogue->types.at(0); }
  // The single value that the type requires for this key.
  std::string_view value(std::string_view key) {
    for (const auto& r : first().requirements)
      if (cluster.text(r.key) == key && r.values.size() == 1) return cluster.text(r.values[0]);
    return "(none)";
  }
};

TEST_F(CatalogueTest, ATypeAndItsOfferings) {
  ASSERT_EQ(read(type("c-4x-amd64-linux", kResources)), "");
  EXPECT_EQ(first().capacity.get(kCpu), 4000);
  EXPECT_EQ(first().capacity.get(kPods), 110);
  EXPECT_EQ(first().allocatable.get(kCpu), 3900);
  EXPECT_EQ(first().allocatable.get(kMemory), (std::int64_t{4096} - 10) << 20);
  EXPECT_EQ(first().allocatable.get(kPods), 110);
  ASSERT_EQ(first().offerings.size(), 1u);
  EXPECT_EQ(first().offerings[0].price, Money::from_dollars(0.5));
  EXPECT_EQ(first().offerings[0].dollars, 0.5);
  EXPECT_EQ(cluster.text(first().offerings[0].zone), "z1");
  EXPECT_EQ(first().offerings[0].capacity_type, cluster.known.on_demand);
  EXPECT_EQ(first().offerings[0].requirements.size(), 2u);
}

TEST_F(CatalogueTest, RequirementsAsTheKwokProviderDerivesThem) {
  ASSERT_EQ(read(type("c-4x-amd64-linux", kResources)), "");
  EXPECT_EQ(value("node.kubernetes.io/instance-type"), "c-4x-amd64-linux");
  EXPECT_EQ(value("kubernetes.io/arch"), "amd64");
  EXPECT_EQ(value("kubernetes.io/os"), "linux");
  EXPECT_EQ(value("topology.kubernetes.io/zone"), "z1");
  EXPECT_EQ(value("karpenter.sh/capacity-type"), "on-demand");
  EXPECT_EQ(value("karpenter.kwok.sh/instance-size"), "4");
  EXPECT_EQ(value("karpenter.kwok.sh/instance-family"), "c");
  EXPECT_EQ(value("karpenter.kwok.sh/instance-cpu"), "4");
  EXPECT_EQ(value("karpenter.kwok.sh/instance-memory"), "4Gi");
}

TEST_F(CatalogueTest, SizesAndFamiliesOfCloudNames) {
  const auto size_and_family = [&](const std::string& name) {
    EXPECT_EQ(read(type(name, kResources)), "");
    return std::string(value("karpenter.kwok.sh/instance-size")) + " " +
           std::string(value("karpenter.kwok.sh/instance-family"));
  };
  EXPECT_EQ(size_and_family("m5.2xlarge"), "2xlarge m5");
  EXPECT_EQ(size_and_family("t3.xlarge"), "xlarge t3");
  EXPECT_EQ(size_and_family("t3.nano"), "nano t3");
  EXPECT_EQ(size_and_family("m5.metal"), "metal m5");
  EXPECT_EQ(size_and_family("m5.metal-24xl"), "4 m5");
  EXPECT_EQ(size_and_family("n2-standard-4"), "4 n2");
  EXPECT_EQ(size_and_family("Standard_D4"), "4 S");
}

TEST_F(CatalogueTest, AnOverheadOfItsOwnReplacesTheDefault) {
  ASSERT_EQ(read(type("a", std::string(kResources) + R"(,"overhead":{"cpu":"1","memory":"8Gi"})")), "");
  EXPECT_EQ(first().allocatable.get(kCpu), 3000);
  EXPECT_EQ(first().allocatable.get(kMemory), 0);  // never below nothing
}

TEST_F(CatalogueTest, HugePagesComeOutOfMemory) {
  ASSERT_EQ(read(type("a", R"(,"resources":{"cpu":"4","memory":"1Gi","hugepages-2Mi":"512Mi"})")), "");
  EXPECT_EQ(first().allocatable.get(kMemory), (std::int64_t{1024} - 10 - 512) << 20);
}

TEST_F(CatalogueTest, AvailabilityIsHonoured) {
  ASSERT_EQ(read(type("a", kResources, R"({"Price":1,"Available":false},{"price":2})")), "");
  EXPECT_FALSE(first().offerings[0].available);
  EXPECT_TRUE(first().offerings[1].available);
  EXPECT_EQ(first().offerings[1].dollars, 2);
  EXPECT_FALSE(first().offerings[1].zone.valid());
}

TEST_F(CatalogueTest, WellKnownKeysIncludeThoseOfOfferings) {
  ASSERT_EQ(read(type("a", kResources,
                      R"({"Price":1,"Requirements":[{"key":"rack","operator":"In","values":["r"]}]})")),
            "");
  const auto& keys = cluster.catalogue->well_known;
  for (const char* key : {"rack", "topology.kubernetes.io/region", "node.kubernetes.io/windows-build",
                          "karpenter.kwok.sh/instance-memory", "karpenter.sh/nodepool"})
    EXPECT_TRUE(std::binary_search(keys.begin(), keys.end(), cluster.symbols.find(key))) << key;
  EXPECT_EQ(keys.size(), 13u);
}

TEST_F(CatalogueTest, AMachineMayBeListedOnceForEachSystemThatRunsOnIt) {
  const std::string linux = type("a", kResources);
  std::string windows = linux, arm = linux;
  windows.replace(windows.find("linux"), 5, "windows");
  arm.replace(arm.find("amd64"), 5, "arm64");
  ASSERT_EQ(read(windows + "," + linux + "," + arm), "");
  ASSERT_EQ(cluster.catalogue->types.size(), 3u);
  EXPECT_EQ(value("kubernetes.io/os"), "windows");
  EXPECT_NE(read(windows + "," + linux + "," + windows), "");
}

TEST_F(CatalogueTest, Errors) {
  EXPECT_EQ(read(type("a", kResources, R"({"Price":-1})")),
            "types: instance type a: [0].offerings[0].Price: is -1, must be between 0 and 1000000000 dollars "
            "per hour");
  EXPECT_EQ(read(type("a", kResources, R"({"Price":"NaN"})")),
            "types: instance type a: [0].offerings[0].Price: must be a number");
  EXPECT_EQ(read(type("a", kResources, "{}")), "types: instance type a: [0].offerings[0].Price: is missing");
  EXPECT_EQ(read(type("a", kResources, R"({"Price":1e12})")),
            "types: instance type a: [0].offerings[0].Price: is 1000000000000, must be between 0 and "
            "1000000000 dollars "
            "per hour");
  EXPECT_NE(read(type("a", kResources, R"({"Price":1e999})")), "");
  EXPECT_EQ(read(type("a", kResources) + "," + type("a", kResources)),
            "types: instance type a: [1].name: there is already a type \"a\" of this architecture and these "
            "operating systems");
  EXPECT_EQ(read(R"({"resources":{}})"), "types: instance type #0: [0].name: is missing");
  EXPECT_EQ(read("5"), "types: instance type #0: [0]: must be an object");
  EXPECT_NE(read(type("a", R"(,"resources":{"cpu":"12Xi"})")).find("[0].resources.cpu: \"12Xi\""),
            std::string::npos);
  EXPECT_EQ(
      read(type(
          "a", kResources,
          R"({"Price":1,"Requirements":[{"key":"topology.kubernetes.io/zone","operator":"In","values":["a","b"]}]})")),
      "types: instance type a: [0].offerings[0].Requirements[0]: must be In with exactly one value: an "
      "offering is "
      "in one zone and of one capacity type");
  EXPECT_EQ(read_catalogue(cluster, {"types", "{}"}).error().message,
            "types: must be one list of instance types");
}

}  // namespace
}  // namespace tamp::wire

// A dump, masked or not, is decided upon as the cluster itself. Seeds are fixed; a failure names the one that failed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "property/cluster_objects.h"
#include "search/plan.h"
#include "situation/resolve_settings.h"
#include "support/random_cluster.h"
#include "wire/dump.h"
#include "wire/reading_for_test.h"

namespace tamp::test {
namespace {

using wire::Reading;

struct Sample {
  std::vector<ObjectText> objects;
  std::string catalogue;
};

Sample sample_of(std::uint64_t seed) {
  RandomShape shape;
  shape.catalogue = true;
  shape.min_nodes = 3;
  shape.max_pods = 25;
  shape.bare = shape.do_not_disrupt = 0.02;
  Cluster cluster = random_cluster(seed, shape);
  std::erase_if(cluster.catalogue->types, [&](const InstanceType& type) {
    return !cluster.text(type.name).ends_with("-amd64-linux") || type.capacity.get(kCpu) > 16000;
  });
  return {objects_of(cluster), catalogue_of(cluster)};
}

std::string dump_of(const Sample& sample, bool mask) {
  wire::Dump dump({.mask = mask});
  for (const ObjectText& object : sample.objects)
    EXPECT_TRUE(
        dump.add_page(object.kind,
                      fmt::format(R"({{"metadata":{{"resourceVersion":"1"}},"items":[{}]}})", object.json))
            .ok());
  std::string text;
  EXPECT_TRUE(dump.write([&](std::string_view piece) { text += piece; }).ok());
  return text;
}

Reading read(const std::string& objects, const Sample& sample) {
  wire::Inputs inputs = wire::testing::inputs_of(objects);
  inputs.instance_types = wire::Input{"types", sample.catalogue};
  return wire::testing::read(inputs);
}

std::string original(const Sample& sample) {
  std::string items;
  for (const ObjectText& object : sample.objects) items += (items.empty() ? "" : ",") + object.json;
  return fmt::format(R"({{"apiVersion":"v1","kind":"List","items":[{}]}})", items);
}

// Everything that a plan says, with nodes and pods by their place among all, which masking must keep.
std::string decision_of(const Cluster& c, std::uint64_t seed) {
  FlagSettings flags;
  flags.karpenter_compat = seed % 3 == 0;
  flags.utilization_threshold = Setting<double>{1.0, SettingSource::Flag};
  flags.savings_threshold = Setting<double>{seed % 2 == 0 ? 0.0 : 0.002, SettingSource::Flag};
  const Settings settings = situation::resolve_settings(c, flags);
  const situation::Context context{c, settings, *parse_rfc3339("2026-11-15T00:00:00Z"), std::nullopt,
                                   NodeId()};
  std::string out;
  for (const bool every : {false, true}) {
    search::PlanOptions options;
    options.every = every;
    const search::Plan plan = search::make_plan(context, options);
    for (const auto& command : plan.commands) {
      out += fmt::format("{} saves {} costs {:.9f}:", static_cast<int>(command.method), command.savings.nanos,
                         command.disruption_cost);
      for (const NodeId n : command.nodes) out += fmt::format(" {}", n.value);
      for (const price::Replacement& r : command.replacements) {
        out += fmt::format(" by {} {}", r.types.size(), r.price.nanos);
        for (const Symbol zone : r.zones) out += fmt::format(" {}", c.text(zone));
      }
      for (const auto& move : command.moves) out += fmt::format(" {}>{}", move.pod.value, move.to.value);
      out += "\n";
    }
    for (const auto& verdict : plan.nodes)
      out += fmt::format("{} {} {}\n", verdict.node.value, static_cast<int>(verdict.verdict),
                         static_cast<int>(verdict.reason));
  }
  return out;
}

constexpr std::uint64_t kSeeds = 30;

TEST(DumpProperty, ADumpReadsAsTheCluster) {
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Sample sample = sample_of(seed);
    const std::string expected = wire::testing::dump(read(original(sample), sample).cluster);
    ASSERT_EQ(wire::testing::dump(read(dump_of(sample, false), sample).cluster), expected) << "seed " << seed;
  }
}

TEST(DumpProperty, ThePlanOfAMaskedDumpIsThePlanOfTheCluster) {
  std::size_t moves = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Sample sample = sample_of(seed);
    const Reading before = read(original(sample), sample), after = read(dump_of(sample, true), sample);
    const std::string expected = decision_of(before.cluster, seed);
    ASSERT_EQ(decision_of(after.cluster, seed), expected) << "seed " << seed;
    ASSERT_NE(after.cluster.text(after.cluster.nodes[0].name),
              before.cluster.text(before.cluster.nodes[0].name));
    moves += static_cast<std::size_t>(std::count(expected.begin(), expected.end(), '>'));
  }
  EXPECT_GT(moves, kSeeds) << "plans that move nothing prove nothing";
}

}  // namespace
}  // namespace tamp::test

#include "core/compact.h"

#include <gtest/gtest.h>

#include <string>

namespace tamp {
namespace {

// A cluster in which names were met in the opposite order of their use, among many that nothing uses.
Cluster old_cluster() {
  Cluster c;
  const Symbol zz = c.symbols.intern("zz"), aa = c.symbols.intern("aa");
  for (int i = 0; i < 100; ++i) {
    const Symbol gone = c.symbols.intern("gone-" + std::to_string(i));
    c.intern_labels(LabelSet({{gone, gone}}));
    c.resource("example.com/gone-" + std::to_string(i));
  }
  const ResourceId gpu = c.resource("example.com/gpu");

  Node node;
  node.name = aa;
  node.allocatable.set(gpu, 2);
  node.allocatable.set(kCpu, 4000);
  c.nodes.push_back(node);

  PodSpec unused;
  unused.has_resource_claims = true;
  c.intern_spec(unused);
  PodSpec spec;
  spec.requests.set(kPods, 1);
  spec.requests.set(gpu, 1);
  SelectorRequirement requirement{c.symbols.intern("key"), SelectorOp::In, {zz, aa}};
  spec.has_node_affinity = true;
  spec.node_affinity.push_back({{requirement}, {}});
  Pod pod;
  pod.ns = aa;
  pod.name = c.symbols.intern("pod");
  pod.spec = c.intern_spec(spec);
  pod.labels = c.intern_labels(LabelSet({{zz, aa}, {c.symbols.intern("key"), zz}}));
  c.pods.push_back(pod);
  c.bindings.emplace_back(0, aa);
  return c;
}

TEST(Compact, KeepsWhatIsUsedAndNothingElse) {
  const Cluster c = compacted(old_cluster());
  EXPECT_EQ(c.symbols.size(), Cluster().symbols.size() + 5) << "zz, aa, key, pod, example.com/gpu";
  EXPECT_EQ(c.pod_specs.size(), 1u);
  EXPECT_EQ(c.label_sets.size(), 1u);
  EXPECT_EQ(c.resource_names.size(), Cluster().resource_names.size() + 1);
  EXPECT_FALSE(c.symbols.find("gone-1").valid());
}

TEST(Compact, ThingsMeanWhatTheyMeant) {
  Cluster c = compacted(old_cluster());
  const auto word = [&](const char* text) { return c.symbols.find(text); };
  const ResourceId gpu = c.resource("example.com/gpu");
  EXPECT_EQ(c.text(c.nodes[0].name), "aa");
  EXPECT_EQ(c.nodes[0].allocatable.get(gpu), 2);
  EXPECT_EQ(c.nodes[0].allocatable.get(kCpu), 4000);
  const Pod& pod = c.pods[0];
  EXPECT_EQ(c.spec(pod).requests.get(gpu), 1);
  EXPECT_EQ(c.labels(pod).get(word("zz")), word("aa"));
  EXPECT_EQ(c.labels(pod).get(word("key")), word("zz"));
  ASSERT_EQ(c.bindings.size(), 1u);
  EXPECT_EQ(c.text(c.bindings[0].second), "aa");
  c.finish();
  EXPECT_EQ(c.pods[0].node, c.find_node("aa"));
}

TEST(Compact, WhatIsSortedBySymbolIsSortedAgain) {
  const Cluster c = compacted(old_cluster());
  const auto& values = c.spec(c.pods[0]).node_affinity[0].expressions[0].values;
  ASSERT_EQ(values.size(), 2u);
  EXPECT_LT(values[0], values[1]);
}

TEST(Compact, SpecsAndLabelsAreStillInternedByContent) {
  Cluster c = compacted(old_cluster());
  EXPECT_EQ(c.intern_spec(PodSpec(c.pod_specs[0])), c.pods[0].spec);
  EXPECT_EQ(c.intern_labels(LabelSet(c.label_sets[0])), c.pods[0].labels);
}

}  // namespace
}  // namespace tamp

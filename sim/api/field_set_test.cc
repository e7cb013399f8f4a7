#include "sim/api/field_set.h"

#include <gtest/gtest.h>

#include "sim/api/structured.h"
#include "sim/api/tree_testing.h"

namespace tamp::world::api {
namespace {

FieldSet fields(const char* json) {
  auto set = FieldSet::read(tree(json));
  EXPECT_TRUE(set);
  return set ? *set : FieldSet();
}

TEST(FieldSet, ReadsAndWritesFieldsV1) {
  for (const char* json :
       {"{'f:spec': {'f:replicas': {}}}", "{'f:metadata': {'f:labels': {'.': {}, 'f:a': {}}}}",
        R"({'f:ports': {'k:{\"port\":80,\"protocol\":\"TCP\"}': {'.': {}, 'f:port': {}}}})",
        R"({'f:finalizers': {'v:\"a\"': {}}})", "{'f:l': {'i:3': {}}}", "{}"})
    EXPECT_EQ(fields(json).to_tree(), tree(json));
}

TEST(FieldSet, RefusesWhatIsNoPath) {
  EXPECT_FALSE(FieldSet::read(tree("{'x': {}}")));
  EXPECT_FALSE(FieldSet::read(tree("{'fspec': {}}")));
  EXPECT_FALSE(FieldSet::read(tree("{'k:[]': {}}")));
  EXPECT_FALSE(FieldSet::read(tree("{'i:x': {}}")));
  EXPECT_FALSE(FieldSet::read(tree("{'f:a': 1}")));
  EXPECT_EQ(fields("{'z:future': {}, 'f:a': {}}").to_tree(), tree("{'f:a': {}}"));
}

TEST(FieldSet, TakesAwayPathsButNotWhatIsBelowThem) {
  EXPECT_EQ(fields("{'f:a': {'.': {}, 'f:b': {}}, 'f:c': {}}").without(fields("{'f:a': {}}")).to_tree(),
            tree("{'f:a': {'f:b': {}}, 'f:c': {}}"));
  EXPECT_EQ(
      fields("{'f:a': {'.': {}, 'f:b': {}}, 'f:c': {}}").without_subtrees(fields("{'f:a': {}}")).to_tree(),
      tree("{'f:c': {}}"));
}

TEST(FieldSet, UnitesAndIntersects) {
  FieldSet a = fields("{'f:a': {'f:b': {}}, 'f:c': {}}"),
           b = fields("{'f:a': {'.': {}, 'f:d': {}}, 'f:c': {}}");
  EXPECT_EQ(a.united(b).to_tree(), tree("{'f:a': {'.': {}, 'f:b': {}, 'f:d': {}}, 'f:c': {}}"));
  EXPECT_EQ(a.intersected(b).to_tree(), tree("{'f:c': {}}"));
}

TEST(FieldSet, NamesItsPaths) {
  EXPECT_EQ(
      fields(
          R"({'f:spec': {'f:ports': {'k:{\"port\":80}': {'f:name': {}}, 'k:{\"port\":9}': {}}, 'f:x': {}}})")
          .paths(),
      (std::vector<std::string>{".spec.x", ".spec.ports[port=9]", ".spec.ports[port=80].name"}));
  EXPECT_EQ(fields(R"({'f:l': {'v:\"a\"': {}, 'i:2': {}}})").paths(),
            (std::vector<std::string>{".l[=\"a\"]", ".l[2]"}));
}

// What an apply owns: leaves, elements of lists and keys of maps, but not the structs on the way. As kube-apiserver 1.36 has it.
TEST(FieldSet, OfAnObject) {
  Tree deployment =
      tree(R"({'apiVersion': 'apps/v1', 'spec': {'replicas': 2, 'selector': {'matchLabels': {'app': 'web'}},
    'template': {'metadata': {'labels': {'app': 'web'}}, 'spec': {'nodeSelector': {}, 'containers': [
      {'name': 'c', 'args': ['x'], 'ports': [{'containerPort': 80}]}]}}}})");
  EXPECT_EQ(field_set_of(deployment, *find_schema("apps", "v1", "Deployment")).to_tree(),
            tree(R"({'f:apiVersion': {}, 'f:spec': {'f:replicas': {}, 'f:selector': {}, 'f:template': {
              'f:metadata': {'f:labels': {'f:app': {}}}, 'f:spec': {'f:nodeSelector': {}, 'f:containers': {
                'k:{\"name\":\"c\"}': {'.': {}, 'f:name': {}, 'f:args': {}, 'f:ports': {
                  'k:{\"containerPort\":80,\"protocol\":\"TCP\"}': {'.': {}, 'f:containerPort': {}}}}}}}}})"));
}

}  // namespace
}  // namespace tamp::world::api

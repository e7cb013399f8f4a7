#include <gtest/gtest.h>

#include "sim/api/patch.h"
#include "sim/api/tree_testing.h"

namespace tamp::world::api {
namespace {

Tree merged(const char* object, const char* patch) { return apply_merge_patch(tree(object), tree(patch)); }

// The examples of RFC 7386 on objects.
TEST(MergePatch, AsTheRfcHasIt) {
  EXPECT_EQ(merged("{'a': 'b'}", "{'a': 'c'}"), tree("{'a': 'c'}"));
  EXPECT_EQ(merged("{'a': 'b'}", "{'b': 'c'}"), tree("{'a': 'b', 'b': 'c'}"));
  EXPECT_EQ(merged("{'a': 'b', 'b': 'c'}", "{'a': null}"), tree("{'b': 'c'}"));
  EXPECT_EQ(merged("{'a': ['b']}", "{'a': 'c'}"), tree("{'a': 'c'}"));
  EXPECT_EQ(merged("{'a': 'c'}", "{'a': ['b']}"), tree("{'a': ['b']}"));
  EXPECT_EQ(merged("{'a': {'b': 'c'}}", "{'a': {'b': 'd', 'c': null}}"), tree("{'a': {'b': 'd'}}"));
  EXPECT_EQ(merged("{'a': [{'b': 'c'}]}", "{'a': [1]}"), tree("{'a': [1]}"));
  EXPECT_EQ(merged("{'e': null}", "{'a': 1}"), tree("{'e': null, 'a': 1}"));
  EXPECT_EQ(merged("{}", "{'a': {'bb': {'ccc': null}}}"), tree("{'a': {'bb': {}}}"));
}

TEST(MergePatch, DropsNullsInNewListsToo) {
  EXPECT_EQ(merged("{}", "{'a': [{'b': null, 'c': 1}]}"), tree("{'a': [{'c': 1}]}"));
  EXPECT_EQ(merged("{'a': [1]}", "{'a': [{'b': null}]}"), tree("{'a': [{}]}"));
}

TEST(MergePatch, OfAnApiServerIsAnObject) {
  EXPECT_TRUE(apply_object_merge_patch(tree("{}"), tree("{}")).ok());
  EXPECT_EQ(apply_object_merge_patch(tree("{}"), tree("null")).message, "Invalid JSON Patch");
  PatchOutcome outcome = apply_object_merge_patch(tree("{}"), tree("[]"));
  EXPECT_EQ(outcome.code, 400);
  EXPECT_EQ(
      outcome.message,
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}");
}

}  // namespace
}  // namespace tamp::world::api

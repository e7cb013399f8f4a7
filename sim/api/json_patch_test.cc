#include <gtest/gtest.h>

#include "sim/api/patch.h"
#include "sim/api/tree_testing.h"

namespace tamp::world::api {
namespace {

Tree patched(const char* object, const char* patch) {
  PatchOutcome outcome = apply_json_patch(tree(object), tree(patch));
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return outcome.result;
}

int code(const char* object, const char* patch) { return apply_json_patch(tree(object), tree(patch)).code; }

TEST(JsonPatch, AddsRemovesReplacesMovesCopies) {
  EXPECT_EQ(patched("{'a': 1}", "[{'op': 'add', 'path': '/b', 'value': {'c': []}}]"),
            tree("{'a': 1, 'b': {'c': []}}"));
  EXPECT_EQ(patched("{'a': 1, 'b': 2}", "[{'op': 'remove', 'path': '/b'}]"), tree("{'a': 1}"));
  EXPECT_EQ(patched("{'a': {'b': 1}}", "[{'op': 'replace', 'path': '/a/b', 'value': 2}]"),
            tree("{'a': {'b': 2}}"));
  EXPECT_EQ(patched("{'a': 1}", "[{'op': 'move', 'from': '/a', 'path': '/b'}]"), tree("{'b': 1}"));
  EXPECT_EQ(patched("{'a': 1}", "[{'op': 'copy', 'from': '/a', 'path': '/b'}]"), tree("{'a': 1, 'b': 1}"));
}

TEST(JsonPatch, OfLists) {
  EXPECT_EQ(patched("{'l': [1, 3]}", "[{'op': 'add', 'path': '/l/1', 'value': 2}]"),
            tree("{'l': [1, 2, 3]}"));
  EXPECT_EQ(patched("{'l': [1]}", "[{'op': 'add', 'path': '/l/-', 'value': 2}]"), tree("{'l': [1, 2]}"));
  EXPECT_EQ(patched("{'l': [1, 2]}", "[{'op': 'remove', 'path': '/l/0'}]"), tree("{'l': [2]}"));
  EXPECT_EQ(patched("{'l': [1, 2]}", "[{'op': 'remove', 'path': '/l/-1'}]"), tree("{'l': [1]}"));
  EXPECT_EQ(code("{'l': [1]}", "[{'op': 'add', 'path': '/l/2', 'value': 2}]"), 422);
  EXPECT_EQ(code("{'l': [1]}", "[{'op': 'remove', 'path': '/l/-'}]"), 422);
  EXPECT_EQ(code("{'l': [1]}", "[{'op': 'replace', 'path': '/l/x', 'value': 2}]"), 422);
}

TEST(JsonPatch, EscapesSlashesAndTildes) {
  EXPECT_EQ(patched("{}", "[{'op': 'add', 'path': '/a~1b~0c', 'value': 1}]"), tree("{'a/b~c': 1}"));
  EXPECT_EQ(patched("{}", "[{'op': 'add', 'path': '/~01', 'value': 1}]"), tree("{'~1': 1}"));
}

TEST(JsonPatch, Tests) {
  EXPECT_EQ(code("{'a': {'b': 1}}", "[{'op': 'test', 'path': '/a', 'value': {'b': 1}}]"), 200);
  EXPECT_EQ(code("{'a': 1}", "[{'op': 'test', 'path': '/a', 'value': 2}]"), 422);
  EXPECT_EQ(code("{'a': 1}", "[{'op': 'test', 'path': '/a', 'value': 1.0}]"), 422);
  EXPECT_EQ(code("{'a': 1}", "[{'op': 'test', 'path': '/b', 'value': null}]"), 200);
}

// Each of these was asked of a kube-apiserver 1.36.
TEST(JsonPatch, IsLaxAsTheApiServerIs) {
  EXPECT_EQ(patched("{'a': {}}", "[{'op': 'replace', 'path': '/a/b', 'value': 1}]"), tree("{'a': {'b': 1}}"));
  EXPECT_EQ(patched("{'a': {}}", "[{'op': 'copy', 'from': '/a/b', 'path': '/c'}]"),
            tree("{'a': {}, 'c': null}"));
  EXPECT_EQ(patched("{}", "[{'op': 'add', 'path': 'data/k', 'value': 1}]"), tree("{'k': 1}"));
  EXPECT_EQ(patched("{'a': 1}", "null"), tree("{'a': 1}"));
}

TEST(JsonPatch, ThatDoesNotApply) {
  PatchOutcome outcome = apply_json_patch(tree("{}"), tree("[{'op': 'remove', 'path': '/a'}]"));
  EXPECT_EQ(outcome.code, 422);
  EXPECT_EQ(outcome.reason, "Invalid");
  EXPECT_EQ(outcome.message, "the server rejected our request due to an error in our request");
  EXPECT_EQ(code("{}", "[{'op': 'add', 'path': '/a/b', 'value': 1}]"), 422);
  EXPECT_EQ(code("{'a': 1}", "[{'op': 'add', 'path': '/a/b', 'value': 1}]"), 422);
  EXPECT_EQ(code("{}", "[{'op': 'add', 'path': '', 'value': 1}]"), 422);
  EXPECT_EQ(code("{}", "[{'op': 'jump', 'path': '/a'}]"), 422);
  EXPECT_EQ(code("{}", "[null]"), 422);
}

TEST(JsonPatch, ThatIsNone) {
  PatchOutcome outcome = apply_json_patch(tree("{}"), tree("{}"));
  EXPECT_EQ(outcome.code, 400);
  EXPECT_EQ(
      outcome.message,
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp");
  EXPECT_EQ(apply_json_patch(tree("{}"), tree("[{'op': 'add', 'path': 3}]")).message,
            "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of "
            "type string");
}

TEST(JsonPatch, ThatNeverEnds) {
  const Tree many = Tree::Array(10'001, tree("{'op': 'test', 'path': '/a', 'value': 1}"));
  EXPECT_EQ(apply_json_patch(tree("{'a': 1}"), many).code, 413);
  Tree doubling = Tree::array();
  for (int i = 0; i < 40; ++i) doubling.append(tree("{'op': 'copy', 'from': '/a', 'path': '/a/-'}"));
  const Tree large = Tree::object({{"a", Tree(Tree::Array{Tree(std::string(100'000, 'x'))})}});
  EXPECT_EQ(apply_json_patch(large, doubling).code, 422);
}

}  // namespace
}  // namespace tamp::world::api

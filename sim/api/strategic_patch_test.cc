#include <gtest/gtest.h>

#include "sim/api/patch.h"
#include "sim/api/tree_testing.h"

namespace tamp::world::api {
namespace {

PatchOutcome outcome_of(const Tree& object, const char* patch) {
  return apply_strategic_patch(object, tree(patch), find_schema("apps", "v1", "Deployment"));
}

// A deployment's pod spec, patched.
Tree pod_spec(const char* before, const char* patch) {
  Tree object = tree("{'spec': {'template': {'spec': {}}}}"), change = object;
  object.ensure({"spec", "template"}).set("spec", tree(before));
  change.ensure({"spec", "template"}).set("spec", tree(patch));
  PatchOutcome outcome = apply_strategic_patch(object, change, find_schema("apps", "v1", "Deployment"));
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return outcome.result.at({"spec", "template", "spec"});
}

TEST(StrategicPatch, MergesListsOfObjectsByKey) {
  EXPECT_EQ(
      pod_spec("{'containers': [{'name': 'a', 'image': 'x', 'tty': true}, {'name': 'b', 'image': 'y'}]}",
               "{'containers': [{'name': 'a', 'image': 'z'}]}"),
      tree("{'containers': [{'name': 'a', 'image': 'z', 'tty': true}, {'name': 'b', 'image': 'y'}]}"));
  EXPECT_EQ(pod_spec("{'containers': [{'name': 'a'}]}", "{'containers': [{'name': 'b'}]}"),
            tree("{'containers': [{'name': 'b'}, {'name': 'a'}]}"));
}

TEST(StrategicPatch, ReplacesAtomicListsAndMergesMaps) {
  EXPECT_EQ(pod_spec("{'tolerations': [{'key': 'a'}]}", "{'tolerations': [{'key': 'b'}]}"),
            tree("{'tolerations': [{'key': 'b'}]}"));
  EXPECT_EQ(pod_spec("{'nodeSelector': {'a': '1', 'b': '2'}}", "{'nodeSelector': {'a': null, 'c': '3'}}"),
            tree("{'nodeSelector': {'b': '2', 'c': '3'}}"));
}

TEST(StrategicPatch, DeletesAndReplacesByDirective) {
  EXPECT_EQ(pod_spec("{'containers': [{'name': 'a'}, {'name': 'b'}]}",
                     "{'containers': [{'name': 'a', '$patch': 'delete'}]}"),
            tree("{'containers': [{'name': 'b'}]}"));
  EXPECT_EQ(pod_spec("{'containers': [{'name': 'a'}, {'name': 'b'}]}",
                     "{'containers': [{'$patch': 'replace'}, {'name': 'c'}]}"),
            tree("{'containers': [{'name': 'c'}]}"));
  EXPECT_EQ(pod_spec("{'nodeSelector': {'a': '1'}}", "{'nodeSelector': {'$patch': 'replace', 'b': '2'}}"),
            tree("{'nodeSelector': {'b': '2'}}"));
  EXPECT_EQ(pod_spec("{'nodeSelector': {'a': '1'}}", "{'nodeSelector': {'$patch': 'delete'}}"),
            tree("{'nodeSelector': {}}"));
}

TEST(StrategicPatch, OfSetsOfScalars) {
  Tree object = tree("{'metadata': {'finalizers': ['a', 'b', 'c']}}");
  EXPECT_EQ(outcome_of(object, "{'metadata': {'finalizers': ['d', 'b']}}").result["metadata"]["finalizers"],
            tree("['d', 'a', 'b', 'c']"));
  EXPECT_EQ(outcome_of(object, "{'metadata': {'$deleteFromPrimitiveList/finalizers': ['b']}}")
                .result["metadata"]["finalizers"],
            tree("['a', 'c']"));
}

TEST(StrategicPatch, SetsTheOrderOfElements) {
  EXPECT_EQ(pod_spec("{'containers': [{'name': 'a'}, {'name': 'b'}, {'name': 'c'}]}",
                     "{'$setElementOrder/containers': [{'name': 'c'}, {'name': 'a'}, {'name': 'b'}]}"),
            tree("{'containers': [{'name': 'c'}, {'name': 'a'}, {'name': 'b'}]}"));
  EXPECT_EQ(
      pod_spec(
          "{'containers': [{'name': 'a'}, {'name': 's'}, {'name': 'b'}]}",
          "{'$setElementOrder/containers': [{'name': 'b'}, {'name': 'n'}], 'containers': [{'name': 'n'}]}"),
      tree("{'containers': [{'name': 'a'}, {'name': 's'}, {'name': 'b'}, {'name': 'n'}]}"));
}

TEST(StrategicPatch, RetainsKeys) {
  EXPECT_EQ(
      pod_spec(
          "{'volumes': [{'name': 'v', 'emptyDir': {}}]}",
          "{'volumes': [{'name': 'v', '$retainKeys': ['name', 'hostPath'], 'hostPath': {'path': '/'}}]}"),
      tree("{'volumes': [{'name': 'v', 'hostPath': {'path': '/'}}]}"));
  PatchOutcome outcome =
      outcome_of(tree("{'metadata': {}}"), "{'metadata': {'$retainKeys': ['x'], 'labels': {}}}");
  EXPECT_EQ(outcome.code, 400);
  EXPECT_EQ(outcome.message, "invalid patch format of retainKeys");
}

// Each of these messages came from a kube-apiserver 1.36.
TEST(StrategicPatch, ThatCannotBeApplied) {
  Tree owned = tree("{'metadata': {'ownerReferences': [{'uid': '1', 'name': 'x'}]}}");
  PatchOutcome outcome = outcome_of(owned, "{'metadata': {'ownerReferences': [{'name': 'x'}]}}");
  EXPECT_EQ(outcome.code, 500);
  EXPECT_EQ(outcome.reason, "");
  EXPECT_EQ(outcome.message, "map: map[name:x] does not contain declared merge key: uid");
  EXPECT_EQ(outcome_of(owned, "{'metadata': {'ownerReferences': ['x']}}").message,
            "list element types are not identical: [[map[name:x uid:1]] [x]]");
  EXPECT_EQ(outcome_of(tree("{'metadata': {'labels': {}}}"), "{'metadata': {'labels': {'$patch': 'bogus'}}}")
                .message,
            "unknown patch type: bogus in map: map[$patch:bogus]");
  EXPECT_EQ(
      outcome_of(tree("{'metadata': {}}"), "{'metadata': {'$setElementOrder/bogus': ['x'], 'bogus': ['y']}}")
          .message,
      "unable to find api field in struct ObjectMeta for the json field \"bogus\"");
  EXPECT_EQ(outcome_of(tree("{}"), "[]").message,
            "json: cannot unmarshal array into Go value of type map[string]interface {}");
}

}  // namespace
}  // namespace tamp::world::api

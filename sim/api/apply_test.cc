// Server-side apply. Expectations were taken from a kube-apiserver 1.36.
#include <gtest/gtest.h>

#include "sim/api/managed_fields.h"
#include "sim/api/tree_testing.h"

namespace tamp::world::api {
namespace {

constexpr Time kNow{1'794'700'800'000'000'000};
const Schema* const kDeployment = find_schema("apps", "v1", "Deployment");

// A deployment as its writers write it: everything under spec but what every deployment needs.
Tree deployment(const char* spec, const char* labels = nullptr) {
  Tree object = tree("{'apiVersion': 'apps/v1', 'kind': 'Deployment', 'metadata': {'name': 'web'}}");
  object.set("spec", tree(spec));
  if (labels) object.ensure("metadata").set("labels", tree(labels));
  return object;
}

ApplyOutcome apply(const Tree* live, const Tree& object, std::string_view manager, bool force = false,
                   Time now = kNow) {
  return server_side_apply(live, object, manager, force, "", "apps/v1", now, kDeployment);
}

Tree applied(const Tree* live, const Tree& object, std::string_view manager, bool force = false,
             Time now = kNow) {
  ApplyOutcome outcome = apply(live, object, manager, force, now);
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  return outcome.result;
}

Tree fields_of(const Tree& object, std::string_view manager) {
  for (const Tree& entry : object["metadata"]["managedFields"].elements())
    if (entry["manager"].string() == manager) return entry["fieldsV1"];
  return {};
}

TEST(Apply, CreatesAnObject) {
  Tree object = applied(nullptr, deployment("{'replicas': 2}", "{'a': 'b'}"), "m");
  EXPECT_EQ(object["spec"], tree("{'replicas': 2}"));
  EXPECT_EQ(object["metadata"]["managedFields"],
            tree("[{'apiVersion': 'apps/v1', 'fieldsType': 'FieldsV1', 'manager': 'm', 'operation': 'Apply', "
                 "'time': '2026-11-15T00:00:00Z', "
                 "'fieldsV1': {'f:metadata': {'f:labels': {'f:a': {}}}, 'f:spec': {'f:replicas': {}}}}]"));
}

TEST(Apply, OfAnothersFieldIsAConflict) {
  Tree live = applied(nullptr, deployment("{'replicas': 2}"), "a");
  ApplyOutcome outcome = apply(&live, deployment("{'replicas': 3}"), "b");
  EXPECT_EQ(outcome.code, 409);
  EXPECT_EQ(outcome.reason, "Conflict");
  EXPECT_EQ(outcome.message, "Apply failed with 1 conflict: conflict with \"a\": .spec.replicas");
  ASSERT_EQ(outcome.causes.size(), 1u);
  EXPECT_EQ(outcome.causes[0].reason, "FieldManagerConflict");
  EXPECT_EQ(outcome.causes[0].message, "conflict with \"a\"");
  EXPECT_EQ(outcome.causes[0].field, ".spec.replicas");
}

TEST(Apply, ConflictsWithUpdatersNameTheirVersion) {
  Tree live = deployment("{'replicas': 2, 'paused': true}");
  track_update(nullptr, live, "kubectl-edit", "", "apps/v1", kNow, kDeployment);
  ApplyOutcome outcome = apply(&live, deployment("{'replicas': 3, 'paused': false}"), "b");
  EXPECT_EQ(outcome.message,
            "Apply failed with 2 conflicts: conflicts with \"kubectl-edit\" using apps/v1:\n- "
            ".spec.paused\n- .spec.replicas");
}

TEST(Apply, ByForceTakesTheField) {
  Tree live = applied(nullptr, deployment("{'replicas': 2, 'paused': true}"), "a");
  Tree object = applied(&live, deployment("{'replicas': 3}"), "b", true);
  EXPECT_EQ(object["spec"], tree("{'replicas': 3, 'paused': true}"));
  EXPECT_EQ(fields_of(object, "a"), tree("{'f:spec': {'f:paused': {}}}"));
  EXPECT_EQ(fields_of(object, "b"), tree("{'f:spec': {'f:replicas': {}}}"));
}

TEST(Apply, OfTheSameValueSharesTheFieldAndIsNoChange) {
  Tree live = applied(nullptr, deployment("{'replicas': 2}"), "a");
  Tree object = applied(&live, deployment("{'replicas': 2}"), "b", false, kNow + Duration::seconds(9));
  // Nothing changed, so the new owner has no time, and comes first for it.
  EXPECT_EQ(object["metadata"]["managedFields"],
            tree("[{'apiVersion': 'apps/v1', 'fieldsType': 'FieldsV1', 'manager': 'b', 'operation': 'Apply', "
                 "'fieldsV1': {'f:spec': {'f:replicas': {}}}},"
                 "{'apiVersion': 'apps/v1', 'fieldsType': 'FieldsV1', 'manager': 'a', 'operation': 'Apply', "
                 "'time': '2026-11-15T00:00:00Z', 'fieldsV1': {'f:spec': {'f:replicas': {}}}}]"));
}

TEST(Apply, RemovesWhatItNoLongerNames) {
  Tree live = applied(nullptr, deployment("{'replicas': 2, 'paused': true}", "{'x': '1', 'y': '2'}"), "a");
  live = applied(&live, deployment("{}", "{'y': '2'}"), "b");
  Tree object = applied(&live, deployment("{'replicas': 2}"), "a");
  EXPECT_EQ(object["spec"], tree("{'replicas': 2}"));
  EXPECT_EQ(object["metadata"]["labels"], tree("{'y': '2'}"));
}

TEST(Apply, KeepsWhatNobodyApplied) {
  Tree live = applied(nullptr, deployment("{'replicas': 2}"), "a");
  live.ensure("spec").set("minReadySeconds", 5);
  live.set("status", tree("{'replicas': 2}"));
  Tree object = applied(&live, deployment("{}"), "a");
  EXPECT_EQ(object["spec"], tree("{'minReadySeconds': 5}"));
  EXPECT_EQ(object["status"], tree("{'replicas': 2}"));
}

TEST(Apply, MergesListsByTheirKeysWithDefaults) {
  const char* with =
      "{'template': {'spec': {'containers': [{'name': 'c', 'ports': [{'containerPort': 80, 'protocol': "
      "'TCP', 'name': 'w'}, {'containerPort': 80, 'protocol': 'UDP'}]}]}}}";
  const char* without =
      "{'template': {'spec': {'containers': [{'name': 's'}, {'name': 'c', 'ports': [{'containerPort': 80, "
      "'hostPort': 8}]}]}}}";
  Tree live = applied(nullptr, deployment(with), "a");
  Tree object = applied(&live, deployment(without), "b");
  EXPECT_EQ(object.at({"spec", "template", "spec", "containers"}),
            tree("[{'name': 's'}, {'name': 'c', 'ports': [{'containerPort': 80, 'protocol': 'TCP', 'name': "
                 "'w', 'hostPort': 8}, {'containerPort': 80, 'protocol': 'UDP'}]}]"));
}

TEST(Apply, ReplacesAtomicLists) {
  Tree live =
      applied(nullptr,
              deployment("{'template': {'spec': {'containers': [{'name': 'c', 'args': ['a', 'b']}]}}}"), "a");
  Tree object = applied(
      &live, deployment("{'template': {'spec': {'containers': [{'name': 'c', 'args': ['z']}]}}}"), "b", true);
  EXPECT_EQ(object.at({"spec", "template", "spec", "containers"}), tree("[{'name': 'c', 'args': ['z']}]"));
}

TEST(Apply, ToAnObjectThatNobodyTrackedConflictsWithItsPast) {
  Tree live = deployment("{'replicas': 1, 'paused': true}");
  EXPECT_EQ(
      apply(&live, deployment("{'replicas': 2}"), "a").message,
      "Apply failed with 1 conflict: conflict with \"before-first-apply\" using apps/v1: .spec.replicas");
  Tree object = applied(&live, deployment("{'replicas': 2}"), "a", true);
  EXPECT_EQ(fields_of(object, "before-first-apply"), tree("{'f:spec': {'f:paused': {}}}"));
}

TEST(Apply, OwnsNoStatusThroughTheObject) {
  Tree object = deployment("{'replicas': 1}");
  object.set("status", tree("{'replicas': 3}"));
  EXPECT_EQ(fields_of(applied(nullptr, object, "a"), "a"), tree("{'f:spec': {'f:replicas': {}}}"));
}

TEST(Apply, RefusesWhatDoesNotFitTheSchema) {
  ApplyOutcome outcome = apply(nullptr, deployment("{'bogus': 1}"), "a");
  EXPECT_EQ(outcome.code, 500);
  EXPECT_EQ(outcome.reason, "");
  EXPECT_EQ(outcome.message,
            "failed to create typed patch object (/web; apps/v1, Kind=Deployment): .spec.bogus: field not "
            "declared in schema");
  EXPECT_EQ(apply(nullptr, deployment("{'paused': 'yes', 'replicas': 'x'}", "{'a': 5}"), "a").message,
            "failed to create typed patch object (/web; apps/v1, Kind=Deployment): errors:\n"
            "  .metadata.labels.a: expected string, got &value.valueUnstructured{Value:5}\n"
            "  .spec.paused: expected boolean, got &{yes}\n"
            "  .spec.replicas: expected numeric (int or float), got string");
  EXPECT_EQ(apply(nullptr,
                  deployment("{'template': {'spec': {'containers': [{'name': 'x'}, {'name': 'x'}]}}}"), "a")
                .message,
            "failed to create typed patch object (/web; apps/v1, Kind=Deployment): "
            ".spec.template.spec.containers: duplicate entries for key [name=\"x\"]");
}

TEST(Apply, RefusesManagedFieldsAndOtherVersions) {
  Tree object = deployment("{}");
  object.ensure("metadata").set("managedFields", Tree::array());
  EXPECT_EQ(apply(nullptr, object, "a").message, "metadata.managedFields must be nil");
  EXPECT_EQ(apply(nullptr, tree("{'apiVersion': 'v1', 'kind': 'Pod'}"), "a").message,
            "invalid object type: /v1, Kind=Pod");
  EXPECT_EQ(apply(nullptr, tree("{}"), "a").message, "invalid object type: /, Kind=");
}

// kubectl apply without --server-side leaves an annotation; the fields that it names are kubectl's to take.
TEST(Apply, ByKubectlTakesOverWhatItAppliedBefore) {
  Tree live = deployment("{'replicas': 1, 'paused': true}");
  live.ensure("metadata")
      .set("annotations", Tree::object({{"kubectl.kubernetes.io/last-applied-configuration",
                                         wire::to_json(deployment("{'replicas': 1}"))}}));
  track_update(nullptr, live, "kubectl-client-side-apply", "", "apps/v1", kNow, kDeployment);
  Tree object = applied(&live, deployment("{'replicas': 2}"), "kubectl");
  EXPECT_EQ(object["metadata"]["annotations"]["kubectl.kubernetes.io/last-applied-configuration"],
            Tree(wire::to_json(deployment("{'replicas': 2}")) + "\n"));
  EXPECT_EQ(apply(&live, deployment("{'paused': false}"), "kubectl").code, 409);
  EXPECT_EQ(apply(&live, deployment("{'replicas': 2}"), "other").code, 409);
}

TEST(Apply, OfACustomObjectByItsSchema) {
  Schema schema =
      schema_of_custom(tree(R"({'type': 'object', 'properties': {'spec': {'type': 'object', 'properties': {
    'tags': {'type': 'array', 'x-kubernetes-list-type': 'set', 'items': {'type': 'string'}},
    'free': {'type': 'object', 'x-kubernetes-preserve-unknown-fields': true}}}}})"));
  auto thing = [](const char* spec) {
    Tree object = tree("{'apiVersion': 't.io/v1', 'kind': 'Thing', 'metadata': {'name': 'x'}}");
    object.set("spec", tree(spec));
    return object;
  };
  Tree live = server_side_apply(nullptr, thing("{'tags': ['a', 'b'], 'free': {'x': {'y': 1}}}"), "a", false,
                                "", "t.io/v1", kNow, &schema)
                  .result;
  Tree object = server_side_apply(&live, thing("{'tags': ['c'], 'free': {'x': {'z': 2}}}"), "b", false, "",
                                  "t.io/v1", kNow, &schema)
                    .result;
  EXPECT_EQ(object["spec"], tree("{'tags': ['a', 'b', 'c'], 'free': {'x': {'y': 1, 'z': 2}}}"));
  EXPECT_EQ(fields_of(object, "b"),
            tree(R"({'f:spec': {'f:tags': {'v:\"c\"': {}}, 'f:free': {'f:x': {'.': {}, 'f:z': {}}}}})"));
}

}  // namespace
}  // namespace tamp::world::api

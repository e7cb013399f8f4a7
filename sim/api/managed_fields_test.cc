// Expectations were taken from a kube-apiserver 1.36.
#include "sim/api/managed_fields.h"

#include <gtest/gtest.h>

#include "sim/api/managed_entries.h"
#include "sim/api/tree_testing.h"

namespace tamp::world::api {
namespace {

constexpr Time kNow{1'794'700'800'000'000'000};  // 2026-11-15T00:00:00Z
const Schema* const kConfigMap = find_schema("", "v1", "ConfigMap");
const Schema* const kDeployment = find_schema("apps", "v1", "Deployment");

Tree updated(const Tree* before, Tree after, std::string_view manager, Time now = kNow,
             std::string_view subresource = {}) {
  if (before && !after["metadata"].has("managedFields") && (*before)["metadata"].has("managedFields"))
    after.ensure("metadata").set("managedFields", (*before)["metadata"]["managedFields"]);
  track_update(before, after, manager, subresource, "v1", now, kConfigMap);
  return after;
}

Tree created() {
  return updated(nullptr,
                 tree("{'kind': 'ConfigMap', 'metadata': {'name': 'a', 'uid': 'u', 'labels': {'x': 'y'}}, "
                      "'data': {'k': '1', 'l': '2'}}"),
                 "kubectl-create");
}

TEST(ManagedFields, OfACreation) {
  EXPECT_EQ(
      created()["metadata"]["managedFields"],
      tree(
          R"([{'apiVersion': 'v1', 'fieldsType': 'FieldsV1', 'manager': 'kubectl-create', 'operation': 'Update',
                      'time': '2026-11-15T00:00:00Z', 'fieldsV1': {'f:data': {'.': {}, 'f:k': {}, 'f:l': {}},
                      'f:metadata': {'f:labels': {'.': {}, 'f:x': {}}}}}])"));
}

TEST(ManagedFields, NobodyOwnsWhatEveryObjectOfAKindHas) {
  Tree deployment = tree(
      R"({'metadata': {'name': 'd'}, 'status': {}, 'spec': {'replicas': 1, 'strategy': {'type': 'Recreate'},
    'selector': {'matchLabels': {'a': 'b'}}, 'template': {'metadata': {'labels': {'a': 'b'}}, 'spec': {'containers': [
      {'name': 'c', 'image': 'i', 'resources': {}}]}}}})");
  track_update(nullptr, deployment, "m", "", "apps/v1", kNow, kDeployment);
  EXPECT_EQ(
      deployment["metadata"]["managedFields"].elements().at(0)["fieldsV1"],
      tree(R"({'f:spec': {'f:replicas': {}, 'f:strategy': {'f:type': {}}, 'f:selector': {}, 'f:template': {
              'f:metadata': {'f:labels': {'.': {}, 'f:a': {}}}, 'f:spec': {'f:containers': {
              'k:{\"name\":\"c\"}': {'.': {}, 'f:name': {}, 'f:image': {}, 'f:resources': {}}}}}}})"));
}

TEST(ManagedFields, AFieldMovesToWhoChangesIt) {
  Tree before = created(), after = before;
  after.ensure("data").set("k", "2");
  after.ensure("data").erase("l");
  after = updated(&before, after, "editor", kNow + Duration::seconds(5));
  EXPECT_EQ(
      after["metadata"]["managedFields"],
      tree(
          R"([{'apiVersion': 'v1', 'fieldsType': 'FieldsV1', 'manager': 'kubectl-create', 'operation': 'Update',
                      'time': '2026-11-15T00:00:00Z', 'fieldsV1': {'f:data': {}, 'f:metadata': {'f:labels': {'.': {}, 'f:x': {}}}}},
                     {'apiVersion': 'v1', 'fieldsType': 'FieldsV1', 'manager': 'editor', 'operation': 'Update',
                      'time': '2026-11-15T00:00:05Z', 'fieldsV1': {'f:data': {'f:k': {}}}}])"));
}

TEST(ManagedFields, AnUpdateThatChangesNothingLeavesTimesAlone) {
  Tree before = created();
  EXPECT_EQ(updated(&before, before, "kubectl-create", kNow + Duration::hours(1)), before);
}

TEST(ManagedFields, StatusIsOwnedThroughItsSubresource) {
  Tree before = tree("{'metadata': {'name': 'd', 'uid': 'u'}, 'spec': {'replicas': 1}, 'status': {}}");
  track_update(nullptr, before, "m", "", "apps/v1", kNow, kDeployment);
  Tree after = before;
  after.ensure("status").set("replicas", 1);
  after.ensure("spec").set("replicas", 7);
  track_update(&before, after, "controller", "status", "apps/v1", kNow, kDeployment);
  const Tree& entry = after["metadata"]["managedFields"].elements().at(0);
  EXPECT_EQ(entry["subresource"], Tree("status"));
  EXPECT_EQ(entry["fieldsV1"], tree("{'f:status': {'f:replicas': {}}}"));
  EXPECT_EQ(after["metadata"]["managedFields"].elements().at(1)["fieldsV1"],
            tree("{'f:spec': {'f:replicas': {}}}"));
}

TEST(ManagedFields, CanBeReset) {
  for (const char* reset : {"[]", "[{}]"}) {
    Tree before = created(), after = before;
    after.ensure("metadata").set("managedFields", tree(reset));
    track_update(&before, after, "m", "", "v1", kNow, kConfigMap);
    EXPECT_FALSE(after["metadata"].has("managedFields"));
    Tree later = after;
    later.ensure("data").set("k", "9");
    track_update(&after, later, "m", "", "v1", kNow, kConfigMap);
    EXPECT_FALSE(later["metadata"].has("managedFields"));
  }
}

TEST(ManagedFields, ThatCannotBeUnderstoodAreThoseOfBefore) {
  Tree before = created(), after = before;
  after.ensure("metadata").set("managedFields", tree("[{'manager': 'x', 'operation': 'Nonsense'}]"));
  track_update(&before, after, "m", "", "v1", kNow, kConfigMap);
  EXPECT_EQ(after, before);
}

TEST(ManagedFields, TenUpdatersAreKeptAndTheOldestBecomeOne) {
  Tree object = created();
  for (int i = 0; i < 12; ++i) {
    Tree after = object;
    after.ensure("data").set("n" + std::to_string(i), "v");
    object = updated(&object, after, "m" + std::to_string(i), kNow + Duration::seconds(i + 1));
  }
  const auto& entries = object["metadata"]["managedFields"].elements();
  ASSERT_EQ(entries.size(), 10u);
  EXPECT_EQ(entries[0]["manager"], Tree("ancient-changes"));
  EXPECT_EQ(entries[0]["time"], Tree("2026-11-15T00:00:03Z"));
  EXPECT_EQ(entries[0]["fieldsV1"]["f:data"],
            tree("{'.': {}, 'f:k': {}, 'f:l': {}, 'f:n0': {}, 'f:n1': {}, 'f:n2': {}}"));
  EXPECT_EQ(entries[1]["manager"], Tree("m3"));
}

TEST(ManagedFields, ManagerOfAUserAgent) {
  EXPECT_EQ(manager_of_user_agent("kubectl/v1.36.3 (linux/amd64) kubernetes/abc"), "kubectl");
  EXPECT_EQ(manager_of_user_agent("curl"), "curl");
  EXPECT_EQ(manager_of_user_agent(std::string(200, 'x')).size(), 128u);
}

}  // namespace
}  // namespace tamp::world::api

#include "sim/api/scale_ownership.h"

#include <gtest/gtest.h>

#include "sim/api/tree_testing.h"

namespace tamp::world::api {
namespace {

// "manager Operation subresource time? replicas?" of every entry.
std::vector<std::string> owners(const Tree& object) {
  std::vector<std::string> out;
  for (const Tree& entry : object["metadata"]["managedFields"].elements())
    out.push_back(std::string(entry["manager"].string()) + " " + std::string(entry["operation"].string()) +
                  " " + std::string(entry["subresource"].string("-")) + (entry.has("time") ? " timed" : "") +
                  (entry["fieldsV1"]["f:spec"].has("f:replicas") ? " replicas" : ""));
  return out;
}

Tree object(std::string_view operation) {
  return tree(R"({"metadata": {"managedFields": [{"manager": "maker", "operation": ")" +
              std::string(operation) +
              R"(", "apiVersion": "apps/v1", "time": "2026-01-01T00:00:00Z", "fieldsType": "FieldsV1",
      "fieldsV1": {"f:spec": {"f:replicas": {}, "f:paused": {}}}}]}})");
}

ScaleWrite by(std::string manager, bool changed, bool applied = false) {
  return {std::move(manager), "apps/v1", {"spec", "replicas"}, applied, false, changed};
}

using Owners = std::vector<std::string>;

TEST(ScaleOwnershipTest, WhoChangesTheNumberOwnsItThroughTheSubresource) {
  Tree deployment = object("Update");
  EXPECT_FALSE(own_scale(deployment, by("judge", true)));
  EXPECT_EQ(owners(deployment), (Owners{"judge Update scale replicas", "maker Update - timed"}));
  EXPECT_FALSE(own_scale(deployment, by("judge", false)));
  EXPECT_EQ(owners(deployment), (Owners{"judge Update scale replicas", "maker Update - timed"}));
}

TEST(ScaleOwnershipTest, TheSameNumberAgainSplitsAnUpdatesEntryAndTheNextWriteLosesIt) {
  Tree deployment = object("Update");
  EXPECT_FALSE(own_scale(deployment, by("judge", false)));
  EXPECT_EQ(owners(deployment), (Owners{"maker Update - replicas", "maker Update - timed"}));
  EXPECT_FALSE(own_scale(deployment, by("judge", true)));
  EXPECT_EQ(owners(deployment), (Owners{"maker Update - timed"}));
  EXPECT_FALSE(own_scale(deployment, by("judge", true)));
  EXPECT_EQ(owners(deployment), (Owners{"maker Update - timed"}));
}

TEST(ScaleOwnershipTest, NoneIsOwnedByNobody) {
  Tree deployment = object("Update");
  ScaleWrite to_none = by("judge", true);
  to_none.to_none = true;
  EXPECT_FALSE(own_scale(deployment, to_none));
  EXPECT_EQ(owners(deployment), (Owners{"maker Update - timed"}));
}

TEST(ScaleOwnershipTest, AnApplierKeepsANumberThatStaysAndLosesOneThatChanges) {
  Tree deployment = object("Apply");
  EXPECT_FALSE(own_scale(deployment, by("judge", false)));
  EXPECT_EQ(owners(deployment), (Owners{"maker Apply - timed replicas"}));
  EXPECT_FALSE(own_scale(deployment, by("judge", true)));
  EXPECT_EQ(owners(deployment), (Owners{"maker Apply - timed", "judge Update scale replicas"}));
}

TEST(ScaleOwnershipTest, AnApplyThatChangesTheNumberOfAnotherIsAConflict) {
  Tree deployment = object("Update");
  const auto conflict = own_scale(deployment, by("other", true, true));
  ASSERT_TRUE(conflict);
  EXPECT_EQ(conflict->code, 409);
  EXPECT_EQ(conflict->causes.at(0).field, ".spec.replicas");
  EXPECT_FALSE(own_scale(deployment, by("other", false, true)));
  EXPECT_EQ(owners(deployment),
            (Owners{"other Apply scale replicas", "maker Update - replicas", "maker Update - timed"}));
}

}  // namespace
}  // namespace tamp::world::api

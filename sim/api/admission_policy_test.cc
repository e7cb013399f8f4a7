#include "sim/api/admission_policy.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "wire/yaml.h"

namespace tamp::world::api {
namespace {

Tree tree(const std::string& json) { return *wire::read_tree(json); }

// The policies that we ship.
class ShippedPolicies : public ::testing::Test {
 protected:
  std::map<std::pair<ResourceId, std::string>, Tree> objects;
  Caller tamp{.user = "system:serviceaccount:tamp-system:tamp-controller", .groups = {}};
  Caller person{.user = "someone", .groups = {}};

  ShippedPolicies() {
    std::ifstream file(std::string(TAMP_SOURCE_DIR) + "/deploy/admission-policy.yaml");
    std::stringstream text;
    text << file.rdbuf();
    const auto documents = wire::yaml_to_json(text.str());
    for (const std::string& json : *documents) {
      Tree object = tree(json);
      const bool policy = object["kind"].string() == "ValidatingAdmissionPolicy";
      const std::string name(object["metadata"]["name"].string());
      objects[{
          policy ? ResourceId::ValidatingAdmissionPolicies : ResourceId::ValidatingAdmissionPolicyBindings,
          name}] = std::move(object);
    }
  }

  // The reason, or nothing if it is allowed.
  std::string judge(AdmissionRequest request, const Caller& caller) {
    Lookup lookup;
    lookup.get = [this](ResourceId resource, std::string_view, std::string_view name) -> const Tree* {
      const auto found = objects.find({resource, std::string(name)});
      return found != objects.end() ? &found->second : nullptr;
    };
    lookup.each = [this](ResourceId resource, const std::function<void(const Tree&)>& see) {
      for (const auto& [key, object] : objects) {
        if (key.first == resource) see(object);
      }
    };
    request.version = "v1";
    request.caller = &caller;
    const auto refusal = judge_by_policies(request, lookup);
    return refusal ? refusal->reason : "";
  }
  std::string change_node(const std::string& before, const std::string& after) {
    const Tree old = tree(before), object = tree(after);
    return judge({.operation = "UPDATE", .resource = "nodes", .name = "n", .object = &object, .old = &old},
                 tamp);
  }
};

TEST_F(ShippedPolicies, TampEvictsPodsAndDoesNothingElseToThem) {
  EXPECT_EQ(
      judge({.operation = "CREATE", .resource = "pods", .subresource = "eviction", .ns = "n", .name = "p"},
            tamp),
      "");
  EXPECT_EQ(judge({.operation = "DELETE", .resource = "pods", .ns = "n", .name = "p"}, tamp), "Forbidden");
  EXPECT_EQ(judge({.operation = "DELETE", .resource = "pods", .ns = "n", .name = "p"}, person), "");
}

TEST_F(ShippedPolicies, OfNodesTampChangesOnlyItsOwnMarks) {
  EXPECT_EQ(
      change_node(R"({"metadata": {}, "spec": {}})", R"({"metadata": {}, "spec": {"unschedulable": true}})"),
      "");
  EXPECT_EQ(
      change_node(R"({"metadata": {}, "spec": {}})", R"({"metadata": {}, "spec": {"providerID": "x"}})"),
      "Forbidden");
  EXPECT_EQ(
      change_node(
          R"({"metadata": {}, "spec": {}})",
          R"({"metadata": {}, "spec": {"taints": [{"key": "temper.codes/consolidating", "effect": "NoSchedule"}]}})"),
      "");
  EXPECT_EQ(
      change_node(
          R"({"metadata": {}, "spec": {}})",
          R"({"metadata": {}, "spec": {"taints": [{"key": "temper.codes/consolidating", "effect": "NoExecute"}]}})"),
      "Forbidden");
  EXPECT_EQ(
      change_node(R"({"metadata": {}, "spec": {}})", R"({"metadata": {"labels": {"a": "b"}}, "spec": {}})"),
      "Forbidden");
  EXPECT_EQ(change_node(R"({"metadata": {}, "spec": {}})",
                        R"({"metadata": {"annotations": {"temper.codes/x": "y"}}, "spec": {}})"),
            "");
  EXPECT_EQ(change_node(R"({"metadata": {}, "spec": {}})",
                        R"({"metadata": {"annotations": {"temper.codes/pause": "y"}}, "spec": {}})"),
            "Forbidden");
}

TEST_F(ShippedPolicies, NobodyApprovesInTheNameOfAnother) {
  const Tree mine = tree(R"({"metadata": {}, "spec": {"approvedBy": "someone"}})"),
             other = tree(R"({"metadata": {}, "spec": {"approvedBy": "else"}})");
  AdmissionRequest request{
      .operation = "CREATE", .group = "temper.codes", .resource = "consolidationruns", .name = "r"};
  request.object = &mine;
  EXPECT_EQ(judge(request, person), "");
  request.object = &other;
  EXPECT_EQ(judge(request, person), "Forbidden");
}

}  // namespace
}  // namespace tamp::world::api

// What the rules of kinds come to on the wire. Facts of the real server, found by the judge of test/judge/apiserver.
#include <gtest/gtest.h>

#include "sim/api/calls_for_test.h"

namespace tamp::world::api {
namespace {

const std::string kPods = "/api/v1/namespaces/shop/pods", kMaps = "/api/v1/namespaces/shop/configmaps",
                  kSets = "/apis/apps/v1/namespaces/shop/daemonsets",
                  kJobs = "/apis/batch/v1/namespaces/shop/jobs",
                  kRoles = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles",
                  kBudgets = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets",
                  kAdmission = "/apis/admissionregistration.k8s.io/v1/";
const std::string kMerge = "application/merge-patch+json",
                  kStrategic = "application/strategic-merge-patch+json";
const std::string kPod =
    R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"1"}}}]}})";

std::vector<std::string> fields(const Reply& reply) {
  std::vector<std::string> out;
  for (const Tree& cause : reply.body["details"]["causes"].elements())
    out.emplace_back(cause["field"].string());
  return out;
}

// A policy that refuses `operations` on `resources` whenever its expression is false.
void add_policy(Server& server, const std::string& resources, const std::string& operations,
                const std::string& expression) {
  const std::string spec =
      R"({"matchConstraints":{"resourceRules":[{"apiGroups":[""],"apiVersions":["v1"],"operations":[)" +
      operations + R"(],"resources":[)" + resources + R"(]}]},"validations":[{"expression":")" + expression +
      R"("}]})";
  EXPECT_EQ(call(server, "POST", kAdmission + "validatingadmissionpolicies",
                 R"({"metadata":{"name":"p"},"spec":)" + spec + "}")
                .status(),
            201);
  EXPECT_EQ(call(server, "POST", kAdmission + "validatingadmissionpolicybindings",
                 R"({"metadata":{"name":"p"},"spec":{"policyName":"p","validationActions":["Deny"]}})")
                .status(),
            201);
}

TEST(RulesTest, PoliciesJudgeDeletions) {
  Server server = shop();
  for (const char* name : {"free", "kept"})
    call(server, "POST", kMaps, R"({"metadata":{"name":")" + std::string(name) + R"("}})");
  add_policy(server, R"("configmaps")", R"("DELETE")", "oldObject.metadata.name != 'kept'");
  EXPECT_EQ(call(server, "DELETE", kMaps + "/kept").status(), 422);
  EXPECT_EQ(call(server, "DELETE", kMaps + "/free").status(), 200);
  const Reply many = call(server, "DELETE", kMaps);
  EXPECT_EQ(many.status(), 422);
  EXPECT_EQ(many.body["details"]["name"].string(), "Unknown");
  EXPECT_EQ(call(server, "GET", kMaps + "/kept").status(), 200);
}

TEST(RulesTest, PoliciesJudgeEvictionsBeforeThePodIsLookedFor) {
  Server server = shop();
  call(server, "POST", kPods, kPod);
  add_policy(server, R"("pods/eviction")", R"("CREATE")", "request.name != 'p'");
  EXPECT_EQ(call(server, "POST", kPods + "/p/eviction", R"({"metadata":{"name":"p"}})").status(), 422);
  EXPECT_EQ(call(server, "POST", kPods + "/q/eviction", R"({"metadata":{"name":"q"}})").status(), 404);
}

TEST(RulesTest, WhoSendsADaemonSetWithoutItsTemplatesGenerationOwnsThat) {
  Server server = shop();
  const Reply made = call(
      server, "POST", kSets,
      R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})");
  const Tree& owned =
      made.body["metadata"]["managedFields"].elements().at(0)["fieldsV1"]["f:metadata"]["f:annotations"];
  EXPECT_TRUE(owned.has("f:deprecated.daemonset.template.generation"));
  EXPECT_EQ(made.body["metadata"]["annotations"]["deprecated.daemonset.template.generation"].string(), "1");
}

TEST(RulesTest, AnEmptyListIsOwnedAndNotStored) {
  Server server = shop();
  const Reply made = call(server, "POST", kRoles, R"({"metadata":{"name":"r"},"rules":[]})");
  EXPECT_TRUE(made.body.has("rules"));
  EXPECT_TRUE(made.body["rules"].is_null());
  EXPECT_TRUE(made.body["metadata"]["managedFields"].elements().at(0)["fieldsV1"].has("f:rules"));
}

TEST(RulesTest, AJobHasTheLabelsOfItsPodsWhenItIsReadBack) {
  Server server = shop();
  const std::string spec =
      R"("spec":{"template":{"spec":{"restartPolicy":"Never","containers":[{"name":"c","image":"i"}]}}})";
  const Reply made = call(server, "POST", kJobs, R"({"metadata":{"name":"j"},)" + spec + "}");
  EXPECT_EQ(made.body["metadata"]["labels"]["job-name"].string(), "j");
  EXPECT_EQ(fields(call(server, "POST", kJobs, R"({"metadata":{"name":"-"},)" + spec + "}")),
            (std::vector<std::string>{"metadata.name", "spec.template.labels", "spec.template.labels"}));
}

TEST(RulesTest, ABudgetsSelectorIsReplacedByAStrategicPatch) {
  Server server = shop();
  call(server, "POST", kBudgets,
       R"({"metadata":{"name":"b"},"spec":{"minAvailable":1,"selector":{"matchLabels":{"a":"b"}}}})");
  const Reply patched = call(server, "PATCH", kBudgets + "/b", R"({"spec":{"selector":{}}})", kStrategic);
  EXPECT_EQ(patched.body["spec"]["selector"], Tree::object());
}

TEST(RulesTest, AGenerationThatNobodyCountsIsTheWriters) {
  Server server = shop();
  EXPECT_EQ(call(server, "POST", kMaps, R"({"metadata":{"name":"a","generation":77}})")
                .body["metadata"]["generation"],
            Tree(77));
}

TEST(RulesTest, AnObjectThatIsNotThereIsMissedBeforeThePatchIsRead) {
  Server server = shop();
  EXPECT_EQ(call(server, "PATCH", kMaps + "/none", "nonsense", kMerge).status(), 404);
  call(server, "POST", kMaps, R"({"metadata":{"name":"a"}})");
  EXPECT_EQ(call(server, "PATCH", kMaps + "/a", "nonsense", kMerge).status(), 400);
}

TEST(RulesTest, AListWithoutElementsIsNoChange) {
  Server server = shop();
  const std::string slices = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices";
  call(server, "POST", slices,
       R"({"metadata":{"name":"e"},"addressType":"IPv4","endpoints":[{"addresses":["10.0.0.1"]}]})");
  for (int i = 0; i < 2; ++i) {
    const Reply emptied = call(server, "PATCH", slices + "/e", R"({"endpoints":[]})", kMerge);
    EXPECT_EQ(emptied.body["metadata"]["generation"].integer(), 2);
  }
}

TEST(RulesTest, TheFirstWriteToAJobWritesTheLabelsThatItWasOnlyReadWith) {
  Server server = shop();
  const Reply made = call(server, "POST", kJobs,
                          R"({"metadata":{"name":"j"},"spec":{"template":{"spec":{"restartPolicy":"Never",
      "containers":[{"name":"c","image":"i"}]}}}})");
  const auto again = [&] {
    return call(server, "PATCH", kJobs + "/j", R"({"metadata":{"finalizers":null}})", kMerge)
        .body["metadata"]["resourceVersion"];
  };
  const Tree first = again();
  EXPECT_NE(first, made.body["metadata"]["resourceVersion"]);
  EXPECT_EQ(first, again());
}

}  // namespace
}  // namespace tamp::world::api

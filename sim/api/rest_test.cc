// What kubectl and other clients see of the server: codes, reasons and bodies of the real one.
#include <gtest/gtest.h>

#include "sim/api/calls_for_test.h"

namespace tamp::world::api {
namespace {

const std::string kMaps = "/api/v1/namespaces/shop/configmaps";

TEST(RestTest, AnObjectIsMadeReadAndListed) {
  Server server = shop();
  const Reply made = call(server, "POST", kMaps, config_map("a"));
  EXPECT_EQ(made.status(), 201);
  EXPECT_EQ(made.body["metadata"]["namespace"].string(), "shop");
  EXPECT_EQ(call(server, "POST", kMaps, config_map("a")).reason(), "AlreadyExists");
  EXPECT_EQ(call(server, "GET", kMaps + "/a").body["kind"].string(), "ConfigMap");
  EXPECT_EQ(call(server, "GET", kMaps + "/b").reason(), "NotFound");
  const Reply list = call(server, "GET", "/api/v1/configmaps");
  EXPECT_EQ(list.body["kind"].string(), "ConfigMapList");
  ASSERT_EQ(list.body["items"].size(), 1u);
  EXPECT_FALSE(list.body["items"].elements()[0].has("kind")) << "the list says it for all";
}

TEST(RestTest, YamlForThoseWhoAskForIt) {
  Server server = shop();
  call(server, "POST", kMaps, config_map("a"));
  const Reply yaml = call(server, "GET", kMaps + "/a", {}, {}, "application/yaml");
  EXPECT_EQ(yaml.answer.content_type, "application/yaml");
  EXPECT_NE(yaml.answer.body.find("\"kind\": \"ConfigMap\"\n"), std::string::npos) << yaml.answer.body;
}

TEST(RestTest, WhatAPathCannotDo) {
  Server server = shop();
  EXPECT_EQ(call(server, "GET", "/apis/apps/v1/foos").reason(), "NotFound");
  EXPECT_EQ(call(server, "GET", "/apis/apps/v2/deployments").reason(), "NotFound");
  EXPECT_EQ(call(server, "GET", "/apis/nope/v1/foos").answer.body, "404 page not found\n");
  EXPECT_EQ(call(server, "POST", kMaps + "/a", config_map("a")).status(), 405);
  EXPECT_EQ(call(server, "PUT", kMaps, config_map("a")).status(), 405);
  EXPECT_EQ(call(server, "DELETE", "/api/v1/namespaces").reason(), "MethodNotAllowed");
  EXPECT_EQ(call(server, "POST", "/api/v1/configmaps", config_map("a")).status(), 405);
  EXPECT_EQ(call(server, "GET", "/api/v1/namespaces/shop/pods/x/foo").reason(), "NotFound");
}

TEST(RestTest, BadBodies) {
  Server server = shop();
  EXPECT_EQ(call(server, "POST", kMaps, "{bad").reason(), "BadRequest");
  EXPECT_EQ(call(server, "POST", kMaps, R"({"apiVersion":"v1","kind":"Secret"})").status(), 400);
  EXPECT_EQ(call(server, "POST", kMaps, config_map("a"), "application/foo").status(), 415);
  EXPECT_EQ(call(server, "POST", kMaps, config_map("a", R"(,"namespace":"other")")).status(), 400);
  const Reply nameless = call(server, "POST", kMaps, R"({"apiVersion":"v1","kind":"ConfigMap"})");
  EXPECT_EQ(nameless.status(), 422);
  EXPECT_EQ(nameless.body["details"]["causes"].elements()[0]["field"].string(), "metadata.name");
  EXPECT_EQ(call(server, "PUT", kMaps + "/a", config_map("b")).status(), 400);
  EXPECT_EQ(call(server, "POST", kMaps, config_map("a", R"(,"resourceVersion":"1")")).status(), 500);
}

TEST(RestTest, UnknownAndDoubleFieldsAreToldOrRefused) {
  Server server = shop();
  const std::string body =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"dota":1,"data":{"k":"1","k":"2"}})";
  EXPECT_EQ(call(server, "POST", kMaps + "?fieldValidation=Strict", body).status(), 400);
  const Reply warned = call(server, "POST", kMaps, body);
  EXPECT_EQ(warned.status(), 201);
  EXPECT_EQ(warned.answer.warnings.size(), 2u);
  EXPECT_EQ(warned.body["data"]["k"].string(), "2");
  EXPECT_FALSE(warned.body.has("dota"));
  EXPECT_EQ(call(server, "POST", kMaps + "?fieldValidation=Odd", body).status(), 422);
}

TEST(RestTest, ADryRunStoresNothing) {
  Server server = shop();
  EXPECT_EQ(call(server, "POST", kMaps + "?dryRun=All", config_map("a")).status(), 201);
  EXPECT_EQ(call(server, "GET", kMaps + "/a").status(), 404);
  EXPECT_EQ(call(server, "POST", kMaps + "?dryRun=Some", config_map("a")).status(), 422);
}

TEST(RestTest, DeletionAnswersWithAStatusOrTheObject) {
  Server server = shop();
  call(server, "POST", kMaps, config_map("a"));
  EXPECT_EQ(call(server, "DELETE", kMaps + "/a", R"({"preconditions":{"uid":"x"}})").reason(), "Conflict");
  const Reply gone = call(server, "DELETE", kMaps + "/a");
  EXPECT_EQ(gone.body["kind"].string(), "Status");
  EXPECT_EQ(gone.body["status"].string(), "Success");
  EXPECT_EQ(call(server, "DELETE", kMaps + "/a").reason(), "NotFound");
  server.create(ResourceId::Pods, "shop", pod("p"));
  EXPECT_EQ(call(server, "DELETE", "/api/v1/namespaces/shop/pods/p").body["kind"].string(), "Pod");
}

TEST(RestTest, ANamespaceGoesWhenItsFinalizerDoes) {
  Server server = shop();
  EXPECT_EQ(call(server, "DELETE", "/api/v1/namespaces/shop").body["status"]["phase"].string(),
            "Terminating");
  const Reply refused = call(server, "POST", kMaps, config_map("a"));
  EXPECT_EQ(refused.status(), 403);
  EXPECT_EQ(refused.body["details"]["causes"].elements()[0]["reason"].string(), "NamespaceTerminating");
  const Reply finalized =
      call(server, "PUT", "/api/v1/namespaces/shop/finalize",
           R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"},"spec":{"finalizers":[]}})");
  EXPECT_EQ(finalized.status(), 200);
  EXPECT_EQ(call(server, "GET", "/api/v1/namespaces/shop").status(), 404);
}

TEST(RestTest, PagesShowOneMomentUntilItIsForgotten) {
  Server server = shop();
  for (const char* name : {"a", "b", "c"}) call(server, "POST", kMaps, config_map(name));
  const Reply first = call(server, "GET", kMaps + "?limit=2");
  ASSERT_EQ(first.body["items"].size(), 2u);
  EXPECT_EQ(first.body["metadata"]["remainingItemCount"].integer(), 1);
  const std::string token(first.body["metadata"]["continue"].string());
  call(server, "DELETE", kMaps + "/c");
  const Reply rest = call(server, "GET", kMaps + "?limit=2&continue=" + token);
  ASSERT_EQ(rest.body["items"].size(), 1u) << "as it was when the first page was made";
  EXPECT_EQ(rest.body["metadata"]["resourceVersion"], first.body["metadata"]["resourceVersion"]);
  server.keep_changes(0);
  call(server, "POST", kMaps, config_map("d"));
  const Reply late = call(server, "GET", kMaps + "?limit=2&continue=" + token);
  EXPECT_EQ(late.status(), 410);
  EXPECT_EQ(late.reason(), "Expired");
  const std::string onward(late.body["metadata"]["continue"].string());
  EXPECT_EQ(call(server, "GET", kMaps + "?continue=" + onward)
                .body["items"]
                .elements()[0]["metadata"]["name"]
                .string(),
            "d");
  EXPECT_EQ(call(server, "GET", kMaps + "?continue=x").status(), 400);
}

TEST(RestTest, ResourceVersionsOfLists) {
  Server server = shop();
  const Reply list = call(server, "GET", kMaps);
  const std::string before(list.body["metadata"]["resourceVersion"].string());
  call(server, "POST", kMaps, config_map("a"));
  EXPECT_EQ(call(server, "GET", kMaps + "?resourceVersion=" + before).body["items"].size(), 1u);
  EXPECT_EQ(call(server, "GET", kMaps + "?resourceVersionMatch=Exact&resourceVersion=" + before)
                .body["items"]
                .size(),
            0u);
  EXPECT_EQ(call(server, "GET", kMaps + "?resourceVersion=99999999").status(), 504);
  EXPECT_EQ(call(server, "GET", kMaps + "?resourceVersion=abc").status(), 400);
  EXPECT_EQ(call(server, "GET", kMaps + "?resourceVersionMatch=Exact").status(), 422);
}

TEST(RestTest, SelectorsOfLists) {
  Server server = shop();
  server.create(ResourceId::Pods, "shop", pod("a", "web"));
  server.create(ResourceId::Pods, "shop", pod("b", "db"));
  server.bind("shop", "b", "n1");
  const std::string pods = "/api/v1/pods";
  EXPECT_EQ(call(server, "GET", pods + "?labelSelector=app%3Dweb").body["items"].size(), 1u);
  EXPECT_EQ(call(server, "GET", pods + "?labelSelector=app+in+(web,db),!x").body["items"].size(), 2u);
  EXPECT_EQ(call(server, "GET", pods + "?fieldSelector=spec.nodeName%3Dn1").body["items"].size(), 1u);
  EXPECT_EQ(call(server, "GET", pods + "?fieldSelector=spec.nodeName!%3Dn1").body["items"].size(), 1u);
  EXPECT_EQ(call(server, "GET", pods + "?fieldSelector=spec.foo%3D1").status(), 400);
  EXPECT_EQ(call(server, "GET", pods + "?labelSelector=a%20in").status(), 400);
}

TEST(RestTest, PatchesOfEachType) {
  Server server = shop();
  call(server, "POST", kMaps, config_map("a"));
  const std::string path = kMaps + "/a";
  EXPECT_EQ(call(server, "PATCH", path, R"({"data":{"k":"1"}})", "application/merge-patch+json").status(),
            200);
  EXPECT_EQ(call(server, "PATCH", path, R"([{"op":"test","path":"/data/k","value":"1"}])",
                 "application/json-patch+json")
                .status(),
            200);
  EXPECT_EQ(call(server, "PATCH", path, R"({"data":{"l":"2"}})", "application/strategic-merge-patch+json")
                .body["data"]
                .size(),
            2u);
  EXPECT_EQ(call(server, "PATCH", path, "{}", "application/json").status(), 415);
  EXPECT_EQ(
      call(server, "PATCH", path, R"({"metadata":{"resourceVersion":"1"}})", "application/merge-patch+json")
          .reason(),
      "Conflict");
  EXPECT_EQ(
      call(server, "PATCH", path, R"({"metadata":{"name":"b"}})", "application/merge-patch+json").status(),
      400);
  const std::string mine =
      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"9"}})";
  EXPECT_EQ(call(server, "PATCH", path, mine, "application/apply-patch+yaml").status(), 422)
      << "needs a manager";
  EXPECT_EQ(call(server, "PATCH", path + "?fieldManager=x", mine, "application/apply-patch+yaml").status(),
            409);
  EXPECT_EQ(call(server, "PATCH", path + "?fieldManager=x&force=true", mine, "application/apply-patch+yaml")
                .body["data"]["k"]
                .string(),
            "9");
}

// Found by the fuzzer: "name:a" without a space is a text, and nothing can be set in it.
TEST(RestTest, AnApplyWhoseMetadataIsNoMapIsRefused) {
  Server server = shop();
  for (const char* path :
       {"/api/v1/namespaces/default/configmaps/a?fieldManager=x", "/api/v1/nodes/a?fieldManager=x"}) {
    const bool node = std::string_view(path).find("nodes") != std::string_view::npos;
    const std::string body =
        std::string("apiVersion: v1\nkind: ") + (node ? "Node" : "ConfigMap") + "\nmetadata:\n  name:a\n";
    EXPECT_EQ(call(server, "PATCH", path, body, "application/apply-patch+yaml").status(), 500) << path;
  }
}

TEST(RestTest, WhoMayDoWhat) {
  Server server = shop();
  server.add_token("bob", Caller{"bob", {}, {"system:authenticated"}, "kubectl"});
  Request request;
  request.method = "GET";
  request.target = kMaps;
  request.authorization = "Bearer bob";
  EXPECT_EQ(server.handle(request).status, 403);
  request.authorization = "Bearer nobody";
  EXPECT_EQ(server.handle(request).status, 401);
  call(server, "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles",
       R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role","metadata":{"name":"reader"},
           "rules":[{"apiGroups":[""],"resources":["configmaps"],"verbs":["get","list"]}]})");
  call(server, "POST", "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/rolebindings",
       R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":{"name":"bob"},
           "subjects":[{"kind":"User","name":"bob","apiGroup":"rbac.authorization.k8s.io"}],
           "roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":"reader"}})");
  request.authorization = "Bearer bob";
  EXPECT_EQ(server.handle(request).status, 200);
  request.method = "DELETE";
  EXPECT_EQ(server.handle(request).status, 403);
}

TEST(RestTest, ATokenOfAServiceAccountIsItsIdentity) {
  Server server = shop();
  const Reply asked = call(
      server, "POST", "/api/v1/namespaces/shop/serviceaccounts/default/token",
      R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest","spec":{"expirationSeconds":600}})");
  ASSERT_EQ(asked.status(), 201);
  const std::string token(asked.body["status"]["token"].string());
  const std::string review =
      R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":")" + token + "\"}}";
  const std::string path = "/apis/authentication.k8s.io/v1/tokenreviews";
  EXPECT_EQ(call(server, "POST", path, review).body["status"]["user"]["username"].string(),
            "system:serviceaccount:shop:default");
  server.set_now(server.now() + Duration::minutes(11));
  EXPECT_FALSE(call(server, "POST", path, review).body["status"]["authenticated"].boolean());
}

TEST(RestTest, ScaleIsAKindOfItsOwn) {
  Server server = shop();
  const Reply made =
      call(server, "POST", "/apis/apps/v1/namespaces/shop/deployments",
           R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":2,
          "selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},
          "spec":{"containers":[{"name":"c","image":"nginx"}]}}}})");
  ASSERT_EQ(made.status(), 201) << made.answer.body;
  const std::string path = "/apis/apps/v1/namespaces/shop/deployments/web/scale";
  const Reply scale = call(server, "GET", path);
  EXPECT_EQ(scale.body["kind"].string(), "Scale");
  EXPECT_EQ(scale.body["spec"]["replicas"].integer(), 2);
  EXPECT_EQ(scale.body["status"]["selector"].string(), "app=web");
  EXPECT_EQ(
      call(server, "PATCH", path, R"({"spec":{"replicas":5}})", "application/merge-patch+json").status(),
      200);
  EXPECT_EQ(server.get(ResourceId::Deployments, "shop", "web")->spec()["replicas"].integer(), 5);
  EXPECT_EQ(server.get(ResourceId::Deployments, "shop", "web")->metadata()["generation"].integer(), 2);
}

TEST(RestTest, ACustomResourceIsServedFromItsDefinitionOn) {
  Server server = shop();
  const Reply defined = call(
      server, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"cats.zoo.example"},
          "spec":{"group":"zoo.example","scope":"Cluster","names":{"plural":"cats","singular":"cat","kind":"Cat","listKind":"CatList"},
          "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
          "properties":{"spec":{"type":"object","properties":{"lives":{"type":"integer","default":9}}}}}}}]}})");
  ASSERT_EQ(defined.status(), 201) << defined.answer.body;
  EXPECT_TRUE(condition_true(
      server.get(ResourceId::CustomResourceDefinitions, {}, "cats.zoo.example")->tree(), "Established"));
  const Reply made =
      call(server, "POST", "/apis/zoo.example/v1/cats",
           R"({"apiVersion":"zoo.example/v1","kind":"Cat","metadata":{"name":"tom"},"spec":{"tail":1}})");
  ASSERT_EQ(made.status(), 201) << made.answer.body;
  EXPECT_EQ(made.body["spec"]["lives"].integer(), 9);
  EXPECT_FALSE(made.body["spec"].has("tail"));
  ASSERT_EQ(made.answer.warnings.size(), 1u);
  EXPECT_EQ(call(server, "DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/cats.zoo.example")
                .status(),
            200);
  EXPECT_EQ(call(server, "GET", "/apis/zoo.example/v1/cats/tom").status(), 404);
}

// As kube-apiserver 1.36 has it: in a list that is owned as a whole an empty part is another thing than none, until it is stored.
TEST(Rest, WhoeverWritesAnEmptyPartOfAListOwnsTheList) {
  Server server = shop();
  const std::string roles = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop/roles";
  call(server, "POST", roles + "?fieldManager=maker",
       R"({"metadata":{"name":"r"},"rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})");
  const Reply reply =
      call(server, "PATCH", roles + "/r?fieldManager=other",
           R"([{"op":"add","path":"/rules/0/resourceNames","value":[]}])", "application/json-patch+json");
  ASSERT_EQ(reply.status(), 200) << reply.answer.body;
  const auto& managers = reply.body["metadata"]["managedFields"].elements();
  ASSERT_EQ(managers.size(), 1U) << reply.answer.body;
  EXPECT_EQ(managers[0]["manager"].string(), "other");
  EXPECT_FALSE(reply.body["rules"].elements()[0].has("resourceNames"));
}

TEST(Rest, WhatNeedsAContainerIsRefusedInWords) {
  Server server = shop();
  server.create(ResourceId::Pods, "shop", pod("a"));
  for (const char* what : {"exec", "attach", "portforward", "proxy"}) {
    const Reply reply = call(server, "POST", std::string("/api/v1/namespaces/shop/pods/a/") + what);
    EXPECT_EQ(reply.status(), 400) << what;
    EXPECT_NE(reply.body["message"].string().find("no program runs"), std::string_view::npos);
  }
}

// Requests of a bound claim may change if there are any, and an empty map is not none: so the real server.
TEST(Rest, ABoundClaimThatAsksForNothingLacksStorageAndNothingElse) {
  Server server = shop();
  const std::string path = "/api/v1/namespaces/shop/persistentvolumeclaims";
  const auto claim = [](const std::string& resources) {
    return R"({"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],"resources":)" + resources +
           "}}";
  };
  ASSERT_EQ(call(server, "POST", path, claim(R"({"requests":{"storage":"1Gi"}})")).status(), 201);
  call(server, "PATCH", path + "/c/status", R"({"status":{"phase":"Bound","capacity":{"storage":"1Gi"}}})",
       "application/merge-patch+json");
  const auto fields = [&](const std::string& resources) {
    const Reply reply = call(server, "PUT", path + "/c", claim(resources));
    std::vector<std::string> out;
    for (const Tree& cause : reply.body["details"]["causes"].elements())
      out.emplace_back(cause["field"].string());
    return out;
  };
  using Fields = std::vector<std::string>;
  EXPECT_EQ(fields(R"({"requests":{}})"),
            (Fields{"spec.resources[storage]", "spec.resources.requests.storage"}));
  EXPECT_EQ(fields("{}"), (Fields{"spec.resources[storage]", "spec", "spec.resources.requests.storage"}));
}

// What is negative is neither a quantity of storage nor positive; what is nothing is only not positive.
TEST(RestTest, AStrategicPatchCutsNumbersThatAMergePatchRefuses) {
  Server server = shop();
  const std::string path = "/apis/apps/v1/namespaces/shop/deployments";
  const std::string made =
      R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":)"
      R"({"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}})";
  ASSERT_EQ(call(server, "POST", path, made).status(), 201);
  const std::string beyond = R"({"spec":{"replicas":4294967301}})";  // 2^32 + 5
  EXPECT_EQ(call(server, "PATCH", path + "/d", beyond, "application/merge-patch+json").status(), 422);
  const Reply cut = call(server, "PATCH", path + "/d", beyond, "application/strategic-merge-patch+json");
  EXPECT_EQ(cut.status(), 200);
  EXPECT_EQ(cut.body["spec"]["replicas"].integer(), 5);
}

TEST(RestTest, AnApplyOfWhatIsNoValueOfItsFieldIsTheServersFault) {
  Server server = shop();
  const std::string path = "/api/v1/namespaces/shop/secrets/s?fieldManager=m",
                    type = "application/apply-patch+yaml";
  const auto secret = [](const std::string& data) {
    return R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"data":{"k":")" + data + "\"}}";
  };
  EXPECT_EQ(call(server, "PATCH", path, secret("not base64"), type).status(), 500);
  EXPECT_EQ(call(server, "PATCH", path, secret("dg=="), type).status(), 201);
  EXPECT_EQ(call(server, "PATCH", path, secret("not base64"), type).status(), 500);
}

TEST(RestTest, AnApplyOfAnObjectForANumberIsAConflictFirst) {
  Server server = shop();
  const std::string budgets = "/apis/policy/v1/namespaces/shop/poddisruptionbudgets";
  const auto budget = [](const std::string& most) {
    return R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"maxUnavailable":)" +
           most + "}}";
  };
  ASSERT_EQ(call(server, "POST", budgets, budget("1")).status(), 201);
  const std::string path = budgets + "/b?fieldManager=m", type = "application/apply-patch+yaml";
  EXPECT_EQ(call(server, "PATCH", path, budget("{}"), type).status(), 409);
  EXPECT_EQ(call(server, "PATCH", path + "&force=true", budget("{}"), type).status(), 500);
}

}  // namespace
}  // namespace tamp::world::api

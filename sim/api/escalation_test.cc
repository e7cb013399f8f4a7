// Nobody may give rights that they do not have. Expectations were taken from a kube-apiserver 1.36.
#include <gtest/gtest.h>

#include "sim/api/calls_for_test.h"

namespace tamp::world::api {
namespace {

const std::string kRbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop";

// Alice may write roles and bindings in the shop, and read pods there; with `more` a further verb on roles.
Server shop_of_alice(const std::string& more = {}) {
  Server server = shop();
  server.add_token("alice", Caller{"alice", {}, {"system:authenticated"}, "test"});
  const std::string verbs =
      R"(["create","update","patch","get")" + (more.empty() ? "" : ",\"" + more + "\"") + "]";
  EXPECT_EQ(
      call(
          server, "POST", kRbac + "/roles",
          R"({"metadata":{"name":"hers"},"rules":[{"apiGroups":["rbac.authorization.k8s.io"],"resources":["roles",)"
          R"("rolebindings"],"verbs":)" +
              verbs + R"(},{"apiGroups":[""],"resources":["pods"],"verbs":["get","list"]}]})")
          .status(),
      201);
  EXPECT_EQ(
      call(
          server, "POST", kRbac + "/rolebindings",
          R"({"metadata":{"name":"hers"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role",)"
          R"("name":"hers"},"subjects":[{"kind":"User","name":"alice","apiGroup":"rbac.authorization.k8s.io"}]})")
          .status(),
      201);
  return server;
}

Reply as_alice(Server& server, const std::string& method, const std::string& target, const std::string& body,
               const std::string& type = "application/json") {
  Request request{method, target, type, "application/json", "test/1", "Bearer alice", {}, {}, body};
  Answer answer = server.handle(request);
  Result<Tree> tree = wire::read_tree(answer.body);
  return {std::move(answer), tree.ok() ? *std::move(tree) : Tree()};
}

std::string role(const std::string& resource, const std::string& verbs, const std::string& rest = {}) {
  return R"({"metadata":{"name":"new"},"rules":[{"apiGroups":[""],"resources":[")" + resource +
         R"("],"verbs":[)" + verbs + "]" + rest + "}]}";
}

TEST(Escalation, ARoleGrantsWhatItsWriterHolds) {
  Server server = shop_of_alice();
  for (const std::string& beyond :
       {role("secrets", R"("get")"), role("pods", R"("get","delete")"), role("*", R"("get")"),
        role("pods/status", R"("get")"), role("pods", R"("*")")}) {
    const Reply reply = as_alice(server, "POST", kRbac + "/roles", beyond);
    EXPECT_EQ(reply.status(), 403) << beyond;
    EXPECT_EQ(reply.body["details"]["kind"].string(), "roles");
  }
  EXPECT_EQ(as_alice(server, "POST", kRbac + "/roles", role("pods", R"("get")", R"(,"resourceNames":["a"])"))
                .status(),
            201);
  const std::string merge = "application/merge-patch+json", path = kRbac + "/roles/new";
  EXPECT_EQ(as_alice(server, "PATCH", path,
                     R"({"rules":[{"apiGroups":[""],"resources":["secrets"],"verbs":["get"]}]})", merge)
                .status(),
            403);
  EXPECT_EQ(as_alice(server, "PATCH", path, R"({"metadata":{"labels":{"a":"b"}}})", merge).status(), 200);
}

TEST(Escalation, WhoeverMayEscalateMayGrantAnything) {
  Server server = shop_of_alice("escalate");
  EXPECT_EQ(as_alice(server, "POST", kRbac + "/roles", role("secrets", R"("get")")).status(), 201);
}

TEST(Escalation, ABindingGivesWhatItsWriterHoldsOrMayBind) {
  const auto binding = [](const std::string& role_name) {
    return R"({"metadata":{"name":"for-bob"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role","name":")" +
           role_name +
           R"("},"subjects":[{"kind":"User","name":"bob","apiGroup":"rbac.authorization.k8s.io"}]})";
  };
  for (const bool may_bind : {false, true}) {
    Server server = shop_of_alice(may_bind ? "bind" : "");
    call(server, "POST", kRbac + "/roles", role("secrets", R"("get")"));
    EXPECT_EQ(as_alice(server, "POST", kRbac + "/rolebindings", binding("new")).status(),
              may_bind ? 201 : 403);
    if (may_bind) continue;
    EXPECT_EQ(as_alice(server, "POST", kRbac + "/rolebindings", binding("absent")).status(), 404);
    EXPECT_EQ(as_alice(server, "POST", kRbac + "/rolebindings", binding("hers")).status(), 201);
  }
}

TEST(Access, WhoeverCreatesByNameNeedsTheRightToCreate) {
  const std::string verbs[] = {"", R"(,"create")"};
  for (const std::string& more : verbs) {
    Server server = shop();
    server.add_token("alice", Caller{"alice", {}, {"system:authenticated"}, "test"});
    call(server, "POST", kRbac + "/roles",
         R"({"metadata":{"name":"hers"},"rules":[{"apiGroups":["*"],"resources":["configmaps","leases"],)"
         R"("verbs":["patch","update")" +
             more + "]}]}");
    call(
        server, "POST", kRbac + "/rolebindings",
        R"({"metadata":{"name":"hers"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role",)"
        R"("name":"hers"},"subjects":[{"kind":"User","name":"alice","apiGroup":"rbac.authorization.k8s.io"}]})");
    const int made = more.empty() ? 403 : 201;
    const std::string maps = "/api/v1/namespaces/shop/configmaps/", apply = "application/apply-patch+yaml";
    const Reply applied = as_alice(server, "PATCH", maps + "one?fieldManager=m", config_map("one"), apply);
    EXPECT_EQ(applied.status(), made);
    if (more.empty()) {
      EXPECT_NE(applied.body["message"].string().find("cannot create resource \"configmaps\""),
                std::string_view::npos);
      EXPECT_EQ(applied.body["details"]["name"].string(), "one");
    }
    // What is wrong with the object is told first.
    EXPECT_EQ(as_alice(server, "PATCH", maps + "Two?fieldManager=m", config_map("Two"), apply).status(), 422);
    EXPECT_EQ(as_alice(server, "PUT", "/apis/coordination.k8s.io/v1/namespaces/shop/leases/l",
                       R"({"metadata":{"name":"l"}})")
                  .status(),
              made);
    // What is there is only changed.
    call(server, "POST", "/api/v1/namespaces/shop/configmaps", config_map("there"));
    EXPECT_EQ(as_alice(server, "PATCH", maps + "there?fieldManager=m", config_map("there"), apply).status(),
              200);
  }
}

}  // namespace
}  // namespace tamp::world::api

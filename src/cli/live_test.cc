// `tamp plan` and `tamp explain` on a live cluster: an API server of three empty nodes, on one of which the
// controller leads. Given what the controller lets others know, expect its own decision.
#include "cli/live.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/commands.h"
#include "cli/http_cluster_testing.h"
#include "net/election.h"
#include "net/resource.h"
#include "wire/kinds.h"
#include "wire/lease.h"

namespace tamp::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

const Time kNow = *parse_rfc3339("2026-11-15T12:00:00Z");

std::string node(const std::string& name) {
  return R"({"metadata":{"name":")" + name + R"(","uid":"uid-)" + name +
         R"(","creationTimestamp":"2026-01-01T00:00:00Z",)" +
         R"("labels":{"eks.amazonaws.com/nodegroup":"g"}},"spec":{},)" +
         R"("status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},)" +
         R"("conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
}

// A DaemonSet's, which does not hold its node.
std::string controllers_pod(const std::string& name, const std::string& on) {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"tamp-system","uid":"uid-)" + name +
         R"(","ownerReferences":[{"apiVersion":"apps/v1","kind":"DaemonSet","name":"d","uid":"d",)" +
         R"("controller":true}]},"spec":{"nodeName":")" + on +
         R"(","containers":[{"name":"c"}]},"status":{"phase":"Running"}})";
}

std::string policy(const std::string& status) {
  return R"({"metadata":{"name":"default","uid":"uid-policy","generation":1},)"
         R"("spec":{"disruption":{"consolidationSavingsThreshold":0}},"status":)" +
         status + "}";
}

struct Live : testing::Test {
  Live() {
    objects["nodes"] = node("a") + "," + node("b") + "," + node("c");
    objects["pods"] = controllers_pod("tamp-x", "b") + "," + controllers_pod("tamp-y", "c");
    objects["temperpolicies"] = policy("{}");
  }

  net::HttpResponse answer(const std::string& path) {
    for (const wire::KindInfo& kind : wire::kinds())
      if (path == net::collection_path(kind)) {
        const std::string group = kind.group.empty() ? "" : std::string(kind.group) + "/";
        return HttpCluster::json(R"({"kind":")" + std::string(kind.kind) + R"(List","apiVersion":")" + group +
                                 std::string(kind.version) +
                                 R"(","metadata":{"resourceVersion":"1"},"items":[)" +
                                 objects[std::string(kind.plural)] + "]}");
      }
    if (path == net::object_path(net::kLeases, ns, "tamp-controller") && !lease.empty())
      return lease_refused ? HttpCluster::refuse(403, "Forbidden") : HttpCluster::json(lease);
    return HttpCluster::refuse(404, "NotFound");
  }
  void lead(const std::string& pod, Time since) {
    wire::Lease held;
    held.ns = ns;
    held.name = "tamp-controller";
    held.resource_version = "1";
    held.holder = net::make_identity(pod, 7);
    held.acquired = held.renewed = since;
    lease = wire::write_lease(held);
  }

  // Every node's own verdict, in words.
  std::string plan(std::vector<const char*> more = {}) {
    return run({"tamp", "plan", "--every", "-o", "json"}, std::move(more), run_plan);
  }
  std::string explain(const char* subject) { return run({"tamp", "explain", subject}, {}, run_explain); }

  std::string run(std::vector<const char*> arguments, std::vector<const char*> more,
                  Result<std::string> (*command)(const Invocation&)) {
    warnings.clear();
    arguments.insert(arguments.end(), {"--kubeconfig", cluster.kubeconfig().c_str()});
    arguments.insert(arguments.end(), more.begin(), more.end());
    const terminal::Environment none = [](const std::string&) { return std::nullopt; };
    const auto options = parse_options(arguments, none);
    EXPECT_TRUE(options) << options.error().message;
    bool unreachable = false;
    const ClusterSource source = live_source(*options, none, unreachable);
    const auto said = command(
        {*options, source, {}, kNow, [] { return 0.0; }, [this](const auto& line) { warnings += line; }});
    EXPECT_TRUE(said) << said.error().message;
    return said ? *said : std::string();
  }

  std::map<std::string, std::string> objects;
  std::string ns = "tamp-system", lease, warnings;
  bool lease_refused = false;
  HttpCluster cluster{[this](const net::HttpRequest& request) { return answer(request.path); }};
};

const char* const kUnready =
    R"({"metadata":{"name":"db","namespace":"shop","uid":"uid-db"},"spec":{"replicas":3},)"
    R"("status":{"readyReplicas":2}})";

TEST_F(Live, TheNodeOnWhichTheControllerLeadsStays) {
  EXPECT_THAT(plan(), Not(HasSubstr("RunsTamp"))) << "no controller leads";
  lead("tamp-x", kNow - Duration::hours(1));
  EXPECT_THAT(plan(), HasSubstr("RunsTamp"));
  EXPECT_THAT(explain("b"), HasSubstr("the leader of Tamp runs here"));
  EXPECT_THAT(explain("c"), Not(HasSubstr("the leader of Tamp runs here")))
      << "only a follower's pod is there";
  EXPECT_EQ(warnings.find("Lease"), std::string::npos) << warnings;
}

TEST_F(Live, AControllerInAnotherNamespaceIsFoundThere) {
  ns = "elsewhere";
  lead("tamp-x", kNow - Duration::hours(1));
  objects["pods"] = controllers_pod("tamp-x", "b");
  objects["pods"].replace(objects["pods"].find("tamp-system"), 11, "elsewhere");
  EXPECT_THAT(plan(), Not(HasSubstr("RunsTamp")));
  EXPECT_THAT(plan({"--pod-namespace", "elsewhere"}), HasSubstr("RunsTamp"));
}

// While pods of a node that was deleted are not back, the cluster looks emptier than it is.
TEST_F(Live, ADeletionThatTheControllerSawCounts) {
  objects["statefulsets"] = kUnready;
  EXPECT_THAT(plan(), Not(HasSubstr("Stabilizing"))) << "nobody knows of a deletion";
  objects["temperpolicies"] = policy(R"({"lastNodeDeletedAt":"2026-11-15T11:58:00Z"})");
  EXPECT_THAT(plan(), HasSubstr("Stabilizing"));
  EXPECT_THAT(plan({"--last-node-deleted", "2026-11-15T11:00:00Z"}), Not(HasSubstr("Stabilizing")))
      << "the user knows better";
  objects["temperpolicies"] = policy(R"({"lastNodeDeletedAt":"2026-11-15T11:54:00Z"})");
  EXPECT_THAT(plan(), Not(HasSubstr("Stabilizing"))) << "the window is five minutes";
}

// It cannot know what happened right before it led, and neither can we.
TEST_F(Live, ANewLeaderIsAsCarefulHere) {
  objects["statefulsets"] = kUnready;
  lead("tamp-x", kNow - Duration::minutes(1));
  EXPECT_THAT(plan(), HasSubstr("Stabilizing"));
  lead("tamp-x", kNow - Duration::minutes(6));
  EXPECT_THAT(plan(), Not(HasSubstr("Stabilizing")));
}

TEST_F(Live, WhoMayNotReadTheLeaseIsTold) {
  lead("tamp-x", kNow - Duration::hours(1));
  lease_refused = true;
  EXPECT_THAT(plan(), Not(HasSubstr("RunsTamp")));
  EXPECT_THAT(warnings, HasSubstr("Lease tamp-system/tamp-controller"));
}

}  // namespace
}  // namespace tamp::cli

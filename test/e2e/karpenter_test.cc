// Real Karpenter in the same cluster, left only its empty nodes: it and Tamp do not disagree about any node.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "e2e/plane.h"
#include "e2e/program.h"

namespace tamp::e2e {
namespace {

using wire::Json;
using wire::ObjectKind;
using wire::Value;

bool condition_true(Value object, std::string_view type) {
  for (const Value condition : object.get("status").get("conditions").elements())
    if (text_at(condition, {"type"}) == type) return text_at(condition, {"status"}) == "True";
  return false;
}

struct WithKarpenter : testing::Test {
  static inline std::unique_ptr<Session> admin;

  static void SetUpTestSuite() {
    install();
    const Finished loaded =
        run({"python3", environment("TAMP_E2E_LOAD"), "--nodes", "20", "--pods", "100", "--karpenter"});
    ASSERT_EQ(loaded.status, 0) << loaded.out << loaded.err;
    admin = std::make_unique<Session>(environment("KUBECONFIG"));
    // Nodes are minutes old; everything else is as the NodePools have it.
    std::ofstream(policy_file())
        << R"({"apiVersion":"temper.codes/v1alpha1","kind":"TemperPolicy","metadata":{"name":"default"},)"
        << R"("spec":{"planner":"Requests","minNodeLifetime":"0s"}})";
  }
  static void TearDownTestSuite() { admin.reset(); }

  static std::string policy_file() { return environment("TAMP_E2E_DIRECTORY") + "/policy.json"; }
  static Json plan(std::vector<std::string> more) {
    std::vector<std::string> command = {tamp_program(),
                                        "plan",
                                        "-o",
                                        "json",
                                        "--policy",
                                        policy_file(),
                                        "--instance-types",
                                        environment("TAMP_E2E_INSTANCE_TYPES")};
    command.insert(command.end(), more.begin(), more.end());
    const Finished finished = run(command);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return parse(finished.out);
  }
  static std::set<std::string> node_names() {
    std::set<std::string> names;
    const Json nodes = parse(admin->list(ObjectKind::Node).body);
    for (const Value node : nodes.root().get("items").elements())
      names.insert(text_at(node, {"metadata", "name"}));
    return names;
  }
};

// What Karpenter's claims say otherwise than our verdicts, a line each.
std::string differences(const Json& ours, const Json& claims) {
  std::map<std::string, Value> verdicts;
  for (const Value node : ours.root().get("nodes").elements())
    verdicts.emplace(text_at(node, {"name"}), node);
  std::string found;
  std::size_t compared = 0;
  for (const Value claim : claims.root().get("items").elements()) {
    const std::string name = text_at(claim, {"status", "nodeName"});
    if (!verdicts.contains(name)) {
      found += name + " is Karpenter's, and Tamp does not know it\n";
      continue;
    }
    ++compared;
    const Value verdict = verdicts.at(name);
    const Value labels = claim.get("metadata").get("labels");
    const std::string reason = text_at(verdict, {"reason"});
    const auto same = [&](const char* what, const auto& us, const auto& them) {
      if (us != them) found += name + ": " + what + "\n";
    };
    same("initialized", reason != "NotInitialized", condition_true(claim, "Initialized"));
    same("deleting", reason == "Deleting", claim.get("metadata").get("deletionTimestamp").present());
    same("managed", reason != "NotManaged", true);
    same("pool", text_at(verdict, {"nodePool"}), text_at(labels, {"karpenter.sh/nodepool"}));
    same("type", text_at(verdict, {"instanceType"}), text_at(labels, {"node.kubernetes.io/instance-type"}));
    same("capacity type", text_at(verdict, {"capacityType"}),
         text_at(labels, {"karpenter.sh/capacity-type"}));
    same("zone", text_at(verdict, {"zone"}), text_at(labels, {"topology.kubernetes.io/zone"}));
  }
  if (compared == 0) found += "no node was compared\n";
  if (compared != verdicts.size()) found += "a node of ours has no NodeClaim of Karpenter's\n";
  return found;
}

// Our look and the list of claims are two moments, and Karpenter still initializes nodes: so they may be repeated.
TEST_F(WithKarpenter, EveryNodeIsInTheSameStateForBoth) {
  std::string found;
  EXPECT_TRUE(wait_until(Duration::seconds(20), [&] {
    const Json ours = plan({"--every"});
    found = differences(ours, parse(admin->list(ObjectKind::NodeClaim).body));
    return found.empty();
  })) << found;
}

// Three nodes are drained; from then on both may take empty nodes, and both see the same ones.
TEST_F(WithKarpenter, EmptyNodesAreTheSameForBoth) {
  const std::set<std::string> before = node_names();
  std::set<std::string> drained;
  for (const std::string& name : before) {
    if (drained.size() == 3) break;
    kubectl({"drain", name, "--ignore-daemonsets", "--delete-emptydir-data", "--force", "--timeout=60s"});
    drained.insert(name);
  }
  for (const char* pool : {"general", "spot"}) {
    const net::Reply reply = admin->patch(
        ObjectKind::NodePool, "", pool, "", net::PatchType::Merge,
        R"({"spec":{"disruption":{"consolidationPolicy":"WhenEmpty","consolidateAfter":"0s","budgets":[{"nodes":"100%"}]}}})");
    ASSERT_TRUE(reply.ok()) << reply.error->text();
  }
  std::set<std::string> ours;
  EXPECT_TRUE(wait_until(Duration::seconds(20), [&] {
    ours.clear();
    const Json said = plan({"--method", "empty"});
    for (const Value command : said.root().get("commands").elements())
      for (const Value node : command.get("nodes").elements()) ours.insert(std::string(*node.string()));
    for (const Value node : said.root().get("nodes").elements())
      if (text_at(node, {"reason"}) == "Deleting")
        ours.insert(text_at(node, {"name"}));  // Karpenter was quicker
    return ours.size() >= drained.size();
  }));
  EXPECT_TRUE(std::includes(ours.begin(), ours.end(), drained.begin(), drained.end()));

  const auto gone = [&] {
    std::set<std::string> missing;
    const std::set<std::string> now = node_names();
    for (const std::string& name : before)
      if (!now.contains(name)) missing.insert(name);
    return missing;
  };
  EXPECT_TRUE(wait_until(Duration::seconds(120), [&] { return gone().size() >= ours.size(); }));
  EXPECT_FALSE(wait_until(Duration::seconds(20), [&] { return gone().size() > ours.size(); }));
  EXPECT_EQ(gone(), ours) << "Karpenter took other nodes for empty than Tamp did";
}

}  // namespace
}  // namespace tamp::e2e

#include "documents/claim_body.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/marks.h"

namespace tamp::documents {
namespace {

using testing::HasSubstr;
using wire::Tree;

constexpr const char* kPool =
    R"({"metadata":{"name":"spot","uid":"uid-spot","annotations":{"karpenter.sh/nodepool-hash":"42",
"karpenter.sh/nodepool-hash-version":"v3","other":"x"}},"spec":{"template":{"metadata":{"labels":{"team":"shop"},
"annotations":{"karpenter.sh/do-not-disrupt":"10m"}},"spec":{"expireAfter":"720h","terminationGracePeriod":"1h",
"taints":[{"key":"gpu","effect":"NoSchedule"}],"startupTaints":[{"key":"cni","effect":"NoExecute"}],
"nodeClassRef":{"group":"karpenter.k8s.aws","kind":"EC2NodeClass","name":"main"},"requirements":[
{"key":"node.kubernetes.io/instance-type","operator":"In","values":["m5.large","m5.xlarge"]},
{"key":"kubernetes.io/arch","operator":"In","values":["amd64"]},
{"key":"example.com/rack","operator":"In","values":["r2","r1"]}]}}}})";

struct Claim : testing::Test {
  run::Run run;
  Tree pool = *wire::read_tree(kPool);
  Claim() {
    run.name = "run-1";
    run.claim = "spot-abc";
    run.replacement = proof::PlannedReplacement{"spot", {"m5.large"}, {"spot"}, {"zone-a", "zone-b"}, {}};
  }
  Tree body() {
    const auto text = write_claim(run, pool);
    EXPECT_TRUE(text) << text.error().message;
    return *wire::read_tree(*text);
  }
  std::string requirement(const Tree& claim, std::string_view key) {
    std::string found;
    for (const Tree& r : claim.at({"spec", "requirements"}).elements())
      if (r["key"].string() == key) found += wire::to_json(r["values"]);
    return found;
  }
};

TEST_F(Claim, IsWhatKarpenterWouldMakeOfTheTemplate) {
  const Tree claim = body();
  EXPECT_EQ(claim["apiVersion"].string(), "karpenter.sh/v1");
  EXPECT_EQ(claim.at({"metadata", "name"}).string(), "spot-abc");
  EXPECT_EQ(
      wire::to_json(claim.at({"metadata", "labels"})),
      R"({"example.com/rack":"r1","karpenter.k8s.aws/ec2nodeclass":"main","karpenter.sh/nodepool":"spot","team":"shop"})");
  EXPECT_EQ(
      wire::to_json(claim.at({"metadata", "ownerReferences"})),
      R"([{"apiVersion":"karpenter.sh/v1","blockOwnerDeletion":true,"kind":"NodePool","name":"spot","uid":"uid-spot"}])");
  for (const char* field :
       {"expireAfter", "terminationGracePeriod", "taints", "startupTaints", "nodeClassRef"})
    EXPECT_EQ(claim["spec"][field], pool.at({"spec", "template", "spec"})[field]) << field;
  EXPECT_EQ(claim.at({"metadata", "annotations", "karpenter.sh/nodepool-hash"}).string(), "42");
  EXPECT_EQ(claim.at({"metadata", "annotations", "karpenter.sh/nodepool-hash-version"}).string(), "v3");
  EXPECT_FALSE(claim.at({"metadata", "annotations"}).has("other"));
}

TEST_F(Claim, IsPinnedToThePlansChoice) {
  const Tree claim = body();
  EXPECT_EQ(requirement(claim, "node.kubernetes.io/instance-type"), R"(["m5.large"])");
  EXPECT_EQ(requirement(claim, "karpenter.sh/capacity-type"), R"(["spot"])");
  EXPECT_EQ(requirement(claim, "topology.kubernetes.io/zone"), R"(["zone-a","zone-b"])");
  EXPECT_EQ(requirement(claim, "kubernetes.io/arch"), R"(["amd64"])");
  EXPECT_EQ(requirement(claim, "example.com/rack"), R"(["r1"])");
  EXPECT_EQ(requirement(claim, "karpenter.sh/nodepool"), R"(["spot"])");
}

TEST_F(Claim, IsProtectedFromItsBirthOn) {
  const Tree claim = body();
  const Tree& annotations = claim.at({"metadata", "annotations"});
  EXPECT_EQ(annotations[run::kProtections[0]].string(), "10m") << "the template's own word stands";
  EXPECT_EQ(annotations[run::kProtections[1]].string(), "true");
  const auto note = read_note(annotations[run::kNote].string());
  ASSERT_TRUE(note);
  EXPECT_EQ(note->runs, std::vector<std::string>{"run-1"});
  EXPECT_EQ(note->added, (std::vector<std::string>{"autoscaling.cast.ai/removal-disabled",
                                                   "cluster-autoscaler.kubernetes.io/scale-down-disabled"}));
}

TEST_F(Claim, IsOfThisVeryPool) {
  run.replacement->pool = "other";
  EXPECT_FALSE(write_claim(run, pool));
  run.replacement->pool = "spot";
  pool.ensure({"spec", "template", "spec"}).erase("nodeClassRef");
  EXPECT_THAT(write_claim(run, pool).error().message, HasSubstr("node class"));
}

TEST_F(Claim, NamesItsNodeClassInLowerCase) {
  for (const auto& [kind, label] :
       {std::pair("EC2NodeClass", "ec2nodeclass"), {"AZ", "az"}, {"az@[", "az@["}}) {
    pool.ensure({"spec", "template", "spec", "nodeClassRef"}).set("kind", kind);
    EXPECT_EQ(body().at({"metadata", "labels"})["karpenter.k8s.aws/" + std::string(label)].string(), "main");
  }
}

// Every node needs one of the values of a label that is the user's own. Others come from the machine.
TEST_F(Claim, ChoosesAValueOfLabelsThatAreTheUsersOwn) {
  wire::Tree& asked = pool.ensure({"spec", "template", "spec", "requirements"});
  const auto ask = [&](const char* key, const char* op, std::vector<const char*> values) {
    Tree list = Tree::array();
    for (const char* v : values) list.append(v);
    asked.append(Tree::object({{"key", key}, {"operator", op}, {"values", std::move(list)}}));
  };
  ask("own", "In", {"z", "y"});
  ask("team", "In", {"a"});  // the template says "shop"
  ask("without", "In", {});
  ask("not-in", "NotIn", {"x"});
  ask("topology.kubernetes.io/region", "In", {"r"});
  ask("node.k8s.io/x", "In", {"x"});
  ask("karpenter.k8s.aws/instance-family", "In", {"m5"});
  ask("example.karpenter/x", "In", {"x"});
  const Tree claim = body();
  std::vector<std::string> keys;
  for (const Tree::Member& label : claim.at({"metadata", "labels"}).members()) keys.emplace_back(label.key);
  std::sort(keys.begin(), keys.end());
  EXPECT_THAT(keys, testing::ElementsAre("example.com/rack", "karpenter.k8s.aws/ec2nodeclass",
                                         "karpenter.sh/nodepool", "own", "team"));
  EXPECT_EQ(claim.at({"metadata", "labels"})["own"].string(), "y") << "the first by name";
  EXPECT_EQ(claim.at({"metadata", "labels"})["team"].string(), "shop");
  EXPECT_EQ(requirement(claim, "own"), R"(["y"])");
  EXPECT_EQ(requirement(claim, "team"), R"(["shop"])");
  EXPECT_EQ(requirement(claim, "not-in"), R"(["x"])");
}

TEST_F(Claim, KeepsWhatThePlanLeavesOpen) {
  run.replacement->types.clear();
  run.replacement->zones.clear();
  const Tree claim = body();
  EXPECT_EQ(requirement(claim, "node.kubernetes.io/instance-type"), R"(["m5.large","m5.xlarge"])");
  EXPECT_EQ(requirement(claim, "topology.kubernetes.io/zone"), "");
  EXPECT_EQ(requirement(claim, "karpenter.sh/capacity-type"), R"(["spot"])");
}

TEST_F(Claim, IsNotMadeOfAPoolThatGoes) {
  pool.ensure({"metadata", "deletionTimestamp"}) = "2026-11-15T00:00:00Z";
  EXPECT_EQ(write_claim(run, pool).error().message, "the NodePool is being deleted");
}

}  // namespace
}  // namespace tamp::documents

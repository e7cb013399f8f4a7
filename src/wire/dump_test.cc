#include "wire/dump.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "wire/reading_for_test.h"

namespace tamp::wire {
namespace {

using testing::read;

std::string list(const std::string& items) {
  return fmt::format(R"({{"metadata":{{"resourceVersion":"9","continue":"next"}},"items":[{}]}})", items);
}

std::string text_of(const Dump& dump) {
  std::string text;
  const Status status = dump.write([&](std::string_view piece) { text += piece; });
  EXPECT_TRUE(status.ok());
  return text;
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

constexpr const char* kPod = R"({"metadata":{"name":"web-1","namespace":"shop","uid":"u1",
  "labels":{"app":"web","team":"payments","statefulset.kubernetes.io/pod-name":"web-1"},
  "annotations":{"kubectl.kubernetes.io/last-applied-configuration":"SECRET","karpenter.sh/do-not-disrupt":"true","note":"SECRET"},
  "managedFields":[{"manager":"SECRET"}],
  "ownerReferences":[{"apiVersion":"apps/v1","kind":"StatefulSet","name":"web","uid":"u2","controller":true}]},
  "spec":{"nodeName":"ip-10-0-0-1","serviceAccountName":"SECRET",
    "nodeSelector":{"kubernetes.io/hostname":"ip-10-0-0-1","topology.kubernetes.io/zone":"z1"},
    "containers":[{"name":"main","image":"SECRET","env":[{"name":"TOKEN","value":"SECRET"}],"envFrom":[{"secretRef":{"name":"SECRET"}}],
      "command":["SECRET"],"args":["SECRET"],"lifecycle":{"preStop":{"exec":{"command":["SECRET"]}}},
      "livenessProbe":{"exec":{"command":["SECRET"]}},"resources":{"requests":{"cpu":"250m"}}}],
    "volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data-web-1"}},{"name":"cache","ephemeral":{"volumeClaimTemplate":{}}},
      {"name":"host","hostPath":{"path":"/SECRET"}}]},
  "status":{"phase":"Running","message":"SECRET","conditions":[{"type":"Ready","status":"True","message":"SECRET"}]}})";
constexpr const char* kNode =
    R"({"metadata":{"name":"ip-10-0-0-1","labels":{"kubernetes.io/hostname":"ip-10-0-0-1",
  "topology.kubernetes.io/zone":"z1","karpenter.sh/nodepool":"web"}},"spec":{"providerID":"aws:///z1/i-0123"},
  "status":{"capacity":{"cpu":"4"},"images":[{"names":["SECRET"]}],"addresses":[{"address":"SECRET"}]}})";
constexpr const char* kClaim =
    R"({"metadata":{"name":"ip-claim"},"status":{"providerID":"aws:///z1/i-0123"}})";
constexpr const char* kEphemeral =
    R"({"metadata":{"name":"web-1-cache","namespace":"shop"},"spec":{"volumeName":"pv-1"}})";

Dump example(bool mask) {
  Dump dump({.mask = mask});
  EXPECT_TRUE(dump.add_page(ObjectKind::Pod, list(kPod)).ok());
  EXPECT_TRUE(dump.add_page(ObjectKind::Node, list(kNode)).ok());
  EXPECT_TRUE(dump.add_page(ObjectKind::NodeClaim, list(kClaim)).ok());
  EXPECT_TRUE(dump.add_page(ObjectKind::PersistentVolumeClaim, list(kEphemeral)).ok());
  EXPECT_TRUE(dump.add_page(ObjectKind::NodePool, list(R"({"metadata":{"name":"web"}})")).ok());
  return dump;
}

TEST(Dump, SaysWhereTheListGoesOn) {
  Dump dump;
  const auto page = dump.add_page(ObjectKind::Pod, list(kPod));
  ASSERT_TRUE(page.ok());
  EXPECT_EQ(page->continue_token, "next");
  EXPECT_FALSE(dump.add_page(ObjectKind::Pod, "nonsense").ok());
  EXPECT_FALSE(dump.add_page(ObjectKind::Pod, list("7")).ok());
}

TEST(Dump, ReadsAsTheClusterThatItWasMadeFrom) {
  const Reading r = read(text_of(example(false)));
  ASSERT_EQ(r.cluster.pods.size(), 1u);
  const Pod& pod = r.cluster.pods[0];
  EXPECT_EQ(r.cluster.text(pod.do_not_disrupt), "true");
  EXPECT_EQ(r.cluster.spec(pod).requests.get(kCpu), 250);
  EXPECT_EQ(pod.volumes.size(), 3u);
  EXPECT_EQ(pod.node, r.cluster.find_node("ip-10-0-0-1"));
  EXPECT_TRUE(r.cluster.nodes[0].claim.valid());
  EXPECT_TRUE(r.warnings.empty());
  EXPECT_TRUE(r.ignored.empty());
}

TEST(Dump, HoldsNothingThatTampDoesNotRead) {
  for (const bool mask : {false, true}) {
    const std::string text = text_of(example(mask));
    EXPECT_FALSE(holds(text, "SECRET")) << text;
    EXPECT_FALSE(holds(text, "managedFields"));
  }
}

TEST(Dump, AListThatStartsAgainReplacesItsPages) {
  Dump dump;
  ASSERT_TRUE(dump.add_page(ObjectKind::Node, list(kNode)).ok());
  dump.begin_list(ObjectKind::Node);
  ASSERT_TRUE(dump.add_page(ObjectKind::Node, list(kNode)).ok());
  EXPECT_EQ(read(text_of(dump)).cluster.nodes.size(), 1u) << "two of one name would be refused";
}

TEST(Dump, WithoutObjectsIsAnEmptyList) { EXPECT_TRUE(read(text_of(Dump())).cluster.nodes.empty()); }

TEST(MaskedDump, NamesNobody) {
  const std::string text = text_of(example(true));
  for (const char* name : {"web-1", "shop", "ip-10", "i-0123", "main", "data-web", "pv-1", "ip-claim"})
    EXPECT_FALSE(holds(text, name)) << name << " in " << text;
}

TEST(MaskedDump, KeepsWordsThatMeanSomething) {
  const std::string text = text_of(example(true));
  for (const char* word : {"z1", "aws:///z1/", "kubernetes.io/hostname", "StatefulSet", "250m"})
    EXPECT_TRUE(holds(text, word)) << word;
  // A pool is called web, so web stays, although a StatefulSet and a label have that name, too.
  EXPECT_TRUE(holds(text, R"("app":"web")"));
  EXPECT_TRUE(holds(text, R"("karpenter.sh/nodepool":"web")"));
}

TEST(MaskedDump, RefersToTheSameThingsEverywhere) {
  const Reading r = read(text_of(example(true)));
  const Cluster& c = r.cluster;
  ASSERT_EQ(c.pods.size(), 1u);
  const Pod& pod = c.pods[0];
  ASSERT_TRUE(pod.node.valid());
  const Node& node = c.nodes[pod.node.index()];
  EXPECT_EQ(node.labels.get(c.known.hostname), node.name);
  EXPECT_EQ(c.spec(pod).node_selector.get(c.known.hostname), node.name);
  EXPECT_TRUE(node.claim.valid()) << "joined by providerID";
  EXPECT_EQ(c.labels(pod).get(c.symbols.find("statefulset.kubernetes.io/pod-name")), pod.name);
  ASSERT_EQ(c.volume_claims.size(), 1u);
  EXPECT_EQ(pod.volumes[1].claim, c.volume_claims[0].name) << "the claim of a pod's own volume";
  EXPECT_EQ(pod.ns, c.volume_claims[0].ns);
}

TEST(Dump, KeepsOfARequirementWhatItSays) {
  Dump dump({.mask = false});
  ASSERT_TRUE(dump.add_page(ObjectKind::NodePool,
                            list(R"({"metadata":{"name":"p"},"spec":{"template":{"spec":{"requirements":[
{"key":"k","operator":"In","values":["v"],"minValues":2,"note":"SECRET"}]}}}})"))
                  .ok());
  const std::string text = text_of(dump);
  for (const char* part : {R"("key":"k")", R"("operator":"In")", R"("values":["v"])", R"("minValues":2)"})
    EXPECT_TRUE(holds(text, part)) << text;
  EXPECT_FALSE(holds(text, "SECRET"));
}

TEST(Dump, KeepsNumbersAsTheyAre) {
  Dump dump({.mask = false});
  ASSERT_TRUE(dump.add_page(ObjectKind::Node, list(R"({"metadata":{"name":"n"},"spec":{"unschedulable":true},
"status":{"capacity":{"cpu":0.5,"memory":9007199254740993,"pods":null}}})"))
                  .ok());
  const std::string text = text_of(dump);
  for (const char* part :
       {R"("cpu":0.5)", R"("memory":9007199254740993)", R"("pods":null)", R"("unschedulable":true)"})
    EXPECT_TRUE(holds(text, part)) << text;
}

}  // namespace
}  // namespace tamp::wire

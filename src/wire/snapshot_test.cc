#include "wire/snapshot.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "wire/reading_for_test.h"
#include "wire/yaml.h"

namespace tamp::wire {
namespace {

using testing::dump;
using testing::error_of;
using testing::inputs_of;
using testing::read;

constexpr const char* kNode = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}})";

TEST(Snapshot, ReadsASingleObject) { EXPECT_EQ(read(kNode).cluster.nodes.size(), 1u); }

TEST(Snapshot, ReadsAList) {
  const Reading r = read(R"({"apiVersion":"v1","kind":"List","items":[
      {"apiVersion":"v1","kind":"Node","metadata":{"name":"b"}},
      {"apiVersion":"v1","kind":"Node","metadata":{"name":"a"}},
      {"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"nodeName":"b"}}]})");
  ASSERT_EQ(r.cluster.nodes.size(), 2u);
  EXPECT_EQ(r.cluster.text(r.cluster.nodes[0].name), "a");
  ASSERT_EQ(r.cluster.pods.size(), 1u);
  EXPECT_EQ(r.cluster.pods[0].node, r.cluster.find_node("b"));
  EXPECT_EQ(r.cluster.text(r.cluster.pods[0].ns), "default");
}

TEST(Snapshot, ItemsOfATypedListNeedNoKind) {
  const Reading r = read(R"({"apiVersion":"v1","kind":"PodList","items":[{"metadata":{"name":"p"}}]})");
  EXPECT_EQ(r.cluster.pods.size(), 1u);
  const Reading pools =
      read(R"({"apiVersion":"karpenter.sh/v1","kind":"NodePoolList","items":[{"metadata":{"name":"p"}}]})");
  EXPECT_EQ(pools.cluster.pools.size(), 1u);
}

TEST(Snapshot, ReadsSeveralYamlDocumentsAndSkipsEmptyOnes) {
  const Reading r = read(
      "apiVersion: v1\nkind: Node\nmetadata: {name: a}\n---\n---\napiVersion: v1\nkind: Node\n"
      "metadata: {name: b}\n");
  EXPECT_EQ(r.cluster.nodes.size(), 2u);
}

TEST(Snapshot, ReadsSeveralJsonTextsInARow) {
  const Reading r =
      read(std::string(kNode) + "\n" + R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"b}"}})");
  EXPECT_EQ(r.cluster.nodes.size(), 2u);
}

TEST(Snapshot, ReadsSeveralFiles) {
  Inputs inputs = inputs_of(kNode, "one");
  inputs.objects.push_back({"two", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"b"}})"});
  EXPECT_EQ(read(inputs).cluster.nodes.size(), 2u);
}

TEST(Snapshot, CountsOtherKinds) {
  const Reading r = read(R"({"kind":"List","apiVersion":"v1","items":[
      {"apiVersion":"v1","kind":"Service","metadata":{"name":"s"}},
      {"apiVersion":"v1","kind":"Service","metadata":{"name":"t"}},
      {"apiVersion":"example.com/v1","kind":"Node","metadata":{"name":"n"}},
      {"apiVersion":"karpenter.sh/v1beta1","kind":"NodePool","metadata":{"name":"n"}}]})");
  const std::map<std::string, std::size_t> expected = {{"Service", 2}, {"Node", 1}, {"NodePool", 1}};
  EXPECT_EQ(r.ignored, expected);
  EXPECT_TRUE(r.cluster.nodes.empty());
}

TEST(Snapshot, UnknownFieldsAreIgnored) {
  EXPECT_EQ(read(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a","new":[1]},"newer":{"x":null}})")
                .cluster.nodes.size(),
            1u);
}

TEST(Snapshot, AnEmptyListIsAnEmptyCluster) {
  EXPECT_TRUE(read(R"({"apiVersion":"v1","kind":"List","items":[]})").cluster.nodes.empty());
}

TEST(SnapshotErrors, BrokenFiles) {
  EXPECT_EQ(error_of(""), "file: the file is empty");
  EXPECT_EQ(error_of("# only a comment\n"), "file: the file holds no object");
  EXPECT_NE(error_of(R"({"apiVersion":"v1","kind":"Node")").find("file: not valid JSON"), std::string::npos);
  EXPECT_NE(error_of("a: [").find("file: not valid YAML: line 1"), std::string::npos);
  EXPECT_NE(error_of(R"({"a":)" + std::string(5000, '[') + std::string(5000, ']') + "}").find("levels deep"),
            std::string::npos);
  EXPECT_EQ(error_of("[]"), "file: is not a Kubernetes object");
  EXPECT_EQ(error_of("hello"), "file: is not a Kubernetes object");
  EXPECT_EQ(error_of("{}"), "file: kind: is missing; is this a Kubernetes object?");
  EXPECT_EQ(error_of(R"({"kind":"List","items":{}})"), "file: items: must be a list");
  EXPECT_EQ(error_of(R"({"kind":"List","items":[7]})"), "file: items[0]: is not a Kubernetes object");
  EXPECT_EQ(error_of(R"({"kind":"List","items":[{}]})"),
            "file: items[0]: kind: is missing; is this a Kubernetes object?");
}

TEST(SnapshotErrors, MissingNames) {
  EXPECT_EQ(error_of(R"({"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Pod"}]})"),
            "file: Pod items[0]: metadata.name: is missing");
}

TEST(SnapshotErrors, TwoObjectsOfOneName) {
  EXPECT_EQ(
      error_of(
          R"({"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}]})"),
      "file: Node a: metadata.name: there is already a Node of this name in this file");
  Inputs inputs = inputs_of(kNode, "one");
  inputs.objects.push_back({"two", kNode});
  EXPECT_EQ(error_of(inputs), "two: Node a: metadata.name: there is already a Node of this name in one");
}

TEST(SnapshotErrors, ThingsOfDifferentKindOrNamespaceMayShareAName) {
  EXPECT_EQ(
      error_of("{kind: List, apiVersion: v1, items: [{apiVersion: v1, kind: Node, metadata: {name: a}}, "
               "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: x}}, "
               "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: z}}]}"),
      "");
}

TEST(SnapshotErrors, Nodes) {
  const auto error = [](const std::string& rest) {
    return error_of("{apiVersion: v1, kind: Node, metadata: {name: a}, " + rest + "}");
  };
  EXPECT_EQ(error("status: {allocatable: {cpu: 4, memory: -1}}"),
            "file: Node a: status.allocatable.memory: must not be negative");
  EXPECT_EQ(
      error("spec: {taints: [{key: k, effect: Sometimes}]}"),
      "file: Node a: spec.taints[0].effect: is \"Sometimes\", must be one of NoSchedule, PreferNoSchedule, "
      "NoExecute");
  EXPECT_EQ(error("spec: {taints: [{effect: NoSchedule}]}"), "file: Node a: spec.taints[0].key: is missing");
  EXPECT_EQ(error("spec: {unschedulable: maybe}"), "file: Node a: spec.unschedulable: must be true or false");
  EXPECT_EQ(error("status: {conditions: [{type: Ready, status: Perhaps}]}"),
            "file: Node a: status.conditions[0].status: is \"Perhaps\", must be one of True, False, Unknown");
}

TEST(SnapshotWarnings, APodOnAMissingNodeIsLeftOut) {
  const Reading r = read(
      "{kind: List, apiVersion: v1, items: [{apiVersion: v1, kind: Node, metadata: {name: a}}, "
      "{apiVersion: v1, kind: Pod, metadata: {name: z}, spec: {nodeName: gone}}, "
      "{apiVersion: v1, kind: Pod, metadata: {name: x}, spec: {nodeName: gone}}, "
      "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: a}}, "
      "{apiVersion: v1, kind: Pod, metadata: {name: pending}}]}");
  ASSERT_EQ(r.cluster.pods.size(), 2u);
  EXPECT_EQ(r.cluster.pods[0].node, r.cluster.find_node("a"));
  EXPECT_EQ(r.cluster.text(r.cluster.pods[1].name), "pending");
  ASSERT_EQ(r.warnings.size(), 1u);
  EXPECT_EQ(r.warnings[0],
            "Pod default/x and 1 more: spec.nodeName: there is no node \"gone\"; left out, as pods on a "
            "missing node "
            "are soon deleted");
}

TEST(Snapshot, WhatAnAgentPublishesOnItsNode) {
  const auto published = [](const std::string& annotation) {
    const Reading r =
        read("{apiVersion: v1, kind: Node, metadata: {name: a, annotations: {" + annotation + "}}}");
    return r.cluster.nodes.at(0).published_requests;
  };
  EXPECT_FALSE(published("other: x"));
  const auto sound = published(
      R"(temper.codes/requests: '[{"tier":"Critical","pods":2,"cpuRequestMillis":1500,"memoryRequestBytes":64},)"
      R"({"tier":"High","pods":0,"cpuRequestMillis":0,"memoryRequestBytes":0},)"
      R"({"tier":"Normal","pods":0,"cpuRequestMillis":0,"memoryRequestBytes":0},)"
      R"({"tier":"Low","pods":0,"cpuRequestMillis":0,"memoryRequestBytes":0},)"
      R"({"tier":"Background","pods":1,"cpuRequestMillis":0,"memoryRequestBytes":0}]')");
  ASSERT_TRUE(sound);
  EXPECT_TRUE(sound->readable);
  EXPECT_EQ(sound->tiers[0], (RequestSum{.pods = 2, .cpu_millis = 1500, .memory_bytes = 64}));
  EXPECT_EQ(sound->tiers[4].pods, 1);
  const auto damaged = published("temper.codes/requests: 'x'");
  ASSERT_TRUE(damaged) << "whoever writes nonsense there must not take the node out of our sight";
  EXPECT_FALSE(damaged->readable);
}

TEST(Snapshot, NodesAndTheirClaims) {
  const Reading r = read(
      "{apiVersion: v1, kind: Node, metadata: {name: a, uid: u, labels: {x: z}, annotations: "
      "{karpenter.sh/do-not-disrupt: 'true', temper.codes/pause: 'true'}, creationTimestamp: "
      "'1970-01-01T00:00:01Z'}, "
      "spec: {providerID: 'p://1', unschedulable: true, taints: [{key: k, effect: NoExecute}]}, "
      "status: {capacity: {cpu: 4, memory: 1Gi}, conditions: [{type: Ready, status: 'True', "
      "lastTransitionTime: "
      "'1970-01-01T00:00:05Z'}]}}\n---\n"
      "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c}, spec: {expireAfter: 1h, "
      "terminationGracePeriod: 5m, startupTaints: [{key: s, value: v, effect: NoSchedule}]}, "
      "status: {providerID: 'p://1', lastPodEventTime: '1970-01-01T00:00:06Z', conditions: [{type: "
      "Initialized, status: "
      "'True', lastTransitionTime: '1970-01-01T00:00:07Z'}, {type: Drifted, status: 'False'}]}}");
  ASSERT_EQ(r.cluster.nodes.size(), 1u);
  ASSERT_EQ(r.cluster.claims.size(), 1u);
  const Node& node = r.cluster.nodes[0];
  EXPECT_EQ(node.claim, ClaimId(std::size_t{0}));
  EXPECT_EQ(node.allocatable.get(kCpu), 4000);  // defaults to capacity
  EXPECT_TRUE(node.unschedulable);
  EXPECT_TRUE(node.ready.is_true());
  EXPECT_EQ(node.ready.since->unix_seconds(), 5);
  EXPECT_EQ(r.cluster.text(node.marks.do_not_disrupt), "true");
  EXPECT_EQ(r.cluster.text(node.marks.pause), "true");
  EXPECT_EQ(node.taints[0].effect, TaintEffect::NoExecute);
  const NodeClaim& claim = r.cluster.claims[0];
  EXPECT_EQ(claim.node, NodeId(std::size_t{0}));
  EXPECT_EQ(claim.expire_after, Duration::hours(1));
  EXPECT_EQ(claim.last_pod_event->unix_seconds(), 6);
  EXPECT_TRUE(claim.initialized.is_true());
  EXPECT_EQ(claim.drifted.status, ConditionStatus::False);
  EXPECT_EQ(claim.consolidatable.status, ConditionStatus::Absent);
  EXPECT_EQ(claim.startup_taints.size(), 1u);
}

TEST(Snapshot, ExpireAfterNeverIsNoExpiry) {
  const Reading r =
      read("{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c}, spec: {expireAfter: Never}}");
  EXPECT_EQ(r.cluster.claims.at(0).expire_after, std::nullopt);
  EXPECT_NE(
      error_of("{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c}, spec: {expireAfter: 1d}}")
          .find("file: NodeClaim c: spec.expireAfter: \"1d\" is not a duration"),
      std::string::npos);
}

TEST(Snapshot, WorkloadsAndBudgets) {
  const Reading r = read(
      "{apiVersion: apps/v1, kind: Deployment, metadata: {name: d, uid: '1'}, spec: {template: {metadata: "
      "{labels: {a: "
      "b}}, spec: {containers: [{name: c, resources: {limits: {cpu: 1}}}]}}}, status: {readyReplicas: 1, "
      "replicas: 2}}"
      "\n---\n{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: r, ownerReferences: [{apiVersion: "
      "apps/v1, kind: "
      "Deployment, name: d, uid: '1', controller: true}]}, spec: {replicas: 0}}"
      "\n---\n{apiVersion: batch/v1, kind: Job, metadata: {name: j}, spec: {parallelism: 4}, status: "
      "{active: 3, ready: "
      "2}}"
      "\n---\n{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {maxUnavailable: "
      "25%, "
      "selector: {}, unhealthyPodEvictionPolicy: AlwaysAllow}, status: {disruptionsAllowed: 3}}"
      "\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: default, labels: {team: x}}}");
  ASSERT_EQ(r.cluster.namespaces.size(), 1u);
  const LabelSet& labels = r.cluster.namespaces[0].labels;
  EXPECT_EQ(r.cluster.text(labels.get(r.cluster.symbols.find("team"))), "x");
  // The API server sees to this one.
  EXPECT_EQ(r.cluster.text(labels.get(r.cluster.symbols.find("kubernetes.io/metadata.name"))), "default");
  ASSERT_EQ(r.cluster.workloads.size(), 3u);
  const Workload& deployment = r.cluster.workloads[0];
  EXPECT_EQ(deployment.kind, WorkloadKind::Deployment);
  EXPECT_EQ(deployment.desired, 1);
  EXPECT_EQ(deployment.ready, 1);
  EXPECT_EQ(deployment.current, 2);
  ASSERT_TRUE(deployment.template_spec.has_value());
  EXPECT_EQ(r.cluster.pod_specs[deployment.template_spec->index()].requests.get(kCpu), 1000);
  EXPECT_EQ(r.cluster.workloads[1].owner_uid, deployment.uid);
  EXPECT_EQ(r.cluster.workloads[1].desired, 0);
  EXPECT_EQ(r.cluster.workloads[2].desired, 4);
  EXPECT_EQ(r.cluster.workloads[2].current, 3);
  ASSERT_EQ(r.cluster.budgets.size(), 1u);
  EXPECT_TRUE(r.cluster.budgets[0].max_unavailable->percent);
  EXPECT_EQ(r.cluster.budgets[0].max_unavailable->value, 25);
  EXPECT_EQ(r.cluster.budgets[0].disruptions_allowed, 3);
  EXPECT_TRUE(r.cluster.budgets[0].always_allow_unhealthy);
  EXPECT_EQ(r.cluster.namespaces.size(), 1u);
}

TEST(SnapshotErrors, DisruptionBudgets) {
  const auto error = [](const std::string& spec) {
    return error_of("{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: " + spec +
                    "}");
  };
  EXPECT_EQ(error("{minAvailable: many}"),
            "file: PodDisruptionBudget default/b: spec.minAvailable: must be a whole number that is not "
            "negative, or a "
            "percentage such as \"25%\"");
  EXPECT_EQ(
      error("{minAvailable: 1, maxUnavailable: 1}"),
      "file: PodDisruptionBudget default/b: spec.maxUnavailable: must not be set together with minAvailable");
  EXPECT_EQ(
      error("{unhealthyPodEvictionPolicy: Always}"),
      "file: PodDisruptionBudget default/b: spec.unhealthyPodEvictionPolicy: is \"Always\", must be one of "
      "IfHealthyBudget, AlwaysAllow");
}

// A small cluster with one of everything, as YAML documents.
const std::vector<std::string> kEverything = {
    "{apiVersion: v1, kind: Node, metadata: {name: a, labels: {z: q, karpenter.sh/nodepool: pool}}, spec: "
    "{providerID: "
    "'p://1'}, status: {capacity: {cpu: 4, example.com/gpu: 2}}}",
    "{apiVersion: v1, kind: Node, metadata: {name: b, labels: {eks.amazonaws.com/nodegroup: group}}}",
    "{apiVersion: karpenter.sh/v1, kind: NodeClaim, metadata: {name: c}, status: {providerID: 'p://1'}}",
    "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: pool}, spec: {disruption: {budgets: "
    "[{nodes: 5}, "
    "{nodes: 0, schedule: '0 9 * * mon-fri', duration: 8h}]}}}",
    "{apiVersion: v1, kind: Pod, metadata: {name: p1, labels: {app: w, v: '1'}}, spec: {nodeName: a, "
    "containers: [{name: "
    "c, resources: {requests: {cpu: 1}}}]}}",
    "{apiVersion: v1, kind: Pod, metadata: {name: p2, labels: {v: '1', app: w}}, spec: {nodeName: a, "
    "containers: [{name: "
    "c, resources: {requests: {cpu: 1}}}]}}",
    "{apiVersion: v1, kind: Pod, metadata: {name: p3, namespace: other}, spec: {nodeName: b, tolerations: "
    "[{operator: "
    "Exists}], affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: "
    "z, "
    "namespaces: [other, default], labelSelector: {matchLabels: {x: '1', app: w}}}]}}}}",
    "{apiVersion: v1, kind: Pod, metadata: {name: lost}, spec: {nodeName: gone}}",
    "{apiVersion: v1, kind: Namespace, metadata: {name: other}}",
    "{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b}, spec: {selector: {matchLabels: "
    "{app: w}}}}",
    "{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: {containers: "
    "[{name: c, "
    "resources: {limits: {cpu: 1}}}]}}}}",
    "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: s}, spec: {template: {metadata: {labels: "
    "{app: w}}}}}",
    "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: s}}",
    "{apiVersion: v1, kind: ReplicationController, metadata: {name: s}}",
    "{apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {accessModes: [ReadWriteOnce, "
    "ReadOnlyMany], "
    "csi: {driver: d, volumeHandle: h}}}",
    "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: v}, spec: {volumeName: v}}",
    "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, provisioner: "
    "kubernetes.io/aws-ebs}",
    "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: a}, spec: {drivers: [{name: d, "
    "allocatable: "
    "{count: 3}}]}}",
    "{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: hi}, value: 5}",
    "{apiVersion: temper.codes/v1alpha1, kind: TemperPolicy, metadata: {name: default}, spec: "
    "{utilizationThreshold: "
    "0.5}}",
};

std::string as_yaml_list(const std::vector<std::string>& items) {
  std::string yaml = "apiVersion: v1\nkind: List\nitems:\n";
  for (const std::string& item : items) yaml += "- " + item + "\n";
  return yaml;
}

TEST(Snapshot, YamlAndJsonAreTheSameCluster) {
  const std::string yaml = as_yaml_list(kEverything);
  const auto json = yaml_to_json(yaml);
  ASSERT_TRUE(json.ok());
  const Reading from_yaml = read(yaml), from_json = read(json->front());
  EXPECT_EQ(dump(from_yaml.cluster), dump(from_json.cluster));
  EXPECT_EQ(from_yaml.warnings, from_json.warnings);
  EXPECT_EQ(from_yaml.cluster.pods.size(), 3u);
}

RC_GTEST_PROP(Snapshot, TheOrderOfObjectsDoesNotMatter, ()) {
  std::vector<std::string> shuffled = kEverything;
  for (std::size_t i = shuffled.size(); i > 1; --i)
    std::swap(shuffled[i - 1], shuffled[*rc::gen::inRange<std::size_t>(0, i)]);
  const Reading expected = read(as_yaml_list(kEverything)), found = read(as_yaml_list(shuffled));
  RC_ASSERT(dump(found.cluster) == dump(expected.cluster));
  RC_ASSERT(found.warnings == expected.warnings);
}

// A file cut anywhere is never mistaken for a smaller cluster.
RC_GTEST_PROP(Snapshot, TruncatedInputIsAnError, ()) {
  const std::string json = yaml_to_json(as_yaml_list(kEverything))->front();
  const auto length = *rc::gen::inRange<std::size_t>(0, json.size());
  RC_ASSERT(error_of(json.substr(0, length)) != "");
}

// A kind may end in "List" and be none, and an object may have items and be no list.
TEST(SnapshotEdge, AListHasTheNameOfAListAndItems) {
  const std::string objects = R"([{"apiVersion":"x/v1","kind":"AllowList","metadata":{"name":"a"}},
{"apiVersion":"x/v1","kind":"Box","metadata":{"name":"b"},"items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"n"}}]},
{"apiVersion":"x/v1","kind":"BoxList","items":[{"apiVersion":"v1","kind":"Node","metadata":{"name":"m"}}]}])";
  const Reading reading = testing::read(R"({"apiVersion":"v1","kind":"List","items":)" + objects + "}");
  EXPECT_EQ(reading.ignored.at("AllowList"), 1U);
  EXPECT_EQ(reading.ignored.at("Box"), 1U);
  ASSERT_EQ(reading.cluster.nodes.size(), 1U);
  EXPECT_EQ(reading.cluster.text(reading.cluster.nodes[0].name), "m");
}

// kubectl get nodes -o json; kubectl get pods -o json, of a large cluster.
TEST(SnapshotEdge, LargeDocumentsMayFollowEachOther) {
  const auto document = [](const char* name) {
    return std::string(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")") + name +
           R"(","annotations":{"note":")" + std::string(700'000, 'x') + R"("}}})";
  };
  const Reading reading = testing::read(document("a") + "\n" + document("b"));
  EXPECT_EQ(reading.cluster.nodes.size(), 2U);
}

}  // namespace
}  // namespace tamp::wire

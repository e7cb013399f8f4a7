#include <gtest/gtest.h>

#include "wire/reading_for_test.h"

namespace tamp::wire {
namespace {

using testing::error_of;
using testing::read;

std::string pod(const std::string& spec, const std::string& metadata = "", const std::string& status = "{}") {
  return "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: ns, " + metadata + "}, spec: " + spec +
         ", status: " + status + "}";
}

struct PodTest : ::testing::Test {
  Reading reading;
  const Pod& decode(const std::string& text) {
    reading = read(text);
    EXPECT_EQ(reading.cluster.pods.size(), 1u);
    if (reading.cluster.pods.empty()) reading.cluster.pods.emplace_back();
    return reading.cluster.pods[0];
  }
  const PodSpec& spec(const std::string& text) { return reading.cluster.spec(decode(pod(text))); }
  std::string_view text(Symbol s) { return reading.cluster.text(s); }
  Symbol sym(std::string_view s) { return reading.cluster.symbols.find(s); }
};

TEST_F(PodTest, PhaseDefaultsToWhatTheBindingSays) {
  EXPECT_EQ(decode(pod("{}")).phase, PodPhase::Pending);
  EXPECT_EQ(decode(pod("{}", "", "{phase: Succeeded}")).phase, PodPhase::Succeeded);
  EXPECT_EQ(
      error_of(pod("{}", "", "{phase: Sleeping}")),
      "file: Pod ns/p: status.phase: is \"Sleeping\", must be one of Pending, Running, Succeeded, Failed, "
      "Unknown");
}

TEST_F(PodTest, TimesAndConditions) {
  const Pod& p =
      decode(pod("{}", "creationTimestamp: '1970-01-01T00:00:01Z', deletionTimestamp: '1970-01-01T00:00:02Z'",
                 "{phase: Failed, startTime: '1970-01-01T00:00:03Z', nominatedNodeName: x, conditions: "
                 "[{type: Ready, status: 'False'}, {type: PodScheduled, status: 'True', "
                 "lastTransitionTime: '1970-01-01T00:00:04Z'}], containerStatuses: [{name: a, state: "
                 "{terminated: {finishedAt: '1970-01-01T00:00:09Z'}}}, {name: b, state: {terminated: "
                 "{finishedAt: '1970-01-01T00:00:07Z'}}}]}"));
  EXPECT_EQ(p.created->unix_seconds(), 1);
  EXPECT_EQ(p.deleted->unix_seconds(), 2);
  EXPECT_EQ(p.started->unix_seconds(), 3);
  EXPECT_EQ(p.scheduled->unix_seconds(), 4);
  EXPECT_EQ(p.finished->unix_seconds(), 9);
  EXPECT_TRUE(p.ready_false);
  EXPECT_EQ(text(p.nominated_node), "x");
}

TEST_F(PodTest, UnschedulableIsAConditionWithAReason) {
  const Pod& p =
      decode(pod("{}", "", "{conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable}]}"));
  EXPECT_TRUE(p.unschedulable);
  EXPECT_FALSE(p.scheduled.has_value());
}

TEST_F(PodTest, TheControllerIsTheOwner) {
  const Pod& p = decode(pod("{}",
                            "ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: c, uid: '1'}, "
                            "{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: '2', controller: true}]"));
  EXPECT_EQ(p.owner_kind, OwnerKind::ReplicaSet);
  EXPECT_TRUE(p.has_controller);
  EXPECT_EQ(text(p.owner_name), "r");
  EXPECT_EQ(text(p.owner_uid), "2");
}

TEST_F(PodTest, AKindOfAnotherGroupIsAnotherController) {
  EXPECT_EQ(
      decode(pod("{}",
                 "ownerReferences: [{apiVersion: apps.kruise.io/v1, kind: DaemonSet, name: r, uid: '2', "
                 "controller: true}]"))
          .owner_kind,
      OwnerKind::Other);
  EXPECT_EQ(decode(pod("{}")).owner_kind, OwnerKind::None);
}

TEST_F(PodTest, MirrorPods) {
  EXPECT_TRUE(decode(pod("{}", "annotations: {kubernetes.io/config.mirror: abc}")).mirror);
  EXPECT_TRUE(decode(pod("{}", "ownerReferences: [{apiVersion: v1, kind: Node, name: a, uid: '1'}]")).mirror);
  EXPECT_FALSE(decode(pod("{}")).mirror);
}

TEST_F(PodTest, Annotations) {
  const Pod& p =
      decode(pod("{}",
                 "annotations: {karpenter.sh/do-not-disrupt: 'true', karpenter.sh/do-not-evict: 'yes', "
                 "cluster-autoscaler.kubernetes.io/safe-to-evict: 'false', "
                 "cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes: 'a,b', "
                 "controller.kubernetes.io/pod-deletion-cost: '-5'}"));
  EXPECT_EQ(text(p.do_not_disrupt), "true");
  EXPECT_EQ(text(p.do_not_evict), "yes");
  EXPECT_EQ(text(p.safe_to_evict), "false");
  EXPECT_EQ(text(p.safe_local_volumes), "a,b");
  EXPECT_EQ(text(p.deletion_cost), "-5");
  EXPECT_EQ(error_of(pod("{}", "annotations: {karpenter.sh/do-not-disrupt: true}")),
            "file: Pod ns/p: metadata.annotations[\"karpenter.sh/do-not-disrupt\"]: must be a string");
}

TEST_F(PodTest, PriorityIsTheNumberOrThatOfItsClass) {
  const std::string with_class =
      "\n---\n{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: hi}, "
      "value: 77}";
  EXPECT_EQ(decode(pod("{priority: -3, priorityClassName: hi}") + with_class).priority, -3);
  EXPECT_EQ(decode(pod("{priorityClassName: hi}") + with_class).priority, 77);
  EXPECT_EQ(decode(pod("{priorityClassName: system-node-critical}")).priority, 2000001000);
  EXPECT_EQ(decode(pod("{priorityClassName: gone}")).priority, std::nullopt);
  EXPECT_EQ(error_of(pod("{priority: 3000000000}")),
            "file: Pod ns/p: spec.priority: is 3000000000, must be at most 2147483647");
}

TEST_F(PodTest, HostPorts) {
  const PodSpec& s = spec(
      "{containers: [{name: a, ports: [{containerPort: 80}, {containerPort: 80, hostPort: 8080}, "
      "{hostPort: 53, hostIP: 10.0.0.1, protocol: UDP}]}], initContainers: [{name: i, ports: [{hostPort: "
      "1}]}, "
      "{name: s, restartPolicy: Always, ports: [{hostPort: 2}]}]}");
  ASSERT_EQ(s.host_ports.size(), 2u);
  EXPECT_EQ(s.host_ports[0], (HostPort{sym("0.0.0.0"), sym("TCP"), 8080}));
  EXPECT_EQ(s.host_ports[1], (HostPort{sym("10.0.0.1"), sym("UDP"), 53}));
  ASSERT_EQ(s.init_host_ports.size(), 1u);
  EXPECT_EQ(s.init_host_ports[0].port, 2);
}

TEST_F(PodTest, WithHostNetworkingContainerPortsAreHostPorts) {
  const std::string on_host =
      "{hostNetwork: true, containers: [{name: a, ports: [{containerPort: 80}, {containerPort: 81, hostPort: "
      "8081}]}]}";
  const std::vector<HostPort> of_pod = spec(on_host).host_ports;
  ASSERT_EQ(of_pod.size(), 2u);
  EXPECT_EQ(of_pod[0].port, 80);
  EXPECT_EQ(of_pod[1].port, 8081);
  reading =
      read("{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}, spec: {template: {spec: " + on_host +
           "}}}");
  const auto& ports = reading.cluster.pod_specs.at(reading.cluster.daemon_sets.at(0).spec.index()).host_ports;
  ASSERT_EQ(ports.size(), 2u);
  EXPECT_EQ(ports[0].port, 80);
}

TEST_F(PodTest, Affinity) {
  const PodSpec& s = spec(
      "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
      "[{matchExpressions: [{key: z, operator: In, values: [b, a]}, {key: number, operator: Gt, values: "
      "['5']}], "
      "matchFields: [{key: metadata.name, operator: In, values: [x]}]}]}, "
      "preferredDuringSchedulingIgnoredDuringExecution: [{weight: 7, preference: {matchExpressions: [{key: "
      "q, "
      "operator: Exists}]}}]}, podAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 3, "
      "podAffinityTerm: {topologyKey: t, labelSelector: {}}}]}, podAntiAffinity: "
      "{requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: h, namespaces: [k], "
      "namespaceSelector: "
      "{matchLabels: {team: x}}, matchLabelKeys: [v], mismatchLabelKeys: [w], labelSelector: "
      "{matchExpressions: "
      "[{key: app, operator: NotIn, values: [other]}]}}]}}}");
  EXPECT_TRUE(s.has_node_affinity);
  ASSERT_EQ(s.node_affinity.size(), 1u);
  EXPECT_EQ(s.node_affinity[0].expressions.size(), 2u);
  EXPECT_EQ(s.node_affinity[0].expressions[1].op, SelectorOp::Gt);
  EXPECT_EQ(s.node_affinity[0].fields.size(), 1u);
  ASSERT_EQ(s.preferred_node_affinity.size(), 1u);
  EXPECT_EQ(s.preferred_node_affinity[0].weight, 7);
  ASSERT_EQ(s.preferred_affinity.size(), 1u);
  EXPECT_EQ(s.preferred_affinity[0].term.selector, LabelSelector{});  // selects every pod
  EXPECT_EQ(s.preferred_affinity[0].term.namespace_selector, std::nullopt);
  ASSERT_EQ(s.anti_affinity.size(), 1u);
  EXPECT_EQ(s.anti_affinity[0].namespaces, std::vector<Symbol>{sym("k")});
  EXPECT_EQ(s.anti_affinity[0].namespace_selector->requirements.size(), 1u);
  EXPECT_EQ(s.anti_affinity[0].match_label_keys, std::vector<Symbol>{sym("v")});
  EXPECT_EQ(s.anti_affinity[0].mismatch_label_keys, std::vector<Symbol>{sym("w")});
  EXPECT_EQ(s.anti_affinity[0].selector->requirements[0].op, SelectorOp::NotIn);
}

TEST_F(PodTest, TopologySpread) {
  const PodSpec& s = spec(
      "{topologySpreadConstraints: [{maxSkew: 2, topologyKey: z, whenUnsatisfiable: DoNotSchedule, "
      "minDomains: 3, "
      "nodeAffinityPolicy: Ignore, nodeTaintsPolicy: Honor, matchLabelKeys: [a], labelSelector: {}}, "
      "{maxSkew: 1, topologyKey: h, whenUnsatisfiable: ScheduleAnyway}]}");
  ASSERT_EQ(s.spread.size(), 2u);
  EXPECT_EQ(s.spread[0].max_skew, 2);
  EXPECT_EQ(s.spread[0].min_domains, 3);
  EXPECT_FALSE(s.spread[0].honor_affinity);
  EXPECT_TRUE(s.spread[0].honor_taints);
  EXPECT_FALSE(s.spread[0].schedule_anyway);
  EXPECT_TRUE(s.spread[1].schedule_anyway);
  EXPECT_TRUE(s.spread[1].honor_affinity);
  EXPECT_FALSE(s.spread[1].honor_taints);
  EXPECT_EQ(s.spread[1].selector, std::nullopt);
}

TEST_F(PodTest, Tolerations) {
  const PodSpec& s = spec("{tolerations: [{operator: Exists}, {key: a, value: b, effect: NoExecute}]}");
  ASSERT_EQ(s.tolerations.size(), 2u);
  EXPECT_EQ(s.tolerations[0].op, Toleration::Op::Exists);
  EXPECT_TRUE(s.tolerations[0].any_effect);
  EXPECT_EQ(s.tolerations[1].op, Toleration::Op::Equal);
  EXPECT_FALSE(s.tolerations[1].any_effect);
  EXPECT_EQ(s.tolerations[1].effect, TaintEffect::NoExecute);
}

TEST_F(PodTest, GatesAndResourceClaims) {
  EXPECT_TRUE(spec("{schedulingGates: [{name: g}]}").scheduling_gated);
  EXPECT_TRUE(spec("{resourceClaims: [{name: g}]}").has_resource_claims);
}

TEST_F(PodTest, VolumesThatMatter) {
  const Pod& p = decode(
      pod("{volumes: [{name: a, persistentVolumeClaim: {claimName: c, readOnly: true}}, {name: b, ephemeral: "
          "{}}, "
          "{name: c, emptyDir: {}}, {name: d, emptyDir: {medium: Memory}}, {name: e, hostPath: {path: /}}, "
          "{name: f, csi: {driver: x}}, {name: g, configMap: {name: map}}, "
          "{name: h, awsElasticBlockStore: {volumeID: 'aws://z/vol-1'}}, {name: i, rbd: {monitors: [m2, m1], "
          "image: g}}, "
          "{name: j, gcePersistentDisk: {pdName: q, readOnly: true}}, {name: k, iscsi: {iqn: r}}]}"));
  using Kind = PodVolume::Kind;
  ASSERT_EQ(p.volumes.size(), 10u);  // the config map is left out
  EXPECT_EQ(p.volumes[0].kind, Kind::Claim);
  EXPECT_EQ(text(p.volumes[0].claim), "c");
  EXPECT_TRUE(p.volumes[0].read_only);
  EXPECT_EQ(p.volumes[1].kind, Kind::Ephemeral);
  EXPECT_EQ(text(p.volumes[1].claim), "p-b");
  EXPECT_EQ(p.volumes[2].kind, Kind::EmptyDir);
  EXPECT_EQ(p.volumes[3].kind, Kind::MemoryEmptyDir);
  EXPECT_EQ(p.volumes[4].kind, Kind::HostPath);
  EXPECT_EQ(p.volumes[5].kind, Kind::InlineCsi);
  EXPECT_EQ(text(p.volumes[5].driver), "x");
  EXPECT_EQ(p.volumes[6].kind, Kind::Disk);
  EXPECT_EQ(text(p.volumes[6].plugin), "kubernetes.io/aws-ebs");
  EXPECT_EQ(text(p.volumes[6].driver), "ebs.csi.aws.com");
  EXPECT_EQ(text(p.volumes[6].disk), "aws://z/vol-1");
  EXPECT_EQ(text(p.volumes[6].handle), "vol-1");
  EXPECT_EQ(text(p.volumes[7].disk), "rbd/g");
  EXPECT_EQ(p.volumes[7].monitors.size(), 2u);
  EXPECT_FALSE(p.volumes[7].handle.valid());
  EXPECT_EQ(text(p.volumes[8].handle), "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/q");
  EXPECT_TRUE(p.volumes[8].read_only);
  EXPECT_EQ(text(p.volumes[9].disk), "r");
}

TEST_F(PodTest, WrongTypesAndWordsAreErrors) {
  EXPECT_EQ(error_of(pod("{containers: {name: a}}")), "file: Pod ns/p: spec.containers: must be a list");
  EXPECT_EQ(error_of(pod("{containers: [5]}")), "file: Pod ns/p: spec.containers[0]: must be an object");
  EXPECT_EQ(error_of(pod("[]")), "file: Pod ns/p: spec: must be an object");
  EXPECT_EQ(error_of(pod("{nodeName: 5}")), "file: Pod ns/p: spec.nodeName: must be a string");
  EXPECT_EQ(error_of(pod("{nodeSelector: {a: true}}")),
            "file: Pod ns/p: spec.nodeSelector.a: must be a string");
  EXPECT_EQ(error_of(pod("{tolerations: [{effect: Never}]}")),
            "file: Pod ns/p: spec.tolerations[0].effect: is \"Never\", must be one of NoSchedule, "
            "PreferNoSchedule, "
            "NoExecute");
  EXPECT_EQ(
      error_of(pod("{topologySpreadConstraints: [{maxSkew: 1, topologyKey: a, whenUnsatisfiable: Maybe}]}")),
      "file: Pod ns/p: spec.topologySpreadConstraints[0].whenUnsatisfiable: is \"Maybe\", must be one of "
      "DoNotSchedule, ScheduleAnyway");
  EXPECT_EQ(error_of(pod("{topologySpreadConstraints: [{maxSkew: 0, topologyKey: a, "
                         "whenUnsatisfiable: DoNotSchedule}]}")),
            "file: Pod ns/p: spec.topologySpreadConstraints[0].maxSkew: is 0, must be at least 1");
  EXPECT_EQ(error_of(pod("{}", "creationTimestamp: yesterday")).substr(0, 52),
            "file: Pod ns/p: metadata.creationTimestamp: \"yesterd");
}

}  // namespace
}  // namespace tamp::wire

#include "sim/api/validate.h"

#include <gtest/gtest.h>

#include "sim/api/defaults.h"
#include "sim/api/strategy.h"

namespace tamp::world::api {
namespace {

Tree tree(const std::string& json) { return *wire::read_tree(json); }

// "Reason field" of each problem, in order.
std::vector<std::string> told(const FieldProblems& problems) {
  std::vector<std::string> texts;
  for (const FieldProblem& problem : problems)
    texts.push_back(problem.reason.substr(10) + " " + problem.field);
  return texts;
}

Tree made(ResourceId resource, const std::string& metadata, const std::string& rest) {
  Tree object = tree("{\"metadata\": {\"uid\": \"u\"" + metadata + "}" + rest + "}");
  set_defaults(resource, object);
  prepare_for_create(resource, object, Time{});
  return object;
}

std::vector<std::string> problems_of_pod(const std::string& spec) {
  return told(validate_create(ResourceId::Pods, made(ResourceId::Pods, R"(, "name": "p", "namespace": "n")",
                                                     R"(, "spec": )" + spec)));
}

using Texts = std::vector<std::string>;

TEST(Validate, Metadata) {
  const auto problems = [](const std::string& metadata) {
    return told(validate_create(ResourceId::ConfigMaps, made(ResourceId::ConfigMaps, metadata, "")));
  };
  EXPECT_EQ(problems(R"(, "name": "a.b", "namespace": "n")"), Texts{});
  EXPECT_EQ(problems(R"(, "namespace": "n")"), Texts{"Required metadata.name"});
  EXPECT_EQ(problems(R"(, "name": "A", "namespace": "n")"), Texts{"Invalid metadata.name"});
  EXPECT_EQ(problems(R"(, "name": "a", "namespace": "n", "labels": {"a b": "c d"})"),
            (Texts{"Invalid metadata.labels", "Invalid metadata.labels"}));
  EXPECT_EQ(problems(R"(, "name": "a", "namespace": "n", "finalizers": ["x"])"),
            Texts{"Invalid metadata.finalizers[0]"});
}

TEST(Validate, Pods) {
  EXPECT_EQ(problems_of_pod(R"({"containers": [{"name": "a", "image": "x"}]})"), Texts{});
  EXPECT_EQ(problems_of_pod(R"({"containers": []})"), Texts{"Required spec.containers"});
  EXPECT_EQ(problems_of_pod(R"({"containers": [{"name": "a"}, {"name": "a", "image": "x"}]})"),
            (Texts{"Required spec.containers[0].image", "Duplicate spec.containers[1].name"}));
  EXPECT_EQ(
      problems_of_pod(
          R"({"containers": [{"name": "a", "image": "x", "resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}}]})"),
      Texts{"Invalid spec.containers[0].resources.requests"});
  EXPECT_EQ(
      problems_of_pod(
          R"({"containers": [{"name": "a", "image": "x", "volumeMounts": [{"name": "v", "mountPath": "/v"}]}]})"),
      Texts{"NotFound spec.containers[0].volumeMounts[0].name"});
  EXPECT_EQ(
      problems_of_pod(
          R"({"containers": [{"name": "a", "image": "x"}], "tolerations": [{"key": "k", "operator": "Exists", "effect": "X"}]})"),
      Texts{"NotSupported spec.tolerations[0].effect"});
}

TEST(Validate, WhatOfAPodMayChange) {
  const Tree old = made(
      ResourceId::Pods, R"(, "name": "p", "namespace": "n")",
      R"(, "spec": {"schedulingGates": [{"name": "g/h"}], "containers": [{"name": "a", "image": "x"}]})");
  Tree image = old;
  image.ensure("spec").ensure("containers").elements()[0].set("image", "y");
  EXPECT_EQ(told(validate_update(ResourceId::Pods, old, image, "")), Texts{});
  Tree opened = old;
  opened.ensure("spec").erase("schedulingGates");
  EXPECT_EQ(told(validate_update(ResourceId::Pods, old, opened, "")), Texts{});
  EXPECT_EQ(told(validate_update(ResourceId::Pods, opened, old, "")),
            Texts{"Forbidden spec.schedulingGates[0].name"});
  Tree bound = old;
  bound.ensure("spec").set("nodeName", "n1");
  EXPECT_EQ(told(validate_update(ResourceId::Pods, old, bound, "")), Texts{"Forbidden spec"});
}

TEST(Validate, Workloads) {
  const auto problems = [](const std::string& spec) {
    return told(validate_create(
        ResourceId::Deployments,
        made(ResourceId::Deployments, R"(, "name": "d", "namespace": "n")", R"(, "spec": )" + spec)));
  };
  const std::string pods =
      R"("template": {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "a", "image": "x"}]}})";
  EXPECT_EQ(problems(R"({"selector": {"matchLabels": {"a": "b"}}, )" + pods + "}"), Texts{});
  EXPECT_EQ(problems(R"({"selector": {"matchLabels": {"a": "c"}}, )" + pods + "}"),
            Texts{"Invalid spec.template.metadata.labels"});
  EXPECT_EQ(problems(R"({"replicas": -1, "selector": {"matchLabels": {"a": "b"}}, )" + pods + "}"),
            Texts{"Invalid spec.replicas"});
  EXPECT_EQ(
      problems(
          R"({"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 0}}, "selector": {"matchLabels": {"a": "b"}}, )" +
          pods + "}"),
      Texts{"Invalid spec.strategy.rollingUpdate.maxUnavailable"});
}

TEST(Validate, DisruptionBudgets) {
  const auto problems = [](const std::string& spec) {
    return told(validate_create(ResourceId::PodDisruptionBudgets,
                                made(ResourceId::PodDisruptionBudgets, R"(, "name": "b", "namespace": "n")",
                                     R"(, "spec": )" + spec)));
  };
  EXPECT_EQ(problems(R"({"minAvailable": 1})"), Texts{});
  EXPECT_EQ(problems(R"({"minAvailable": 1, "maxUnavailable": 1})"), Texts{"Invalid spec"});
  EXPECT_EQ(problems(R"({"maxUnavailable": "101%"})"), Texts{"Invalid spec.maxUnavailable"});
}

TEST(Validate, WhatIsEmptyAndNotAbsent) {
  EXPECT_EQ(
      problems_of_pod(
          R"({"containers": [{"name": "a", "image": "x", "readinessProbe": {"httpGet": {"port": ""}}}]})"),
      (Texts{"Invalid spec.containers[0].readinessProbe.httpGet.port",
             "Invalid spec.containers[0].readinessProbe.httpGet.port"}));
  EXPECT_EQ(problems_of_pod(R"({"containers": [{"name": "a", "image": "x"}], "preemptionPolicy": ""})"),
            Texts{"Required spec.preemptionPolicy"});
  EXPECT_EQ(problems_of_pod(R"({"containers": [{"name": "a", "image": "x"}],
                                "initContainers": [{"name": "b", "image": "x", "restartPolicy": ""}]})"),
            Texts{"NotSupported spec.initContainers[0].restartPolicy"});
}

TEST(Validate, APodAtAGateHasNoNode) {
  EXPECT_EQ(problems_of_pod(R"({"containers": [{"name": "a", "image": "x"}], "nodeName": "N",
                                "schedulingGates": [{"name": "g/h"}]})"),
            (Texts{"Invalid spec.nodeName", "Forbidden spec.nodeName"}));
}

TEST(Validate, AnyTextIsATopologyToSpreadOver) {
  EXPECT_EQ(problems_of_pod(R"({"containers": [{"name": "a", "image": "x"}], "topologySpreadConstraints": [
                                {"maxSkew": 1, "topologyKey": "a b", "whenUnsatisfiable": "DoNotSchedule"}]})"),
            Texts{});
}

TEST(Validate, CronJobsKnowNoTimeZoneButUtc) {
  const auto problems = [](const std::string& zone) {
    return told(validate_create(
        ResourceId::CronJobs,
        made(
            ResourceId::CronJobs, R"(, "name": "c", "namespace": "n")",
            R"(, "spec": {"schedule": "@hourly", "timeZone": ")" + zone +
                R"(", "jobTemplate": {"spec": {"template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "x"}]}}}}})")));
  };
  for (const char* known : {"Etc/UTC", "UTC"}) EXPECT_EQ(problems(known), Texts{}) << known;
  for (const char* unknown : {"", "Local", "a/b", "Europe/Berlin"})
    EXPECT_EQ(problems(unknown), Texts{"Invalid spec.timeZone"}) << unknown;
}

TEST(Validate, ClaimsOfAStatefulSetAreTheFirstVolumesOfItsPods) {
  const auto problems = [](const std::string& volumes, const std::string& claim) {
    return told(validate_create(
        ResourceId::StatefulSets,
        made(
            ResourceId::StatefulSets, R"(, "name": "s", "namespace": "n")",
            R"(, "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": {"subdomain": "A B", "volumes": )" +
                volumes +
                R"(, "containers": [{"name": "a", "image": "x"}]}}, "volumeClaimTemplates": [{"metadata": {"name": "data"}, "spec": )" +
                claim + "}]}")));
  };
  const std::string fine =
      R"({"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}})";
  EXPECT_EQ(problems(R"([{"name": "data"}])", fine), Texts{});  // a claim takes the place of its namesake
  EXPECT_EQ(problems(R"([{"name": "tmp", "configMap": {}}])", fine),
            Texts{"Required spec.template.spec.volumes[1].configMap.name"});
  EXPECT_EQ(problems("[]", "{}"), (Texts{"Required spec.volumeClaimTemplates[0].spec.accessModes",
                                         "Required spec.volumeClaimTemplates[0].spec.resources[storage]"}));
}

TEST(Validate, ANodeHasNoNegativeAmountsAndWholePods) {
  const auto problems = [](const std::string& capacity) {
    return told(validate_create(ResourceId::Nodes, made(ResourceId::Nodes, R"(, "name": "n")",
                                                        R"(, "status": {"capacity": )" + capacity + "}")));
  };
  EXPECT_EQ(problems(R"({"cpu": "3500m", "pods": "110"})"), Texts{});
  EXPECT_EQ(problems(R"({"cpu": "-1"})"),
            (Texts{"Invalid status.capacity.cpu", "Invalid status.allocatable.cpu"}));
  EXPECT_EQ(problems(R"({"example.com/gpu": "500m"})"),
            (Texts{"Invalid status.capacity.example.com/gpu", "Invalid status.allocatable.example.com/gpu"}));
}

TEST(Validate, TheStatusOfAPod) {
  const auto problems = [](const std::string& status) {
    Tree pod = made(ResourceId::Pods, R"(, "name": "p", "namespace": "n")",
                    R"(, "spec": {"containers": [{"name": "a", "image": "x"}]})");
    const Tree old = pod;
    const Tree parts = tree(status);
    for (const Tree::Member& part : parts.members()) pod.ensure("status").set(part.key, part.value);
    set_own_addresses(pod);
    return told(validate_update(ResourceId::Pods, old, pod, "status"));
  };
  EXPECT_EQ(
      problems(R"({"podIP": "10.1.2.3", "conditions": [{"type": "Ready"}, {"type": "example.com/x"}]})"),
      Texts{});
  EXPECT_EQ(problems(R"({"podIP": "nowhere", "podIPs": [{"ip": "10.1.2.3"}]})"),
            Texts{"Invalid status.podIPs[0]"});
  EXPECT_EQ(problems(R"({"podIPs": [{"ip": "10.1.2.3"}, {"ip": "10.1.2.4"}]})"),
            Texts{"Invalid status.podIPs"});
  EXPECT_EQ(problems(R"({"hostIP": "10.0.0.1", "hostIPs": [{"ip": "10.0.0.2"}]})"),
            Texts{"Invalid status.hostIPs[0].ip"});
  EXPECT_EQ(problems(R"({"conditions": [{"type": ""}]})"),
            (Texts{"Invalid status.conditions[0].Type", "Invalid status.conditions[0].Type"}));
}

TEST(Validate, CountsOfAStatus) {
  const auto problems = [](ResourceId resource, const std::string& status) {
    const Tree old =
        tree(R"({"metadata": {"name": "a", "namespace": "n", "uid": "u", "resourceVersion": "1"}})");
    Tree updated = old;
    updated.set("status", tree(status));
    return told(validate_update(resource, old, updated, "status"));
  };
  EXPECT_EQ(problems(ResourceId::Jobs, R"({"active": -1, "succeeded": 1})"), Texts{"Invalid status.active"});
  EXPECT_EQ(problems(ResourceId::PodDisruptionBudgets, R"({"expectedPods": -1, "observedGeneration": -1})"),
            Texts{"Invalid status.expectedPods"});
  EXPECT_EQ(problems(ResourceId::PersistentVolumeClaims, R"({"capacity": {"storage": "-1"}})"),
            Texts{"Invalid status.capacity[storage]"});
}

TEST(Validate, EventsAndTheirNames) {
  const auto problems = [](const std::string& metadata, const std::string& about) {
    return told(
        validate_create(ResourceId::Events, made(ResourceId::Events, metadata + R"(, "namespace": "n")",
                                                 R"(, "involvedObject": {"namespace": ")" + about + "\"}")));
  };
  EXPECT_EQ(problems(R"(, "name": "under_score")", "n"), Texts{});
  EXPECT_EQ(problems("", "n"), Texts{"Required metadata.name"});
  // The look at metadata comes after the event's own.
  EXPECT_EQ(problems("", "other"), Texts{"Invalid involvedObject.namespace"});
}

TEST(Validate, NodesKeepWhoTheyAre) {
  const Tree old = made(ResourceId::Nodes, R"(, "name": "n")", R"(, "spec": {"providerID": "x"})");
  Tree other = old;
  other.ensure("spec").set("providerID", "y");
  EXPECT_EQ(told(validate_update(ResourceId::Nodes, old, other, "")), Texts{"Forbidden spec.providerID"});
  other = old;
  other.ensure("spec").set(
      "taints", tree(R"([{"key": "a", "effect": "NoSchedule"}, {"key": "a", "effect": "NoSchedule"}])"));
  // Twice, and as if taints were metadata: so says the real server.
  EXPECT_EQ(told(validate_update(ResourceId::Nodes, old, other, "")),
            (Texts{"Duplicate metadata.taints[1]", "Duplicate metadata.taints[1]"}));
}

TEST(Validate, NetworksOfNodes) {
  const auto problems = [](const std::string& networks) {
    return told(validate_create(ResourceId::Nodes, made(ResourceId::Nodes, R"(, "name": "n")",
                                                        R"(, "spec": {"podCIDRs": )" + networks + "}")));
  };
  EXPECT_EQ(problems(R"(["10.1.0.0/24"])"), Texts{});
  EXPECT_EQ(problems(R"(["10.1.0.0/24", "2001:db8::/64"])"), Texts{});
  EXPECT_EQ(problems(R"(["10.1.0.0/33"])"), Texts{"Invalid spec.podCIDRs[0]"});
  EXPECT_EQ(problems(R"(["10.1.0.0/24", "Bad Value!"])"), Texts{"Invalid spec.podCIDRs[1]"});
  EXPECT_EQ(problems(R"(["10.1.0.0/24", "10.2.0.0/24"])"), Texts{"Invalid spec.podCIDRs"});
}

}  // namespace
}  // namespace tamp::world::api

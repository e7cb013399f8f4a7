#include "sim/api/defaults.h"

#include <gtest/gtest.h>

#include "sim/api/strategy.h"
#include "sim/api/typed.h"

namespace tamp::world::api {
namespace {

Tree tree(const std::string& json) { return *wire::read_tree(json); }

Tree defaulted(ResourceId resource, const std::string& json) {
  Tree object = tree(json);
  set_defaults(resource, object);
  return object;
}

TEST(Defaults, OfAPod) {
  const Tree pod =
      defaulted(ResourceId::Pods, R"({"spec": {"containers": [{"name": "a", "image": "nginx"}]}})");
  const Tree& spec = pod["spec"];
  EXPECT_EQ(spec["restartPolicy"], Tree("Always"));
  EXPECT_EQ(spec["dnsPolicy"], Tree("ClusterFirst"));
  EXPECT_EQ(spec["schedulerName"], Tree("default-scheduler"));
  EXPECT_EQ(spec["terminationGracePeriodSeconds"], Tree(30));
  EXPECT_EQ(spec["enableServiceLinks"], Tree(true));
  EXPECT_EQ(spec["securityContext"], Tree::object());
  const Tree& container = spec["containers"].elements()[0];
  EXPECT_EQ(container["imagePullPolicy"], Tree("Always"));
  EXPECT_EQ(container["terminationMessagePath"], Tree("/dev/termination-log"));
  EXPECT_EQ(container["resources"], Tree::object());
}

TEST(Defaults, PullPolicyGoesByTheTag) {
  const auto policy = [](const std::string& image) {
    const Tree pod = defaulted(ResourceId::Pods,
                               R"({"spec": {"containers": [{"name": "a", "image": ")" + image + R"("}]}})");
    return std::string(pod.at({"spec", "containers"}).elements()[0]["imagePullPolicy"].string());
  };
  EXPECT_EQ(policy("nginx"), "Always");
  EXPECT_EQ(policy("nginx:latest"), "Always");
  EXPECT_EQ(policy("localhost:5000/nginx"), "Always");
  EXPECT_EQ(policy("nginx:1.25"), "IfNotPresent");
  EXPECT_EQ(policy("nginx@sha256:" + std::string(64, 'a')), "IfNotPresent");
  // What is no name of an image has no tag.
  EXPECT_EQ(policy("\u00e4"), "IfNotPresent");
  EXPECT_EQ(policy("Nginx"), "IfNotPresent");
  EXPECT_EQ(policy("a..b"), "IfNotPresent");
  EXPECT_EQ(policy("registry.example.com:x/app"), "IfNotPresent");
  EXPECT_EQ(policy(std::string(64, 'a')), "IfNotPresent");
  EXPECT_EQ(policy("Registry.example.com:5000/a__b/c-d.e"), "Always");
}

TEST(Defaults, RequestsAreLimitsInPodsOnly) {
  const std::string spec =
      R"({"containers": [{"name": "a", "image": "x", "resources": {"limits": {"cpu": "1", "memory": "1Gi"}, "requests": {"cpu": "0.1m"}}}]})";
  const Tree pod = defaulted(ResourceId::Pods, R"({"spec": )" + spec + "}");
  EXPECT_EQ(pod.at({"spec", "containers"}).elements()[0]["resources"]["requests"],
            tree(R"({"cpu": "1m", "memory": "1Gi"})"));
  const Tree deployment =
      defaulted(ResourceId::Deployments, R"({"spec": {"template": {"spec": )" + spec + "}}}");
  EXPECT_EQ(deployment.at({"spec", "template", "spec", "containers"}).elements()[0]["resources"]["requests"],
            tree(R"({"cpu": "1m"})"));
}

TEST(Defaults, OfWorkloads) {
  const Tree deployment = defaulted(ResourceId::Deployments, R"({"spec": {}})");
  EXPECT_EQ(deployment["spec"],
            tree(R"({"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600,
      "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}}})"));
  const Tree job = defaulted(ResourceId::Jobs, R"({"spec": {"parallelism": 2}})");
  EXPECT_EQ(job["spec"]["completions"], Tree());
  EXPECT_EQ(job["spec"]["backoffLimit"], Tree(6));
  EXPECT_EQ(defaulted(ResourceId::Secrets, R"({"stringData": {"a": "b"}})"),
            tree(R"({"type": "Opaque", "data": {"a": "Yg=="}})"));
}

// The rest of a cluster, for admission.
struct Rest {
  std::map<std::pair<ResourceId, std::string>, Tree> objects;
  Lookup lookup() const {
    Lookup lookup;
    lookup.get = [this](ResourceId resource, std::string_view, std::string_view name) -> const Tree* {
      const auto found = objects.find({resource, std::string(name)});
      return found != objects.end() ? &found->second : nullptr;
    };
    lookup.each = [this](ResourceId resource, const std::function<void(const Tree&)>& see) {
      for (const auto& [key, object] : objects) {
        if (key.first == resource) see(object);
      }
    };
    lookup.choose = [](std::uint64_t) { return std::uint64_t{0}; };
    return lookup;
  }
};

TEST(Admission, APodNeedsAnAccountAndGetsItsToken) {
  Rest rest;
  Tree pod =
      tree(R"({"metadata": {"name": "p", "namespace": "n"}, "spec": {"containers": [{"name": "a"}]}})");
  auto refusal = admit_create(ResourceId::Pods, pod, rest.lookup());
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->message,
            "pods \"p\" is forbidden: error looking up service account n/default: serviceaccount \"default\" "
            "not found");
  rest.objects[{ResourceId::ServiceAccounts, "default"}] = Tree::object();
  ASSERT_FALSE(admit_create(ResourceId::Pods, pod, rest.lookup()));
  EXPECT_EQ(pod["spec"]["volumes"].elements()[0]["name"], Tree("kube-api-access-bbbbb"));
  EXPECT_EQ(pod["spec"]["containers"].elements()[0]["volumeMounts"].elements()[0]["mountPath"],
            Tree("/var/run/secrets/kubernetes.io/serviceaccount"));
  EXPECT_EQ(pod["spec"]["priority"], Tree(0));
  EXPECT_EQ(pod["spec"]["preemptionPolicy"], Tree("PreemptLowerPriority"));
  EXPECT_EQ(pod["spec"]["tolerations"].size(), 2u);
}

TEST(Admission, PriorityComesFromTheClass) {
  Rest rest;
  rest.objects[{ResourceId::ServiceAccounts, "default"}] = Tree::object();
  rest.objects[{ResourceId::PriorityClasses, "high"}] = tree(
      R"({"metadata": {"name": "high"}, "value": 7, "preemptionPolicy": "Never", "globalDefault": true})");
  Tree pod = tree(R"({"metadata": {"name": "p", "namespace": "n"}, "spec": {"containers": []}})");
  ASSERT_FALSE(admit_create(ResourceId::Pods, pod, rest.lookup()));
  EXPECT_EQ(pod["spec"]["priorityClassName"], Tree("high"));
  EXPECT_EQ(pod["spec"]["priority"], Tree(7));
  pod.ensure("spec").set("priority", 8);
  EXPECT_TRUE(admit_create(ResourceId::Pods, pod, rest.lookup()));
}

TEST(Admission, NewNodesAreNotReady) {
  Tree node = tree(R"({"metadata": {"name": "n"}})");
  ASSERT_FALSE(admit_create(ResourceId::Nodes, node, Rest().lookup()));
  EXPECT_EQ(node["spec"]["taints"],
            tree(R"([{"effect": "NoSchedule", "key": "node.kubernetes.io/not-ready"}])"));
}

TEST(Strategy, AGenerationCountsWhatIsAskedFor) {
  Tree deployment =
      tree(R"({"metadata": {"name": "d"}, "spec": {"replicas": 1}, "status": {"replicas": 5}})");
  prepare_for_create(ResourceId::Deployments, deployment, Time{});
  EXPECT_EQ(deployment["metadata"]["generation"], Tree(1));
  EXPECT_EQ(deployment["status"], Tree::object());
  Tree scaled = deployment;
  scaled.ensure("spec").set("replicas", 2);
  scaled.ensure("status").set("replicas", 9);
  prepare_for_update(ResourceId::Deployments, deployment, scaled, "", Time());
  EXPECT_EQ(scaled["metadata"]["generation"], Tree(2));
  EXPECT_EQ(scaled["status"], Tree::object());
  Tree seen = scaled;
  seen.ensure("spec").set("replicas", 7);
  seen.ensure("status").set("replicas", 9);
  prepare_for_update(ResourceId::Deployments, scaled, seen, "status", Time());
  EXPECT_EQ(seen["metadata"]["generation"], Tree(2));
  EXPECT_EQ(seen["spec"]["replicas"], Tree(2));
  EXPECT_EQ(seen["status"]["replicas"], Tree(9));
}

TEST(Strategy, AJobMakesItsSelector) {
  Tree job = tree(R"({"metadata": {"name": "j", "uid": "u"}, "spec": {"template": {}}})");
  prepare_for_create(ResourceId::Jobs, job, Time{});
  EXPECT_EQ(job["spec"]["selector"], tree(R"({"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}})"));
  EXPECT_EQ(job.at({"spec", "template", "metadata", "labels"})["job-name"], Tree("j"));
  EXPECT_TRUE(job["metadata"]["labels"].empty()) << "it has its pods' labels when it is read back";
  set_defaults(ResourceId::Jobs, job);
  EXPECT_EQ(job["metadata"]["labels"], job.at({"spec", "template", "metadata", "labels"}));
}

TEST(Strategy, QualityOfService) {
  const auto quality = [](const std::string& resources) {
    return std::string(
        quality_of_service(tree(R"({"spec": {"containers": [{"resources": )" + resources + "}]}}")));
  };
  EXPECT_EQ(quality("{}"), "BestEffort");
  EXPECT_EQ(quality(R"({"requests": {"cpu": "1"}})"), "Burstable");
  EXPECT_EQ(
      quality(
          R"({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "1000m", "memory": "1024Mi"}})"),
      "Guaranteed");
  EXPECT_EQ(
      quality(R"({"requests": {"cpu": "1", "memory": "1Gi"}, "limits": {"cpu": "2", "memory": "1Gi"}})"),
      "Burstable");
  EXPECT_EQ(quality(R"({"requests": {"nvidia.com/gpu": "1"}})"), "BestEffort");
}

TEST(Typed, WhatGoCannotTellFromNothingGoes) {
  const Schema* schema = find_schema("", "v1", "Pod");
  ASSERT_NE(schema, nullptr);
  Tree pod =
      tree(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "labels": {}, "finalizers": []},
      "spec": {"hostNetwork": false, "nodeName": "", "foo": 1, "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "a", "env": null, "resources": {"requests": {"cpu": 0.5, "memory": "1024Mi"}}}]}})");
  ASSERT_EQ(wrong_type(pod, *schema), std::nullopt);
  EXPECT_EQ(conform(pod, *schema), std::vector<std::string>{"spec.foo"});
  EXPECT_EQ(pod, tree(R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "status": {},
      "spec": {"terminationGracePeriodSeconds": 0,
        "containers": [{"name": "a", "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}}}]}})"));
}

TEST(Typed, WrongTypesAreToldWithTheField) {
  const Schema* schema = find_schema("apps", "v1", "Deployment");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(wrong_type(tree(R"({"spec": {"replicas": "x"}})"), *schema),
            "json: cannot unmarshal string into Go struct field Deployment.spec.replicas of type int32");
  EXPECT_TRUE(wrong_type(tree(R"({"spec": {"replicas": 1.5}})"), *schema));
  EXPECT_TRUE(wrong_type(tree(R"({"metadata": {"labels": {"a": 1}}})"), *schema));
  EXPECT_FALSE(wrong_type(tree(R"({"spec": {"replicas": null}})"), *schema));
}

}  // namespace
}  // namespace tamp::world::api

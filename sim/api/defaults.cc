// Every kind's own defaults; those of pods are in defaults_pod.cc.
#include "sim/api/defaults.h"

#include <string>
#include <utility>

#include "sim/api/defaults_pod.h"
#include "wire/base64.h"

namespace tamp::world::api {
namespace {

using Each = void (*)(Tree&);

void for_each(Tree* list, Each set) {
  if (list == nullptr || !list->is_array()) return;
  for (Tree& element : list->elements()) {
    if (element.is_object()) set(element);
  }
}

Tree percent_or_count(std::string_view text) { return text; }

void deployment(Tree& object) {
  Tree& spec = object.ensure("spec");
  set_if_missing(spec, "replicas", 1);
  Tree& strategy = spec.ensure("strategy");
  set_if_empty(strategy, "type", "RollingUpdate");
  if (strategy["type"].string() == "RollingUpdate") {
    Tree& rolling = strategy.ensure("rollingUpdate");
    set_if_missing(rolling, "maxUnavailable", percent_or_count("25%"));
    set_if_missing(rolling, "maxSurge", percent_or_count("25%"));
  }
  set_if_missing(spec, "revisionHistoryLimit", 10);
  set_if_missing(spec, "progressDeadlineSeconds", 600);
  set_template_defaults(spec);
}

void daemon_set(Tree& object) {
  Tree& spec = object.ensure("spec");
  Tree& strategy = spec.ensure("updateStrategy");
  set_if_empty(strategy, "type", "RollingUpdate");
  if (strategy["type"].string() == "RollingUpdate") {
    Tree& rolling = strategy.ensure("rollingUpdate");
    set_if_missing(rolling, "maxUnavailable", 1);
    set_if_missing(rolling, "maxSurge", 0);
  }
  set_if_missing(spec, "revisionHistoryLimit", 10);
  set_template_defaults(spec);
}

void claim(Tree& object) {
  set_if_empty(object.ensure("status"), "phase", "Pending");
  set_claim_spec_defaults(object.ensure("spec"));
  round_resources(object.ensure("status").find("capacity"));
}

void replica_set(Tree& object) {
  Tree& spec = object.ensure("spec");
  set_if_missing(spec, "replicas", 1);
  set_template_defaults(spec);
}

void volume(Tree& object) {
  set_if_empty(object.ensure("status"), "phase", "Pending");
  Tree& spec = object.ensure("spec");
  set_if_empty(spec, "persistentVolumeReclaimPolicy", "Retain");
  set_if_missing(spec, "volumeMode", "Filesystem");
  round_resources(spec.find("capacity"));
  if (Tree* path = spec.find("hostPath"); path != nullptr && path->is_object())
    set_if_missing(*path, "type", "");
}

void storage_class(Tree& object) {
  set_if_missing(object, "reclaimPolicy", "Delete");
  set_if_missing(object, "volumeBindingMode", "Immediate");
}

void priority_class(Tree& object) { set_if_missing(object, "preemptionPolicy", "PreemptLowerPriority"); }

void stateful_set(Tree& object) {
  Tree& spec = object.ensure("spec");
  set_if_empty(spec, "podManagementPolicy", "OrderedReady");
  Tree& strategy = spec.ensure("updateStrategy");
  if (strategy["type"].string().empty()) {
    strategy.set("type", "RollingUpdate");
    set_if_missing(strategy, "rollingUpdate", Tree::object());
  }
  Tree* rolling = strategy.find("rollingUpdate");
  if (strategy["type"].string() == "RollingUpdate" && rolling != nullptr)
    set_if_missing(*rolling, "partition", 0);
  Tree& retention = spec.ensure("persistentVolumeClaimRetentionPolicy");
  set_if_empty(retention, "whenDeleted", "Retain");
  set_if_empty(retention, "whenScaled", "Retain");
  set_if_missing(spec, "replicas", 1);
  set_if_missing(spec, "revisionHistoryLimit", 10);
  set_template_defaults(spec);
  for_each(spec.find("volumeClaimTemplates"), [](Tree& template_claim) {
    set_if_empty(template_claim, "apiVersion", "v1");
    set_if_empty(template_claim, "kind", "PersistentVolumeClaim");
    claim(template_claim);
  });
}

void job_spec(Tree& spec) {
  if (spec["completions"].is_null() && spec["parallelism"].is_null()) spec.set("completions", 1);
  set_if_missing(spec, "parallelism", 1);
  set_if_missing(spec, "backoffLimit", spec["backoffLimitPerIndex"].is_null() ? 6 : INT32_MAX);
  set_if_missing(spec, "completionMode", "NonIndexed");
  set_if_missing(spec, "suspend", false);
  set_if_missing(spec, "podReplacementPolicy",
                 spec["podFailurePolicy"].is_null() ? "TerminatingOrFailed" : "Failed");
  set_if_missing(spec, "manualSelector", false);
}

void failure_policy(Tree& spec) {
  Tree* policy = spec.find("podFailurePolicy");
  if (policy == nullptr) return;
  for_each(policy->find("rules"), [](Tree& rule) {
    for_each(rule.find("onPodConditions"), [](Tree& pattern) { set_if_empty(pattern, "status", "True"); });
  });
}

void job(Tree& object) {
  Tree& spec = object.ensure("spec");
  job_spec(spec);
  const Tree& labels = spec.at({"template", "metadata", "labels"});
  if (!labels.empty() && object.at({"metadata", "labels"}).empty())
    object.ensure({"metadata", "labels"}) = Tree(labels);
  failure_policy(spec);
  set_template_defaults(spec);
}

// What a CronJob makes is defaulted when it is made; only its pods have defaults before.
void cron_job(Tree& object) {
  Tree& spec = object.ensure("spec");
  set_if_empty(spec, "concurrencyPolicy", "Allow");
  set_if_missing(spec, "suspend", false);
  set_if_missing(spec, "successfulJobsHistoryLimit", 3);
  set_if_missing(spec, "failedJobsHistoryLimit", 1);
  Tree& made = spec.ensure({"jobTemplate", "spec"});
  if (!made.is_object()) return;
  failure_policy(made);
  set_template_defaults(made);
}

void service_port(Tree& port) {
  set_if_empty(port, "protocol", "TCP");
  const Tree& target = port["targetPort"];
  const bool unset = target.is_null() || (target.is_number() && target.integer() == 0) ||
                     (target.is_string() && target.string().empty());
  if (unset) port.set("targetPort", port["port"].integer());
}

void service(Tree& object) {
  Tree& spec = object.ensure("spec");
  set_if_empty(spec, "sessionAffinity", "None");
  if (spec["sessionAffinity"].string() == "None") {
    spec.erase("sessionAffinityConfig");
  } else if (spec["sessionAffinity"].string() == "ClientIP") {
    constexpr std::int64_t kThreeHours = 10800;
    set_if_missing(spec.ensure({"sessionAffinityConfig", "clientIP"}), "timeoutSeconds", kThreeHours);
  }
  set_if_empty(spec, "type", "ClusterIP");
  for_each(spec.find("ports"), service_port);
  const std::string type(spec["type"].string());
  const bool balanced = type == "LoadBalancer";
  if (balanced || type == "NodePort" || (type == "ClusterIP" && !spec["externalIPs"].empty())) {
    set_if_empty(spec, "externalTrafficPolicy", "Cluster");
  }
  if (balanced || type == "NodePort" || type == "ClusterIP")
    set_if_missing(spec, "internalTrafficPolicy", "Cluster");
  if (!balanced) return;
  set_if_missing(spec, "allocateLoadBalancerNodePorts", true);
  if (Tree* balancer = object.ensure("status").find("loadBalancer"))
    for_each(balancer->find("ingress"), [](Tree& each) {
      if (!each["ip"].string().empty()) set_if_missing(each, "ipMode", "VIP");
    });
}

void service_of(Tree* reference) {
  if (reference != nullptr && reference->is_object()) set_if_missing(*reference, "port", 443);
}

void match_resources(Tree* match) {
  if (match == nullptr || !match->is_object()) return;
  set_if_missing(*match, "matchPolicy", "Equivalent");
  set_if_missing(*match, "namespaceSelector", Tree::object());
  set_if_missing(*match, "objectSelector", Tree::object());
  for (std::string_view rules : {"resourceRules", "excludeResourceRules"}) {
    for_each(match->find(rules), [](Tree& rule) { set_if_missing(rule, "scope", "*"); });
  }
}

void webhook(Tree& hook) {
  set_if_missing(hook, "failurePolicy", "Fail");
  set_if_missing(hook, "matchPolicy", "Equivalent");
  set_if_missing(hook, "namespaceSelector", Tree::object());
  set_if_missing(hook, "objectSelector", Tree::object());
  set_if_missing(hook, "timeoutSeconds", 10);
  for_each(hook.find("rules"), [](Tree& rule) { set_if_missing(rule, "scope", "*"); });
  if (Tree* client = hook.find("clientConfig")) service_of(client->find("service"));
}

void validating_webhooks(Tree& object) { for_each(object.find("webhooks"), webhook); }

void mutating_webhooks(Tree& object) {
  for_each(object.find("webhooks"), [](Tree& hook) {
    webhook(hook);
    set_if_missing(hook, "reinvocationPolicy", "Never");
  });
}

void admission_policy(Tree& object) {
  Tree& spec = object.ensure("spec");
  set_if_missing(spec, "failurePolicy", "Fail");
  match_resources(spec.find("matchConstraints"));
}

void admission_binding(Tree& object) { match_resources(object.ensure("spec").find("matchResources")); }

void endpoint_slice(Tree& object) {
  for_each(object.find("ports"), [](Tree& port) {
    set_if_missing(port, "name", "");
    set_if_missing(port, "protocol", "TCP");
  });
}

constexpr std::string_view kGroup = "rbac.authorization.k8s.io";

void role_binding(Tree& object) {
  set_if_empty(object.ensure("roleRef"), "apiGroup", kGroup);
  for_each(object.find("subjects"), [](Tree& subject) {
    const std::string_view kind = subject["kind"].string();
    if (kind == "User" || kind == "Group") set_if_empty(subject, "apiGroup", kGroup);
  });
}

void definition(Tree& object) {
  Tree& spec = object.ensure("spec");
  Tree& names = spec.ensure("names");
  const std::string kind(names["kind"].string());
  std::string lower = kind;
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (!kind.empty()) {
    set_if_empty(names, "singular", lower);
    set_if_empty(names, "listKind", kind + "List");
  }
  if (spec["conversion"].is_null()) spec.set("conversion", Tree::object({{"strategy", "None"}}));
  if (Tree* hook = spec.ensure("conversion").find("webhook"); hook != nullptr && hook->is_object()) {
    if (Tree* client = hook->find("clientConfig")) service_of(client->find("service"));
  }
  if (!object.at({"status", "storedVersions"}).empty()) return;
  for (const Tree& version : spec["versions"].elements()) {
    if (!version["storage"].boolean()) continue;
    object.ensure("status").set("storedVersions", Tree::Array{Tree(version["name"])});
    return;
  }
}

// Two ways to say it: the one address of old, and the list that begins with it.
void pod_addresses(Tree& spec) {
  const std::string one(spec["podCIDR"].string());
  const Tree::Array& all = std::as_const(spec)["podCIDRs"].elements();
  if (!one.empty() && (all.empty() || all.front().string() != one)) {
    spec.set("podCIDRs", Tree::Array{one});
  } else if (one.empty() && !all.empty()) {
    spec.set("podCIDR", Tree(all.front()));
  }
}

// Plain text is for writers only.
void secret(Tree& object) {
  set_if_empty(object, "type", "Opaque");
  const Tree* plain = object.find("stringData");
  if (plain == nullptr) return;
  const Tree texts = *plain;
  object.erase("stringData");
  for (const Tree::Member& text : texts.members()) {
    object.ensure("data").set(text.key, wire::encode_base64(text.value.string()));
  }
}

void name_space(Tree& object) {
  if (const std::string name(object.at({"metadata", "name"}).string()); !name.empty())
    object.ensure({"metadata", "labels"}).set("kubernetes.io/metadata.name", name);
  set_if_empty(object.ensure("status"), "phase", "Active");
}

void node(Tree& object) {
  if (Tree* spec = object.find("spec"); spec != nullptr && spec->is_object()) pod_addresses(*spec);
  Tree* status = object.find("status");
  if (status == nullptr || !status->is_object()) return;
  const Tree& capacity = (*status)["capacity"];
  if ((*status)["allocatable"].is_null() && !capacity.is_null()) status->set("allocatable", Tree(capacity));
  round_resources(status->find("capacity"));
  round_resources(status->find("allocatable"));
}

// Kinds that are not named have no defaults.
constexpr std::pair<ResourceId, Each> kDefaults[] = {
    {ResourceId::Pods, set_pod_defaults},
    {ResourceId::Nodes, node},
    {ResourceId::Namespaces, name_space},
    {ResourceId::Secrets, secret},
    {ResourceId::Services, service},
    {ResourceId::PersistentVolumes, volume},
    {ResourceId::PersistentVolumeClaims, claim},
    {ResourceId::Deployments, deployment},
    {ResourceId::ReplicaSets, replica_set},
    {ResourceId::StatefulSets, stateful_set},
    {ResourceId::DaemonSets, daemon_set},
    {ResourceId::Jobs, job},
    {ResourceId::CronJobs, cron_job},
    {ResourceId::PriorityClasses, priority_class},
    {ResourceId::StorageClasses, storage_class},
    {ResourceId::RoleBindings, role_binding},
    {ResourceId::ClusterRoleBindings, role_binding},
    {ResourceId::CustomResourceDefinitions, definition},
    {ResourceId::ValidatingAdmissionPolicies, admission_policy},
    {ResourceId::ValidatingAdmissionPolicyBindings, admission_binding},
    {ResourceId::ValidatingWebhookConfigurations, validating_webhooks},
    {ResourceId::MutatingWebhookConfigurations, mutating_webhooks},
    {ResourceId::EndpointSlices, endpoint_slice},
};

}  // namespace

void set_own_addresses(Tree& pod) {
  Tree* status = pod.find("status");
  if (status == nullptr || !status->is_object()) return;
  const std::string one((*status)["podIP"].string());
  const Tree::Array& all = std::as_const(*status)["podIPs"].elements();
  if (!one.empty() && (all.empty() || all.front()["ip"].string() != one)) {
    status->set("podIPs", Tree::Array{Tree::object({{"ip", one}})});
  } else if (one.empty() && !all.empty() && !all.front()["ip"].string().empty()) {
    status->set("podIP", Tree(all.front()["ip"]));
  }
}

void set_defaults(ResourceId resource, Tree& object) {
  for (const auto& [kind, set] : kDefaults)
    if (kind == resource) return set(object);
}

}  // namespace tamp::world::api

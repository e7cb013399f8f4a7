#include "sim/api/strategy.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "sim/api/strategy_pod.h"

namespace tamp::world::api {
namespace {

constexpr std::string_view kTemplateGeneration = "deprecated.daemonset.template.generation";

// Which kinds count the changes of what they ask for.
bool counts_generations(ResourceId resource) {
  switch (resource) {
    case ResourceId::Pods:
    case ResourceId::Deployments:
    case ResourceId::ReplicaSets:
    case ResourceId::StatefulSets:
    case ResourceId::DaemonSets:
    case ResourceId::Jobs:
    case ResourceId::CronJobs:
    case ResourceId::PodDisruptionBudgets:
    case ResourceId::PriorityClasses:
    case ResourceId::CustomResourceDefinitions:
    case ResourceId::ValidatingAdmissionPolicies:
    case ResourceId::ValidatingAdmissionPolicyBindings:
    case ResourceId::ValidatingWebhookConfigurations:
    case ResourceId::MutatingWebhookConfigurations:
    case ResourceId::EndpointSlices:
      return true;
    default:
      return false;
  }
}

// The status of an object that nobody has looked at yet: what is always shown, even if zero.
Tree blank_status(ResourceId resource) {
  switch (resource) {
    case ResourceId::ReplicaSets:
      return Tree::object({{"replicas", 0}});
    case ResourceId::StatefulSets:
      return Tree::object({{"availableReplicas", 0}, {"replicas", 0}});
    case ResourceId::DaemonSets:
      return Tree::object({{"currentNumberScheduled", 0},
                           {"desiredNumberScheduled", 0},
                           {"numberMisscheduled", 0},
                           {"numberReady", 0}});
    case ResourceId::PodDisruptionBudgets:
      return Tree::object(
          {{"currentHealthy", 0}, {"desiredHealthy", 0}, {"disruptionsAllowed", 0}, {"expectedPods", 0}});
    case ResourceId::Services:
      return Tree::object({{"loadBalancer", Tree::object()}});
    case ResourceId::Namespaces:
      return Tree::object({{"phase", "Active"}});
    case ResourceId::PersistentVolumeClaims:
    case ResourceId::PersistentVolumes:
      return Tree::object({{"phase", "Pending"}});
    default:
      return Tree::object();
  }
}

// Status is a part of its own, which writes to the object itself do not touch.
bool has_own_status(ResourceId resource) {
  switch (resource) {
    case ResourceId::Pods:
    case ResourceId::Nodes:
    case ResourceId::Namespaces:
    case ResourceId::Services:
    case ResourceId::PersistentVolumes:
    case ResourceId::PersistentVolumeClaims:
    case ResourceId::Deployments:
    case ResourceId::ReplicaSets:
    case ResourceId::StatefulSets:
    case ResourceId::DaemonSets:
    case ResourceId::Jobs:
    case ResourceId::CronJobs:
    case ResourceId::PodDisruptionBudgets:
    case ResourceId::CustomResourceDefinitions:
    case ResourceId::ValidatingAdmissionPolicies:
      return true;
    default:
      return false;
  }
}

void keep(const Tree& old, Tree& updated, std::string_view key) {
  if (const Tree* member = old.find(key)) {
    updated.set(key, Tree(*member));
  } else {
    updated.erase(key);
  }
}

void keep_metadata(const Tree& old, Tree& updated, std::string_view key) {
  keep(old["metadata"], updated.ensure("metadata"), key);
}

void set_if_absent(Tree& labels, std::string_view key, std::string_view value) {
  if (!labels.has(key)) labels.set(key, value);
}

// Pods of a Job are told apart by its uid, unless the writer asked to choose the selector.
void generate_job_selector(Tree& job) {
  Tree& spec = job.ensure("spec");
  if (spec["manualSelector"].boolean()) return;
  const std::string name(job.at({"metadata", "name"}).string());
  const std::string uid(job.at({"metadata", "uid"}).string());
  // A job without labels was given those of its pods, and shares them with the template.
  const Tree& own = std::as_const(job).at({"metadata", "labels"});
  const bool shared =
      !own.empty() && own == std::as_const(job).at({"spec", "template", "metadata", "labels"});
  Tree& labels = job.ensure({"spec", "template", "metadata", "labels"});
  set_if_absent(labels, "job-name", name);
  set_if_absent(labels, "batch.kubernetes.io/job-name", name);
  set_if_absent(labels, "controller-uid", uid);
  set_if_absent(labels, "batch.kubernetes.io/controller-uid", uid);
  if (shared)
    job.ensure({"metadata", "labels"}) =
        Tree(std::as_const(job).at({"spec", "template", "metadata", "labels"}));
  set_if_absent(job.ensure({"spec", "selector", "matchLabels"}), "batch.kubernetes.io/controller-uid", uid);
}

void add_stored_version(Tree& definition) {
  for (const Tree& version : definition.at({"spec", "versions"}).elements()) {
    if (!version["storage"].boolean()) continue;
    const std::string name(version["name"].string());
    Tree& stored = definition.ensure("status").ensure("storedVersions");
    for (const Tree& known : stored.elements()) {
      if (known.string() == name) return;
    }
    stored.append(name);
    return;
  }
}

void blank_definition_status(Tree& definition) {
  definition.set("status", Tree::object({{"acceptedNames", Tree::object({{"kind", ""}, {"plural", ""}})},
                                         {"conditions", Tree()},
                                         {"storedVersions", Tree::array()}}));
  add_stored_version(definition);
}

void prepare_namespace(Tree& object) {
  Tree& finalizers = object.ensure({"spec", "finalizers"});
  bool found = false;
  for (const Tree& finalizer : std::as_const(finalizers).elements())
    found |= finalizer.string() == "kubernetes";
  if (!found) finalizers.append("kubernetes");
  const std::string name(object.at({"metadata", "name"}).string());
  if (!name.empty()) object.ensure({"metadata", "labels"}).set("kubernetes.io/metadata.name", name);
}

// Either of the two ways to name a source of data stands for both, unless it is in another namespace.
void normalize_data_sources(Tree* spec) {
  if (spec == nullptr || !spec->is_object()) return;
  const Tree* source = spec->find("dataSource");
  const Tree* reference = spec->find("dataSourceRef");
  if (source != nullptr && reference == nullptr) {
    spec->set("dataSourceRef", Tree(*source));
  } else if (source == nullptr && reference != nullptr && (*reference)["namespace"].string().empty()) {
    spec->set("dataSource", Tree(*reference));
  }
}

void keep_names_of_secrets(Tree& account) {
  Tree* secrets = account.find("secrets");
  if (secrets == nullptr || !secrets->is_array()) return;
  for (Tree& secret : secrets->elements()) secret = Tree::object({{"name", secret["name"]}});
}

std::int64_t template_generation(const Tree& object) {
  const std::string_view text = object.at({"metadata", "annotations"})[kTemplateGeneration].string();
  std::int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void set_template_generation(Tree& object, std::int64_t number) {
  object.ensure({"metadata", "annotations"}).set(kTemplateGeneration, std::to_string(number));
}

// Equal, where a list without elements is as good as none.
bool means_the_same(const Tree& a, const Tree& b) {
  if (a == b) return true;
  const auto is_nothing = [](const Tree& it) { return it.is_null() || (it.is_array() && it.empty()); };
  if (is_nothing(a) && is_nothing(b)) return true;
  if (a.is_array() && b.is_array())
    return std::equal(a.elements().begin(), a.elements().end(), b.elements().begin(), b.elements().end(),
                      means_the_same);
  if (!a.is_object() || !b.is_object()) return false;
  for (const Tree::Member& member : a.members())
    if (!means_the_same(member.value, b[member.key])) return false;
  for (const Tree::Member& member : b.members())
    if (!a.has(member.key) && !is_nothing(member.value)) return false;
  return true;
}

// Of a kind that counts generations: did what it asks for change?
bool asks_otherwise(ResourceId resource, const Tree& old, const Tree& updated) {
  const auto differs = [&](std::string_view key) { return !means_the_same(old[key], updated[key]); };
  switch (resource) {
    case ResourceId::PriorityClasses:
      return false;
    case ResourceId::Deployments:
      // Its annotations are copied to replica sets.
      return differs("spec") ||
             !(old.at({"metadata", "annotations"}) == updated.at({"metadata", "annotations"}));
    case ResourceId::ValidatingWebhookConfigurations:
    case ResourceId::MutatingWebhookConfigurations:
      return !(old["webhooks"] == updated["webhooks"]);  // to the letter
    case ResourceId::EndpointSlices:
      return differs("endpoints") || differs("ports") || differs("addressType") ||
             !(old.at({"metadata", "labels"}) == updated.at({"metadata", "labels"}));
    default:
      return differs("spec");
  }
}

void prepare_status_update(ResourceId resource, const Tree& old, Tree& updated, Time now) {
  keep(old, updated, "spec");
  switch (resource) {
    case ResourceId::Pods:
      prepare_pod_status(old, updated);
      return;
    case ResourceId::Deployments:
      keep_metadata(old, updated, "labels");
      return;
    case ResourceId::DaemonSets:
      set_template_generation(updated, template_generation(old));
      return;
    case ResourceId::Nodes:
      if (!old.at({"status", "config"}).is_object()) {
        if (Tree* status = updated.find("status")) status->erase("config");
      }
      return;
    case ResourceId::ValidatingAdmissionPolicies:
      for (std::string_view key : {"labels", "annotations", "finalizers", "ownerReferences"}) {
        keep_metadata(old, updated, key);
      }
      return;
    case ResourceId::PersistentVolumes: {
      Tree& status = updated.ensure("status");
      const bool given =
          !status["lastPhaseTransitionTime"].is_null() &&
          !(status["lastPhaseTransitionTime"] == old.at({"status", "lastPhaseTransitionTime"}));
      if (!(status["phase"] == old.at({"status", "phase"}))) {
        if (!given) status.set("lastPhaseTransitionTime", format_rfc3339(now));
      } else if (status["lastPhaseTransitionTime"].is_null()) {
        keep(old["status"], status, "lastPhaseTransitionTime");
      }
      return;
    }
    default:
      return;
  }
}

}  // namespace

bool creates_on_update(ResourceId resource) {
  switch (resource) {
    case ResourceId::Roles:
    case ResourceId::RoleBindings:
    case ResourceId::ClusterRoles:
    case ResourceId::ClusterRoleBindings:
    case ResourceId::Leases:
    case ResourceId::Events:
    case ResourceId::Services:
      return true;
    default:
      return false;
  }
}

bool updates_unconditionally(ResourceId resource) {
  switch (resource) {
    case ResourceId::PodDisruptionBudgets:
    case ResourceId::CsiNodes:
    case ResourceId::Leases:
    case ResourceId::ValidatingAdmissionPolicies:
    case ResourceId::ValidatingAdmissionPolicyBindings:
    case ResourceId::ValidatingWebhookConfigurations:
    case ResourceId::MutatingWebhookConfigurations:
    case ResourceId::CustomResourceDefinitions:
      return false;
    default:
      return resource < ResourceId::FirstCustom;
  }
}

void prepare_for_create(ResourceId resource, Tree& object, Time now) {
  Tree& metadata = object.ensure("metadata");
  if (counts_generations(resource)) metadata.set("generation", 1);
  switch (resource) {
    case ResourceId::Pods:
      prepare_pod(object);
      return;
    case ResourceId::Nodes:
      return;  // its status may come with it
    case ResourceId::CustomResourceDefinitions:
      blank_definition_status(object);
      return;
    case ResourceId::ServiceAccounts:
      keep_names_of_secrets(object);
      return;
    default:
      break;
  }
  if (has_own_status(resource)) object.set("status", blank_status(resource));
  switch (resource) {
    case ResourceId::Namespaces:
      prepare_namespace(object);
      return;
    case ResourceId::Jobs:
      generate_job_selector(object);
      return;
    case ResourceId::DaemonSets:
      set_template_generation(object, std::max<std::int64_t>(1, template_generation(object)));
      return;
    case ResourceId::PersistentVolumes:
      object.ensure("status").set("lastPhaseTransitionTime", format_rfc3339(now));
      return;
    case ResourceId::PersistentVolumeClaims:
      normalize_data_sources(object.find("spec"));
      return;
    default:
      return;
  }
}

void name_template_generation(Tree& daemon_set) {
  set_template_generation(daemon_set, template_generation(daemon_set));
}

void prepare_for_update(ResourceId resource, const Tree& old, Tree& updated, std::string_view subresource,
                        Time now) {
  updated.ensure("metadata");
  keep_metadata(old, updated, "generation");
  if (subresource == "status") {
    prepare_status_update(resource, old, updated, now);
    return;
  }
  if (resource == ResourceId::Namespaces && subresource == "finalize") {
    keep(old, updated, "status");
    return;
  }
  if (has_own_status(resource)) keep(old, updated, "status");
  switch (resource) {
    case ResourceId::Namespaces:
      keep(old, updated, "spec");
      prepare_namespace(updated);
      // Adding the finalizer is for new ones only.
      keep(old, updated, "spec");
      break;
    case ResourceId::ServiceAccounts:
      keep_names_of_secrets(updated);
      break;
    case ResourceId::PersistentVolumeClaims:
      normalize_data_sources(updated.find("spec"));
      break;
    case ResourceId::Secrets:
      if (updated["type"].string().empty()) keep(old, updated, "type");
      break;
    case ResourceId::DaemonSets: {
      const bool changed = !(old.at({"spec", "template"}) == updated.at({"spec", "template"}));
      set_template_generation(updated, template_generation(old) + (changed ? 1 : 0));
      break;
    }
    case ResourceId::CustomResourceDefinitions:
      add_stored_version(updated);
      break;
    default:
      break;
  }
  if (counts_generations(resource) && asks_otherwise(resource, old, updated)) {
    updated.ensure("metadata").set("generation", old.at({"metadata", "generation"}).integer() + 1);
  }
}

}  // namespace tamp::world::api

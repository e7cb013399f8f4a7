// Which rules are for which kind.
#include "sim/api/validate.h"

#include "sim/api/validate_common.h"
#include "sim/api/validate_kinds.h"
#include "sim/api/validate_pod.h"

namespace tamp::world::api {
namespace {

NameRule name_rule(ResourceId resource) {
  switch (resource) {
    case ResourceId::Namespaces:
    case ResourceId::Services:
    case ResourceId::StatefulSets:
      return NameRule::Label;
    case ResourceId::Roles:
    case ResourceId::RoleBindings:
    case ResourceId::ClusterRoles:
    case ResourceId::ClusterRoleBindings:
    case ResourceId::PodDisruptionBudgets:  // which nobody else looks at
    case ResourceId::Events:
      return NameRule::PathSegment;
    default:
      return NameRule::Subdomain;
  }
}

bool is_namespaced(ResourceId resource) {
  switch (resource) {
    case ResourceId::Nodes:
    case ResourceId::Namespaces:
    case ResourceId::PersistentVolumes:
    case ResourceId::PriorityClasses:
    case ResourceId::StorageClasses:
    case ResourceId::CsiNodes:
    case ResourceId::ClusterRoles:
    case ResourceId::ClusterRoleBindings:
    case ResourceId::CustomResourceDefinitions:
    case ResourceId::ValidatingAdmissionPolicies:
    case ResourceId::ValidatingAdmissionPolicyBindings:
    case ResourceId::ValidatingWebhookConfigurations:
    case ResourceId::MutatingWebhookConfigurations:
      return false;
    default:
      return true;
  }
}

void check_kind(Findings& found, ResourceId resource, const Tree& object, const Tree* old) {
  switch (resource) {
    case ResourceId::Nodes:
      return check_node(found, object, old);
    case ResourceId::ConfigMaps:
      return check_config_map(found, object, old);
    case ResourceId::Secrets:
      return check_secret(found, object, old);
    case ResourceId::Events:
      return check_event(found, object, old);
    case ResourceId::PersistentVolumeClaims:
      return check_claim(found, object, old);
    case ResourceId::Deployments:
      return check_deployment(found, object, old);
    case ResourceId::ReplicaSets:
      return check_replica_set(found, object, old);
    case ResourceId::StatefulSets:
      return check_stateful_set(found, object, old);
    case ResourceId::DaemonSets:
      return check_daemon_set(found, object, old);
    case ResourceId::ControllerRevisions:
      return check_controller_revision(found, object, old);
    case ResourceId::Jobs:
      return check_job(found, object, old);
    case ResourceId::CronJobs:
      return check_cron_job(found, object, old);
    case ResourceId::PodDisruptionBudgets:
      return check_disruption_budget(found, object, old);
    case ResourceId::Leases:
      return check_lease(found, object, old);
    case ResourceId::PriorityClasses:
      return check_priority_class(found, object, old);
    case ResourceId::Roles:
      return check_role(found, object, old, true);
    case ResourceId::ClusterRoles:
      return check_role(found, object, old, false);
    case ResourceId::RoleBindings:
      return check_role_binding(found, object, old, true);
    case ResourceId::ClusterRoleBindings:
      return check_role_binding(found, object, old, false);
    case ResourceId::CustomResourceDefinitions:
      return check_definition(found, object, old);
    case ResourceId::EndpointSlices:
      return check_endpoint_slice(found, object, old);
    default:
      return;
  }
}

// Of the kinds that the server itself is made of, unlike those of its extensions.
void check_finalizer_names(Findings& found, ResourceId resource, const Tree& finalizers) {
  switch (resource) {
    case ResourceId::Events:
    case ResourceId::Leases:
    case ResourceId::PodDisruptionBudgets:
    case ResourceId::CustomResourceDefinitions:
    case ResourceId::ValidatingAdmissionPolicies:
    case ResourceId::ValidatingAdmissionPolicyBindings:
    case ResourceId::ValidatingWebhookConfigurations:
    case ResourceId::MutatingWebhookConfigurations:
      return;
    default:
      break;
  }
  const Place metadata("metadata");
  const Place list = metadata.child("finalizers");
  for (std::size_t i = 0; i < finalizers.elements().size(); ++i) {
    const std::string_view name = finalizers.elements()[i].string();
    if (name.find('/') != std::string_view::npos || name == "orphan" || name == "foregroundDeletion" ||
        name == "kubernetes") {
      continue;
    }
    found.invalid(list.at(i), name, "name is neither a standard finalizer name nor is it fully qualified");
  }
}

// Counts of a status, which controllers write. `parts` may not be more than the whole.
void check_counts(Findings& found, const Tree& status, std::initializer_list<std::string_view> parts) {
  const Place place("status");
  for (std::string_view key : parts) {
    check_not_negative(found, status[key], place.child(key));
    if (status[key].integer() > status["replicas"].integer()) {
      found.invalid(place.child(key), status[key], "cannot be greater than status.replicas");
    }
  }
  check_not_negative(found, status["replicas"], place.child("replicas"));
  check_not_negative(found, status["observedGeneration"], place.child("observedGeneration"));
  if (status["availableReplicas"].integer() > status["readyReplicas"].integer()) {
    found.invalid(place.child("availableReplicas"), status["availableReplicas"],
                  "cannot be greater than readyReplicas");
  }
}

void check_status(Findings& found, ResourceId resource, const Tree& object, const Tree& old) {
  const Tree& status = object["status"];
  const Place place("status");
  switch (resource) {
    case ResourceId::Nodes:
      return check_node(found, object, &old);
    case ResourceId::Namespaces: {
      const std::string_view phase = object["metadata"].has("deletionTimestamp") ? "Terminating" : "Active";
      if (status["phase"].string() != phase) {
        found.invalid(place.child("Phase"), status["phase"], "may only be '" + std::string(phase) + "'");
      }
      return;
    }
    case ResourceId::Deployments:
      return check_counts(found, status, {"updatedReplicas", "readyReplicas", "availableReplicas"});
    case ResourceId::StatefulSets:
      return check_counts(found, status,
                          {"currentReplicas", "updatedReplicas", "readyReplicas", "availableReplicas"});
    case ResourceId::ReplicaSets:
      return check_counts(found, status, {"fullyLabeledReplicas", "readyReplicas", "availableReplicas"});
    case ResourceId::Jobs:
      for (std::string_view key : {"active", "succeeded", "failed", "ready", "terminating"})
        check_not_negative(found, status[key], place.child(key));
      return;
    case ResourceId::PodDisruptionBudgets:
      for (std::string_view key : {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"})
        check_not_negative(found, status[key], place.child(key));
      return;
    case ResourceId::PersistentVolumeClaims:
      return check_claim_status(found, status);
    default:
      for (std::string_view key :
           {"observedGeneration", "currentNumberScheduled", "desiredNumberScheduled", "numberMisscheduled",
            "numberReady", "numberAvailable", "numberUnavailable", "updatedNumberScheduled",
            "currentReplicas", "desiredReplicas"}) {
        check_not_negative(found, status[key], place.child(key));
      }
      return;
  }
}

// The real server looks at metadata once for every kind, and most kinds look at it again: as a change, as a whole or both. What
// is wrong is then told as often, which is seen in the causes.
struct OwnLook {
  bool change = true, whole = false;
};

OwnLook own_look(ResourceId resource, std::string_view subresource) {
  switch (resource) {
    case ResourceId::Events:
    case ResourceId::PodDisruptionBudgets:
      return {false, false};
    case ResourceId::CronJobs:
      return {subresource != "status", false};
    default:
      break;
  }
  if (subresource == "status") return {true, false};
  switch (resource) {
    case ResourceId::Pods:
    case ResourceId::Nodes:
    case ResourceId::Namespaces:
    case ResourceId::ConfigMaps:
    case ResourceId::Secrets:
    case ResourceId::PersistentVolumeClaims:
    case ResourceId::ServiceAccounts:
    case ResourceId::ControllerRevisions:
    case ResourceId::Jobs:
    case ResourceId::Roles:
    case ResourceId::RoleBindings:
    case ResourceId::ClusterRoles:
    case ResourceId::ClusterRoleBindings:
      return {true, true};
    case ResourceId::EndpointSlices:
      return {false, true};
    default:
      return {true, false};
  }
}

void check_changed_metadata(Findings& found, ResourceId resource, const Tree& old, const Tree& updated,
                            std::string_view subresource) {
  FieldProblems& problems = found.problems();
  const Tree& metadata = updated["metadata"];
  const Tree& finalizers = metadata["finalizers"];
  const std::size_t before = problems.size();
  validate_metadata(problems, metadata, NameRule::PathSegment, is_namespaced(resource));
  validate_metadata_update(problems, old["metadata"], metadata);
  const OwnLook look = own_look(resource, subresource);
  if (look.change) check_finalizer_names(found, resource, finalizers);
  if (look.whole) check_finalizer_names(found, resource, finalizers);
  // Nothing wrong at first sight is nothing wrong at the second.
  if (problems.size() == before) return;
  if (look.change) validate_metadata_update(problems, old["metadata"], metadata);
  if (look.whole) validate_metadata(problems, metadata, NameRule::PathSegment, is_namespaced(resource));
}

}  // namespace

FieldProblems validate_create(ResourceId resource, const Tree& object) {
  FieldProblems problems;
  Findings found(problems);
  // These kinds do not look at metadata themselves: the look at every kind comes after theirs, if they let it.
  const bool others_look = resource == ResourceId::Events || resource == ResourceId::PodDisruptionBudgets;
  if (others_look) check_kind(found, resource, object, nullptr);
  if (!problems.empty()) return problems;
  validate_metadata(problems, object["metadata"], name_rule(resource), is_namespaced(resource));
  check_finalizer_names(found, resource, object["metadata"]["finalizers"]);
  if (others_look) return problems;
  if (resource == ResourceId::Pods) {
    check_new_pod(found, object);
  } else {
    check_kind(found, resource, object, nullptr);
  }
  return problems;
}

FieldProblems validate_update(ResourceId resource, const Tree& old, const Tree& updated,
                              std::string_view subresource) {
  FieldProblems problems;
  Findings found(problems);
  check_changed_metadata(found, resource, old, updated, subresource);
  if (resource == ResourceId::Pods) {
    check_pod_update(found, old, updated, subresource);
  } else if (subresource == "status") {
    check_status(found, resource, updated, old);
  } else {
    check_kind(found, resource, updated, &old);
  }
  return problems;
}

}  // namespace tamp::world::api

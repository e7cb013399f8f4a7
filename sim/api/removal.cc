#include "sim/api/removal.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/api/definitions.h"
#include "sim/api/rules.h"
#include "sim/api/status.h"

namespace tamp::world::api {
namespace {

constexpr std::string_view kOrphan = "orphan";
constexpr std::string_view kForeground = "foregroundDeletion";

Removal refused(Outcome outcome) { return {std::move(outcome), false}; }

// The finalizers for the garbage collector, as the options and the kind want them. Returns whether they changed.
bool set_dependents_finalizers(const Resource& resource, Tree& object, const DeleteOptions& options) {
  if (resource.id == ResourceId::Events) return false;  // nothing hangs on events
  std::string_view wanted;
  std::vector<std::string> kept;
  for (const Tree& finalizer : object["metadata"]["finalizers"].elements()) {
    if (finalizer.string() == kOrphan || finalizer.string() == kForeground)
      wanted = finalizer.string();
    else
      kept.emplace_back(finalizer.string());
  }
  const std::string_view had = wanted;
  if (options.propagation == "Orphan")
    wanted = kOrphan;
  else if (options.propagation == "Foreground")
    wanted = kForeground;
  else if (options.propagation == "Background")
    wanted = {};
  else if (wanted.empty() && resource.id == ResourceId::Jobs)
    wanted = kOrphan;  // as Jobs did before there was a garbage collector
  if (wanted == had) return false;
  if (!wanted.empty()) kept.emplace_back(wanted);
  Tree& metadata = object.ensure("metadata");
  if (kept.empty()) {
    metadata.erase("finalizers");
  } else {
    Tree& finalizers = metadata.set("finalizers", Tree::array());
    for (std::string& finalizer : kept) finalizers.append(std::move(finalizer));
  }
  return true;
}

void count_generation(Tree& metadata) {
  if (const std::int64_t generation = metadata["generation"].integer(); generation > 0)
    metadata.set("generation", generation + 1);
}

enum class Grace : std::uint8_t { None, Begun, Pending };

// Of a pod: the deletion begins, or its grace is shortened. `period` is what is left of it.
Grace begin_grace(Tree& pod, const DeleteOptions& options, Time now, std::int64_t& period) {
  Tree& metadata = pod.ensure("metadata");
  if (metadata.has("deletionTimestamp")) {
    const std::int64_t had = metadata["deletionGracePeriodSeconds"].integer();
    if (had == 0) return Grace::None;
    if (!options.grace_seconds) return Grace::Pending;
    period = *options.grace_seconds < 0 ? 1 : *options.grace_seconds;
    if (period >= had) return Grace::Pending;
    const Result<Time> until = parse_rfc3339(metadata["deletionTimestamp"].string());
    Time shortened = until.ok() ? *until - Duration::seconds(had) + Duration::seconds(period) : now;
    if (shortened < now) {
      shortened = now;
      if (period != 0) period = 1;  // still graceful: the kubelet ends it
    }
    metadata.set("deletionTimestamp", format_time(shortened));
    metadata.set("deletionGracePeriodSeconds", period);
    return Grace::Begun;
  }
  period =
      options.grace_seconds ? *options.grace_seconds : pod["spec"]["terminationGracePeriodSeconds"].integer();
  const std::string_view phase = pod["status"]["phase"].string();
  if (pod["spec"]["nodeName"].string().empty() || phase == "Succeeded" || phase == "Failed") period = 0;
  if (period < 0) period = 1;
  metadata.set("deletionTimestamp", format_time(now + Duration::seconds(period)));
  metadata.set("deletionGracePeriodSeconds", period);
  count_generation(metadata);
  return Grace::Begun;
}

void mark_deleting(Tree& object, Time now) {
  Tree& metadata = object.ensure("metadata");
  const Tree* until = metadata.find("deletionTimestamp");
  if (until == nullptr) count_generation(metadata);
  const Result<Time> then = until != nullptr ? parse_rfc3339(until->string()) : Result<Time>(Error{});
  if (!then.ok() || *then > now) metadata.set("deletionTimestamp", format_time(now));
  metadata.set("deletionGracePeriodSeconds", 0);
}

ObjectPtr write(Backend& backend, const Resource& resource, const ObjectPtr& current, Tree object,
                bool dry_run) {
  if (object == current->tree()) return current;
  if (dry_run) return std::make_shared<const Object>(std::move(object));
  return backend.store.put(resource.id, std::move(object));
}

Removal erase(Backend& backend, const Resource& resource, const ObjectPtr& current, bool dry_run) {
  if (dry_run) return {{200, current, {}}, true};
  if (resource.id == ResourceId::CustomResourceDefinitions) withdraw_definition(backend, current->tree());
  ObjectPtr last = backend.store.erase(resource.id, current->ns(), current->name());
  return {{200, std::move(last), {}}, true};
}

// A namespace first becomes Terminating; it goes when its controllers have emptied it.
std::optional<Removal> begin_namespace_removal(Backend& backend, const Resource& resource,
                                               const ObjectPtr& current, const DeleteOptions& options) {
  for (std::string_view immortal : {"default", "kube-system", "kube-public"})
    if (current->name() == immortal)
      return refused(forbidden(resource, current->name(), "this namespace may not be deleted"));
  if (current->terminating()) {
    if (current->spec()["finalizers"].empty()) return {};
    return Removal{{200, current, {}}, false};
  }
  Tree object = current->tree();
  set_dependents_finalizers(resource, object, options);
  object.ensure("metadata").set("deletionTimestamp", format_time(backend.now));
  object.ensure({"status", "phase"}) = "Terminating";
  return Removal{{200, write(backend, resource, current, std::move(object), options.dry_run), {}}, false};
}

// A definition goes with its objects: first it is marked, then they go, then it goes itself.
Removal remove_definition(Backend& backend, const Resource& resource, const ObjectPtr& current,
                          bool dry_run) {
  Tree object = current->tree();
  Tree& finalizers = object.ensure({"metadata", "finalizers"});
  finalizers.append("customresourcecleanup.apiextensions.k8s.io");
  object.ensure({"metadata", "deletionTimestamp"}) = format_time(backend.now);
  set_condition(object, "Terminating", "True", "InstanceDeletionPending",
                "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon",
                backend.now);
  const ObjectPtr marked = write(backend, resource, current, std::move(object), dry_run);
  if (!dry_run) erase(backend, resource, marked, false);
  return {{200, marked, {}}, false};
}

}  // namespace

std::optional<Outcome> precondition_failed(const Resource& resource, const Object& object,
                                           const DeleteOptions& options) {
  if (!options.uid && !options.resource_version) return {};
  Resource shown = resource;  // the real server names the kind here
  if (resource.id != ResourceId::Namespaces) shown.plural = resource.kind;
  if (options.uid && *options.uid != object.uid())
    return conflict(
        shown, object.name(),
        fmt::format("the UID in the precondition ({}) does not match the UID in record ({}). The object "
                    "might have been deleted and then recreated",
                    *options.uid, object.uid()));
  const std::string_view version = object.metadata()["resourceVersion"].string();
  if (options.resource_version && *options.resource_version != version)
    return conflict(
        shown, object.name(),
        fmt::format("the ResourceVersion in the precondition ({}) does not match the ResourceVersion in "
                    "record ({}). The object might have been modified",
                    *options.resource_version, version));
  return {};
}

Removal remove_object(Backend& backend, const Resource& resource, std::string_view ns, std::string_view name,
                      const DeleteOptions& options, const Remover& remover) {
  const ObjectPtr current = backend.store.get(resource.id, ns, name);
  if (!current) return refused(not_found(resource, name));
  if (auto failure = precondition_failed(resource, *current, options)) return refused(*std::move(failure));
  if (remover.caller != nullptr) {
    const std::string_view named = remover.of_many ? std::string_view() : name;
    if (auto failure =
            judged_deletion(backend, resource, current->tree(), named, remover.caller, options.dry_run))
      return refused(*std::move(failure));
  }
  if (resource.id == ResourceId::Namespaces)
    if (auto begun = begin_namespace_removal(backend, resource, current, options)) return *std::move(begun);

  Tree object = current->tree();
  std::int64_t period = 0;
  const Grace grace =
      resource.id == ResourceId::Pods ? begin_grace(object, options, backend.now, period) : Grace::None;
  if (grace == Grace::Pending) return {{200, current, {}}, false};
  set_dependents_finalizers(resource, object, options);
  const bool finalizers = !object["metadata"]["finalizers"].empty();
  if (resource.id == ResourceId::CustomResourceDefinitions && !finalizers)
    return remove_definition(backend, resource, current, options.dry_run);
  if (grace == Grace::None && !finalizers) return erase(backend, resource, current, options.dry_run);
  if (grace == Grace::None) mark_deleting(object, backend.now);
  const ObjectPtr marked = write(backend, resource, current, std::move(object), options.dry_run);
  if (finalizers || period > 0) return {{200, marked, {}}, false};
  if (options.dry_run) return {{200, marked, {}}, true};
  return erase(backend, resource, marked, false);
}

bool answers_with_object(const Resource& resource) {
  switch (resource.id) {
    case ResourceId::Pods:
    case ResourceId::Services:
    case ResourceId::Namespaces:
    case ResourceId::ServiceAccounts:
    case ResourceId::PersistentVolumes:
    case ResourceId::PersistentVolumeClaims:
    case ResourceId::StorageClasses:
    case ResourceId::CsiNodes:
      return true;
    default:
      return false;
  }
}

}  // namespace tamp::world::api

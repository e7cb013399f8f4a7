#include "sim/controllers/namespace_content.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/api/resource.h"
#include "sim/controllers/pod_facts.h"
#include "sim/controllers/record.h"

namespace tamp::world {
namespace {

using api::ResourceId;
using api::Tree;

constexpr Duration kGrace = Duration::seconds(5);  // before the emptying begins
constexpr std::int64_t kFinalizerEstimate = 15;    // seconds, for what waits for a finalizer

}  // namespace

// What is still there after everything was asked to go.
struct NamespaceContent::Remains {
  std::map<std::string, std::int64_t> resources, finalizers;
  std::int64_t estimate = 0;  // seconds
  std::vector<std::string> failures;
};

void NamespaceContent::changed(Stage& stage, const api::Change& change) {
  const api::Object& object = change.object();
  if (change.resource >= ResourceId::FirstCustom && !object.ns().empty()) {
    auto& count = custom_[std::string(object.ns())][change.resource];
    count += change.before ? 0 : 1;
    count -= change.after ? 0 : 1;
    return;
  }
  if (change.resource == ResourceId::Namespaces && change.after) {
    if (!change.before) queue_.add(stage, Actor::Garbage, furnish_, {}, object.name());
    if (object.terminating() && (!change.before || !change.before->terminating()))
      alarms_.set(stage, stage.now + kGrace, Actor::Garbage, empty_, {}, object.name());
  }
  if (change.after) return;
  if ((change.resource == ResourceId::ServiceAccounts && object.name() == "default") ||
      (change.resource == ResourceId::ConfigMaps && object.name() == "kube-root-ca.crt"))
    queue_.add(stage, Actor::Garbage, furnish_, {}, object.ns());
}

void NamespaceContent::furnish(Stage& stage, const Event& event) {
  queue_.take(event);
  const auto ns = stage.api.get(ResourceId::Namespaces, {}, event.name);
  if (!ns || ns->terminating()) return;
  const auto named = [&](std::string_view kind, std::string_view name) {
    return Tree::object({{"apiVersion", "v1"},
                         {"kind", kind},
                         {"metadata", Tree::object({{"name", name}, {"namespace", event.name}})}});
  };
  if (!stage.api.get(ResourceId::ServiceAccounts, event.name, "default"))
    stage.api.create(ResourceId::ServiceAccounts, event.name, named("ServiceAccount", "default"),
                     as_controller_manager());
  if (!stage.api.get(ResourceId::ConfigMaps, event.name, "kube-root-ca.crt")) {
    Tree map = named("ConfigMap", "kube-root-ca.crt");
    map.ensure({"metadata", "annotations"})
        .set("kubernetes.io/description",
             "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
             "endpoints such "
             "as the internal service IP or kubernetes.default.svc. No other usage is guaranteed across "
             "distributions "
             "of Kubernetes clusters.");
    map.set("data", Tree::object({{"ca.crt", ""}}));
    stage.api.create(ResourceId::ConfigMaps, event.name, std::move(map), as_controller_manager());
  }
}

void NamespaceContent::remove_all(Stage& stage, ResourceId resource, std::string_view qualified,
                                  std::string_view ns, Remains& remains) {
  for (const auto& object : stage.api.list(resource, ns)) {
    if (resource == ResourceId::Pods && !is_terminal(*object))
      remains.estimate =
          std::max(remains.estimate, object->spec()["terminationGracePeriodSeconds"].integer());
    const auto outcome = stage.api.remove(resource, ns, object->name(), {.propagation = "Background"});
    if (!outcome.ok() && outcome.code != 404) remains.failures.emplace_back(outcome.message());
    const auto left = stage.api.get(resource, ns, object->name());
    if (!left) continue;
    ++remains.resources[std::string(qualified)];
    for (const Tree& finalizer : left->metadata()["finalizers"].elements())
      ++remains.finalizers[std::string(finalizer.string())];
  }
}

void NamespaceContent::empty(Stage& stage, const Event& event) {
  alarms_.take(stage, event);
  const auto ns = stage.api.get(ResourceId::Namespaces, {}, event.name);
  if (!ns || !ns->terminating()) return retries_.succeeded({}, event.name);

  Remains remains;
  remove_all(stage, ResourceId::Pods, "pods.", event.name, remains);
  if (remains.resources.empty()) {
    for (const api::Resource& resource : api::Registry::built_in())
      if (resource.stored && resource.namespaced && resource.storage && resource.can("delete"))
        remove_all(stage, resource.id, fmt::format("{}.{}", resource.plural, resource.group), event.name,
                   remains);
    if (const auto custom = custom_.find(event.name); custom != custom_.end())
      for (const auto& [resource, count] : custom->second)
        if (count > 0) remove_all(stage, resource, "custom resources", event.name, remains);
  }

  const auto joined = [](const std::map<std::string, std::int64_t>& counts, std::string_view middle) {
    std::string text;
    for (const auto& [name, count] : counts)
      text += fmt::format("{}{} {} {} resource instances", text.empty() ? "" : ", ", name, middle, count);
    return text;
  };
  stage.api.modify(
      ResourceId::Namespaces, {}, event.name,
      [&](Tree& tree) {
        const auto set = [&](std::string_view type, bool bad, std::string_view reason,
                             std::string_view message) {
          api::set_condition(tree, type, bad ? "True" : "False", reason, message, stage.now);
        };
        const bool failed = !remains.failures.empty(), some = !remains.resources.empty();
        const bool held = !remains.finalizers.empty();
        set("NamespaceDeletionDiscoveryFailure", false, "ResourcesDiscovered",
            "All resources successfully discovered");
        set("NamespaceDeletionGroupVersionParsingFailure", false, "ParsedGroupVersions",
            "All legacy kube types successfully parsed");
        set("NamespaceDeletionContentFailure", failed, failed ? "ContentDeletionFailed" : "ContentDeleted",
            failed ? fmt::format("Failed to delete all resource types, {} remaining: {}",
                                 remains.failures.size(), remains.failures.front())
                   : "All content successfully deleted, may be waiting on finalization");
        set("NamespaceContentRemaining", some, some ? "SomeResourcesRemain" : "ContentRemoved",
            some ? "Some resources are remaining: " + joined(remains.resources, "has")
                 : "All content successfully removed");
        set("NamespaceFinalizersRemaining", held, held ? "SomeFinalizersRemain" : "ContentHasNoFinalizers",
            held ? "Some content in the namespace has finalizers remaining: " +
                       joined(remains.finalizers, "in")
                 : "All content-preserving finalizers finished");
      },
      as_controller_manager("status"));

  if (remains.resources.empty()) return finalize(stage, event.name);
  const std::int64_t estimate =
      std::max(remains.estimate, remains.finalizers.empty() ? 1 : kFinalizerEstimate);
  alarms_.set(stage, stage.now + Duration::seconds(estimate / 2 + 1), Actor::Garbage, empty_, {}, event.name);
}

void NamespaceContent::finalize(Stage& stage, std::string_view ns) {
  const auto outcome = stage.api.modify(
      ResourceId::Namespaces, {}, ns,
      [&](Tree& tree) {
        auto& finalizers = tree.ensure({"spec", "finalizers"}).elements();
        std::erase_if(finalizers, [](const Tree& f) { return f.string() == "kubernetes"; });
      },
      as_controller_manager("finalize"));
  if (outcome.ok() || outcome.code == 404) {
    custom_.erase(std::string(ns));
    return retries_.succeeded({}, ns);
  }
  alarms_.set(stage, stage.now + retries_.failed({}, ns), Actor::Garbage, empty_, {}, ns);
}

}  // namespace tamp::world

#include "sim/campaign/mischief.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/scenario/scenario_objects.h"
#include "wire/tree.h"

namespace tamp::sim {
namespace {

using wire::Tree;
using world::Dice;
using world::api::ObjectPtr;
using world::api::PatchType;
using world::api::ResourceId;

Tree json(const std::string& text) {
  auto tree = wire::read_tree(text);
  return tree ? *std::move(tree) : Tree();
}

constexpr const char* kIntruder =
    R"({{"metadata":{{"name":"intruder-{}","namespace":"default"}},"spec":{{"nodeName":"{}","tolerations":[)"
    R"({{"operator":"Exists"}}],"containers":[{{"name":"c","image":"x","resources":{{"requests":{{"cpu":"10m"}}}}}}]}}}})";

bool is_protected(const world::api::Object& pod) { return pod.spec()["priority"].integer() >= 100'000; }

}  // namespace

void Mischief::patch(ResourceId resource, std::string_view ns, std::string_view name,
                     const std::string& merge) {
  world_.api().patch(resource, ns, name, PatchType::Merge, json(merge));
}

std::string Mischief::some_node(const std::map<std::string, std::string>& nodes, Dice& dice) const {
  if (nodes.empty()) return {};
  const auto chosen = std::next(nodes.begin(), static_cast<std::ptrdiff_t>(dice.below(nodes.size())));
  const auto live = world_.api().get(ResourceId::Nodes, "", chosen->first);
  return live && live->uid() == chosen->second ? chosen->first : std::string();
}

std::string Mischief::sensitive_node(const std::map<std::string, std::string>& nodes, Dice& dice) const {
  std::map<std::string, std::string> sensitive;
  for (const auto& [key, pod] : world_.api().objects(ResourceId::Pods))
    if (is_protected(*pod))
      if (const auto node = nodes.find(std::string(pod->spec()["nodeName"].string())); node != nodes.end())
        sensitive.insert(*node);
  return some_node(sensitive.empty() ? nodes : sensitive, dice);
}

bool Mischief::patch_template(const RunView& run, Dice& dice, const std::string& annotation,
                              const std::string& value) {
  if (run.moves.empty()) return false;
  const RunView::Move& move = run.moves[dice.below(run.moves.size())];
  for (const ResourceId kind : {ResourceId::ReplicaSets, ResourceId::StatefulSets})
    for (const ObjectPtr& owner : world_.api().list(kind, move.ns))
      if (owner->uid() == move.owner) {
        patch(kind, owner->ns(), owner->name(),
              fmt::format(
                  R"({{"spec":{{"template":{{"metadata":{{"annotations":{{"sim.tamp.dev/{}":"{}"}}}}}}}}}})",
                  annotation, value));
        return true;
      }
  return false;
}

bool Mischief::approve(const std::string& name, const std::string& hash) {
  const auto runs = world_.api().find_resource("temper.codes", "consolidationruns");
  if (!runs || hash.empty()) return false;
  return world_.api()
      .create(*runs, "",
              Tree::object(
                  {{"apiVersion", "temper.codes/v1alpha1"},
                   {"kind", "ConsolidationRun"},
                   {"metadata", Tree::object({{"name", name}})},
                   {"spec", Tree::object({{"planHash", hash}, {"approvedBy", "mia"}, {"source", "cli"}})}}))
      .ok();
}

bool Mischief::intrude(const std::string& node) {
  return world_.api().create(ResourceId::Pods, "default", json(fmt::format(kIntruder, ++made_, node))).ok();
}

void Mischief::hide_pressure() {
  for (const auto& [key, node] : world_.api().objects(ResourceId::Nodes)) {
    world_.cast().pressure.befall_agent(key.second, "psi-off");
    unpressured_.emplace(key.second, world_.now());
  }
}

bool Mischief::strike(const Trouble& trouble, const RunView& run) {
  Dice dice(trouble.salt);
  world::api::Server& api = world_.api();
  const auto policies = api.find_resource("temper.codes", "temperpolicies");
  const auto runs = api.find_resource("temper.codes", "consolidationruns");
  const auto node_patch = [&](const std::map<std::string, std::string>& nodes, const std::string& merge) {
    const std::string node = some_node(nodes, dice);
    if (!node.empty()) patch(ResourceId::Nodes, "", node, merge);
    return !node.empty();
  };
  using enum TroubleKind;
  switch (trouble.kind) {
    case ScaleUp: {
      const auto& all = api.objects(ResourceId::Deployments);
      if (all.empty()) return false;
      const auto chosen = std::next(all.begin(), static_cast<std::ptrdiff_t>(dice.below(all.size())));
      const std::int64_t replicas = chosen->second->spec()["replicas"].integer(1) + dice.between(-1, 3);
      patch(ResourceId::Deployments, chosen->first.first, chosen->first.second,
            fmt::format(R"({{"spec":{{"replicas":{}}}}})", std::max<std::int64_t>(replicas, 0)));
      return true;
    }
    case Intruder: {
      const std::string node = some_node(run.victims, dice);
      return !node.empty() && intrude(node);
    }
    case SurvivorGone:
    case VictimGone:
    case NodeRecreated: {
      const bool victim = trouble.kind == VictimGone || (trouble.kind == NodeRecreated && dice.chance(0.5));
      const std::string node = some_node(victim ? run.victims : run.survivors, dice);
      if (node.empty()) return false;
      const ObjectPtr old = api.get(ResourceId::Nodes, "", node);
      // As when the cloud takes a machine: the object goes, whoever holds it.
      patch(ResourceId::Nodes, "", node, R"({"metadata":{"finalizers":null}})");
      api.remove(ResourceId::Nodes, "", node);
      if (trouble.kind == NodeRecreated) {
        Tree again = old->tree();
        Tree& metadata = again.ensure("metadata");
        for (const char* field :
             {"uid", "resourceVersion", "creationTimestamp", "managedFields", "annotations", "finalizers",
              "ownerReferences", "generation", "deletionTimestamp"})
          metadata.erase(field);
        again.ensure("spec").erase("unschedulable");
        again.ensure("spec").erase("taints");
        api.create(ResourceId::Nodes, "", std::move(again));
      }
      return true;
    }
    case SurvivorSilent: {
      const std::string node = some_node(run.survivors, dice);
      if (node.empty()) return false;
      world::Stage stage = world_.stage(world::Actor::Kubelets);
      world_.cast().kubelets.stop(stage, node);
      silent_.insert(node);
      return true;
    }
    case NoPlace:
      for (const auto& [node, uid] : run.survivors)
        patch(ResourceId::Nodes, "", node, R"({"spec":{"unschedulable":true}})");
      return !run.survivors.empty();
    case NeverReady:
      return patch_template(run, dice, dice.chance(0.5) ? "never-ready" : "pull-fails", "true");
    case CrashLoop:
      return patch_template(run, dice, "crash-after", "2");
    case BudgetShut:
    case TwoBudgets: {
      if (run.moves.empty()) return false;
      const RunView::Move& move = run.moves[dice.below(run.moves.size())];
      const ObjectPtr pod = api.get(ResourceId::Pods, move.ns, move.name);
      if (!pod) return false;
      const Tree& app = pod->metadata()["labels"]["app"];
      for (int i = 0; i < (trouble.kind == TwoBudgets ? 2 : 1); ++i)
        api.create(ResourceId::PodDisruptionBudgets, move.ns,
                   json(fmt::format(R"({{"metadata":{{"name":"extra-{}"}},"spec":{{"maxUnavailable":{},)"
                                    R"("selector":{{"matchLabels":{{"app":"{}"}}}}}}}})",
                                    ++made_, trouble.kind == BudgetShut ? 0 : 1, app.string())));
      return true;
    }
    case NeverTerminates: {
      if (run.moves.empty()) return false;
      const RunView::Move& move = run.moves[dice.below(run.moves.size())];
      if (!api.get(ResourceId::Pods, move.ns, move.name)) return false;
      patch(ResourceId::Pods, move.ns, move.name, R"({"metadata":{"finalizers":["example.com/held"]}})");
      finalized_.emplace(move.ns, move.name);
      return true;
    }
    case NamespaceGoes:
      return api.remove(ResourceId::Namespaces, "", "shop").ok();
    case Rollout: {
      const auto& all = api.objects(ResourceId::Deployments);
      if (all.empty()) return false;
      const auto chosen = std::next(all.begin(), static_cast<std::ptrdiff_t>(dice.below(all.size())));
      patch(ResourceId::Deployments, chosen->first.first, chosen->first.second,
            R"({"spec":{"template":{"metadata":{"annotations":{"rollout":"2"}}}}})");
      return true;
    }
    case NodesComing:
      return world::apply_object(
                 api,
                 json(
                     R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"more","namespace":"default"},)"
                     R"("spec":{"replicas":3,"selector":{"matchLabels":{"app":"more"}},"template":{"metadata":{)"
                     R"("labels":{"app":"more"}},"spec":{"containers":[{"name":"c","image":"x","resources":{)"
                     R"("requests":{"cpu":"1500m"}}}]}}}})"))
          .ok();
    case HumanCordons:
      return node_patch(run.survivors, R"({"spec":{"unschedulable":true}})");
    case HumanUncordons:
      return node_patch(run.victims, R"({"spec":{"unschedulable":false}})");
    case MarksRemoved:
      return node_patch(dice.chance(0.7) ? run.survivors : run.victims,
                        R"({"metadata":{"annotations":{"karpenter.sh/do-not-disrupt":null,)"
                        R"("cluster-autoscaler.kubernetes.io/scale-down-disabled":null},)"
                        R"("labels":{"node.kubernetes.io/exclude-from-external-load-balancers":null}}})");
    case MarkChanged:
      return node_patch(run.survivors,
                        R"({"metadata":{"annotations":{"karpenter.sh/do-not-disrupt":"by mia"}}})");
    case NoteRemoved:
      return node_patch(dice.chance(0.5) ? run.survivors : run.victims,
                        R"({"metadata":{"annotations":{"temper.codes/run":null}}})");
    case RunDeleted:
      return runs && api.remove(*runs, "", run.name).ok();
    case RunErased:
      if (!runs || !api.get(*runs, "", run.name)) return false;
      patch(*runs, "", run.name, R"({"metadata":{"finalizers":null}})");
      api.remove(*runs, "", run.name);
      return true;
    case KindDeleted: {
      constexpr const char* kDefinition = "consolidationruns.temper.codes";
      const ObjectPtr definition = api.get(ResourceId::CustomResourceDefinitions, "", kDefinition);
      if (!definition || !definition_.is_null()) return false;
      definition_ = definition->tree();
      return api.remove(ResourceId::CustomResourceDefinitions, "", kDefinition).ok();
    }
    case CgroupReused:
    case AgentSkewed:
    case AgentForged: {
      const std::string node = some_node(run.survivors, dice);
      // One fault of an agent's answers at a time.
      if (node.empty() || run.requests_only || forgeries_.contains(node)) return false;
      if (trouble.kind == CgroupReused)
        forgeries_[node] = Forgery::OtherPods;
      else if (trouble.kind == AgentSkewed)
        forgeries_[node] = dice.chance(0.5) ? Forgery::ClockAhead : Forgery::ClockBehind;
      else
        forgeries_[node] = static_cast<Forgery>(dice.below(3));
      // When an agent measured is told by the controller's own clock, from when it heard it: a wrong one changes nothing.
      if (trouble.kind == AgentForged) ailing_.emplace(node, world_.now());
      return true;
    }
    case AgentSilent:
    case AgentFrozen:
    case PressureOff:
    case AgentRestarted:
    case AgentLies: {
      const std::string node = some_node(run.survivors, dice);
      if (node.empty() || run.requests_only) return false;
      const char* state = trouble.kind == AgentSilent      ? "silent"
                          : trouble.kind == AgentFrozen    ? "frozen"
                          : trouble.kind == PressureOff    ? "psi-off"
                          : trouble.kind == AgentRestarted ? "restarted"
                                                           : "lying";
      world_.cast().pressure.befall_agent(node, state);
      // The last fault of an agent is the one it has.
      ailing_.erase(node);
      unpressured_.erase(node);
      if (trouble.kind == PressureOff || trouble.kind == AgentFrozen)
        unpressured_.emplace(node, world_.now());
      else if (trouble.kind != AgentRestarted && trouble.kind != AgentLies)
        ailing_.emplace(node, world_.now());
      return true;
    }
    case Squeeze:
    case LateSqueeze:
    case Spike: {
      const std::string node = sensitive_node(run.survivors, dice);
      if (node.empty() || run.requests_only) return false;
      if (trouble.kind == Spike) spiked_.insert(node);
      return squeeze(node, "hog");
    }
    case OwnQuota: {
      if (run.requests_only) return false;
      return std::any_of(run.survivors.begin(), run.survivors.end(), [this](const auto& survivor) {
        return want(survivor.first, "hog", [](const world::api::Object& pod) {
          return is_protected(pod) &&
                 pod.spec()["containers"].elements().front().at({"resources", "limits"}).has("cpu");
        });
      });
    }
    case StaleApproval:
      return approve(fmt::format("stale-{}", ++made_), fmt::format("{:064x}", dice.next()));
    case SecondApproval:
      return approve(fmt::format("again-{}", ++made_), run.hash);
    case AbortAsked:
      if (!runs || !api.get(*runs, "", run.name)) return false;
      patch(*runs, "", run.name, R"({"metadata":{"annotations":{"temper.codes/abort":"true"}}})");
      if (dice.chance(0.5)) approve(fmt::format("during-{}", ++made_), run.hash);
      return true;
    case KillSwitch:
      if (policies)
        patch(*policies, "", "default", R"({"metadata":{"annotations":{"temper.codes/pause":"true"}}})");
      return true;
    case NodePaused: {
      const std::string node = some_node(dice.chance(0.5) ? run.survivors : run.victims, dice);
      if (node.empty()) return false;
      patch(ResourceId::Nodes, "", node, R"({"metadata":{"annotations":{"temper.codes/pause":"true"}}})");
      paused_.insert(node);
      return true;
    }
    case PolicyObserves:
      if (policies) patch(*policies, "", "default", R"({"spec":{"mode":"Observe"}})");
      return true;
    default:
      return false;
  }
}

bool Mischief::want(const std::string& node, const std::string& demand,
                    const std::function<bool(const world::api::Object&)>& who) {
  world::api::Server& api = world_.api();
  std::vector<std::pair<std::string, std::string>> pods;
  for (const auto& [key, pod] : api.objects(ResourceId::Pods))
    if (pod->spec()["nodeName"].string() == node && who(*pod)) pods.push_back(key);
  for (const auto& [ns, name] : pods)
    patch(ResourceId::Pods, ns, name,
          fmt::format(R"({{"metadata":{{"annotations":{{"sim.tamp.dev/demand":"{}"}}}}}})", demand));
  return !pods.empty();
}

bool Mischief::squeeze(const std::string& node, const std::string& demand) {
  return want(node, demand, [](const world::api::Object&) { return true; });
}

void Mischief::end_spikes() {
  for (const std::string& node : std::exchange(spiked_, {})) squeeze(node, "steady 50m");
}

void Mischief::end_automatic_approval() {
  if (const auto policies = world_.api().find_resource("temper.codes", "temperpolicies"))
    patch(*policies, "", "default", R"({"spec":{"approval":"Manual"}})");
}

void Mischief::heal() {
  world::api::Server& api = world_.api();
  if (const auto policies = api.find_resource("temper.codes", "temperpolicies"))
    patch(*policies, "", "default", R"({"metadata":{"annotations":{"temper.codes/pause":null}}})");
  for (const std::string& node : paused_)
    if (api.get(ResourceId::Nodes, "", node))
      patch(ResourceId::Nodes, "", node, R"({"metadata":{"annotations":{"temper.codes/pause":null}}})");
  for (const std::string& node : silent_) {
    world::Stage stage = world_.stage(world::Actor::Kubelets);
    world_.cast().kubelets.resume(stage, node);
  }
  for (const auto& [ns, name] : finalized_)
    if (api.get(ResourceId::Pods, ns, name))
      patch(ResourceId::Pods, ns, name, R"({"metadata":{"finalizers":null}})");
  forgeries_.clear();
  if (!definition_.is_null()) {
    for (const char* field : {"uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"})
      definition_.ensure("metadata").erase(field);
    definition_.erase("status");
    api.create(ResourceId::CustomResourceDefinitions, "", std::exchange(definition_, Tree()));
  }
  for (const auto* nodes : {&ailing_, &unpressured_})
    for (const auto& [node, since] : *nodes) world_.cast().pressure.befall_agent(node, "normal");
  unpressured_.clear();
  ailing_.clear();
  paused_.clear();
  silent_.clear();
  finalized_.clear();
}

}  // namespace tamp::sim

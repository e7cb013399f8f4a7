#include "sim/scenario/workload_objects.h"

#include <charconv>

namespace tamp::world {
namespace {

using wire::Tree;

// Objects are merged member by member, anything else is replaced.
void merge(Tree& into, const Tree& from) {
  if (!from.is_object() || !into.is_object()) {
    into = from;
    return;
  }
  for (const Tree::Member& member : from.members()) merge(into.ensure(member.key), member.value);
}

Tree labels_of(std::string_view app) { return Tree::object({{"app", app}}); }

Tree resources_of(const WorkloadPlan& plan, Dice& dice) {
  Tree resources = Tree::object();
  if (plan.cpu.given()) resources.ensure({"requests", "cpu"}) = choose(plan.cpu, dice);
  if (plan.memory.given()) resources.ensure({"requests", "memory"}) = choose(plan.memory, dice);
  if (!plan.cpu_limit.empty()) resources.ensure({"limits", "cpu"}) = plan.cpu_limit;
  if (!plan.memory_limit.empty()) resources.ensure({"limits", "memory"}) = plan.memory_limit;
  return resources;
}

Tree anti_affinity(const WorkloadPlan& plan, const std::string& name) {
  const Tree term = Tree::object({{"topologyKey", "kubernetes.io/hostname"},
                                  {"labelSelector", Tree::object({{"matchLabels", labels_of(name)}})}});
  Tree rules = Tree::object();
  if (plan.anti_affinity == "required")
    rules.ensure("requiredDuringSchedulingIgnoredDuringExecution").append(term);
  else
    rules.ensure("preferredDuringSchedulingIgnoredDuringExecution")
        .append(Tree::object({{"weight", 100}, {"podAffinityTerm", term}}));
  return Tree::object({{"podAntiAffinity", rules}});
}

Tree pod_template(const WorkloadPlan& plan, const std::string& name, Dice& dice) {
  Tree spec = Tree::object();
  Tree container = Tree::object({{"name", "main"}, {"image", "registry.example/" + plan.name + ":v1"}});
  container.set("resources", resources_of(plan, dice));
  spec.ensure("containers").append(std::move(container));
  if (!plan.priority_class.empty()) spec.set("priorityClassName", plan.priority_class);
  if (!plan.pool.empty()) spec.ensure({"nodeSelector", "karpenter.sh/nodepool"}) = plan.pool;
  if (!plan.anti_affinity.empty()) spec.set("affinity", anti_affinity(plan, name));
  if (!plan.spread.empty()) {
    const char* key = plan.spread == "zone" ? "topology.kubernetes.io/zone" : "kubernetes.io/hostname";
    spec.ensure("topologySpreadConstraints")
        .append(Tree::object({{"maxSkew", 1},
                              {"topologyKey", key},
                              {"whenUnsatisfiable", "DoNotSchedule"},
                              {"labelSelector", Tree::object({{"matchLabels", labels_of(name)}})}}));
  }
  if (plan.kind == "Job" || plan.kind == "CronJob") spec.set("restartPolicy", "OnFailure");
  if (plan.pod.is_object()) merge(spec, plan.pod);

  Tree metadata = Tree::object({{"labels", labels_of(name)}});
  if (plan.annotations.is_object()) metadata.set("annotations", plan.annotations);
  for (const auto& [key, value] : plan.behaviour)
    metadata.ensure("annotations").set("sim.tamp.dev/" + key, value);
  return Tree::object({{"metadata", metadata}, {"spec", spec}});
}

Tree object_of(std::string_view api_version, std::string_view kind, const WorkloadPlan& plan,
               const std::string& name) {
  return Tree::object(
      {{"apiVersion", api_version},
       {"kind", kind},
       {"metadata", Tree::object({{"name", name}, {"namespace", plan.ns}, {"labels", labels_of(name)}})}});
}

}  // namespace

std::string choose(const Choice& choice, Dice& dice) {
  if (choice.between) return std::to_string(dice.between(choice.between->first, choice.between->second));
  if (choice.values.empty()) return {};
  return choice.values[dice.below(choice.values.size())];
}

std::string workload_name(const WorkloadPlan& plan, int number) {
  return plan.copies == 1 ? plan.name : plan.name + "-" + std::to_string(number);
}

std::vector<Tree> workload_objects(const WorkloadPlan& plan, int number, Dice& dice) {
  const std::string name = workload_name(plan, number);
  const std::string chosen = choose(plan.replicas, dice);
  int replicas = 1;
  std::from_chars(chosen.data(), chosen.data() + chosen.size(), replicas);
  const Tree pods = pod_template(plan, name, dice);
  const Tree selector = Tree::object({{"matchLabels", labels_of(name)}});

  std::vector<Tree> objects;
  if (plan.kind == "Job" || plan.kind == "CronJob") {
    const Tree job = Tree::object({{"parallelism", replicas}, {"completions", replicas}, {"template", pods}});
    Tree object = object_of("batch/v1", plan.kind, plan, name);
    if (plan.kind == "Job")
      object.set("spec", job);
    else
      object.set("spec",
                 Tree::object({{"schedule", plan.schedule}, {"jobTemplate", Tree::object({{"spec", job}})}}));
    objects.push_back(std::move(object));
  } else {
    Tree object = object_of("apps/v1", plan.kind, plan, name);
    object.set("spec", Tree::object({{"selector", selector}, {"template", pods}}));
    if (plan.kind != "DaemonSet") object.ensure({"spec", "replicas"}) = replicas;
    if (plan.kind == "StatefulSet") object.ensure({"spec", "serviceName"}) = name;
    objects.push_back(std::move(object));
  }
  if (plan.budget.is_object()) {
    Tree budget = object_of("policy/v1", "PodDisruptionBudget", plan, name);
    budget.set("spec", plan.budget);
    budget.ensure({"spec", "selector"}) = selector;
    objects.push_back(std::move(budget));
  }
  return objects;
}

}  // namespace tamp::world

#include "sim/campaign/recipe.h"

#include <fmt/format.h>

#include <array>

#include "sim/api/dice.h"
#include "wire/tree.h"

namespace tamp::sim {
namespace {

using wire::Tree;
using world::Dice;

template <typename T, std::size_t N>
const T& one_of(Dice& dice, const std::array<T, N>& values) {
  return values.at(dice.below(N));
}

Tree json(const std::string& text) {
  auto tree = wire::read_tree(text);
  return tree ? *std::move(tree) : Tree();
}

// Three sizes in two zones; the price goes with the size.
Tree machines() {
  std::string out = "[";
  const std::array<int, 3> cores = {2, 4, 8};
  for (const int n : cores) {
    std::string offerings;
    for (const char* zone : {"a", "b"})
      for (const char* capacity : {"on-demand", "spot"})
        offerings +=
            fmt::format(R"({}{{"Price":{},"Available":true,"Requirements":[)"
                        R"({{"key":"karpenter.sh/capacity-type","operator":"In","values":["{}"]}},)"
                        R"({{"key":"topology.kubernetes.io/zone","operator":"In","values":["{}"]}}]}})",
                        offerings.empty() ? "" : ",",
                        0.025 * n * (std::string_view(capacity) == "spot" ? 0.4 : 1), capacity, zone);
    out += fmt::format(
        R"({}{{"name":"m{}","architecture":"amd64","operatingSystems":["linux"],)"
        R"("resources":{{"cpu":"{}","memory":"{}Gi","pods":"30","ephemeral-storage":"50Gi"}},"offerings":[{}]}})",
        out.size() > 1 ? "," : "", n, n, n * 2, offerings);
  }
  return json(out + "]");
}

void add_priorities(world::Scenario& scenario) {
  const std::array<std::pair<const char*, int>, 4> classes = {
      std::pair{"critical", 1'000'000}, {"high", 100'000}, {"low", -50}, {"background", -1000}};
  for (const auto& [name, value] : classes)
    scenario.objects.push_back(json(fmt::format(
        R"({{"apiVersion":"scheduling.k8s.io/v1","kind":"PriorityClass","metadata":{{"name":"{}"}},"value":{}}})",
        name, value)));
}

// Returns whether it approves by itself.
bool add_policy(world::Scenario& scenario, bool slo, Dice& dice) {
  const std::string_view reap = dice.chance(0.75) ? "Autoscaler" : dice.chance(0.6) ? "NodeClaim" : "None";
  // One throw in a statement: compilers differ in the order of arguments.
  const bool automatic = dice.chance(0.2);
  const std::int64_t nodes = dice.between(1, 3);
  // Long enough, sometimes, for a minute's window of pressure to fill.
  const bool patient = slo && dice.chance(0.3);
  const std::int64_t settle = patient ? dice.between(60, 120) : dice.between(5, 30);
  const std::int64_t patience = dice.between(20, 90), escalate = dice.between(20, 60),
                     give_up = dice.between(100, 240), watch = dice.between(20, 60);
  scenario.objects.push_back(json(fmt::format(
      R"({{"apiVersion":"temper.codes/v1alpha1","kind":"TemperPolicy","metadata":{{"name":"default"}},"spec":{{)"
      R"("mode":"Act","planner":"{}","approval":"{}","minNodeLifetime":"0s","utilizationThreshold":1,)"
      R"("disruption":{{"consolidationPolicy":"WhenEmptyOrUnderutilized","consolidateAfter":"0s","consolidationSavingsThreshold":0,"budgets":[{{"nodes":"{}"}}]}},)"
      R"("guards":{{"minSamples":3,"headroom":{{"cpu":1,"memory":1}},"run":{{"minSamples":2,)"
      R"("settle":"{}s","afterReapWatch":"{}s","pdbPatience":"{}s","pendingReplacementAfter":"60s",)"
      R"("launchTimeout":"90s"}}}},)"
      R"("reap":{{"mode":"{}","escalateAfter":"{}s","giveUpAfter":"{}s"}}}}}})",
      slo ? "SLO" : "Requests", automatic ? "Automatic" : "Manual", nodes, settle, watch, patience, reap,
      escalate, give_up)));
  return automatic;
}

void add_fleet(world::Scenario& scenario, Dice& dice) {
  const int nodes = static_cast<int>(dice.between(3, 6));
  if (dice.chance(0.6)) {
    scenario.autoscaler = json(R"({"kind":"Karpenter"})");
    const char* spot = dice.chance(0.3) ? R"(,"spot")" : "";
    const char* after = dice.chance(0.15) ? "Never" : dice.chance(0.5) ? "0s" : "20s";
    scenario.objects.push_back(json(fmt::format(
        R"({{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{{"name":"pool"}},"spec":{{"template":{{"spec":{{)"
        R"("nodeClassRef":{{"group":"karpenter.kwok.sh","kind":"KWOKNodeClass","name":"default"}},)"
        R"("requirements":[{{"key":"karpenter.sh/capacity-type","operator":"In","values":["on-demand"{}]}}]}}}},)"
        R"("disruption":{{"consolidationPolicy":"WhenEmpty","consolidateAfter":"{}","budgets":[{{"nodes":"100%"}}]}}}}}})",
        spot, after)));
    for (int i = 0; i < nodes; ++i) {
      world::Fleet fleet;
      fleet.name = fmt::format("n{}", i);
      fleet.pool = "pool";
      fleet.type.values = {dice.chance(0.5) ? "m4" : dice.chance(0.5) ? "m8" : "m2"};
      fleet.zone.values = {dice.chance(0.5) ? "a" : "b"};
      fleet.capacity_type.values = {"on-demand"};
      scenario.fleets.push_back(std::move(fleet));
    }
    return;
  }
  const bool skips = dice.chance(0.5);
  const std::int64_t unneeded = dice.between(10, 40);
  const char* machine = dice.chance(0.5) ? "m4" : "m8";
  const int least = dice.chance(0.2) ? nodes : 1;
  scenario.autoscaler =
      json(fmt::format(R"({{"kind":"ClusterAutoscaler","skipsCordoned":{},"unneededAfter":"{}s",)"
                       R"("groups":[{{"name":"pool","machine":"{}","zone":"a","min":{},"max":8}}]}})",
                       skips ? "true" : "false", unneeded, machine, least));
  world::Fleet fleet;
  fleet.count = nodes;
  fleet.name = "n";
  fleet.pool = "pool";
  scenario.fleets.push_back(std::move(fleet));
}

void add_workloads(world::Scenario& scenario, Dice& dice) {
  constexpr std::array<const char*, 8> kClasses = {"",     "",    "",           "critical",
                                                   "high", "low", "background", "background"};
  constexpr std::array<const char*, 6> kKinds = {"Deployment",  "Deployment", "Deployment",
                                                 "StatefulSet", "ReplicaSet", "Job"};
  const int workloads = static_cast<int>(dice.between(2, 5));
  for (int i = 0; i < workloads; ++i) {
    world::WorkloadPlan plan;
    plan.kind = one_of(dice, kKinds);
    plan.ns = i == 0 ? "shop" : "default";
    plan.name = fmt::format("w{}", i);
    plan.replicas.values = {std::to_string(dice.between(1, 5))};
    plan.cpu.values = {fmt::format("{}m", dice.between(1, 5) * 100)};
    plan.memory.values = {fmt::format("{}Mi", dice.between(1, 6) * 100)};
    if (dice.chance(0.3)) plan.cpu_limit = "600m";
    plan.priority_class = one_of(dice, kClasses);
    if (dice.chance(0.15)) plan.spread = dice.chance(0.5) ? "zone" : "host";
    if (dice.chance(0.15)) plan.anti_affinity = dice.chance(0.5) ? "required" : "preferred";
    if (dice.chance(0.35))
      plan.budget = json(dice.chance(0.8) ? R"({"maxUnavailable":1})" : R"({"minAvailable":"50%"})");
    if (plan.kind == "Job") {
      plan.behaviour.emplace_back("run-seconds", fmt::format("{}", dice.between(60, 900)));
      plan.budget = Tree();
    }
    plan.behaviour.emplace_back("pull-seconds", "0.5");
    plan.behaviour.emplace_back("demand", dice.chance(0.7) ? "steady 50m" : "steady 150m");
    if (dice.chance(0.2)) plan.behaviour.emplace_back("terminate-seconds", "5..20");
    if (dice.chance(0.2)) plan.behaviour.emplace_back("ready-after", "5..20");
    scenario.workloads.push_back(std::move(plan));
  }
  if (dice.chance(0.4)) {
    world::WorkloadPlan plan;
    plan.kind = "DaemonSet";
    plan.ns = "kube-system";
    plan.name = "ds";
    plan.cpu.values = {"50m"};
    plan.memory.values = {"50Mi"};
    scenario.workloads.push_back(std::move(plan));
  }
}

// Of all kinds, and more often those of agents where there are any; without agents they would be nothing.
TroubleKind make_kind(Dice& dice, bool slo) {
  using enum TroubleKind;
  constexpr auto kFirst = static_cast<std::size_t>(AgentSilent),
                 kLast = static_cast<std::size_t>(LateSqueeze);
  const std::size_t any = dice.below(kTroubleKinds), of_agents = kFirst + dice.below(kLast - kFirst + 1);
  const bool wants_agents = any >= kFirst && any <= kLast;
  if (slo && dice.chance(0.3)) return static_cast<TroubleKind>(of_agents);
  return !slo && wants_agents ? Crash : static_cast<TroubleKind>(any);
}

Trouble make_trouble(Dice& dice, bool slo) {
  constexpr std::array<const char*, 12> kPhases = {"Approved", "Validating",   "Protecting", "Cordoning",
                                                   "Draining", "Draining",     "Draining",   "Draining",
                                                   "Settling", "AwaitingReap", "Aborting",   "Launching"};
  Trouble trouble;
  // A crash is the most important fault of all, and it is cheap.
  trouble.kind = dice.chance(0.25) ? TroubleKind::Crash : make_kind(dice, slo);
  trouble.phase = one_of(dice, kPhases);
  if (trouble.kind == TroubleKind::LateSqueeze) trouble.phase = "Succeeded";
  // Some phases pass within milliseconds.
  trouble.delay = Duration{dice.between(0, dice.chance(0.5)   ? 3'000'000'000
                                           : dice.chance(0.3) ? 5'000'000
                                                              : 25'000'000'000)};
  trouble.lasting = Duration::seconds(dice.between(3, 60));
  trouble.salt = dice.next();
  return trouble;
}

}  // namespace

Recipe make_recipe(std::uint64_t seed) {
  Dice dice(seed * 0x9e3779b97f4a7c15u + 0x51ed270b);
  Recipe recipe;
  recipe.seed = seed;
  world::Scenario& scenario = recipe.scenario;
  scenario.name = "trial";
  scenario.machines = machines();
  recipe.slo = dice.chance(0.35);
  scenario.agents = recipe.slo;
  scenario.warmup = Duration::seconds(recipe.slo ? 320 : 25);
  add_priorities(scenario);
  Dice policy = dice.split(1), fleet = dice.split(2), work = dice.split(3), trouble = dice.split(4);
  recipe.automatic = add_policy(scenario, recipe.slo, policy);
  add_fleet(scenario, fleet);
  add_workloads(scenario, work);
  if (recipe.slo && work.chance(0.5)) scenario.workloads.front().priority_class = "critical";
  recipe.controllers = dice.chance(0.3) ? 2 : 1;
  recipe.approvals = dice.chance(0.15) ? 2 : 1;
  recipe.approve_after = Duration{dice.between(500'000'000, 6'000'000'000)};
  recipe.foreign_marks = dice.chance(0.3);
  recipe.human_cordon = dice.chance(0.2);
  const auto troubles = static_cast<int>(dice.chance(0.1) ? 0 : dice.between(1, 4));
  for (int i = 0; i < troubles; ++i) {
    recipe.troubles.push_back(make_trouble(trouble, recipe.slo));
    if (recipe.troubles.back().kind == TroubleKind::TakeOver) recipe.controllers = 2;
  }
  return recipe;
}

std::string describe(const Recipe& recipe) {
  std::string out = fmt::format("seed {}: {}, {} controllers, {} approvals{}{}\n", recipe.seed,
                                wire::to_json(recipe.scenario.autoscaler), recipe.controllers,
                                recipe.approvals, recipe.foreign_marks ? ", foreign marks" : "",
                                recipe.human_cordon ? ", a cordoned node" : "");
  for (const Tree& object : recipe.scenario.objects)
    if (object["kind"].string() == "TemperPolicy") out += "  policy " + wire::to_json(object["spec"]) + "\n";
  for (const world::Fleet& fleet : recipe.scenario.fleets)
    out += fmt::format("  {} x {} {}\n", fleet.count, fleet.name,
                       fleet.type.given() ? fleet.type.values[0] : "");
  for (const world::WorkloadPlan& plan : recipe.scenario.workloads)
    out += fmt::format("  {} {}/{} x {} cpu {} class {} {}\n", plan.kind, plan.ns, plan.name,
                       plan.replicas.given() ? plan.replicas.values[0] : "-", plan.cpu.values[0],
                       plan.priority_class, wire::to_json(plan.budget));
  for (std::size_t i = 0; i < recipe.troubles.size(); ++i) {
    const Trouble& t = recipe.troubles[i];
    out += fmt::format("  trouble {}: {} {} after {} for {}\n", i, name_of(t.kind), format_duration(t.delay),
                       t.phase, format_duration(t.lasting));
  }
  return out;
}

}  // namespace tamp::sim

#include "sim/world/staging.h"

#include <utility>

#include "sim/api/fresh_cluster.h"
#include "sim/scenario/scenario_objects.h"
#include "sim/scenario/workload_objects.h"
#include "wire/yaml.h"

namespace tamp::text {
extern const std::string_view karpenter_crds, temperpolicy_crd, consolidationrun_crd, builtin_machines;
}  // namespace tamp::text

namespace tamp::world {
namespace {

using api::ResourceId;
using wire::Tree;

Status apply_or_tell(api::Server& server, const Tree& object) {
  const api::Outcome outcome = apply_object(server, object);
  if (outcome.ok()) return success();
  return Error{object_title(object) + ": " + std::string(outcome.message())};
}

Status apply_yaml(api::Server& server, std::string_view yaml) {
  TAMP_TRY(const std::vector<std::string> documents, wire::yaml_to_json(std::string(yaml)));
  for (const std::string& document : documents) {
    TAMP_TRY(const Tree object, wire::read_tree(document));
    TAMP_CHECK(apply_or_tell(server, object));
  }
  return success();
}

Result<ClusterAutoscalerSettings> autoscaler_settings(const Tree& tree) {
  ClusterAutoscalerSettings settings;
  settings.skips_cordoned = tree["skipsCordoned"].boolean(true);
  settings.group_label = tree["groupLabel"].string(settings.group_label);
  if (tree.has("unneededAfter")) {
    TAMP_TRY(settings.unneeded, parse_go_duration(tree["unneededAfter"].string()));
  }
  for (const Tree& group : tree["groups"].elements()) {
    NodeGroup out;
    out.name = group["name"].string();
    out.machine = group["machine"].string();
    out.zone = group["zone"].string();
    out.capacity_type = group["capacityType"].string("on-demand");
    out.least = static_cast<int>(group["min"].integer(0));
    out.most = static_cast<int>(group["max"].integer(100));
    out.labels = group["labels"];
    out.taints = group["taints"];
    if (out.name.empty() || out.machine.empty())
      return Error{"autoscaler.groups: a group needs name and machine"};
    settings.groups.push_back(std::move(out));
  }
  return settings;
}

Result<Tree> catalogue_of(const Scenario& scenario) {
  if (!scenario.machines.is_null()) return scenario.machines;
  return wire::read_tree(std::string(text::builtin_machines));
}

Status place_fleet(World& world, const Fleet& fleet, Dice& dice) {
  Cast& cast = world.cast();
  for (int i = 1; i <= fleet.count; ++i) {
    const std::string name = fleet.name + "-" + std::to_string(i);
    const std::string type = choose(fleet.type, dice), zone = choose(fleet.zone, dice),
                      capacity_type = choose(fleet.capacity_type, dice);
    std::string placed;
    if (cast.karpenter.running()) {
      Stage stage = world.stage(Actor::Karpenter);
      placed = cast.karpenter.place(stage, fleet.pool, type, zone, capacity_type, name);
    } else {
      Stage stage = world.stage(Actor::ClusterAutoscaler);
      placed = cast.cluster_autoscaler.place(stage, fleet.pool, name);
    }
    if (placed.empty())
      return Error{"node " + name + ": there is no pool " + fleet.pool + " or no machine " + type + " in " +
                   zone + " (" + capacity_type + ")"};
  }
  return success();
}

}  // namespace

std::string machine_catalogue(const Scenario& scenario) {
  return scenario.machines.is_null() ? std::string(text::builtin_machines) : wire::to_json(scenario.machines);
}

Result<World> make_world(const Scenario& scenario, std::uint64_t seed) {
  TAMP_TRY(World world, make_bare_world(seed, scenario.start - scenario.warmup));
  TAMP_CHECK(furnish(world, scenario, seed));
  return world;
}

Result<World> make_bare_world(std::uint64_t seed, Time start) {
  World world(seed, start);
  api::Server& server = world.api();
  api::add_fresh_objects(server);
  TAMP_CHECK(apply_yaml(server, text::temperpolicy_crd));
  TAMP_CHECK(apply_yaml(server, text::consolidationrun_crd));
  TAMP_CHECK(apply_yaml(server, text::karpenter_crds));
  return world;
}

Status furnish(World& world, const Scenario& scenario, std::uint64_t seed) {
  world.reseed(seed);
  api::Server& server = world.api();
  for (const Tree& object : scenario.objects) TAMP_CHECK(apply_or_tell(server, object));

  TAMP_TRY(const Tree catalogue, catalogue_of(scenario));
  TAMP_TRY(Machines machines, read_machines(catalogue));
  const std::string_view kind = scenario.autoscaler["kind"].string();
  if (kind == "Karpenter") {
    Stage stage = world.stage(Actor::Karpenter);
    world.cast().karpenter.start(stage, std::move(machines));
  } else {
    TAMP_TRY(ClusterAutoscalerSettings settings, autoscaler_settings(scenario.autoscaler));
    Stage stage = world.stage(Actor::ClusterAutoscaler);
    world.cast().cluster_autoscaler.start(stage, std::move(machines), std::move(settings));
  }
  world.cast().pressure.set_agents(scenario.agents);
  world.deliver();

  // The seed's own dice for what the file leaves open, so that one more pod in the world does not change the fleet.
  Dice dice(seed ^ 0x5ca1ab1e);
  for (const Fleet& fleet : scenario.fleets) TAMP_CHECK(place_fleet(world, fleet, dice));
  world.deliver();
  for (const WorkloadPlan& plan : scenario.workloads)
    for (int copy = 1; copy <= plan.copies; ++copy)
      for (const Tree& object : workload_objects(plan, copy, dice)) TAMP_CHECK(apply_or_tell(server, object));
  Stage stage = world.stage(Actor::Director);
  world.cast().director.plan(stage, scenario);
  world.run_until(scenario.start);
  return success();
}

}  // namespace tamp::world

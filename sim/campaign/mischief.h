// Carries out the troubles that befall the cluster and what people do to it; those of the wire and of processes are the trial's.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "sim/api/dice.h"
#include "sim/campaign/agents.h"
#include "sim/campaign/run_view.h"
#include "sim/campaign/trouble.h"
#include "sim/world/world.h"

namespace tamp::sim {

class Mischief {
 public:
  explicit Mischief(world::World& world) : world_(world) {}
  // Returns whether there was anything to do it to. `run` is the first run.
  bool strike(const Trouble& trouble, const RunView& run);
  // Everything that would keep a run from its end is taken back.
  void heal();
  // Nodes whose agents tell nothing that can be believed, and since when.
  const std::map<std::string, Time>& ailing() const { return ailing_; }
  // And those that do not know the pressure of their pods.
  const std::map<std::string, Time>& unpressured() const { return unpressured_; }
  // What becomes of agents' answers on their way.
  const Forgeries& forgeries() const { return forgeries_; }
  // Those who wanted all cores for a moment are content again.
  void end_spikes();
  // No new run is begun by the policy.
  void end_automatic_approval();
  // From now on no node knows its pressure.
  void hide_pressure();
  // A pod that nobody planned, bound to the node.
  bool intrude(const std::string& node);
  // Whoever approves: a run of this hash.
  bool approve(const std::string& name, const std::string& hash);

 private:
  void patch(world::api::ResourceId resource, std::string_view ns, std::string_view name,
             const std::string& merge);
  std::string some_node(const std::map<std::string, std::string>& nodes, world::Dice& dice) const;
  // One with protected pods, whose pressure is what counts, if there is any.
  std::string sensitive_node(const std::map<std::string, std::string>& nodes, world::Dice& dice) const;
  bool patch_template(const RunView& run, world::Dice& dice, const std::string& annotation,
                      const std::string& value);
  // These pods of the node want so much from now on; false if there are none.
  bool want(const std::string& node, const std::string& demand,
            const std::function<bool(const world::api::Object& pod)>& who);
  bool squeeze(const std::string& node, const std::string& demand);  // all of them

  world::World& world_;
  std::set<std::string> paused_;                             // nodes
  std::set<std::string> silent_;                             // kubelets
  std::set<std::pair<std::string, std::string>> finalized_;  // pods
  std::set<std::string> spiked_;                             // nodes
  std::map<std::string, Time> ailing_, unpressured_;
  Forgeries forgeries_;
  wire::Tree definition_;  // that was deleted
  int made_ = 0;
};

}  // namespace tamp::sim

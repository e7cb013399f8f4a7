// An autoscaler that does what Tamp meets of Cluster Autoscaler: node groups of equal machines with a least and a greatest
// size; a group grows for pods that fit nowhere; a node without pods to move that stays so for the unneeded time goes, if
// its group may shrink and nothing forbids it. Its taints and its status ConfigMap are there while it thinks. On GKE a
// cordoned node is an operator's statement, and left alone.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/autoscalers/machines.h"
#include "sim/autoscalers/occupancy.h"
#include "sim/autoscalers/packing.h"
#include "sim/engine/stage.h"

namespace tamp::world {

struct NodeGroup {
  std::string name, machine, zone, capacity_type = "on-demand";
  int least = 1, most = 10;
  wire::Tree labels, taints;
};

struct ClusterAutoscalerSettings {
  std::vector<NodeGroup> groups;
  std::string group_label = "cloud.google.com/gke-nodepool";
  bool skips_cordoned = true;  // GKE's habit
  Duration scan = Duration::seconds(10);
  Duration unneeded = Duration::minutes(10);
  Duration after_add = Duration::minutes(10);  // no removal so soon after a node was added
  Duration boot_least = Duration::seconds(40), boot_most = Duration::seconds(90);
};

class ClusterAutoscaler {
 public:
  // It sleeps until then.
  void start(Stage& stage, Machines machines, ClusterAutoscalerSettings settings);
  bool running() const { return running_; }

  // A node of the group that is simply there. Its name; empty if there is no such group or machine.
  std::string place(Stage& stage, std::string_view group, std::string_view name);

  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

 private:
  enum What : std::uint8_t { Scan, Boot, Delete };

  void scan(Stage& stage);
  void grow(Stage& stage);
  void shrink(Stage& stage);
  void write_status(Stage& stage);
  const NodeGroup* group_of(const api::Object& node) const;
  int size_of(Stage& stage, const NodeGroup& group) const;
  bool forbidden(Stage& stage, const api::Object& node) const;

  bool running_ = false;
  Machines machines_;
  ClusterAutoscalerSettings settings_;
  Occupancy occupancy_;
  std::map<std::string, int> booting_;          // by group
  std::set<std::string> served_;                // uids of pods that machines were bought for
  std::map<std::string, Time> unneeded_since_;  // by node
  std::set<std::string> going_;                 // nodes that are being deleted
  std::optional<Time> last_added_;
  std::int64_t made_ = 0;  // for names
  std::string status_;
};

}  // namespace tamp::world

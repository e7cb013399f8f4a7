// An autoscaler that does what Tamp meets of Karpenter: it buys machines for pods that fit nowhere, from the catalogue, by
// NodePools; it launches NodeClaims that others make; registers and initializes them with delays; removes nodes that have
// been empty for their pool's consolidateAfter, within its budgets; drains and ends what is deleted. It does not
// consolidate nodes that are in use: that is Tamp's business here, and what a pool with WhenEmpty says.
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

struct KarpenterSettings {
  Duration batch = Duration::seconds(2);  // pods that come meanwhile are served together
  Duration launch_least = Duration::seconds(2), launch_most = Duration::seconds(6);
  Duration register_least = Duration::seconds(15), register_most = Duration::seconds(40);
  Duration initialize_least = Duration::seconds(3), initialize_most = Duration::seconds(12);
  Duration poll = Duration::seconds(10);        // between two looks for empty nodes
  Duration validation = Duration::seconds(15);  // between choosing an empty node and deleting it
  Duration give_up = Duration::minutes(5);      // a claim that finds no machine is deleted after that
};

class Karpenter {
 public:
  // It sleeps until then. The CustomResourceDefinitions of NodePool and NodeClaim must be there.
  void start(Stage& stage, Machines machines, KarpenterSettings settings = {});
  bool running() const { return running_; }

  // A machine that is simply there: claim and node, registered and initialized, without delay. Its name; empty if the
  // pool or the machine does not exist.
  std::string place(Stage& stage, std::string_view pool, std::string_view type, std::string_view zone,
                    std::string_view capacity_type, std::string_view name);

  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

 private:
  enum What : std::uint8_t { Provision, Launch, Register, Initialize, Poll, Delete, Terminate, Touch };

  void provision(Stage& stage);
  void launch(Stage& stage, const std::string& claim);
  void enroll(Stage& stage, const std::string& claim);
  void initialize(Stage& stage, const std::string& claim);
  void poll(Stage& stage);
  void end_empty(Stage& stage, const std::string& claim);
  void terminate(Stage& stage, const std::string& claim);
  void touch(Stage& stage, const std::string& node);

  bool find_resources(Stage& stage);
  std::vector<Source> sources(Stage& stage) const;
  bool may_end(Stage& stage, const api::Object& claim, Duration after) const;
  std::set<std::string> chosen_for_end(Stage& stage);

  bool running_ = false;
  Machines machines_;
  KarpenterSettings settings_;
  Occupancy occupancy_;
  std::optional<api::ResourceId> pools_, claims_;
  bool provisioning_ = false;                             // a batch is open
  std::map<std::string, std::set<std::string>> waiting_;  // claim -> uids of the pods it was bought for
  std::map<std::string, std::string, std::less<>> claim_of_node_;
  std::set<std::string> ending_;   // claims that are on their way out
  std::set<std::string> touched_;  // nodes whose lastPodEventTime is to be written
};

}  // namespace tamp::world

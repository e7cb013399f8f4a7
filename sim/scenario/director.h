// Carries out what a scenario says will happen. What befalls machines and agents it only says; the world does it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/stage.h"
#include "sim/scenario/scenario.h"

namespace tamp::world {

// Something that befalls a node.
struct Mishap {
  enum class Kind : std::uint8_t { StopKubelet, StartKubelet, Reboot, Agent };
  Kind kind{};
  std::string node;
  std::string state;  // of the agent
};

class Director {
 public:
  // `start` is the scenario's; happenings before now are left out. Workloads must be there when their time comes.
  void plan(Stage& stage, const Scenario& scenario);

  void changed(Stage&, const api::Change&) {}
  void happen(Stage& stage, const Event& event);
  // What befell nodes since the last call.
  std::vector<Mishap> take_mishaps() { return std::exchange(mishaps_, {}); }

 private:
  enum What : std::uint8_t { Deed, Day };
  // Replicas of one workload over the day.
  struct Rhythm {
    std::string kind, ns, name;
    std::vector<std::pair<Duration, int>> day;
  };

  void do_deed(Stage& stage, const wire::Tree& what);
  void follow_day(Stage& stage, std::size_t rhythm);

  std::vector<Happening> happenings_;
  std::vector<Rhythm> rhythms_;
  std::vector<Mishap> mishaps_;
};

}  // namespace tamp::world

// One seed: a cluster, the real controller in one or two processes, somebody who approves, and trouble. Everything happens in
// virtual time on one thread, and is a function of the recipe and the mutant, bit for bit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "controller/controller.h"
#include "controller/health.h"
#include "controller/metrics.h"
#include "sim/campaign/auditor.h"
#include "sim/campaign/findings.h"
#include "sim/campaign/mutants.h"
#include "sim/campaign/process_loop.h"
#include "sim/campaign/recipe.h"
#include "sim/campaign/wire.h"
#include "sim/embedded/world_loop.h"
#include "sim/world/world.h"

namespace tamp::sim {

// What many trials share: a world that has everything but a cluster, and places to put what nobody reads.
class Stock {
 public:
  Stock();
  const world::World& bare() const { return *bare_; }
  Time start() const { return start_; }
  controller::Metrics& metrics() { return metrics_; }
  controller::Health& health() { return health_; }

 private:
  Time start_;
  std::unique_ptr<world::World> bare_;
  controller::Metrics metrics_;
  controller::Health health_;
};

struct TrialResult {
  std::vector<Violation> violations;
  Coverage coverage;
  std::uint64_t digest = 0;
  Duration lived;  // virtual
  std::size_t runs = 0;
  std::vector<std::string> deeds;  // for people
  std::string log;                 // of the controllers, if it was asked for
};

struct TrialOptions {
  Mutant mutant = Mutant::None;
  std::set<std::size_t> without;  // troubles that are left out
  bool keep_log = false;
};

TrialResult run_trial(Stock& stock, const Recipe& recipe, const TrialOptions& options);

}  // namespace tamp::sim

// Many trials: ranges of seeds, counted branches, and failing seeds made small.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/campaign/trial.h"

namespace tamp::sim {

struct CampaignOptions {
  std::uint64_t first = 1, last = 100;
  Mutant mutant = Mutant::None;
  std::set<std::size_t> without;
  unsigned processes = 2;
  bool verbose = false;        // tells the story of every trial
  std::size_t stop_after = 3;  // failing seeds
};

struct FailingSeed {
  std::uint64_t seed = 0;
  std::set<std::size_t> without;  // troubles that it fails without
  Violation violation;
};

struct CampaignResult {
  std::uint64_t trials = 0;
  double virtual_hours = 0;
  Coverage coverage;
  std::uint64_t digest = 0;
  std::vector<FailingSeed> failing;
};

// Leaves out troubles one by one for as long as the same rule is still broken.
FailingSeed shrink(Stock& stock, std::uint64_t seed, const CampaignOptions& options,
                   const Violation& violation);
CampaignResult run_campaign(Stock& stock, const CampaignOptions& options);
// What a campaign should have gone through and did not.
std::vector<std::string> never_reached(const Coverage& coverage);
// The command that replays it.
std::string replay_command(const FailingSeed& failing, Mutant mutant);

}  // namespace tamp::sim

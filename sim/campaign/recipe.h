// What a seed stands for: a small cluster, a policy, who approves, how many controllers there are, and what goes wrong when.
// A recipe is data: it can be printed, and a failing one can be made smaller by leaving troubles out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/campaign/trouble.h"
#include "sim/scenario/scenario.h"

namespace tamp::sim {

struct Recipe {
  std::uint64_t seed = 0;
  world::Scenario scenario;
  bool slo = false;        // planner SLO: nodes are measured
  bool automatic = false;  // the policy approves, too
  int controllers = 1;
  int approvals = 1;           // a person gives so many, one after the other
  Duration approve_after;      // a plan was published
  bool foreign_marks = false;  // F25: somebody's own protection is on a node already
  bool human_cordon = false;   // a person has cordoned a node
  std::vector<Trouble> troubles;
};

Recipe make_recipe(std::uint64_t seed);
// For people: one line for each thing.
std::string describe(const Recipe& recipe);

}  // namespace tamp::sim

// A workload of a scenario as Kubernetes objects.
#pragma once

#include <vector>

#include "sim/api/dice.h"
#include "sim/scenario/scenario.h"
#include "wire/tree.h"

namespace tamp::world {

// What the choice came to: a text or number.
std::string choose(const Choice& choice, Dice& dice);

// One copy of the workload (`number` from 1; the name carries it if there are several), and its PodDisruptionBudget.
std::vector<wire::Tree> workload_objects(const WorkloadPlan& plan, int number, Dice& dice);

// The name that a copy has.
std::string workload_name(const WorkloadPlan& plan, int number);

}  // namespace tamp::world

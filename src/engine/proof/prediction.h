// What each survivor would carry after the move. Two placements are looked at, the simulated one and the conservative one that
// spreads what comes in proportion to free capacity; of each number the larger counts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "proof/motion.h"
#include "proof/proof.h"

namespace tamp::proof {

struct Usage {
  double cpu = 0;     // cores, by pods that are not Background
  double memory = 0;  // bytes, by all pods
};

// The highest usage of a pod in any window; nothing where a window that counts is not known. What it requests where nothing is
// measured.
std::optional<Usage> usage_of(const Motion& motion, PodId pod);

struct Prediction {
  std::vector<PredictedNode> nodes;  // by survivor
  std::string unknown;               // the first pod whose usage is not known; "" if all are
};

Prediction predict(const Motion& motion);

}  // namespace tamp::proof

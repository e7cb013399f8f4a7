// Who gets how much of a machine's cores, as the kernel divides them: by weight, nobody more than they want or their quota
// allows, and what one leaves goes to the others. Pods stand in the groups that kubelets make: each Guaranteed pod on its own,
// all Burstable ones together, all BestEffort ones together with the least weight there is. Whole numbers only.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/kubelet/amounts.h"

namespace tamp::world {

struct WeightedClaim {
  std::int64_t most = 0;    // what it wants, or its quota if that is less
  std::int64_t weight = 1;  // cpu.weight
  std::int64_t given = 0;   // the outcome
};

// Weighted max-min: no one can be given more without taking from one that has less for its weight.
void share_by_weight(std::span<WeightedClaim> claims, std::int64_t capacity);

// cpu.weight of a cgroup that asks for so much: cpu.shares are 1024 for a core, and at least 2; weights go from 1 to 10000
// where shares go from 2 to 262144.
std::int64_t weight_of(std::int64_t request_millis);

// A pod in the division of its machine.
struct CpuClaim {
  std::int64_t wanted = 0;  // any unit; here millionths of a core
  std::int64_t quota = 0;   // 0: none
  std::int64_t request_millis = 0;
  Qos qos = Qos::BestEffort;
  std::int64_t given = 0;  // the outcome
};

// Keeps its memory from one division to the next.
class CpuSharing {
 public:
  void divide(std::span<CpuClaim> pods, std::int64_t capacity);

 private:
  std::vector<WeightedClaim> top_, group_;
  std::vector<std::size_t> members_;
};

// What came of it for one pod, in millionths of its time.
struct Stall {
  std::int64_t some = 0, full = 0;  // as the kernel counts pressure: waiting behind its own quota is in it
  std::int64_t throttled = 0;
};
Stall stall_of(const CpuClaim& pod);

}  // namespace tamp::world

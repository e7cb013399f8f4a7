// Free capacity of every site in one flat array, with the largest free cpu and memory of each block of 64 sites beside it,
// so that a search for room skips blocks that cannot have any. The skip is exact: a block maximum is never too small.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "model/resources.h"
#include "schedule/sites.h"

namespace tamp::schedule {

class Room {
 public:
  static constexpr std::size_t kBlock = 64;

  Room(std::vector<std::int64_t> free, std::size_t resources)
      : free_(std::move(free)), resources_(resources) {
    std::size_t sites = resources_ ? free_.size() / resources_ : 0;
    cpu_.resize((sites + kBlock - 1) / kBlock);
    memory_.resize(cpu_.size());
    for (std::size_t b = 0; b < cpu_.size(); ++b) refresh(b);
  }

  std::int64_t free(SiteId s, ResourceId r) const { return free_[s.index() * resources_ + r.index()]; }

  // sign -1: the pod arrives; +1: it leaves.
  void change(SiteId s, const ResourceList& amounts, std::int64_t sign) {
    std::int64_t* row = &free_[s.index() * resources_];
    for (const auto& a : amounts) row[a.id.index()] += sign * a.amount;
    std::size_t b = s.index() / kBlock;
    if (sign > 0) {
      cpu_[b] = std::max(cpu_[b], row[kCpu.index()]);
      memory_[b] = std::max(memory_[b], row[kMemory.index()]);
    } else {
      refresh(b);
    }
  }

  // Kubernetes asks only after resources of which the pod wants more than nothing; Karpenter after all that it names.
  bool fits(SiteId s, const ResourceList& request, bool zero_counts) const {
    const std::int64_t* row = &free_[s.index() * resources_];
    for (const auto& a : request)
      if (a.amount > row[a.id.index()] && (zero_counts || a.amount > 0)) return false;
    return true;
  }

  // Could any site of the block have room for so much? (kNoDemand where the amount does not matter.)
  static constexpr std::int64_t kNoDemand = std::numeric_limits<std::int64_t>::min();
  bool block_may_fit(std::size_t block, std::int64_t cpu, std::int64_t memory) const {
    return cpu_[block] >= cpu && memory_[block] >= memory;
  }

 private:
  void refresh(std::size_t b) {
    std::size_t end = std::min((b + 1) * kBlock, free_.size() / resources_);
    std::int64_t cpu = kNoDemand, memory = kNoDemand;
    for (std::size_t s = b * kBlock; s < end; ++s) {
      cpu = std::max(cpu, free_[s * resources_ + kCpu.index()]);
      memory = std::max(memory, free_[s * resources_ + kMemory.index()]);
    }
    cpu_[b] = cpu;
    memory_[b] = memory;
  }

  std::vector<std::int64_t> free_;
  std::size_t resources_;
  std::vector<std::int64_t> cpu_, memory_;  // by block
};

}  // namespace tamp::schedule

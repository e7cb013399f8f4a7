// Free capacity of every site in one flat array, with the largest free cpu and memory of each block of the order beside it,
// so that a search for room skips blocks that cannot have any. The skip is safe: a block maximum is never too small. It may be
// too large after pods arrived, until a search that found nothing there has it found out anew.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/resources.h"
#include "fit/site_order.h"

namespace tamp::fit {

class Room {
 public:
  // Refers to the order.
  Room(std::vector<std::int64_t> free, std::size_t resources, const SiteOrder& order)
      : free_(std::move(free)), resources_(resources), order_(order) {
    refresh();
  }

  std::int64_t free(SiteId s, ResourceId r) const { return free_[s.index() * resources_ + r.index()]; }

  // sign -1: the pod arrives; +1: it leaves.
  void change(SiteId s, const ResourceList& amounts, std::int64_t sign) {
    std::int64_t* row = &free_[s.index() * resources_];
    Most& most = most_[order_.block_of(s)];
    for (const auto& a : amounts) row[a.id.index()] += sign * a.amount;
    if (sign > 0) {
      most.cpu = std::max(most.cpu, row[kCpu.index()]);
      most.memory = std::max(most.memory, row[kMemory.index()]);
    } else {
      most.loose = true;
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
    return most_[block].cpu >= cpu && most_[block].memory >= memory;
  }

  // No site of the block took a pod that it might have had room for.
  void searched_in_vain(std::size_t block) {
    if (most_[block].loose) refresh(block);
  }

  // The order has changed.
  void refresh() {
    most_.resize(order_.blocks());
    for (std::size_t b = 0; b < most_.size(); ++b) refresh(b);
  }

 private:
  struct Most {
    std::int64_t cpu = kNoDemand, memory = kNoDemand;
    bool loose = false;  // pods arrived since it was found out
  };

  void refresh(std::size_t block) {
    Most most;
    for (SiteId s : order_.members(block)) {
      most.cpu = std::max(most.cpu, free(s, kCpu));
      most.memory = std::max(most.memory, free(s, kMemory));
    }
    most_[block] = most;
  }

  std::vector<std::int64_t> free_;
  std::size_t resources_;
  const SiteOrder& order_;
  std::vector<Most> most_;  // by block
};

}  // namespace tamp::fit

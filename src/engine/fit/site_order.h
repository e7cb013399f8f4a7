// The order in which sites are tried, in blocks of at most 64 slots: what is known of a block is a word or a number, and a search
// skips whole blocks. Karpenter's order is fixed. Kubernetes' goes by fullness, so a site changes its place when its pods
// change; its number stays, and nothing else has to be numbered anew.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/ids.h"

namespace tamp::fit {

using SiteId = Id<struct SiteTag>;

// Smaller is tried first. No two sites have the same.
using TrialKey = std::pair<std::int64_t, std::uint32_t>;

class SiteOrder {
 public:
  static constexpr std::size_t kBlock = 64;

  SiteOrder() = default;
  // By SiteId. REQUIRES: ascending.
  explicit SiteOrder(std::vector<TrialKey> keys);

  std::size_t blocks() const { return sizes_.size(); }
  std::span<const SiteId> members(std::size_t block) const {
    return {&slots_[block * kBlock], sizes_[block]};
  }
  SiteId at(std::size_t block, std::size_t slot) const { return slots_[block * kBlock + slot]; }
  std::size_t block_of(SiteId site) const { return block_of_[site.index()]; }
  TrialKey key(SiteId site) const { return keys_[site.index()]; }

  // Gives the site its new place, in one of the blocks that there are. If that block is full, all blocks are laid out anew, with
  // slots to spare: true then.
  bool move(SiteId site, TrialKey key);

 private:
  void lay_out(const std::vector<SiteId>& sites, std::size_t filled_to);

  std::vector<TrialKey> keys_;           // by SiteId
  std::vector<std::uint32_t> block_of_;  // by SiteId
  std::vector<SiteId> slots_;            // blocks() × kBlock
  std::vector<std::size_t> sizes_;       // by block; some may be empty
};

}  // namespace tamp::fit

#include "fit/site_order.h"

#include <algorithm>
#include <cassert>

namespace tamp::fit {
namespace {

// Most clusters are looked at once; only where sites do move, room is kept for them.
constexpr std::size_t kFilledToMove = 48;

}  // namespace

SiteOrder::SiteOrder(std::vector<TrialKey> keys) : keys_(std::move(keys)) {
  assert(std::is_sorted(keys_.begin(), keys_.end()));
  std::vector<SiteId> sites;
  sites.reserve(keys_.size());
  for (std::size_t i = 0; i < keys_.size(); ++i) sites.emplace_back(i);
  lay_out(sites, kBlock);
}

void SiteOrder::lay_out(const std::vector<SiteId>& sites, std::size_t filled_to) {
  const std::size_t blocks = (sites.size() + filled_to - 1) / filled_to;
  slots_.assign(blocks * kBlock, SiteId());
  sizes_.assign(blocks, 0);
  block_of_.resize(sites.size());
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const std::size_t block = i / filled_to;
    slots_[block * kBlock + sizes_[block]++] = sites[i];
    block_of_[sites[i].index()] = static_cast<std::uint32_t>(block);
  }
}

bool SiteOrder::move(SiteId site, TrialKey key) {
  const auto tried_before = [&](SiteId s, const TrialKey& k) { return keys_[s.index()] < k; };
  {
    const std::size_t from = block_of(site);
    SiteId* const first = &slots_[from * kBlock];
    SiteId* const last = first + sizes_[from];
    std::move(std::find(first, last, site) + 1, last, std::find(first, last, site));
    --sizes_[from];
  }
  keys_[site.index()] = key;

  std::size_t to = block_of(site);
  for (std::size_t b = 0; b < blocks(); ++b) {
    if (sizes_[b] == 0) continue;
    to = b;
    if (key < keys_[members(b).back().index()]) break;
  }
  if (sizes_[to] < kBlock) {
    SiteId* const first = &slots_[to * kBlock];
    SiteId* const last = first + sizes_[to];
    SiteId* const here = std::lower_bound(first, last, key, tried_before);
    std::move_backward(here, last, last + 1);
    *here = site;
    ++sizes_[to];
    block_of_[site.index()] = static_cast<std::uint32_t>(to);
    return false;
  }
  std::vector<SiteId> sites;
  sites.reserve(keys_.size());
  for (std::size_t b = 0; b < blocks(); ++b) sites.insert(sites.end(), members(b).begin(), members(b).end());
  sites.insert(std::lower_bound(sites.begin(), sites.end(), key, tried_before), site);
  lay_out(sites, kFilledToMove);
  return true;
}

}  // namespace tamp::fit

#include "fit/site_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tamp::fit {
namespace {

std::vector<SiteId> walk(const SiteOrder& order) {
  std::vector<SiteId> all;
  for (std::size_t b = 0; b < order.blocks(); ++b)
    for (std::size_t slot = 0; slot < order.members(b).size(); ++slot) {
      all.push_back(order.at(b, slot));
      EXPECT_EQ(order.block_of(all.back()), b);
    }
  return all;
}

TEST(SiteOrder, IsInOrderOfKeysHoweverSitesMove) {
  for (const std::uint32_t sites : {1u, 2u, 63u, 64u, 65u, 300u}) {
    std::vector<TrialKey> keys(sites);
    for (std::uint32_t i = 0; i < sites; ++i) keys[i] = {0, i};
    SiteOrder order(keys);
    std::mt19937_64 random(sites);
    int laid_out = 0;
    for (int step = 0; step < 2000; ++step) {
      const auto site = static_cast<std::uint32_t>(random() % sites);
      // Now here, now there: for a while all sites go to one end.
      keys[site] = {static_cast<std::int64_t>(random() % 7) + step / 500, site};
      laid_out += order.move(SiteId(site), keys[site]) ? 1 : 0;

      std::vector<SiteId> expected;
      for (std::size_t i = 0; i < sites; ++i) expected.emplace_back(i);
      std::ranges::sort(expected, [&](SiteId a, SiteId b) { return keys[a.index()] < keys[b.index()]; });
      ASSERT_EQ(walk(order), expected) << sites << " sites, step " << step;
      ASSERT_EQ(order.key(SiteId(site)), keys[site]);
    }
    EXPECT_EQ(laid_out > 0, sites > SiteOrder::kBlock) << sites << " sites";
  }
}

TEST(SiteOrder, WithoutSitesHasNoBlocks) { EXPECT_EQ(SiteOrder(std::vector<TrialKey>()).blocks(), 0u); }

}  // namespace
}  // namespace tamp::fit

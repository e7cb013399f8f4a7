#include "decide/verdict_memo.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tamp::decide {
namespace {

constexpr schedule::TrialKey kEverywhere{std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::uint32_t>::max()};

}  // namespace

const Priced* VerdictMemo::find(NodeId node) const {
  const auto& verdict = entries_[node.index()].verdict;
  return verdict ? &*verdict : nullptr;
}

void VerdictMemo::begin(NodeId node) {
  noting_ = node;
  entries_[node.index()].looks.clear();
  entries_[node.index()].landings.clear();
}

void VerdictMemo::note(const schedule::Simulation& simulation, std::span<const PodId> moved,
                       const schedule::Outcome& outcome) {
  if (!noting_.valid()) return;
  Entry& entry = entries_[noting_.index()];
  const schedule::Index& index = simulation.index();
  const auto look = [&](PodId pod, schedule::TrialKey reach) {
    entry.looks.push_back({index.shape_id(pod), index.shape(pod).spec, reach});
  };
  for (const schedule::Placement& p : outcome.placements) {
    // Preferences are given up one by one, each after a look at everything.
    const bool first_choice = p.site.valid() && index.shape(p.pod).variants.size() == 1;
    look(p.pod, first_choice ? index.sites().order.key(p.site) : kEverywhere);
    if (p.site.valid()) entry.landings.push_back(p.site);
  }
  for (PodId pod : outcome.retried) look(pod, kEverywhere);
  // The pod that would have needed a second new node is not among the placements.
  if (outcome.kind == schedule::Outcome::Kind::SeveralNodes) {
    for (PodId pod : moved) look(pod, kEverywhere);
    for (const schedule::Seeker& s : simulation.background()) look(s.pod, kEverywhere);
  }
}

void VerdictMemo::keep(NodeId node, Priced verdict) {
  Entry& entry = entries_[node.index()];
  entry.verdict = std::move(verdict);
  noting_ = {};
  // Replicas look alike: the one that looked furthest stands for all.
  auto& looks = entry.looks;
  std::sort(looks.begin(), looks.end(), [](const Look& a, const Look& b) {
    return std::pair(a.shape, b.reach) < std::pair(b.shape, a.reach);
  });
  looks.erase(std::unique(looks.begin(), looks.end(),
                          [](const Look& a, const Look& b) { return a.shape == b.shape; }),
              looks.end());
  std::sort(entry.landings.begin(), entry.landings.end());
  entry.landings.erase(std::unique(entry.landings.begin(), entry.landings.end()), entry.landings.end());
}

std::size_t VerdictMemo::forget_touched(schedule::SiteId site, const Standing& before, const Standing& after,
                                        std::span<const std::uint8_t> reads) {
  std::size_t gone = 0;
  for (Entry& entry : entries_) {
    if (!entry.verdict) continue;
    const bool touched =
        std::binary_search(entry.landings.begin(), entry.landings.end(), site) ||
        std::any_of(entry.looks.begin(), entry.looks.end(), [&](const Look& look) {
          return reads[look.shape.index()] || (after.fits[look.spec.index()] && after.key < look.reach &&
                                               !(before.fits[look.spec.index()] && before.key < look.reach));
        });
    if (!touched) continue;
    entry.verdict.reset();
    ++gone;
  }
  return gone;
}

}  // namespace tamp::decide

#include "search/verdict_memo.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tamp::search {
namespace {

constexpr fit::TrialKey kNowhere{std::numeric_limits<std::int64_t>::min(), 0};
constexpr fit::TrialKey kEverywhere{std::numeric_limits<std::int64_t>::max(),
                                    std::numeric_limits<std::uint32_t>::max()};

template <typename T>
std::uint64_t bit_of(T id) {
  return std::uint64_t{1} << (id.index() % 64);
}

}  // namespace

VerdictMemo::VerdictMemo(const fit::Index& index)
    : entries_(index.cluster().nodes.size() + 1),
      landing_bits_(entries_.size()),
      shape_bits_(entries_.size()),
      shape_noted_(index.shapes()),
      site_noted_(index.sites().list.size()) {
  const auto& specs = index.cluster().pod_specs;
  std::vector<std::pair<const ResourceList*, std::size_t>> requests;
  requests.reserve(specs.size());
  for (std::size_t s = 0; s < specs.size(); ++s) requests.emplace_back(&index.fresh_requests(specs[s]), s);
  const auto less = [](const ResourceList& a, const ResourceList& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        [](const ResourceAmount& x, const ResourceAmount& y) {
                                          return std::pair(x.id, x.amount) < std::pair(y.id, y.amount);
                                        });
  };
  std::ranges::sort(requests, [&](const auto& a, const auto& b) { return less(*a.first, *b.first); });
  appetite_of_.resize(specs.size());
  for (const auto& [request, spec] : requests) {
    if (appetites_.empty() || less(appetites_.back(), *request)) appetites_.push_back(*request);
    appetite_of_[spec] = AppetiteId(appetites_.size() - 1);
  }
  reach_.assign(std::clamp<std::size_t>(appetites_.size(), 1, kMostRows),
                std::vector<Reach>(entries_.size(), Reach{kEverywhere, kNowhere}));
}

const price::Priced* VerdictMemo::find(NodeId node) const {
  const auto& verdict = entries_[node.index()].verdict;
  return verdict ? &*verdict : nullptr;
}

void VerdictMemo::forget(NodeId node) {
  Entry& entry = entries_[node.index()];
  entry.verdict.reset();
  entry.shapes.clear();
  entry.landings.clear();
  landing_bits_[node.index()] = shape_bits_[node.index()] = 0;
  for (auto& row : reach_) row[node.index()] = {kEverywhere, kNowhere};
}

void VerdictMemo::begin(NodeId node) {
  forget(node);
  noting_ = node;
}

void VerdictMemo::note(const fit::Simulation& simulation, std::span<const PodId> moved,
                       const fit::Outcome& outcome) {
  if (!noting_.valid()) return;
  Entry& entry = entries_[noting_.index()];
  const fit::Index& index = simulation.index();
  const auto look = [&](PodId pod, fit::TrialKey reach) {
    const fit::ShapeId shape = index.shape_id(pod);
    if (!std::exchange(shape_noted_[shape.index()], 1)) entry.shapes.push_back(shape);
    Reach& known = reach_[row_of(appetite_of_[index.shape(pod).spec.index()])][noting_.index()];
    known.nearest = std::min(known.nearest, reach);
    known.furthest = std::max(known.furthest, reach);
  };
  for (const fit::Placement& p : outcome.placements) {
    // Preferences are given up one by one, each after a look at everything.
    const bool first_choice = p.site.valid() && index.shape(p.pod).variants().size() == 1;
    look(p.pod, first_choice ? index.sites().order.key(p.site) : kEverywhere);
    if (p.site.valid() && !std::exchange(site_noted_[p.site.index()], 1)) entry.landings.push_back(p.site);
  }
  for (PodId pod : outcome.retried) look(pod, kEverywhere);
  // The pod that would have needed a second new node is not among the placements.
  if (outcome.kind == fit::Outcome::Kind::SeveralNodes) {
    for (PodId pod : moved) look(pod, kEverywhere);
    for (const fit::Seeker& s : simulation.background()) look(s.pod, kEverywhere);
  }
}

void VerdictMemo::keep(NodeId node, price::Priced verdict) {
  Entry& entry = entries_[node.index()];
  entry.verdict = std::move(verdict);
  noting_ = {};
  std::ranges::sort(entry.landings);
  for (fit::ShapeId s : entry.shapes) {
    shape_noted_[s.index()] = 0;
    shape_bits_[node.index()] |= bit_of(s);
  }
  for (fit::SiteId s : entry.landings) {
    site_noted_[s.index()] = 0;
    landing_bits_[node.index()] |= bit_of(s);
  }
}

void VerdictMemo::look_at(const fit::Simulation& simulation, fit::SiteId site, Standing& standing) const {
  const fit::Index& index = simulation.index();
  standing.key = index.sites().order.key(site);
  standing.fits.resize(appetites_.size());
  for (std::size_t a = 0; a < appetites_.size(); ++a)
    standing.fits[a] = simulation.room().fits(site, appetites_[a], index.karpenter());
}

bool VerdictMemo::touched(std::size_t node, fit::SiteId site, std::span<const std::uint8_t> reads) const {
  const Entry& entry = entries_[node];
  return std::ranges::binary_search(entry.landings, site) ||
         std::ranges::any_of(entry.shapes, [&](fit::ShapeId s) { return reads[s.index()] != 0; });
}

std::size_t VerdictMemo::forget_touched(fit::SiteId site, const Standing& before, const Standing& after,
                                        std::span<const std::uint8_t> reads) {
  std::uint64_t reading = 0;
  for (std::size_t s = 0; s < reads.size(); ++s)
    if (reads[s]) reading |= bit_of(fit::ShapeId(s));
  std::size_t gone = 0;
  const auto drop = [&](std::size_t node) {
    if (entries_[node].verdict) ++gone;
    forget(NodeId(node));
  };
  const std::uint64_t here = bit_of(site);
  for (std::size_t node = 0; node < entries_.size(); ++node)
    if (((landing_bits_[node] & here) || (shape_bits_[node] & reading)) && touched(node, site, reads))
      drop(node);
  for (std::size_t a = 0; a < appetites_.size(); ++a) {
    if (!after.fits[a] || (before.fits[a] && before.key <= after.key)) continue;
    // If there was room before, those that looked were refused for other reasons: nothing is new if even the nearest did.
    const fit::TrialKey looked = before.fits[a] ? before.key : kEverywhere;
    const auto& row = reach_[row_of(AppetiteId(a))];
    for (std::size_t node = 0; node < row.size(); ++node)
      if (after.key < row[node].furthest && row[node].nearest <= looked) drop(node);
  }
  return gone;
}

}  // namespace tamp::search

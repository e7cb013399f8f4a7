// Several nodes at once.
//
// Under --compat this is Karpenter's search: a binary search for the longest prefix of the order that can go together.
// Tamp's own search tries that too, for all together, for each pool on its own, and for nodes whose pods may go to the same places: a prefix ends
// where one node cannot go along, and nodes with pods that no new node for the others would take shall not be what ends it. Besides it grows a set of nodes to delete: going
// through the order it keeps every node that can still go along, in steps that double while they succeed and halve when they fail. Work is bounded
// by a count of placements, never by a clock, so the same cluster always gets the same answer.
#include <algorithm>
#include <map>
#include <span>
#include <unordered_map>

#include "search/moves.h"

namespace tamp::search {
namespace {

constexpr std::size_t kMostTogether = 100;
constexpr std::uint64_t kMostPlacements = 150'000;

// The beginnings of an order, each with its pods in line. They are lined up once: a part of a line is in line.
class Prefixes {
 public:
  Prefixes(const Moves& moves, std::span<const gates::Candidate* const> order)
      : order_(order), line_(moves.line_up(order)) {
    const Cluster& cluster = moves.index().cluster();
    std::unordered_map<NodeId, std::size_t> place_of;
    for (std::size_t i = 0; i < order.size(); ++i) place_of.emplace(order[i]->node, i);
    places_.reserve(line_.pods.size());
    for (PodId p : line_.pods) places_.push_back(place_of.at(cluster.pods[p.index()].node));
  }

  std::span<const gates::Candidate* const> nodes(std::size_t count) const { return order_.first(count); }
  fit::Line line(std::size_t count) const {
    fit::Line part;
    part.pods.reserve(line_.pods.size());
    for (std::size_t i = 0; i < places_.size(); ++i)
      if (places_[i] < count) part.pods.push_back(line_.pods[i]);
    return part;
  }

 private:
  std::span<const gates::Candidate* const> order_;
  fit::Line line_;
  std::vector<std::size_t> places_;  // by place in the line: of the pod's node in the order
};

std::optional<price::Command> longest_prefix(Moves& moves,
                                             const std::vector<const gates::Candidate*>& order) {
  if (order.size() < 2) return std::nullopt;
  // Karpenter's bounds: prefixes of 2 up to 101 nodes.
  std::ptrdiff_t low = 1, high = static_cast<std::ptrdiff_t>(std::min(order.size() - 1, kMostTogether));
  const Prefixes prefixes(moves, std::span(order).first(static_cast<std::size_t>(high) + 1));
  std::optional<price::Command> last;
  while (low <= high) {
    std::ptrdiff_t middle = (low + high) / 2;
    const auto count = static_cast<std::size_t>(middle) + 1;
    price::Priced p = moves.evaluate(prefixes.nodes(count), prefixes.line(count), price::Method::Multi);
    if (p.command) {
      last = std::move(p.command);
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return last;
}

Search grown_set(Moves& moves, const std::vector<const gates::Candidate*>& order) {
  std::vector<const gates::Candidate*> set;
  std::size_t next = 0, step = 1;
  Search search;
  std::uint64_t limit = moves.placements() + kMostPlacements;
  while (next < order.size() && set.size() < kMostTogether && moves.placements() < limit) {
    std::size_t take = std::min({step, order.size() - next, kMostTogether - set.size()});
    search.looked_at = std::max(search.looked_at, next + take);
    std::vector<const gates::Candidate*> trial = set;
    trial.insert(trial.end(), order.begin() + static_cast<std::ptrdiff_t>(next),
                 order.begin() + static_cast<std::ptrdiff_t>(next + take));
    if (moves.deletable(trial)) {
      set = std::move(trial);
      next += take;
      step *= 2;
    } else if (take > 1) {
      step = take / 2;
    } else {
      ++next;
    }
  }
  if (set.size() >= 2) search.command = moves.evaluate(set, price::Method::Multi).command;
  return search;
}

using Parts = std::vector<std::vector<const gates::Candidate*>>;

// The order cut into one for each pool; nothing where there is but one.
Parts by_pool(const std::vector<const gates::Candidate*>& order) {
  std::map<PoolId, std::vector<const gates::Candidate*>> pools;
  for (const gates::Candidate* c : order) pools[c->pool].push_back(c);
  Parts parts;
  if (pools.size() > 1)
    for (auto& [pool, part] : pools) parts.push_back(std::move(part));
  return parts;
}

// Nodes that are there stand for those that could be bought: where the pods of two nodes may go to the same ones by selectors, affinity to nodes
// and taints, one new node may do for both. One part for each set of such places, of nodes that come first in the order: this is about what one new
// node can take, not about as many as possible.
constexpr std::size_t kFirst = 200, kMostParts = 16, kMostInPart = 24;

Parts by_reach(const Moves& moves, std::span<const gates::Candidate* const> order) {
  const fit::Index& index = moves.index();
  std::map<std::vector<fit::ProfileId>, std::size_t> part_of_profiles;
  std::map<std::vector<std::uint64_t>, std::size_t> part_of_places;
  Parts parts;
  for (const gates::Candidate* c : order) {
    std::vector<fit::ProfileId> profiles;
    profiles.reserve(c->pods.size());
    for (PodId p : c->pods) profiles.push_back(index.shape(p).variants().back().profile);
    std::sort(profiles.begin(), profiles.end());
    profiles.erase(std::unique(profiles.begin(), profiles.end()), profiles.end());
    auto known = part_of_profiles.find(profiles);
    if (known == part_of_profiles.end()) {
      std::vector<std::uint64_t> places;
      for (fit::ProfileId p : profiles) {
        const auto& fits = index.match(p).fits;
        if (places.empty()) places = fits;
        for (std::size_t i = 0; i < places.size(); ++i) places[i] &= fits[i];
      }
      const std::size_t part = part_of_places.try_emplace(std::move(places), parts.size()).first->second;
      if (part == parts.size()) parts.emplace_back();
      known = part_of_profiles.emplace(std::move(profiles), part).first;
    }
    if (auto& part = parts[known->second]; part.size() < kMostInPart) part.push_back(c);
  }
  std::erase_if(parts, [](const auto& part) { return part.size() < 2; });
  if (parts.size() > kMostParts) parts.resize(kMostParts);
  return parts;
}

}  // namespace

Search multi_node(Moves& moves, const std::vector<const gates::Candidate*>& order) {
  Search search{longest_prefix(moves, order), std::min(order.size(), kMostTogether + 1)};
  if (moves.context().settings.karpenter_compat) return search;
  const auto consider = [&](std::optional<price::Command> other) {
    if (other && (!search.command || other->gain() >= search.command->gain()))
      search.command = std::move(other);
  };
  for (const auto& part : by_pool(order)) {
    consider(longest_prefix(moves, part));
    search.looked_at = order.size();  // the parts may reach to its end
  }
  const std::span<const gates::Candidate* const> first(order.data(), std::min(order.size(), kFirst));
  if (const Parts parts = by_reach(moves, first); parts.size() > 1)
    for (const auto& part : parts) consider(longest_prefix(moves, part));
  search.looked_at = std::max(search.looked_at, first.size());
  Search grown = grown_set(moves, order);
  search.looked_at = std::max(search.looked_at, grown.looked_at);
  consider(std::move(grown.command));
  return search;
}

}  // namespace tamp::search

// Several nodes at once.
//
// Under --compat this is Karpenter's search: a binary search for the longest prefix of the order that can go together.
// Tamp's own search tries that too, for all together and for each pool on its own: a prefix ends where one node cannot go along, and nodes of
// another pool, with pods that no new node of the first would take, shall not be what ends it. Besides it grows a set of nodes to delete: going
// through the order it keeps every node that can still go along, in steps that double while they succeed and halve when they fail. Work is bounded
// by a count of placements, never by a clock, so the same cluster always gets the same answer.
#include <algorithm>
#include <map>

#include "decide/moves.h"

namespace tamp::decide {
namespace {

constexpr std::size_t kMostTogether = 100;
constexpr std::uint64_t kMostPlacements = 150'000;

std::optional<Command> longest_prefix(Moves& moves, const std::vector<const Candidate*>& order) {
  if (order.size() < 2) return std::nullopt;
  // Karpenter's bounds: prefixes of 2 up to 101 nodes.
  std::ptrdiff_t low = 1, high = static_cast<std::ptrdiff_t>(std::min(order.size() - 1, kMostTogether));
  std::optional<Command> last;
  while (low <= high) {
    std::ptrdiff_t middle = (low + high) / 2;
    std::span<const Candidate* const> victims(order.data(), static_cast<std::size_t>(middle) + 1);
    Priced p = moves.evaluate(victims, Method::Multi);
    if (p.command) {
      last = std::move(p.command);
      low = middle + 1;
    } else {
      high = middle - 1;
    }
  }
  return last;
}

Search grown_set(Moves& moves, const std::vector<const Candidate*>& order) {
  std::vector<const Candidate*> set;
  std::size_t next = 0, step = 1;
  Search search;
  std::uint64_t limit = moves.placements() + kMostPlacements;
  while (next < order.size() && set.size() < kMostTogether && moves.placements() < limit) {
    std::size_t take = std::min({step, order.size() - next, kMostTogether - set.size()});
    search.looked_at = std::max(search.looked_at, next + take);
    std::vector<const Candidate*> trial = set;
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
  if (set.size() >= 2) search.command = moves.evaluate(set, Method::Multi).command;
  return search;
}

// The order cut into one for each pool; nothing where there is but one.
std::vector<std::vector<const Candidate*>> by_pool(const std::vector<const Candidate*>& order) {
  std::map<PoolId, std::vector<const Candidate*>> pools;
  for (const Candidate* c : order) pools[c->pool].push_back(c);
  std::vector<std::vector<const Candidate*>> parts;
  if (pools.size() > 1)
    for (auto& [pool, part] : pools) parts.push_back(std::move(part));
  return parts;
}

}  // namespace

Search multi_node(Moves& moves, const std::vector<const Candidate*>& order) {
  Search search{longest_prefix(moves, order), std::min(order.size(), kMostTogether + 1)};
  if (moves.context().settings.karpenter_compat) return search;
  const auto consider = [&](std::optional<Command> other) {
    if (other && (!search.command || other->gain() >= search.command->gain()))
      search.command = std::move(other);
  };
  for (const auto& part : by_pool(order)) {
    consider(longest_prefix(moves, part));
    search.looked_at = order.size();  // the parts may reach to its end
  }
  Search grown = grown_set(moves, order);
  search.looked_at = std::max(search.looked_at, grown.looked_at);
  consider(std::move(grown.command));
  return search;
}

}  // namespace tamp::decide

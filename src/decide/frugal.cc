#include "decide/frugal.h"

#include <algorithm>
#include <array>
#include <limits>

namespace tamp::decide {
namespace {

constexpr std::size_t kMostTogether = 100;
// Trials that fail one after another before a set counts as complete.
constexpr std::size_t kPatience = 40;
// Room that stays unused because pods are no liquid.
constexpr double kPacking = 0.003;
constexpr int kHalvings = 40;
// How far a taste may lean: a little, or more.
constexpr std::array kLeanings = {0.05, 0.1, 0.2};

struct Room2 {
  double cores = 0, gigabytes = 0;
  Room2& operator+=(const Room2& o) {
    cores += o.cores;
    gigabytes += o.gigabytes;
    return *this;
  }
};

Room2 of(const ResourceList& r) {
  return {static_cast<double>(r.get(kCpu)) / 1e3,
          static_cast<double>(r.get(kMemory)) / (1024.0 * 1024 * 1024)};
}

struct Machine {
  double dollars;
  Room2 room;
};

std::vector<Machine> machines_for_sale(const schedule::Index& index) {
  std::vector<Machine> list;
  const Cluster& c = index.cluster();
  for (const auto& t : index.templates()) {
    const auto& reqs = index.requirements().at(t.requirements);
    for (TypeId id : t.types) {
      const InstanceType& type = c.catalogue->types[id.index()];
      double least = std::numeric_limits<double>::max();
      for (std::size_t i = 0; i < type.offerings.size(); ++i)
        if (type.offerings[i].available &&
            schedule::overlap(reqs, index.offering_requirements(id)[i], c.symbols))
          least = std::min(least, type.offerings[i].dollars);
      Room2 room = of(type.allocatable), taken = of(t.daemon_overhead[id.index()]);
      room.cores -= taken.cores;
      room.gigabytes -= taken.gigabytes;
      if (least < std::numeric_limits<double>::max() && room.cores > 0 && room.gigabytes > 0)
        list.push_back({least, room});
    }
  }
  return list;
}

struct Worth {
  double core = 0, gigabyte = 0;
  double operator()(const Room2& r) const { return core * r.cores + gigabyte * r.gigabytes; }
};

// max λ·demand subject to λ·room ≤ price for every machine: concave in the worth of a core, so the interval is cut in thirds.
Worth worth_of(const std::vector<Machine>& machines, const Room2& demand) {
  if (machines.empty()) return {};
  double most = std::numeric_limits<double>::max();
  for (const auto& m : machines) most = std::min(most, m.dollars / m.room.cores);
  const auto at = [&](double core) {
    double gigabyte = std::numeric_limits<double>::max();
    for (const auto& m : machines)
      gigabyte = std::min(gigabyte, (m.dollars - core * m.room.cores) / m.room.gigabytes);
    return Worth{core, std::max(0.0, gigabyte)};
  };
  double low = 0, high = most;
  for (int i = 0; i < 2 * kHalvings; ++i) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    (at(a)(demand) < at(b)(demand) ? low : high) = at(a)(demand) < at(b)(demand) ? a : b;
  }
  return at((low + high) / 2);
}

// A number near 1 that a taste gives a node; 1 for all where it is 0. Roads of other tastes doom other nodes where it hardly matters which.
double leaning(NodeId node, std::uint64_t taste) {
  if (taste == 0) return 1;
  std::uint64_t x = (node.index() + 1) * 0x9e3779b97f4a7c15ULL + taste * 0xd1342543de82ef95ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return 1 + kLeanings[taste % kLeanings.size()] * (static_cast<double>(x >> 11) / 0x1p52 - 1);
}

struct Stock {
  const Candidate* candidate;
  double dollars;
  double moves;  // what its pods weigh
  Room2 room;    // that movable pods have or could have
};

class Balance {
 public:
  Balance(const Moves& moves, std::span<const Candidate* const> candidates, std::uint64_t taste)
      : index_(moves.index()) {
    const Cluster& c = index_.cluster();
    std::vector<bool> may_go(c.nodes.size());
    for (const Candidate* v : candidates) may_go[v->node.index()] = true;
    for (const Candidate& v : moves.candidates()) {
      const Node& node = c.nodes[v.node.index()];
      Room2 load, used;
      for (PodId p : node.pods) {
        const Pod& pod = c.pods[p.index()];
        if (pod.terminal()) continue;
        used += of(c.spec(pod).requests);
      }
      for (PodId p : v.pods) load += of(index_.fresh_requests(p));
      Room2 room = of(node.allocatable);
      room.cores += load.cores - used.cores;
      room.gigabytes += load.gigabytes - used.gigabytes;
      if (may_go[v.node.index()]) {
        demand_ += load;
        stock_.push_back({&v, v.dollars, std::max(1e-3, v.eviction_cost - 1) * leaning(v.node, taste), room});
      } else {
        fixed_ += v.dollars;
        // What is free on nodes that stay in any case helps, if pods may go there.
        const auto& site = index_.site(index_.site_of(v.node));
        if (!site.leaving && !site.unschedulable && site.closed == schedule::Closed::No &&
            site.taints.empty()) {
          spare_.cores += std::max(0.0, room.cores - load.cores);
          spare_.gigabytes += std::max(0.0, room.gigabytes - load.gigabytes);
        }
      }
    }
    worth_ = worth_of(machines_for_sale(index_), demand_);
  }

  const Worth& worth() const { return worth_; }
  double excess(const Stock& s, double share) const { return s.dollars - share * worth_(s.room); }
  bool doomed(const Stock& s, double rate, double share) const { return excess(s, share) > rate * s.moves; }

  // What the cluster would cost if what is doomed at this rate were gone; `share` is what a node's room counts of its worth: less
  // than all of it where the nodes that stay have more than is needed.
  double cost(double rate, double& share) const {
    share = 1;
    Room2 kept = kept_room(rate, share);
    if (covers(kept)) {
      double low = 0, high = 1;
      for (int i = 0; i < kHalvings; ++i) {
        const double middle = (low + high) / 2;
        (covers(kept_room(rate, middle)) ? high : low) = middle;
      }
      share = high;
      kept = kept_room(rate, share);
    }
    double total = fixed_;
    for (const Stock& s : stock_)
      if (!doomed(s, rate, share)) total += s.dollars;
    const Room2 missing{std::max(0.0, demand_.cores * (1 + kPacking) - kept.cores),
                        std::max(0.0, demand_.gigabytes * (1 + kPacking) - kept.gigabytes)};
    return total + worth_(missing);
  }

  Doom draw_line(double most) const {
    double share = 1;
    double low = 0, high = 0;
    for (const Stock& s : stock_) high = std::max(high, s.dollars / s.moves);
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      (cost(middle, share) <= most ? low : high) = middle;
    }
    const double rate = low;
    cost(rate, share);
    std::vector<const Stock*> list;
    for (const Stock& s : stock_)
      if (doomed(s, rate, share)) list.push_back(&s);
    std::sort(list.begin(), list.end(), [&](const Stock* a, const Stock* b) {
      const double x = excess(*a, share) / a->moves, y = excess(*b, share) / b->moves;
      if (x != y) return x > y;
      return a->candidate->node < b->candidate->node;
    });
    Doom doom{{}, worth_.core, worth_.gigabyte};
    for (const Stock* s : list) doom.nodes.push_back(s->candidate);
    return doom;
  }

 private:
  Room2 kept_room(double rate, double share) const {
    Room2 kept = spare_;
    for (const Stock& s : stock_)
      if (!doomed(s, rate, share)) kept += s.room;
    return kept;
  }
  bool covers(const Room2& kept) const {
    return kept.cores >= demand_.cores * (1 + kPacking) &&
           kept.gigabytes >= demand_.gigabytes * (1 + kPacking);
  }

  const schedule::Index& index_;
  std::vector<Stock> stock_;
  Room2 demand_, spare_;
  double fixed_ = 0;
  Worth worth_;
};

// Goes through the list and keeps every node with which `holds` is still true, in steps that double while they succeed.
template <typename Holds>
std::vector<const Candidate*> grow(std::span<const Candidate* const> list, Holds holds,
                                   std::size_t patience = kPatience) {
  std::vector<const Candidate*> set;
  std::size_t next = 0, step = 1, failures = 0;
  while (next < list.size() && set.size() < kMostTogether && failures < patience) {
    const std::size_t take = std::min({step, list.size() - next, kMostTogether - set.size()});
    std::vector<const Candidate*> trial = set;
    trial.insert(trial.end(), list.begin() + static_cast<std::ptrdiff_t>(next),
                 list.begin() + static_cast<std::ptrdiff_t>(next + take));
    if (holds(trial)) {
      set = std::move(trial);
      next += take;
      step *= 2;
      failures = 0;
    } else if (take > 1) {
      step = take / 2;
    } else {
      ++next;
      ++failures;
    }
  }
  return set;
}

// A command, and the nodes that it is about.
struct Offer {
  std::vector<const Candidate*> set;
  std::optional<Command> command;
};

Offer offer(Moves& moves, std::vector<const Candidate*> set) {
  if (set.empty()) return {};
  Priced priced = moves.evaluate(set, set.size() > 1 ? Method::Multi : Method::Single);
  return {std::move(set), std::move(priced.command)};
}

Offer deletion(Moves& moves, std::span<const Candidate* const> list) {
  return offer(moves, grow(list, [&](const auto& trial) { return moves.deletable(trial); }));
}

// As many as fill one new machine that costs less than `below`.
Offer filling(Moves& moves, std::span<const Candidate* const> list, std::size_t template_index, double below,
              std::size_t patience) {
  auto set = grow(
      list, [&](const auto& trial) { return moves.replaceable(trial, template_index, below); }, patience);
  Offer found = offer(moves, set);
  // The fuller the new machine, the better; but the price rules may ask for less.
  while (!found.command && set.size() > 1) {
    set.resize(set.size() * 3 / 4);
    found = offer(moves, set);
  }
  return found;
}

// Where all that is left goes into one machine, it may be a little too much for a smaller one and leave this one half empty. So smaller ones are
// tried as well; what they leave over is for the next step.
Offer replacement(Moves& moves, std::span<const Candidate* const> list) {
  constexpr std::size_t kSmallerOnes = 3, kLittlePatience = 8;
  constexpr double kSmaller = 0.95;
  Offer best;
  for (std::size_t t = 0; t < moves.index().templates().size() && !best.command; ++t) {
    best = filling(moves, list, t, std::numeric_limits<double>::max(), kPatience);
    if (!best.command || !best.command->replacement || best.set.size() < list.size()) continue;
    double price = best.command->replacement->price.dollars();
    for (std::size_t i = 0; i < kSmallerOnes; ++i) {
      Offer found = filling(moves, list, t, price * kSmaller, kLittlePatience);
      if (!found.command || !found.command->replacement) break;
      price = found.command->replacement->price.dollars();
      if (found.command->gain() > best.command->gain()) best = std::move(found);
    }
  }
  return best;
}

// The last step goes no further than it must: what is not needed to save `needed` dollars stays, those first that save least per move.
void trim(Moves& moves, Offer& best, double needed) {
  if (!best.command || best.command->savings.dollars() < needed) return;
  for (std::size_t i = best.set.size(); i-- > 0 && best.set.size() > 1;) {
    // Even without it a deletion saves what the others cost.
    if (!best.command->replacement && best.command->savings.dollars() - best.set[i]->dollars < needed)
      continue;
    auto fewer = best.set;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    Offer less = offer(moves, std::move(fewer));
    if (less.command && less.command->savings.dollars() >= needed &&
        less.command->moves.size() < best.command->moves.size())
      best = std::move(less);
  }
}

}  // namespace

Doom doomed_nodes(const Moves& moves, std::span<const Candidate* const> candidates, double most,
                  std::uint64_t taste) {
  return Balance(moves, candidates, taste).draw_line(most);
}

std::optional<Command> frugal_command(Moves& moves, std::span<const Candidate* const> candidates,
                                      std::span<const BudgetState> budgets, const Aim& aim) {
  double cost = 0;
  for (const Candidate& c : moves.candidates()) cost += c.dollars;
  const Doom doom = doomed_nodes(moves, candidates, aim.most * (1 - aim.press), aim.taste);
  std::vector<NodeId> avoided;
  avoided.reserve(doom.nodes.size());
  for (const Candidate* v : doom.nodes) avoided.push_back(v->node);
  std::vector<const Candidate*> list;
  std::vector<BudgetState> left(budgets.begin(), budgets.end());
  const auto nodes = static_cast<std::int64_t>(moves.context().cluster.nodes.size());
  const std::int64_t spare = nodes - std::max<std::int64_t>(0, moves.context().settings.min_nodes.value);
  for (const Candidate* v : doom.nodes) {
    if (static_cast<std::int64_t>(list.size()) >= spare) break;
    if (v->pool.valid()) {
      BudgetState& s = left[v->pool.index()];
      if (s.remaining() <= 0) continue;
      ++s.disrupting;
    }
    list.push_back(v);
  }
  moves.avoid(avoided);
  Offer best = deletion(moves, list);
  if (!best.command) best = replacement(moves, list);
  trim(moves, best, cost - aim.most);
  moves.avoid({});
  if (best.command) best.command->avoided = std::move(avoided);
  return std::move(best.command);
}

}  // namespace tamp::decide

#include "search/frugal.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <tuple>

namespace tamp::search {
namespace {

constexpr std::size_t kMostTogether = 100;
// Trials that fail one after another before a set counts as complete.
constexpr std::size_t kPatience = 40;
// The share of room that stays unused because pods are no liquid; by taste.
constexpr std::array kPackings = {0.003, 0.002, 0.0025, 0.0015};
constexpr int kHalvings = 40;
// How far a taste may lean: a little, or more.
constexpr std::array kLeanings = {0.05, 0.1, 0.2};
// How much of the room that is missing a new machine may have; by taste, too.
constexpr std::array kSizes = {1.05, 0.7, 1.5, 0.4, 1e9};

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

// What a template may buy, at the least price each.
std::vector<Machine> machines_for_sale(const fit::Index& index, const fit::Template& t) {
  std::vector<Machine> list;
  const Cluster& c = index.cluster();
  const auto& reqs = index.requirements().at(t.requirements);
  for (TypeId id : t.types) {
    const InstanceType& type = c.catalogue->types[id.index()];
    double least = std::numeric_limits<double>::max();
    for (std::size_t i = 0; i < type.offerings.size(); ++i)
      if (type.offerings[i].available && fit::overlap(reqs, index.offering_requirements(id, i), c.symbols))
        least = std::min(least, type.offerings[i].dollars);
    Room2 room = of(type.allocatable), taken = of(t.daemon_overhead[id.index()]);
    room.cores -= taken.cores;
    room.gigabytes -= taken.gigabytes;
    if (least < std::numeric_limits<double>::max() && room.cores > 0 && room.gigabytes > 0)
      list.push_back({least, room});
  }
  return list;
}

// What can be bought, by template.
using Market = std::vector<std::vector<Machine>>;
Market market_of(const fit::Index& index) {
  Market market;
  for (const auto& t : index.templates()) market.push_back(machines_for_sale(index, t));
  return market;
}

struct Worth {
  double core = 0, gigabyte = 0;
  double operator()(const Room2& r) const { return core * r.cores + gigabyte * r.gigabytes; }
};

// max λ·demand subject to λ·room ≤ price for every machine: concave in the worth of a core, so the interval is cut in thirds. A new machine takes
// the pods of whole nodes, so one that does not even hold those of an ordinary node says nothing about prices, cheap as it may be.
Worth worth_of(const Market& market, const Room2& demand, std::size_t nodes) {
  std::vector<Machine> machines;
  const auto collect = [&](const Room2& least) {
    for (const auto& those : market)
      for (const Machine& m : those)
        if (m.room.cores >= least.cores && m.room.gigabytes >= least.gigabytes) machines.push_back(m);
  };
  if (nodes > 0)
    collect({demand.cores / static_cast<double>(nodes), demand.gigabytes / static_cast<double>(nodes)});
  if (machines.empty()) collect({});
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
  const gates::Candidate* candidate;
  double dollars;
  double moves;  // what its pods weigh
  Room2 room;    // that movable pods have or could have
};

// What is there after all that is doomed is gone, before anything is bought.
struct Kept {
  double dollars = 0;
  Room2 room;
};

// Nodes that differ in their moves alone are one lot; of a lot those with the fewest moves are doomed. A line leaves the sum unused by up to
// a node's price, so nodes of few lots at a time are exchanged until nothing is gained any more.
class Lots {
 public:
  template <typename IsDoomed>
  Lots(const std::vector<Stock>& stock, const Kept& besides, IsDoomed is_doomed) : kept_(besides) {
    for (const Stock& s : stock) sorted_.push_back(&s);
    std::sort(sorted_.begin(), sorted_.end(), [](const Stock* a, const Stock* b) {
      return std::tuple(a->dollars, a->room.cores, a->room.gigabytes, a->moves, a->candidate->node.index()) <
             std::tuple(b->dollars, b->room.cores, b->room.gigabytes, b->moves, b->candidate->node.index());
    });
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      if (i == 0 || !alike(*sorted_[i - 1], *sorted_[i])) lots_.push_back({i, i, i});
      Lot& lot = lots_.back();
      lot.end = i + 1;
      if (is_doomed(*sorted_[i])) {
        ++lot.line;
      } else {
        kept_.dollars += sorted_[i]->dollars;
        kept_.room += sorted_[i]->room;
      }
    }
  }

  const Kept& kept() const { return kept_; }
  std::vector<const Stock*> doomed() const {
    std::vector<const Stock*> list;
    for (const Lot& lot : lots_)
      list.insert(list.end(), sorted_.begin() + static_cast<std::ptrdiff_t>(lot.begin),
                  sorted_.begin() + static_cast<std::ptrdiff_t>(lot.line));
    return list;
  }

  // As few moves as an exchange of nodes leads to where `enough` holds of what is kept. `side` says how far a node is from the line: above zero, and
  // doomed, or below.
  template <typename Side, typename Enough>
  void settle(Side side, Enough enough) {
    if (!enough(kept_)) return;
    std::size_t looks = kMostLooks;
    while (exchange(shifts(side), enough, looks)) {
    }
  }

 private:
  static constexpr std::size_t kMostLooks = 300'000;  // at exchanges
  static constexpr std::size_t kNearest = 64;         // shifts of those nearest to the line

  struct Lot {
    std::size_t begin, line, end;  // in sorted_: [begin, line) is doomed
  };
  // Of one lot: so many more are doomed, or fewer.
  struct Shift {
    std::size_t lot;
    int by;
    double moves;
    Kept change;
    double far;  // from the line
  };

  static bool alike(const Stock& a, const Stock& b) {
    return a.dollars == b.dollars && a.room.cores == b.room.cores && a.room.gigabytes == b.room.gigabytes;
  }

  template <typename Side>
  std::vector<Shift> shifts(Side side) const {
    std::vector<Shift> list;
    for (std::size_t l = 0; l < lots_.size(); ++l) {
      const Lot& lot = lots_[l];
      const Stock& kind = *sorted_[lot.begin];
      Shift more{l, 0, 0, {}, 0}, fewer = more;
      const auto take = [&](Shift& shift, const Stock& s, int by) {
        shift.by += by;
        shift.moves += by * s.moves;
        shift.change = {-shift.by * kind.dollars,
                        {-shift.by * kind.room.cores, -shift.by * kind.room.gigabytes}};
        shift.far += std::abs(side(s));
        list.push_back(shift);
      };
      for (std::size_t n = 0; n < 2 && lot.line + n < lot.end; ++n) take(more, *sorted_[lot.line + n], 1);
      for (std::size_t n = 1; n <= 2 && lot.begin + n <= lot.line; ++n)
        take(fewer, *sorted_[lot.line - n], -1);
    }
    if (list.size() > kNearest) {
      std::stable_sort(list.begin(), list.end(),
                       [](const Shift& a, const Shift& b) { return a.far < b.far; });
      list.erase(list.begin() + kNearest, list.end());
    }
    return list;
  }

  // The best exchange of one, two or three lots.
  template <typename Enough>
  bool exchange(const std::vector<Shift>& all, Enough enough, std::size_t& looks) {
    constexpr double kNothing = -1e-9;
    std::array<const Shift*, 3> best = {};
    double least = kNothing;
    const auto look = [&](const Kept& so_far, double moves, std::array<const Shift*, 3> these) {
      if (looks > 0) --looks;
      if (moves < least && enough(so_far)) {
        least = moves;
        best = these;
      }
    };
    for (std::size_t i = 0; i < all.size() && looks > 0; ++i) {
      const Kept one = plus(kept_, all[i].change);
      look(one, all[i].moves, {&all[i]});
      for (std::size_t j = i + 1; j < all.size() && looks > 0; ++j) {
        if (all[j].lot == all[i].lot) continue;
        const Kept two = plus(one, all[j].change);
        const double moves = all[i].moves + all[j].moves;
        look(two, moves, {&all[i], &all[j]});
        if (std::abs(all[i].by) > 1 || std::abs(all[j].by) > 1) continue;
        for (std::size_t k = j + 1; k < all.size(); ++k)
          if (all[k].lot != all[i].lot && all[k].lot != all[j].lot && std::abs(all[k].by) == 1)
            look(plus(two, all[k].change), moves + all[k].moves, {&all[i], &all[j], &all[k]});
      }
    }
    for (const Shift* s : best)
      if (s != nullptr) {
        lots_[s->lot].line += static_cast<std::size_t>(s->by);
        kept_ = plus(kept_, s->change);
      }
    return least < kNothing;
  }

  static Kept plus(Kept a, const Kept& b) {
    a.dollars += b.dollars;
    a.room += b.room;
    return a;
  }

  std::vector<const Stock*> sorted_;
  std::vector<Lot> lots_;
  Kept kept_;
};

class Balance {
 public:
  Balance(const Moves& moves, const Market& market, std::span<const gates::Candidate* const> candidates,
          std::uint64_t taste)
      : index_(moves.index()), packing_(kPackings[taste % kPackings.size()]) {
    const Cluster& c = index_.cluster();
    std::vector<bool> may_go(c.nodes.size());
    for (const gates::Candidate* v : candidates) may_go[v->node.index()] = true;
    for (const gates::Candidate& v : moves.candidates()) {
      if (v.eligible() && v.empty) continue;  // goes first, and for nothing
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
        if (!site.leaving && !site.unschedulable && site.closed == fit::Closed::No && site.taints.empty()) {
          spare_.cores += std::max(0.0, room.cores - load.cores);
          spare_.gigabytes += std::max(0.0, room.gigabytes - load.gigabytes);
        }
      }
    }
    worth_ = worth_of(market, demand_, stock_.size());
  }

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
    return total + missing(kept);
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
    Lots lots(stock_, {fixed_, spare_}, [&](const Stock& s) { return doomed(s, rate, share); });
    constexpr double kRounding = 1e-9;
    lots.settle([&](const Stock& s) { return excess(s, share) - rate * s.moves; },
                [&](const Kept& k) { return k.dollars + missing(k.room) <= most + kRounding; });
    std::vector<const Stock*> list = lots.doomed();
    std::sort(list.begin(), list.end(), [&](const Stock* a, const Stock* b) {
      const double x = excess(*a, share) / a->moves, y = excess(*b, share) / b->moves;
      if (x != y) return x > y;
      return a->candidate->node < b->candidate->node;
    });
    Doom doom{{}, missing(lots.kept().room)};
    for (const Stock* s : list) doom.nodes.push_back(s->candidate);
    return doom;
  }

 private:
  // What it costs to buy the room that is kept too little of.
  double missing(const Room2& kept) const {
    return worth_({std::max(0.0, demand_.cores * (1 + packing_) - kept.cores),
                   std::max(0.0, demand_.gigabytes * (1 + packing_) - kept.gigabytes)});
  }
  Room2 kept_room(double rate, double share) const {
    Room2 kept = spare_;
    for (const Stock& s : stock_)
      if (!doomed(s, rate, share)) kept += s.room;
    return kept;
  }
  bool covers(const Room2& kept) const {
    return kept.cores >= demand_.cores * (1 + packing_) &&
           kept.gigabytes >= demand_.gigabytes * (1 + packing_);
  }

  const fit::Index& index_;
  double packing_;
  std::vector<Stock> stock_;
  Room2 demand_, spare_;
  double fixed_ = 0;
  Worth worth_;
};

// What free room there is for pods of nodes that go, at the very most: where loads exceed the sum of it nothing needs to be simulated.
class Brim {
 public:
  Brim(const Moves& moves, const Market& market, std::span<const gates::Candidate* const> list,
       std::span<const NodeId> avoided)
      : market_(market) {
    const Cluster& c = moves.index().cluster();
    loads_.resize(c.nodes.size());
    for (const gates::Candidate* v : list)
      for (PodId p : v->pods) loads_[v->node.index()] += of(moves.index().fresh_requests(p));
    std::vector<bool> closed(c.nodes.size());
    for (NodeId n : avoided) closed[n.index()] = true;
    for (const gates::Candidate& v : moves.candidates()) {
      if (closed[v.node.index()]) continue;
      const Node& node = c.nodes[v.node.index()];
      Room2 used;
      for (PodId p : node.pods)
        if (!c.pods[p.index()].terminal()) used += of(c.spec(c.pods[p.index()]).requests);
      const Room2 has = of(node.allocatable);
      free_.cores += std::max(0.0, has.cores - used.cores);
      free_.gigabytes += std::max(0.0, has.gigabytes - used.gigabytes);
    }
  }

  const Room2& load(const gates::Candidate* v) const { return loads_[v->node.index()]; }
  const Room2& free() const { return free_; }
  // And with one new machine that costs less than `below`, whichever is the largest.
  Room2 free_with_new(std::size_t template_index, double below) const {
    Room2 largest;
    for (const Machine& m : market_[template_index])
      if (m.dollars < below) {
        largest.cores = std::max(largest.cores, m.room.cores);
        largest.gigabytes = std::max(largest.gigabytes, m.room.gigabytes);
      }
    return largest += free_;
  }

 private:
  const Market& market_;
  std::vector<Room2> loads_;  // by node; of those in the list
  Room2 free_;
};

// Goes through the list and keeps every node with which `holds` is still true, in steps that double while they succeed. `room` is what they can have
// at most.
template <typename Holds>
std::vector<const gates::Candidate*> grow(std::span<const gates::Candidate* const> list, const Brim& brim,
                                          const Room2& room, Holds holds, std::size_t patience = kPatience) {
  constexpr double kRounding = 1e-6;
  std::vector<const gates::Candidate*> set;
  Room2 taken;
  std::size_t next = 0, step = 1, failures = 0;
  while (next < list.size() && set.size() < kMostTogether && failures < patience) {
    const std::size_t take = std::min({step, list.size() - next, kMostTogether - set.size()});
    std::vector<const gates::Candidate*> trial = set;
    Room2 wanted = taken;
    for (std::size_t i = next; i < next + take; ++i) {
      trial.push_back(list[i]);
      wanted += brim.load(list[i]);
    }
    const bool too_much =
        wanted.cores > room.cores + kRounding || wanted.gigabytes > room.gigabytes + kRounding;
    if (!too_much && holds(trial)) {
      set = std::move(trial);
      taken = wanted;
      next += take;
      step *= 2;
      failures = 0;
    } else if (take > 1) {
      step = take / 2;
    } else {
      ++next;
      if (!too_much) ++failures;
    }
  }
  return set;
}

// A command, and the nodes that it is about.
struct Offer {
  std::vector<const gates::Candidate*> set;
  std::optional<price::Command> command;
};

Offer offer(Moves& moves, std::vector<const gates::Candidate*> set) {
  if (set.empty()) return {};
  price::Priced priced = moves.evaluate(set, set.size() > 1 ? price::Method::Multi : price::Method::Single);
  return {std::move(set), std::move(priced.command)};
}

Offer deletion(Moves& moves, std::span<const gates::Candidate* const> list, const Brim& brim) {
  return offer(moves,
               grow(list, brim, brim.free(), [&](const auto& trial) { return moves.deletable(trial); }));
}

// As many as fill one new machine that costs less than `below`.
Offer filling(Moves& moves, std::span<const gates::Candidate* const> list, const Brim& brim,
              std::size_t template_index, double below, std::size_t patience) {
  auto set = grow(
      list, brim, brim.free_with_new(template_index, below),
      [&](const auto& trial) { return moves.replaceable(trial, template_index, below); }, patience);
  Offer found = offer(moves, set);
  // The fuller the new machine, the better; but the price rules may ask for less.
  while (!found.command && set.size() > 1) {
    set.resize(set.size() * 3 / 4);
    found = offer(moves, set);
  }
  return found;
}

// The new machine costs no more than `most` if one such will do. Where all that is left goes into one machine, it may be a little too much for a
// smaller one and leave this one half empty. So smaller ones are tried as well; what they leave over is for the next step.
Offer replacement(Moves& moves, std::span<const gates::Candidate* const> list, const Brim& brim,
                  double most) {
  constexpr std::size_t kSmallerOnes = 3, kLittlePatience = 8;
  constexpr double kSmaller = 0.95, kAnyPrice = std::numeric_limits<double>::max();
  Offer best;
  for (double below : {most, 2 * most, 4 * most, kAnyPrice})
    for (std::size_t t = 0; t < moves.index().templates().size() && !best.command; ++t) {
      best = filling(moves, list, brim, t, below, kPatience);
      if (!best.command || !best.command->replaces() || best.set.size() < list.size()) continue;
      double price = best.command->replacements_price().dollars();
      for (std::size_t i = 0; i < kSmallerOnes; ++i) {
        Offer found = filling(moves, list, brim, t, price * kSmaller, kLittlePatience);
        if (!found.command || !found.command->replaces()) break;
        price = found.command->replacements_price().dollars();
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
    if (!best.command->replaces() && best.command->savings.dollars() - best.set[i]->dollars < needed)
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

Doom doomed_nodes(const Moves& moves, std::span<const gates::Candidate* const> candidates, double most,
                  std::uint64_t taste) {
  return Balance(moves, market_of(moves.index()), candidates, taste).draw_line(most);
}

std::optional<price::Command> frugal_command(Moves& moves,
                                             std::span<const gates::Candidate* const> candidates,
                                             std::span<const gates::BudgetState> budgets, const Aim& aim) {
  double cost = 0;
  for (const gates::Candidate& c : moves.candidates()) cost += c.dollars;
  const Market market = market_of(moves.index());
  const Doom doom = Balance(moves, market, candidates, aim.taste).draw_line(aim.most * (1 - aim.press));
  std::vector<NodeId> avoided;
  avoided.reserve(doom.nodes.size());
  for (const gates::Candidate* v : doom.nodes) avoided.push_back(v->node);
  std::vector<const gates::Candidate*> list;
  std::vector<gates::BudgetState> left(budgets.begin(), budgets.end());
  const auto nodes = static_cast<std::int64_t>(moves.context().cluster.nodes.size());
  const std::int64_t spare = nodes - std::max<std::int64_t>(0, moves.context().settings.min_nodes.value);
  for (const gates::Candidate* v : doom.nodes) {
    if (static_cast<std::int64_t>(list.size()) >= spare) break;
    if (v->pool.valid()) {
      gates::BudgetState& s = left[v->pool.index()];
      if (s.remaining() <= 0) continue;
      ++s.disrupting;
    }
    list.push_back(v);
  }
  moves.avoid(avoided);
  const Brim brim(moves, market, list, avoided);
  Offer best = deletion(moves, list, brim);
  if (!best.command) best = replacement(moves, list, brim, doom.missing * kSizes[aim.taste % kSizes.size()]);
  trim(moves, best, cost - aim.most);
  moves.avoid({});
  if (best.command) best.command->avoided = std::move(avoided);
  return std::move(best.command);
}

}  // namespace tamp::search

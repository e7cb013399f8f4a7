#include "price/pricing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace tamp::price {
namespace {

using fit::Claim;
using fit::Index;
using fit::Outcome;
using fit::ReqId;
using fit::Requirement;
using fit::Requirements;

constexpr double kNever = std::numeric_limits<double>::max();

struct LaunchPrice {
  double dollars = kNever;
  Money money{std::numeric_limits<std::int64_t>::max()};
};

// Prices of the machines that a replacement may become.
class Market {
 public:
  Market(const Index& index) : index_(index), cluster_(index.cluster()) {}

  bool sells(TypeId t, std::size_t offering, const Requirements& reqs) const {
    return type(t).offerings[offering].available &&
           fit::overlap(reqs, index_.offering_requirements(t, offering), cluster_.symbols);
  }
  LaunchPrice cheapest(TypeId t, const Requirements& reqs) const {
    LaunchPrice best;
    for (std::size_t i = 0; i < type(t).offerings.size(); ++i)
      if (sells(t, i, reqs) && type(t).offerings[i].dollars < best.dollars)
        best = {type(t).offerings[i].dollars, type(t).offerings[i].price};
    return best;
  }
  // What the launch may cost at worst: Karpenter launches reserved before spot before on-demand, and within the first of
  // these that is offered any zone may be the one.
  LaunchPrice worst(TypeId t, const Requirements& reqs) const {
    for (Symbol kind : {cluster_.known.reserved, cluster_.known.spot, cluster_.known.on_demand}) {
      LaunchPrice dearest{-1, {}};
      for (std::size_t i = 0; i < type(t).offerings.size(); ++i) {
        const Offering& o = type(t).offerings[i];
        if (o.capacity_type == kind && sells(t, i, reqs) && o.dollars > dearest.dollars)
          dearest = {o.dollars, o.price};
      }
      if (dearest.dollars >= 0) return dearest;
    }
    return {};
  }
  const InstanceType& type(TypeId t) const { return cluster_.catalogue->types[t.index()]; }

 private:
  const Index& index_;
  const Cluster& cluster_;
};

bool may_be(const Requirements& reqs, Symbol key, Symbol value, const Symbols& symbols) {
  const Requirement* r = reqs.find(key);
  return !r || r->has(value, symbols);
}

// How many of the types, taken in order, are needed until every minValues holds; nothing if never.
std::optional<std::size_t> needed_for_min_values(const Index& index, const std::vector<TypeId>& types,
                                                 const Requirements& reqs) {
  if (!reqs.has_min_values()) return 0;
  std::map<Symbol, std::vector<Symbol>> seen;
  for (std::size_t i = 0; i < types.size(); ++i) {
    bool enough = true;
    for (const auto& r : reqs) {
      if (!r.min_values) continue;
      auto& values = seen[r.key];
      if (const Requirement* q = index.type_requirements(types[i]).find(r.key))
        for (Symbol v : q->values)
          if (std::find(values.begin(), values.end(), v) == values.end()) values.push_back(v);
      enough = enough && values.size() >= static_cast<std::size_t>(*r.min_values);
    }
    if (enough) return i + 1;
  }
  return std::nullopt;
}

std::vector<Symbol> by_text(std::vector<Symbol> list, const Cluster& c) {
  std::sort(list.begin(), list.end(), [&](Symbol a, Symbol b) { return c.text(a) < c.text(b); });
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

struct Pricing {
  const situation::Context& context;
  const Index& index;
  std::span<const gates::Candidate* const> victims;
  const Outcome& outcome;
  Method method;
  std::span<const PoolTotals> totals;
  Market market{index};
  Priced result{};

  const Cluster& cluster() const { return context.cluster; }
  bool compat() const { return context.settings.karpenter_compat; }

  Priced refuse(gates::Reason reason, std::string message) {
    result.reason = reason;
    result.message = std::move(message);
    return std::move(result);
  }

  Priced run() {
    Money required = required_savings(context, victims);
    Money price;
    bool price_known = true;
    double dollars = total_dollars(victims);
    for (const gates::Candidate* v : victims) {
      price_known = price_known && v->price.has_value();
      if (v->price) price += *v->price;
    }
    double cost = 0;
    for (const gates::Candidate* v : victims) cost += v->disruption_cost;

    Command command;
    command.method = method;
    for (const gates::Candidate* v : victims) command.nodes.push_back(v->node);
    command.disruption_cost = cost;
    command.required_savings = required;
    for (const auto& p : outcome.placements)
      if (p.role == fit::Role::Moved)
        command.moves.push_back({p.pod, cluster().pods[p.pod.index()].node,
                                 p.site.valid() ? index.site(p.site).node : NodeId(), p.claim});

    if (!compat() && !price_known && (!outcome.claims.empty() || required.nanos > 0))
      return refuse(gates::Reason::PriceUnknown, unknown_price());
    command.savings = price;
    command.savings_known = price_known;
    if (outcome.claims.empty()) {
      if (!compat() && price < required)
        return refuse(gates::Reason::SavingsBelowThreshold,
                      fmt::format("saves {}/h, needs {}/h ({} per unit of disruption × {:.4g})",
                                  format_money(price), format_money(required), threshold_text(), cost));
      if (!score(command, dollars, dollars)) return std::move(result);
      result.command = std::move(command);
      return std::move(result);
    }
    if (outcome.claims.size() > 1) return several_replacements(std::move(command), price, required);
    return replacement(std::move(command), price, dollars, required);
  }

  Priced replacement(Command command, Money price, double dollars, Money required) {
    const Claim& claim = outcome.claims.front();
    Requirements reqs = index.requirements().at(claim.requirements);
    const Symbols& symbols = cluster().symbols;
    Symbol capacity = cluster().known.capacity_type;
    std::vector<TypeId> types = claim.type_list(index);
    order(types, reqs);
    if (types.size() > kMostTypes) types.resize(kMostTypes);

    bool all_spot = std::all_of(victims.begin(), victims.end(), [&](const gates::Candidate* v) {
      return v->capacity_type == cluster().known.spot;
    });
    bool spot_to_spot = all_spot && may_be(reqs, capacity, cluster().known.spot, symbols);
    if (spot_to_spot) {
      if (!context.settings.spot_to_spot.value)
        return refuse(
            gates::Reason::SpotToSpotOff,
            "the SpotToSpotConsolidation feature gate is off: a spot node is not replaced by a spot node");
      reqs.add(fit::exactly(capacity, cluster().known.spot), symbols);
      std::erase_if(types, [&](TypeId t) { return market.cheapest(t, reqs).dollars == kNever; });
      if (!compat()) order(types, reqs);
    }

    TypeId dearest_rejected;
    std::optional<LaunchPrice> nearest;
    auto note = [&](TypeId t, LaunchPrice p) {
      if (p.dollars != kNever && (!nearest || p.dollars < nearest->dollars)) {
        nearest = p;
        dearest_rejected = t;
      }
    };
    std::erase_if(types, [&](TypeId t) {
      LaunchPrice p = market.worst(t, reqs);
      bool cheaper = compat() ? p.dollars < dollars : p.money < price;
      if (!cheaper) note(t, p);
      return !cheaper;
    });
    auto rejected = [&](Money must_cost) {
      if (nearest)
        result.cheapest_rejected =
            RejectedReplacement{dearest_rejected, nearest->money, nearest->money - must_cost};
    };
    if (types.empty()) {
      rejected(price);
      return refuse(gates::Reason::NoCheaperReplacement,
                    nearest ? fmt::format("the cheapest machine that would do is {} at {}/h; now {}/h",
                                          cluster().text(market.type(dearest_rejected).name),
                                          format_money(nearest->money, 6), format_money(price, 6))
                            : "no machine of the catalogue would do");
    }
    if (!needed_for_min_values(index, types, reqs))
      return refuse(
          gates::Reason::MinValues,
          fmt::format("only {} cheaper types remain: the pool's minValues do not hold", types.size()));

    if (!compat()) {
      std::size_t before = types.size();
      std::erase_if(types, [&](TypeId t) {
        LaunchPrice p = market.worst(t, reqs);
        bool worth_it = price - p.money >= required;
        if (!worth_it) note(t, p);
        return !worth_it;
      });
      if (types.empty()) {
        rejected(price - required);
        return refuse(
            gates::Reason::SavingsBelowThreshold,
            fmt::format(
                "saves {}/h at best of {} cheaper types, needs {}/h ({} per unit of disruption × {:.4g})",
                format_money(price - nearest->money), before, format_money(required), threshold_text(),
                command.disruption_cost));
      }
      if (!needed_for_min_values(index, types, reqs))
        return refuse(
            gates::Reason::MinValues,
            fmt::format("only {} types save enough: the pool's minValues do not hold", types.size()));
    }

    if (spot_to_spot && victims.size() == 1) {
      if (types.size() < kSpotFlexibility)
        return refuse(
            gates::Reason::SpotFlexibility,
            fmt::format("a spot node is replaced by spot only if {} cheaper types remain; there are {}",
                        kSpotFlexibility, types.size()));
      std::size_t keep = std::max(kSpotFlexibility, needed_for_min_values(index, types, reqs).value_or(0));
      if (types.size() > keep) types.resize(keep);
    }
    if (!spot_to_spot && !settle_for_spot(types, reqs))
      return refuse(gates::Reason::MinValues,
                    fmt::format("only {} cheaper types are offered as spot: the pool's minValues do not hold",
                                types.size()));

    if (method == Method::Multi && !drop_same_types(types, reqs, same_type_limit(types)))
      return std::move(result);

    double best_case = types.empty() ? 0 : market.cheapest(types.front(), reqs).dollars;
    if (best_case == kNever) best_case = 0;
    Replacement r = describe(claim, types, reqs);
    command.savings = price - r.price;
    double scored = compat() ? dollars - best_case : command.savings.dollars();
    if (!score(command, scored, dollars)) return std::move(result);
    command.replacements = {std::move(r)};
    result.command = std::move(command);
    return std::move(result);
  }

  // Several new nodes, by our own rules only: the same rules, each for the sum, with the dearest machine counted that each of them
  // may become. So whichever the cloud picks, the move still saves what it must.
  Priced several_replacements(Command command, Money price, Money required) {
    struct Launch {
      const Claim& claim;
      Requirements reqs;
      std::vector<TypeId> types;
      Money least;  // what the cheapest of the types costs at worst
    };
    const Symbols& symbols = cluster().symbols;
    const Symbol capacity = cluster().known.capacity_type;
    const bool all_spot = std::all_of(victims.begin(), victims.end(), [&](const gates::Candidate* v) {
      return v->capacity_type == cluster().known.spot;
    });
    std::vector<Launch> launches;
    Money together;
    for (const Claim& claim : outcome.claims) {
      Launch launch{claim, index.requirements().at(claim.requirements), claim.type_list(index), {}};
      // That the machine which comes is among the cheapest, and is not replaced again at once, is known of a single one only.
      if (all_spot && may_be(launch.reqs, capacity, cluster().known.spot, symbols))
        return refuse(
            gates::Reason::NeedsSeveralNodes,
            "its pods would need more than one new node, and spot nodes are replaced by one spot node");
      std::erase_if(launch.types, [&](TypeId t) { return market.worst(t, launch.reqs).dollars == kNever; });
      order(launch.types, launch.reqs);
      if (launch.types.size() > kMostTypes) launch.types.resize(kMostTypes);
      if (launch.types.empty())
        return refuse(gates::Reason::NoCheaperReplacement, "no machine of the catalogue would do");
      launch.least = market.worst(launch.types.front(), launch.reqs).money;
      for (TypeId t : launch.types) launch.least = std::min(launch.least, market.worst(t, launch.reqs).money);
      together += launch.least;
      launches.push_back(std::move(launch));
    }
    if (together >= price)
      return refuse(gates::Reason::NoCheaperReplacement,
                    fmt::format("the cheapest {} machines that would do cost {}/h together; now {}/h",
                                launches.size(), format_money(together, 6), format_money(price, 6)));
    if (price - together < required)
      return refuse(
          gates::Reason::SavingsBelowThreshold,
          fmt::format("saves {}/h at best with {} new nodes, needs {}/h ({} per unit of disruption × {:.4g})",
                      format_money(price - together), launches.size(), format_money(required),
                      threshold_text(), command.disruption_cost));

    // What may be spent beyond the cheapest machines is shared out among them by their prices.
    const Money most = std::min(price - Money{1}, price - required);
    for (Launch& launch : launches) {
      const double share = together.nanos > 0 ? most.dollars() / together.dollars() : 1;
      const Money limit{static_cast<std::int64_t>(
          std::floor(static_cast<double>(launch.least.nanos) * std::max(1.0, share)))};
      std::erase_if(launch.types, [&](TypeId t) { return market.worst(t, launch.reqs).money > limit; });
      if (!settle_for_spot(launch.types, launch.reqs) ||
          !needed_for_min_values(index, launch.types, launch.reqs))
        return refuse(gates::Reason::MinValues,
                      fmt::format("only {} types save enough beside the other new nodes: the "
                                  "pool's minValues do not hold",
                                  launch.types.size()));
    }
    if (method == Method::Multi) {
      double limit = kNever;
      for (const Launch& launch : launches) limit = std::min(limit, same_type_limit(launch.types));
      for (Launch& launch : launches)
        if (!drop_same_types(launch.types, launch.reqs, limit)) return std::move(result);
    }
    for (const Launch& launch : launches)
      command.replacements.push_back(describe(launch.claim, launch.types, launch.reqs));
    command.savings = price - command.replacements_price();
    // Pinned to spot a machine may cost more than the reserved one that was counted.
    if (command.savings.nanos <= 0 || command.savings < required)
      return refuse(
          gates::Reason::SavingsBelowThreshold,
          fmt::format("saves only {}/h with {} new nodes", format_money(command.savings), launches.size()));
    if (!score(command, command.savings.dollars(), total_dollars(victims))) return std::move(result);
    result.command = std::move(command);
    return std::move(result);
  }

  // Prices assume spot where spot is offered; should it run out, better no launch than a dear one. False: nothing remains that
  // satisfies minValues.
  bool settle_for_spot(std::vector<TypeId>& types, Requirements& reqs) const {
    const Symbols& symbols = cluster().symbols;
    const Symbol capacity = cluster().known.capacity_type;
    if (!may_be(reqs, capacity, cluster().known.spot, symbols) ||
        !may_be(reqs, capacity, cluster().known.on_demand, symbols))
      return true;
    Requirements pinned = reqs;
    pinned.add(fit::exactly(capacity, cluster().known.spot), symbols);
    const auto as_spot = [&](TypeId t) { return market.cheapest(t, pinned).dollars != kNever; };
    if (!compat() && std::none_of(types.begin(), types.end(), as_spot)) return true;
    reqs = std::move(pinned);
    if (compat()) return true;
    std::erase_if(types, [&](TypeId t) { return market.cheapest(t, reqs).dollars == kNever; });
    order(types, reqs);
    return needed_for_min_values(index, types, reqs).has_value();
  }

  void order(std::vector<TypeId>& types, const Requirements& reqs) const {
    std::vector<std::pair<double, TypeId>> keyed;
    keyed.reserve(types.size());
    keyed.reserve(types.size());
    for (TypeId t : types) keyed.emplace_back(market.cheapest(t, reqs).dollars, t);
    std::sort(keyed.begin(), keyed.end(), [&](const auto& a, const auto& b) {
      if (a.first != b.first) return a.first < b.first;
      return cluster().text(market.type(a.second).name) < cluster().text(market.type(b.second).name);
    });
    for (std::size_t i = 0; i < types.size(); ++i) types[i] = keyed[i].second;
  }

  // Several nodes for one of a type that is among them is the same as deleting the others: the new one must then be cheaper
  // than the cheapest node of that type. And so must each be, if there are several new ones.
  double same_type_limit(const std::vector<TypeId>& types) const {
    double limit = kNever;
    for (TypeId t : types) {
      bool among = false;
      double least = kNever;
      for (const gates::Candidate* v : victims)
        if (v->type == t) {
          among = true;
          if (v->dollars > 0 || v->price) least = std::min(least, v->dollars);
        }
      if (among) limit = std::min(limit, least == kNever ? 0 : least);
    }
    return limit;
  }
  bool drop_same_types(std::vector<TypeId>& types, const Requirements& reqs, double limit) {
    std::erase_if(types, [&](TypeId t) { return market.worst(t, reqs).dollars >= limit; });
    bool enough = needed_for_min_values(index, types, reqs).has_value();
    if (!types.empty() && enough) return true;
    result.reason = gates::Reason::SameInstanceType;
    result.message =
        "the new node would be of a type that is being removed: keeping that one is less disruption";
    return false;
  }

  Replacement describe(const Claim& claim, const std::vector<TypeId>& types, const Requirements& reqs) const {
    Replacement r;
    r.pool = index.templates()[claim.template_index].pool;
    r.types = types;
    if (const LaunchPrice p = types.empty() ? LaunchPrice{} : market.cheapest(types.front(), reqs);
        p.dollars != kNever)
      r.least = p.money;
    for (TypeId t : types) {
      if (LaunchPrice p = market.worst(t, reqs); p.dollars != kNever) r.price = std::max(r.price, p.money);
      for (std::size_t i = 0; i < market.type(t).offerings.size(); ++i)
        if (market.sells(t, i, reqs)) {
          r.zones.push_back(market.type(t).offerings[i].zone);
          r.capacity_types.push_back(market.type(t).offerings[i].capacity_type);
        }
    }
    r.zones = by_text(std::move(r.zones), cluster());
    r.capacity_types = by_text(std::move(r.capacity_types), cluster());
    return r;
  }

  // Karpenter's Balanced policy: the share of the pool's cost that is saved must be at least half the share of its
  // disruption that is spent. Every Balanced pool that gives a node must agree.
  bool score(const Command& command, double savings, double source) {
    std::map<PoolId, std::pair<double, double>> by_pool;  // dollars, eviction cost
    for (const gates::Candidate* v : victims) {
      by_pool[v->pool].first += v->dollars;
      by_pool[v->pool].second += v->eviction_cost;
    }
    (void)command;
    for (const auto& [pool, mine] : by_pool) {
      if (!pool.valid() || context.settings.pools[pool.index()].policy.value != ConsolidationPolicy::Balanced)
        continue;
      const PoolTotals& all = totals[pool.index()];
      double share = by_pool.size() > 1 && source > 0 ? savings * (mine.first / source) : savings;
      double score = 0;
      if (all.cost > 0 && all.disruption > 0 && share > 0)
        score = (share / all.cost) / (mine.second / all.disruption);
      if (score >= 0.5) continue;
      result.reason = gates::Reason::BalancedScore;
      result.message = fmt::format(
          "pool {}: saves {:.2f}% of its cost for {:.2f}% of its disruption, score {:.2f} < 0.50",
          cluster().text(cluster().pools[pool.index()].name), all.cost > 0 ? 100 * share / all.cost : 0.0,
          all.disruption > 0 ? 100 * mine.second / all.disruption : 0.0, score);
      return false;
    }
    return true;
  }

  std::string unknown_price() const {
    for (const gates::Candidate* v : victims)
      if (!v->price)
        return fmt::format(
            "the price of node {} is not known: no offering of its type, zone and capacity type",
            cluster().text(cluster().nodes[v->node.index()].name));
    return "a price is not known";
  }
  std::string threshold_text() const {
    double t = context.settings.pools[victims.front()->pool.index()].savings_threshold.value;
    return fmt::format("${:g}/h", t);
  }
};

}  // namespace

Money required_savings(const situation::Context& context, std::span<const gates::Candidate* const> victims) {
  double required = 0;
  for (const gates::Candidate* v : victims)
    if (v->pool.valid())
      required += context.settings.pools[v->pool.index()].savings_threshold.value * v->disruption_cost;
  return Money::from_dollars(std::min(required, 1e9));
}

double total_dollars(std::span<const gates::Candidate* const> victims) {
  double sum = 0;
  for (const gates::Candidate* v : victims) sum += v->dollars;
  return sum;
}

std::vector<PoolTotals> pool_totals(const situation::Context& context,
                                    std::span<const gates::Candidate> candidates) {
  const Cluster& c = context.cluster;
  std::vector<PoolTotals> totals(c.pools.size());
  for (const auto& candidate : candidates) {
    if (!candidate.pool.valid()) continue;
    PoolTotals& t = totals[candidate.pool.index()];
    t.cost += candidate.dollars;
    // A node that no gate of its own or of its pods holds back weighs what moving it would cost; any other what its pods weigh.
    if (candidate.blocked == gates::Reason::None || candidate.blocked >= gates::Reason::SingleReplica) {
      t.disruption += candidate.eviction_cost;
      continue;
    }
    t.disruption += 1;
    for (PodId p : c.nodes[candidate.node.index()].pods) {
      const Pod& pod = c.pods[p.index()];
      if (!pod.terminal() && !pod.daemon()) t.disruption += std::max(0.0, gates::pod_cost(c, pod));
    }
  }
  return totals;
}

bool can_pass_score(const situation::Context& context, const gates::Candidate& candidate,
                    std::span<const PoolTotals> totals) {
  if (!candidate.pool.valid()) return true;
  if (context.settings.pools[candidate.pool.index()].policy.value != ConsolidationPolicy::Balanced)
    return true;
  const PoolTotals& t = totals[candidate.pool.index()];
  if (t.cost <= 0 || t.disruption <= 0) return true;
  return (candidate.dollars / t.cost) / (candidate.eviction_cost / t.disruption) >= 0.5;
}

Priced price_move(const situation::Context& context, const Index& index,
                  std::span<const gates::Candidate* const> victims, const Outcome& outcome, Method method,
                  std::span<const PoolTotals> totals) {
  return Pricing{context, index, victims, outcome, method, totals}.run();
}

}  // namespace tamp::price

// The road to the fixpoint: commands carried out in memory one after another, each on the cluster that the one before left.
//
// Two ways are known. Passes: what the controller would do, pass after pass. Fewest moves: there is a mark, what the cluster is to
// cost in the end, and frugal.h looks for ways there that move few pods. Where no mark is given it is the costs at which
// Karpenter's search would end on the same cluster: what lies below can be had, but for ever more moves. Where it would end depends on how
// it orders equal nodes; so several orders are followed, and of many ways that are tried the one is the answer that does best beside all these ends. Nothing in it depends on time or chance.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "search/plan.h"

namespace tamp::search {

struct StepMove {
  Symbol ns, name;  // of the pod
  Symbol from, to;  // nodes
};

struct NewMachine {
  Symbol node, pool, type, zone, capacity_type;
  Money price;
};

// Names, not ids: every step has a cluster of its own.
struct Step {
  price::Method method = price::Method::Single;
  std::vector<Symbol> nodes;  // that go
  std::vector<NewMachine> made;
  std::vector<StepMove> moves;
  double disruption_cost = 0;
  Money savings;  // per hour, of this step
  // Afterwards:
  Money hourly_cost;
  std::size_t nodes_left = 0;
  std::size_t moved = 0;  // so far; a pod that moves twice counts twice
  Money saved;            // so far
};

struct Road {
  Symbols names;  // of everything that the steps name
  Money hourly_cost;
  std::size_t nodes = 0, pods = 0;  // before the first step
  std::vector<Step> steps;
  bool arrived = false;  // nothing is left to do; otherwise the number of steps ran out
  // So many steps are worth it; those after them save less than `worth_per_move` dollars per unit of disruption, all together.
  std::size_t worth = 0;
  double worth_per_move = 0;
  // The passes alone, where they were followed and another way was taken.
  struct Passes {
    std::size_t steps = 0, moved = 0;
    Money hourly_cost;
  };
  std::optional<Passes> passes;
  // The sum that was asked for, per hour, and whether the whole road comes down to it.
  struct Target {
    Money hourly_cost;
    bool reached = false;
  };
  std::optional<Target> target;
};

struct RoadOptions {
  std::size_t steps = 1;             // at most
  bool fewest_moves = true;          // else: passes
  std::optional<Money> target = {};  // the mark, per hour; Karpenter's ends without it
  // Pods looked at, at most, in all that is tried: taken into an index, lifted and placed in thought. The same number gives the same road. Some
  // millions are a second.
  std::uint64_t effort = 50'000'000;
};

Road make_road(const situation::Context& context, const PlanOptions& options, const RoadOptions& road);

}  // namespace tamp::search

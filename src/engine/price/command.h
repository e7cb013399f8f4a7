// A command: which nodes go, what takes their place, where each pod would run, and what that saves.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster.h"
#include "core/money.h"

namespace tamp::price {

enum class Method : std::uint8_t { Empty, Multi, Single };
std::string_view name(Method method);  // "empty"

struct Move {
  PodId pod;
  NodeId from;                  // invalid for a pod that is pending
  NodeId to;                    // invalid: a replacement
  std::size_t replacement = 0;  // which of them, then
};

struct Replacement {
  PoolId pool;
  std::vector<TypeId> types;           // cheapest first
  std::vector<Symbol> capacity_types;  // sorted by text
  std::vector<Symbol> zones;           // sorted by text
  Money price;                         // the dearest offering that may be launched
  Money least{};                       // the cheapest
};

struct Command {
  Method method = Method::Single;
  std::vector<NodeId> nodes;
  std::vector<Replacement> replacements;  // none: delete
  Money savings;                          // per hour, certain at least
  bool savings_known = true;              // false when a price is unknown (threshold 0 only)
  double disruption_cost = 0;
  Money required_savings;
  std::vector<Move> moves;
  // Nodes that stay for now but take none of the pods, because they are to go next. Empty unless the command is part of a road.
  std::vector<NodeId> avoided;

  bool replaces() const { return !replacements.empty(); }
  // What the new nodes cost at most and at least, all together. Per hour.
  Money replacements_price() const {
    Money sum;
    for (const Replacement& r : replacements) sum += r.price;
    return sum;
  }
  Money replacements_least() const {
    Money sum;
    for (const Replacement& r : replacements) sum += r.least;
    return sum;
  }
  // What is saved beyond what the disruption asks for.
  Money gain() const { return savings - required_savings; }
};

// What documents call a node that does not exist yet: "replacement", and where there are several also "replacement-2", …
std::string replacement_alias(std::size_t number);

}  // namespace tamp::price

// What a node is and costs per hour: its machine in the catalogue, its zone, its capacity type, its price.
#pragma once

#include <optional>
#include <unordered_map>

#include "situation/context.h"

namespace tamp::situation {

// Instance types by name: the last of each. A machine that several systems run on has an entry for each of them.
using TypeIndex = std::unordered_map<Symbol, TypeId>;
TypeIndex index_types(const Cluster& cluster);

struct NodePrice {
  TypeId type;
  Symbol zone;
  Symbol capacity_type;
  std::optional<Money> price;  // unknown is not 0
  double dollars = 0;          // as read, 0 when unknown
};

// A price list that names the node wins; otherwise the catalogue's offering of its type, zone and capacity type,
// whether or not more of it can be bought now.
NodePrice price_node(const Context& context, const TypeIndex& types, const Node& node);

}  // namespace tamp::situation

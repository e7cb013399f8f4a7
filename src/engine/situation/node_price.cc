#include "situation/node_price.h"

#include <algorithm>

namespace tamp::situation {
namespace {

// Whether the type is the node's machine with the node's system. A node that does not say what it runs may be anything.
bool runs(const Cluster& cluster, const InstanceType& type, const Node& node) {
  for (const SelectorRequirement& r : type.requirements) {
    if (r.key != cluster.known.arch && r.key != cluster.known.os) continue;
    const Symbol own = node.labels.get(r.key);
    if (own.valid() && !std::binary_search(r.values.begin(), r.values.end(), own)) return false;
  }
  return true;
}

// The type of this name with the node's system. Karpenter takes the last of the name, whatever it runs.
TypeId type_of(const Context& context, const TypeIndex& index, const Node& node) {
  const Cluster& cluster = context.cluster;
  const Symbol name = node.labels.get(cluster.known.instance_type);
  const auto last = index.find(name);
  if (last == index.end()) return {};
  if (context.settings.karpenter_compat) return last->second;
  const auto& types = cluster.catalogue->types;
  for (std::size_t i = last->second.index() + 1; i-- > 0;)
    if (types[i].name == name && runs(cluster, types[i], node)) return TypeId(i);
  return last->second;
}

}  // namespace

TypeIndex index_types(const Cluster& cluster) {
  TypeIndex index;
  if (!cluster.catalogue) return index;
  for (std::size_t i = 0; i < cluster.catalogue->types.size(); ++i)
    index.insert_or_assign(cluster.catalogue->types[i].name, TypeId(i));
  return index;
}

NodePrice price_node(const Context& context, const TypeIndex& types, const Node& node) {
  const Cluster& cluster = context.cluster;
  NodePrice result;
  result.zone = node.labels.get(cluster.known.zone);
  // Karpenter knows its own label only.
  result.capacity_type = context.settings.karpenter_compat ? node.labels.get(cluster.known.capacity_type)
                                                           : capacity_type_of(cluster, node);
  result.type = type_of(context, types, node);

  if (node.price_override) {
    result.price = node.price_override;
    result.dollars = node.price_override->dollars();
    return result;
  }
  if (!result.type.valid() || !result.zone.valid() || !result.capacity_type.valid()) return result;
  for (const Offering& offering : cluster.catalogue->types[result.type.index()].offerings) {
    if (offering.zone != result.zone || offering.capacity_type != result.capacity_type) continue;
    result.price = offering.price;
    result.dollars = offering.dollars;
    break;
  }
  return result;
}

}  // namespace tamp::situation

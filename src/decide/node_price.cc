#include "decide/node_price.h"

namespace tamp::decide {

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
  if (const auto it = types.find(node.labels.get(cluster.known.instance_type)); it != types.end())
    result.type = it->second;

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

}  // namespace tamp::decide

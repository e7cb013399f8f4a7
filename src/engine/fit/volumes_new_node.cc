// What volumes ask of a node that is yet to come, in Kubernetes' dialect.
#include <algorithm>

#include "fit/volume_store.h"

namespace tamp::fit {
namespace {

// The expressions of one term as they bear on a new node; nothing if no such node can satisfy them. Its name is new, so it
// is on nobody's list of hosts.
std::optional<Requirements> for_new_node(const VolumeStore& store,
                                         const std::vector<SelectorRequirement>& term) {
  const Cluster& cluster = store.cluster();
  Requirements all;
  for (SelectorRequirement r : term) {
    if (r.key == cluster.known.hostname) {
      if (r.op != SelectorOp::NotIn && r.op != SelectorOp::Exists) return {};
      continue;
    }
    // The node will have the driver's label, too, once the driver runs there.
    if (store.stands_for_zone(r.key)) r.key = cluster.known.zone;
    const Requirements one = as_requirements(cluster, {r});
    if (!overlap(all, one, cluster.symbols)) return {};
    all.add(one, cluster.symbols);
  }
  return all;
}

// Narrows what a new node may be by OR'd terms, of which empty ones match nothing.
template <typename Terms>
void demand(const VolumeStore& store, const Terms& terms, PodVolumes& out) {
  std::vector<Requirements> alternatives;
  for (const auto& term : terms) {
    if (term.expressions.empty()) continue;
    if (auto r = for_new_node(store, term.expressions)) alternatives.push_back(std::move(*r));
  }
  if (alternatives.empty() || !combine(store.cluster(), out.alternatives, alternatives))
    out.no_new_node = true;
}

}  // namespace

void demand_of_new_node(const VolumeStore& store, PodVolumes& out) {
  const Cluster& cluster = store.cluster();
  for (const VolumeIndex i : out.bound)
    if (const PersistentVolume& pv = cluster.volumes[i]; pv.has_node_affinity)
      demand(store, pv.node_affinity, out);
  for (const auto& [key, allowed] : out.zones) {
    if (allowed.empty()) out.no_new_node = true;
    const NodeSelectorTerm term{{{canonical_key(cluster, key), SelectorOp::In, allowed}}, {}};
    demand(store, std::vector{term}, out);
  }
  for (const UnboundClaim& u : out.unbound) {
    // A volume that exists may be out of the new node's reach: count on a new one only.
    if (!u.provisionable || u.selected_node.valid()) out.no_new_node = true;
    if (!u.topologies->empty()) demand(store, *u.topologies, out);
  }
}

}  // namespace tamp::fit

// A command and its parts as fields of a document; Writer is JsonWriter or YamlWriter.
#pragma once

#include "core/cluster.h"
#include "explain/one_or_several.h"
#include "explain/words.h"
#include "search/plan.h"

namespace tamp::documents {

template <typename Writer>
void write_symbols(Writer& w, const Cluster& cluster, const std::vector<Symbol>& symbols) {
  w.begin_array();
  for (const Symbol s : symbols) w.string(cluster.text(s));
  w.end_array();
}

template <typename Writer>
void write_replacement(Writer& w, const Cluster& cluster, const price::Replacement& replacement) {
  w.begin_object();
  w.field("nodePool", cluster.text(cluster.pools[replacement.pool.index()].name));
  w.key("instanceTypes").begin_array();
  for (const TypeId type : replacement.types)
    w.string(cluster.text(cluster.catalogue->types[type.index()].name));
  w.end_array();
  write_symbols(w.key("capacityTypes"), cluster, replacement.capacity_types);
  write_symbols(w.key("zones"), cluster, replacement.zones);
  w.field("hourlyPrice", replacement.price.dollars());
  w.end_object();
}

template <typename Writer>
void write_command(Writer& w, const Cluster& cluster, const price::Command& command) {
  const auto node = [&](NodeId id) { return cluster.text(cluster.nodes[id.index()].name); };
  const auto destination = [&](const price::Move& move) {
    w.field("to", move.to.valid() ? std::string(node(move.to)) : price::replacement_alias(move.replacement));
  };
  const auto identity = [&](PodId id) {
    const Pod& pod = cluster.pods[id.index()];
    w.field("namespace", cluster.text(pod.ns)).field("name", cluster.text(pod.name));
  };

  w.begin_object();
  w.field("method", name(command.method));
  w.field("decision", command.replaces() ? "replace" : "delete");
  w.key("nodes").begin_array();
  for (const NodeId id : command.nodes) w.string(node(id));
  w.end_array();
  explain::write_one_or_several(w, "replacement", "replacements", command.replacements,
                                [&](const price::Replacement& r) { write_replacement(w, cluster, r); });
  w.field("hourlySavings", command.savings.dollars());
  w.field("savingsKnown", command.savings_known);
  w.field("disruptionCost", command.disruption_cost);
  w.field("requiredSavings", command.required_savings.dollars());
  w.key("pods").begin_array();
  for (const price::Move& move : command.moves) {
    if (!move.from.valid()) continue;
    w.begin_object();
    identity(move.pod);
    w.field("from", node(move.from));
    destination(move);
    w.end_object();
  }
  w.end_array();
  // Pods that wait for a node already: the simulation placed them too, nobody moves them.
  w.key("pendingPods").begin_array();
  for (const price::Move& move : command.moves) {
    if (move.from.valid()) continue;
    w.begin_object();
    identity(move.pod);
    destination(move);
    w.end_object();
  }
  w.end_array();
  w.end_object();
}

// Price, type, pool and place of a candidate, as fields of the object that is open.
template <typename Writer>
void write_candidate_fields(Writer& w, const Cluster& cluster, const gates::Candidate& candidate) {
  const Node& node = cluster.nodes[candidate.node.index()];
  w.field("nodePool", candidate.pool.valid() ? cluster.text(cluster.pools[candidate.pool.index()].name)
                                             : std::string_view());
  w.field("instanceType", cluster.text(node.labels.get(cluster.known.instance_type)));
  w.field("capacityType", cluster.text(candidate.capacity_type));
  w.field("zone", cluster.text(candidate.zone));
  w.key("hourlyPrice");
  if (candidate.price)
    w.number(candidate.price->dollars());
  else
    w.null();
  w.field("disruptionCost", candidate.disruption_cost);
  w.field("podsToMove", candidate.pods.size());
}

}  // namespace tamp::documents

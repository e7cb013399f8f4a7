// The road to the fixpoint as fields of a document; Writer is JsonWriter or YamlWriter. Keys: docs/reference/plan-json.md.
#pragma once

#include <string_view>

#include "explain/one_or_several.h"
#include "explain/words.h"
#include "search/road.h"

namespace tamp::documents {

template <typename Writer>
void write_step(Writer& w, const Symbols& names, const search::Step& step) {
  const auto text = [&](Symbol s) { return names.text(s); };
  w.begin_object();
  w.field("method", name(step.method));
  w.field("decision", step.made.empty() ? "delete" : "replace");
  w.key("nodes").begin_array();
  for (const Symbol n : step.nodes) w.string(text(n));
  w.end_array();
  explain::write_one_or_several(w, "newNode", "newNodes", step.made, [&](const search::NewMachine& made) {
    w.begin_object();
    w.field("name", text(made.node)).field("nodePool", text(made.pool));
    w.field("instanceType", text(made.type)).field("zone", text(made.zone));
    w.field("capacityType", text(made.capacity_type));
    w.field("hourlyPrice", made.price.dollars());
    w.end_object();
  });
  w.field("hourlySavings", step.savings.dollars());
  w.field("disruptionCost", step.disruption_cost);
  w.key("pods").begin_array();
  for (const search::StepMove& m : step.moves) {
    w.begin_object();
    w.field("namespace", text(m.ns)).field("name", text(m.name));
    w.field("from", text(m.from)).field("to", text(m.to));
    w.end_object();
  }
  w.end_array();
  w.key("after").begin_object();
  w.field("nodes", step.nodes_left).field("hourlyCost", step.hourly_cost.dollars());
  w.field("hourlySavings", step.saved.dollars()).field("podMoves", step.moved);
  w.end_object();
  w.end_object();
}

template <typename Writer>
void write_road(Writer& w, const search::Road& road) {
  w.key("road").begin_object();
  w.field("arrived", road.arrived);
  w.field("worthSteps", road.worth);
  w.field("worthPerDisruption", road.worth_per_move);
  w.key("passes");
  if (road.passes) {
    w.begin_object();
    w.field("steps", road.passes->steps).field("podMoves", road.passes->moved);
    w.field("hourlyCost", road.passes->hourly_cost.dollars());
    w.end_object();
  } else {
    w.null();
  }
  w.key("target");
  if (road.target) {
    w.begin_object();
    w.field("hourlyCost", road.target->hourly_cost.dollars()).field("reached", road.target->reached);
    w.end_object();
  } else {
    w.null();
  }
  w.key("steps").begin_array();
  for (const search::Step& step : road.steps) write_step(w, road.names, step);
  w.end_array();
  w.end_object();
}

}  // namespace tamp::documents

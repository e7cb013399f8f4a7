#include "explain/road_page.h"

#include <fmt/format.h>

#include "explain/layout.h"
#include "explain/words.h"

namespace tamp::explain {
namespace {

std::string what(const search::Road& road, const search::Step& step) {
  std::string out = fmt::format("{} {}", step.made.empty() ? "delete" : "replace",
                                count(step.nodes.size(), "node", "nodes"));
  for (std::size_t i = 0; i < step.made.size(); ++i)
    out += (i == 0 ? " by " : ", ") + printable(road.names.text(step.made[i].type));
  return out;
}

std::string target_line(const search::Road& road, const Style& style) {
  if (!road.target) return "";
  const std::string sum = per_hour(road.target->hourly_cost);
  if (road.target->reached)
    return paint(style, Ink::Dim, fmt::format("  the whole road comes down to the target of {}\n", sum));
  return paint(style, Ink::Yellow,
               fmt::format("  no way that was tried comes down to the target of {}\n", sum));
}

}  // namespace

std::string road_page(const search::Road& road, const Style& style) {
  std::string out = paint(style, Ink::Bold, "THE ROAD") +
                    paint(style, Ink::Dim, "  each step on the cluster that the one before leaves, settled") +
                    "\n\n";
  if (road.steps.empty()) return out + "  no step\n" + target_line(road, style);
  Table table(
      {Align::Right, Align::Left, Align::Right, Align::Right, Align::Right, Align::Right, Align::Right}, 2);
  table.header({"STEP", "WHAT", "PODS", "SAVES $/HOUR", "NODES", "$/HOUR", "MOVES SO FAR"});
  for (std::size_t i = 0; i < road.steps.size(); ++i) {
    const search::Step& step = road.steps[i];
    table.row({{std::to_string(i + 1)},
               {what(road, step)},
               {std::to_string(step.moves.size())},
               {hour_amount(step.savings), Ink::Green},
               {std::to_string(step.nodes_left)},
               {hour_amount(step.hourly_cost)},
               {std::to_string(step.moved)}});
    if (i + 1 == road.worth && i + 1 < road.steps.size())
      table.note(
          fmt::format("from here on a pod that moves saves less than ${} an hour", road.worth_per_move),
          Ink::Yellow);
  }
  out += table.render(style);
  const search::Step& last = road.steps.back();
  out += fmt::format("\n  {}: {} → {} nodes, {} → {}, {} of {} pods\n",
                     road.arrived ? "then nothing is left to do" : "there is more to do after these",
                     road.nodes, last.nodes_left, per_hour(road.hourly_cost), per_hour(last.hourly_cost),
                     count(last.moved, "move", "moves"), road.pods);
  out += target_line(road, style);
  if (road.passes)
    out += paint(style, Ink::Dim,
                 fmt::format("  pass by pass: {}, {}, {}\n", count(road.passes->steps, "step", "steps"),
                             per_hour(road.passes->hourly_cost), count(road.passes->moved, "move", "moves")));
  return out;
}

}  // namespace tamp::explain

// Where the time of a pass goes: the gates, the index, the simulation's state, the search; best of several runs.
//
//   tamp_plan_bench cluster.json instance_types.json [karpenter-1.14] [RUNS] [PART]
//
// PART is the name of one of them, which is then timed alone: what a profiler sees is that.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "measure.h"
#include "search/moves.h"
#include "search/plan.h"
#include "search/surroundings.h"
#include "situation/resolve_settings.h"

using namespace tamp;

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr,
               "usage: tamp_plan_bench cluster.json instance_types.json [karpenter-1.14] [RUNS] [PART]\n");
    return 2;
  }
  const auto reading = bench::read_cluster(argv[1], argv[2]);
  if (!reading) return 2;
  FlagSettings flags;
  int runs = 5;
  std::string_view only;
  for (int i = 3; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "karpenter-1.14")
      flags.karpenter_compat = true;
    else if (word.find_first_not_of("0123456789") == word.npos)
      runs = std::stoi(argv[i]);
    else
      only = word;
  }
  const Settings settings = situation::resolve_settings(reading->cluster, flags);
  const situation::Context context{reading->cluster, settings, *parse_rfc3339("2026-11-15T00:00:00Z"),
                                   std::nullopt, NodeId()};

  fmt::print("{} nodes, {} pods\n", reading->cluster.nodes.size(), reading->cluster.pods.size());
  const auto time = [&](std::string_view part, auto&& run) {
    if (only.empty() || only == part) fmt::print("{:<13} {:10.3f} ms\n", part, bench::best_of(runs, run));
  };
  time("gates", [&] { gates::assess_nodes(context); });
  const auto options = search::schedule_options(context);
  time("index", [&] { fit::Index index(reading->cluster, options); });
  const fit::Index index(reading->cluster, options);
  const auto background = search::background_pods(context, index);
  time("simulation", [&] { fit::Simulation s(index, background); });
  search::Moves moves(context);
  const auto order = moves.in_order(false);
  time("multi-node", [&] { search::multi_node(moves, order); });
  time("all verdicts", [&] {
    for (const gates::Candidate& c : moves.candidates()) {
      const gates::Candidate* one[] = {&c};
      if (c.eligible() && !c.empty) moves.evaluate(one, price::Method::Single);
    }
  });
  time("one pass", [&] { search::make_plan(context, {}); });
  time("search only", [&] { search::make_plan(context, {.empty = false, .multi = true, .single = false}); });
  time("every verdict", [&] { search::make_plan(context, {.every = true}); });
  return 0;
}

// Where the time of a pass goes: the gates, the index, the simulation's state, the search; best of several runs.
//
//   tamp_plan_bench cluster.json instance_types.json [karpenter-1.14] [RUNS]
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "codec/settings.h"
#include "decide/moves.h"
#include "decide/plan.h"
#include "decide/surroundings.h"
#include "measure.h"

using namespace tamp;

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: tamp_plan_bench cluster.json instance_types.json [karpenter-1.14] [RUNS]\n");
    return 2;
  }
  const auto reading = bench::read_cluster(argv[1], argv[2]);
  if (!reading) return 2;
  FlagSettings flags;
  int runs = 5;
  for (int i = 3; i < argc; ++i) {
    if (std::string_view(argv[i]) == "karpenter-1.14")
      flags.karpenter_compat = true;
    else
      runs = std::stoi(argv[i]);
  }
  const Settings settings = codec::resolve_settings(reading->cluster, flags);
  const decide::Context context{reading->cluster, settings, *parse_rfc3339("2026-11-15T00:00:00Z"),
                                std::nullopt};

  fmt::print("{} nodes, {} pods\n", reading->cluster.nodes.size(), reading->cluster.pods.size());
  fmt::print("gates         {:10.3f} ms\n", bench::best_of(runs, [&] { decide::assess_nodes(context); }));
  const auto options = decide::schedule_options(context);
  fmt::print("index         {:10.3f} ms\n",
             bench::best_of(runs, [&] { schedule::Index index(reading->cluster, options); }));
  const schedule::Index index(reading->cluster, options);
  const auto background = decide::background_pods(context, reading->cluster);
  fmt::print("simulation    {:10.3f} ms\n",
             bench::best_of(runs, [&] { schedule::Simulation s(index, background); }));
  decide::Moves moves(context);
  auto order = moves.in_order(false);
  fmt::print("multi-node    {:10.3f} ms\n", bench::best_of(runs, [&] { decide::multi_node(moves, order); }));
  fmt::print("all verdicts  {:10.3f} ms\n", bench::best_of(runs, [&] {
               for (const decide::Candidate& c : moves.candidates()) {
                 const decide::Candidate* one[] = {&c};
                 if (c.eligible() && !c.empty) moves.evaluate(one, decide::Method::Single);
               }
             }));
  fmt::print("one pass      {:10.3f} ms\n", bench::best_of(runs, [&] { decide::make_plan(context, {}); }));
  fmt::print("search only   {:10.3f} ms\n", bench::best_of(runs, [&] {
               decide::make_plan(context, {.empty = false, .multi = true, .single = false});
             }));
  return 0;
}

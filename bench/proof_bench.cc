// What a proof costs: planner SLO on a cluster whose every pod was measured; best of several runs.
//
//   tamp_proof_bench cluster.json instance_types.json [RUNS]
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "measure.h"
#include "proof/prover.h"
#include "search/plan.h"
#include "situation/resolve_settings.h"
#include "support/observations.h"

using namespace tamp;

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: tamp_proof_bench cluster.json instance_types.json [RUNS]\n");
    return 2;
  }
  const auto reading = bench::read_cluster(argv[1], argv[2]);
  if (!reading) return 2;
  const int runs = argc > 3 ? std::stoi(argv[3]) : 5;
  const Time now = *parse_rfc3339("2026-11-15T00:00:00Z");
  Settings settings = situation::resolve_settings(reading->cluster, FlagSettings{});
  const situation::Context context{reading->cluster, settings, now, std::nullopt, NodeId()};
  const Observations observations = test::calm(reading->cluster, now);
  const proof::Evidence evidence{context, observations};

  fmt::print("{} nodes, {} pods, all measured\n", reading->cluster.nodes.size(),
             reading->cluster.pods.size());
  search::Plan decision;
  fmt::print("decide        {:10.3f} ms\n",
             bench::best_of(runs, [&] { decision = search::make_plan(context, {}); }));
  proof::Proposal proposal;
  fmt::print("propose       {:10.3f} ms  (up to {} moves, until one is proven)\n",
             bench::best_of(runs, [&] { proposal = proof::propose(evidence, decision); }), proof::kMostTries);
  fmt::print("              {} moves refused; {}\n", proposal.refusals.size(),
             proposal.plan ? "a plan" : "no plan");
  search::PlanOptions every;
  every.every = true;
  const search::Plan singles = search::make_plan(context, every);
  const std::size_t tried = std::min<std::size_t>(singles.commands.size(), 50);
  std::size_t proven = 0;
  const double all = bench::best_of(1, [&] {
    for (std::size_t i = 0; i < tried; ++i)
      if (proof::prove(evidence, {singles.commands[i].nodes, &singles.commands[i], ""}).holds) ++proven;
  });
  if (tried > 0)
    fmt::print("one proof     {:10.3f} ms  (mean of {} single moves, {} hold)\n",
               all / static_cast<double>(tried), tried, proven);
  if (proposal.plan)
    fmt::print("revalidate    {:10.3f} ms\n",
               bench::best_of(runs, [&] { proof::revalidate(evidence, *proposal.plan); }));
  return 0;
}

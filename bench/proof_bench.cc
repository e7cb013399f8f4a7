// What a proof costs: planner SLO on a cluster whose every pod was measured; best of several runs.
//
//   tamp_proof_bench cluster.json instance_types.json [RUNS]
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "codec/settings.h"
#include "decide/plan.h"
#include "measure.h"
#include "prove/prover.h"

namespace {

using namespace tamp;

// Calm, and using half of what it requests.
Observations observe(const Cluster& cluster, Time now) {
  const auto same = [](double value) { return Windowed{value, value, value}; };
  Observations all;
  for (const Node& node : cluster.nodes) {
    Observation o;
    o.node = cluster.text(node.name);
    o.at = now;
    o.cores = node.capacity.get(kCpu) / 1000;
    o.memory_bytes = node.capacity.get(kMemory);
    for (const PodId id : node.pods) {
      const Pod& pod = cluster.pods[id.index()];
      const ResourceList& requests = cluster.spec(pod).requests;
      PodObservation p;
      p.ns = cluster.text(pod.ns);
      p.name = cluster.text(pod.name);
      p.uid = cluster.text(pod.uid);
      p.samples = 300;
      p.age_s = 1;
      p.cpu_usage = same(static_cast<double>(requests.get(kCpu)) / 2000);
      p.throttled = p.cpu.some = p.cpu.full = p.cpu_corrected = same(0);
      p.memory.some = p.memory.full = p.io.some = p.io.full = same(0);
      p.working_set = requests.get(kMemory) / 2;
      o.pods.push_back(std::move(p));
    }
    std::sort(o.pods.begin(), o.pods.end(), [](const PodObservation& a, const PodObservation& b) {
      return std::tie(a.ns, a.name, a.uid) < std::tie(b.ns, b.name, b.uid);
    });
    all.push_back(std::move(o));
  }
  std::sort(all.begin(), all.end(),
            [](const Observation& a, const Observation& b) { return a.node < b.node; });
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: tamp_proof_bench cluster.json instance_types.json [RUNS]\n");
    return 2;
  }
  const auto reading = bench::read_cluster(argv[1], argv[2]);
  if (!reading) return 2;
  const int runs = argc > 3 ? std::stoi(argv[3]) : 5;
  const Time now = *parse_rfc3339("2026-11-15T00:00:00Z");
  Settings settings = codec::resolve_settings(reading->cluster, FlagSettings{});
  const decide::Context context{reading->cluster, settings, now, std::nullopt};
  const Observations observations = observe(reading->cluster, now);
  const prove::Evidence evidence{context, observations};

  fmt::print("{} nodes, {} pods, all measured\n", reading->cluster.nodes.size(),
             reading->cluster.pods.size());
  decide::Plan decision;
  fmt::print("decide        {:10.3f} ms\n",
             bench::best_of(runs, [&] { decision = decide::make_plan(context, {}); }));
  prove::Proposal proposal;
  fmt::print("propose       {:10.3f} ms  (up to {} moves, until one is proven)\n",
             bench::best_of(runs, [&] { proposal = prove::propose(evidence, decision); }), prove::kMostTries);
  fmt::print("              {} moves refused; {}\n", proposal.refusals.size(),
             proposal.plan ? "a plan" : "no plan");
  decide::PlanOptions every;
  every.every = true;
  const decide::Plan singles = decide::make_plan(context, every);
  const std::size_t tried = std::min<std::size_t>(singles.commands.size(), 50);
  std::size_t proven = 0;
  const double all = bench::best_of(1, [&] {
    for (std::size_t i = 0; i < tried; ++i)
      if (prove::prove(evidence, {singles.commands[i].nodes, &singles.commands[i], ""}).holds) ++proven;
  });
  if (tried > 0)
    fmt::print("one proof     {:10.3f} ms  (mean of {} single moves, {} hold)\n",
               all / static_cast<double>(tried), tried, proven);
  if (proposal.plan)
    fmt::print("revalidate    {:10.3f} ms\n",
               bench::best_of(runs, [&] { prove::revalidate(evidence, *proposal.plan); }));
  return 0;
}

// What it costs to decide again after one pod has changed: pods of a large cluster go, come and move, one at a time, and after each
// change a whole pass is made, with the search over several nodes and a verdict on every node. Prints JSON; times are of this
// process' CPU.
//
//   tamp_replan_bench cluster.json instance_types.json [karpenter-1.14] [CHANGES] [check]
//
// With "check" each plan is held against one made from scratch; the status is 1 if one differs.
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "measure.h"
#include "search/replanner.h"
#include "situation/resolve_settings.h"

namespace {

using namespace tamp;

// A scheduler binds pods only where there is room.
bool has_room(const Cluster& cluster, NodeId id, const Pod& pod) {
  const Node& node = cluster.nodes[id.index()];
  for (ResourceId r : {kCpu, kMemory}) {
    std::int64_t used = cluster.spec(pod).requests.get(r);
    for (PodId p : node.pods) used += cluster.spec(cluster.pods[p.index()]).requests.get(r);
    if (used > node.allocatable.get(r)) return false;
  }
  return true;
}

bool same(const search::Plan& a, const search::Plan& b) {
  const auto verdict = [](const search::NodeVerdict& v) { return std::tie(v.verdict, v.reason, v.message); };
  const auto move = [](const price::Move& m) { return std::tie(m.pod, m.from, m.to); };
  return std::ranges::equal(a.nodes, b.nodes, {}, verdict, verdict) &&
         std::ranges::equal(a.commands, b.commands, [&](const price::Command& x, const price::Command& y) {
           return x.nodes == y.nodes && x.savings == y.savings &&
                  x.replacements.size() == y.replacements.size() &&
                  std::ranges::equal(x.moves, y.moves, {}, move, move);
         });
}

// Where there are empty nodes a pass is over when it has named them. So that it comes to the search, each gets a pod.
void fill_empty_nodes(Cluster& cluster) {
  const std::size_t pods = cluster.pods.size();
  std::size_t next = 0;
  for (std::size_t n = 0; n < cluster.nodes.size() && pods > 0; ++n) {
    Node& node = cluster.nodes[n];
    if (std::ranges::any_of(node.pods,
                            [&](PodId p) { return gates::reschedulable(cluster.pods[p.index()]); }))
      continue;
    while (!cluster.pods[next % pods].bound() || !has_room(cluster, NodeId(n), cluster.pods[next % pods]))
      ++next;
    Pod pod = cluster.pods[next++ % pods];
    pod.node = NodeId(n);
    node.pods.emplace_back(cluster.pods.size());
    cluster.pods.push_back(pod);
  }
}

double share(std::vector<double> times, double part) {
  std::sort(times.begin(), times.end());
  return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(
        stderr,
        "usage: tamp_replan_bench cluster.json instance_types.json [karpenter-1.14] [CHANGES] [check]\n");
    return 2;
  }
  auto reading = bench::read_cluster(argv[1], argv[2]);
  if (!reading) return 2;
  FlagSettings flags;
  std::size_t changes = 300;
  bool check = false;
  for (int i = 3; i < argc; ++i) {
    if (std::string_view(argv[i]) == "karpenter-1.14")
      flags.karpenter_compat = true;
    else if (std::string_view(argv[i]) == "check")
      check = true;
    else
      changes = std::stoul(argv[i]);
  }
  fill_empty_nodes(reading->cluster);
  const Settings settings = situation::resolve_settings(reading->cluster, flags);
  const Time now = *parse_rfc3339("2026-11-15T00:00:00Z");

  double start = bench::cpu_ms();
  search::Replanner replanner(std::move(reading->cluster), settings, now, std::nullopt, NodeId());
  search::Plan plan = replanner.plan({});
  const double first = bench::cpu_ms() - start;

  std::mt19937_64 random(7);
  const auto pick = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  std::vector<double> times;
  while (times.size() < changes) {
    const Cluster& cluster = replanner.cluster();
    const PodId id(pick(cluster.pods.size()));
    Pod pod = cluster.pods[id.index()];
    if (!pod.bound()) continue;
    NodeId elsewhere(pick(cluster.nodes.size()));
    while (!has_room(cluster, elsewhere, pod)) elsewhere = NodeId(pick(cluster.nodes.size()));
    start = bench::cpu_ms();
    switch (times.size() % 3) {
      case 0:
        replanner.remove(id);
        break;
      case 1:
        pod.node = elsewhere;
        replanner.add(pod);
        break;
      default:
        pod.node = elsewhere;
        replanner.change(id, pod);
    }
    plan = replanner.plan({});
    times.push_back(bench::cpu_ms() - start);
    if (check &&
        !same(plan, search::make_plan({replanner.cluster(), settings, now, std::nullopt, NodeId()}, {}))) {
      fmt::print(stderr, "after change {} the plan is not what it is from scratch\n", times.size());
      return 1;
    }
  }
  fmt::print(
      "{{\"nodes\": {}, \"pods\": {}, \"firstMs\": {:.3f}, \"changes\": {}, \"medianMs\": {:.3f}, \"p95Ms\": "
      "{:.3f}, \"p99Ms\": {:.3f}, \"worstMs\": {:.3f}, \"followed\": {}, \"rebuilt\": {}, "
      "\"verdictsAnew\": {:.1f}}}\n",
      replanner.cluster().nodes.size(), replanner.cluster().pods.size(), first, changes, share(times, 0.5),
      share(times, 0.95), share(times, 0.99), share(times, 1), replanner.followed(), replanner.rebuilt(),
      static_cast<double>(replanner.forgotten()) / static_cast<double>(changes));
  return 0;
}

// A road to the fixpoint beside the ends of Karpenter's own way, followed with equal nodes in several orders. Prints JSON; times are of this
// process' CPU. The gates that Karpenter does not know are off, as in compare.py.
//
//   tamp_road_bench cluster.json instance_types.json [ORDERS] [--same-cost | EFFORT]
//
// --same-cost: and for each of the ends a road that is sent to a cost at most 1 % above it.
#include <fmt/format.h>

#include <string>

#include "measure.h"
#include "search/road.h"
#include "situation/resolve_settings.h"

using namespace tamp;

namespace {

constexpr std::size_t kToTheEnd = 100'000;
constexpr double kSameCost = 1.01;  // what may be a little dearer and still counts as costing the same
// Orders that make_road does not follow itself: it shall not be judged by what it knows.
constexpr std::uint64_t kFirstStrangeOrder = 1000;

void print_end(const char* name, const search::Road& road, double ms) {
  const auto* last = road.steps.empty() ? nullptr : &road.steps.back();
  fmt::print("\"{}\": {{\"cost\": {:.6f}, \"moves\": {}, \"steps\": {}, \"arrived\": {}, \"cpuMs\": {:.1f}}}",
             name, (last != nullptr ? last->hourly_cost : road.hourly_cost).dollars(),
             last != nullptr ? last->moved : 0, road.steps.size(), road.arrived, ms);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr,
               "usage: tamp_road_bench cluster.json instance_types.json [ORDERS] [--same-cost | EFFORT]\n");
    return 2;
  }
  const auto reading = bench::read_cluster(argv[1], argv[2]);
  if (!reading) return 2;
  const std::uint64_t orders = argc > 3 ? std::stoull(argv[3]) : 4;
  FlagSettings flags;
  flags.savings_threshold = Setting<double>{0.0, {}};
  flags.utilization_threshold = Setting<double>{1.0, {}};
  flags.preferences = Setting<PreferencePolicy>{PreferencePolicy::Respect, {}};
  const Settings settings = situation::resolve_settings(reading->cluster, flags);
  FlagSettings compat_flags;
  compat_flags.karpenter_compat = true;
  const Settings compat = situation::resolve_settings(reading->cluster, compat_flags);
  const Time now = *parse_rfc3339("2026-11-15T00:00:00Z");
  search::RoadOptions options{.steps = kToTheEnd};
  const bool at_their_cost = argc > 4 && std::string_view(argv[4]) == "--same-cost";
  if (argc > 4 && !at_their_cost) options.effort = std::stoull(argv[4]);

  const situation::Context ours{reading->cluster, settings, now, std::nullopt, NodeId()};
  double start = bench::cpu_ms();
  const search::Road road = search::make_road(ours, {}, options);
  fmt::print("{{\"begin\": {:.6f}, ", road.hourly_cost.dollars());
  print_end("tamp", road, bench::cpu_ms() - start);
  for (std::uint64_t order = 0; order < orders; ++order) {
    situation::Context as_karpenter{reading->cluster, compat, now, std::nullopt, NodeId()};
    as_karpenter.ties = order == 0 ? 0 : kFirstStrangeOrder + order;
    start = bench::cpu_ms();
    const search::Road theirs =
        search::make_road(as_karpenter, {}, {.steps = kToTheEnd, .effort = UINT64_MAX});
    fmt::print(", ");
    print_end(fmt::format("karpenter{}", order).c_str(), theirs, bench::cpu_ms() - start);
    if (!at_their_cost || theirs.steps.empty()) continue;
    start = bench::cpu_ms();
    options.target = Money::from_dollars(kSameCost * theirs.steps.back().hourly_cost.dollars());
    const search::Road same = search::make_road(ours, {}, options);
    fmt::print(", ");
    print_end(fmt::format("tampAt{}", order).c_str(), same, bench::cpu_ms() - start);
  }
  fmt::print("}}\n");
  return 0;
}

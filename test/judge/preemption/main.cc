// Reads names of snapshots from standard input and says on a line for each, as JSON, what the simulated scheduler would preempt for
// every pending pod that fits nowhere: {"ns/pod": {"node": …, "victims": […]}}, the most important victim first. A pod for which
// no eviction helps is left out.
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

#include "core/json_writer.h"
#include "oracle/preemption.h"
#include "wire/snapshot.h"

namespace {

using namespace tamp;

std::string name_of(const Cluster& cluster, PodId id) {
  const Pod& pod = cluster.pods[id.index()];
  return std::string(cluster.text(pod.ns)) + "/" + std::string(cluster.text(pod.name));
}

std::string answer(const Cluster& cluster, Time now) {
  const world::Placement placement(cluster);
  JsonWriter w;
  w.begin_object();
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    const Pod& pod = cluster.pods[i];
    if (pod.bound() || !pod.active()) continue;
    const auto found = world::preemption(placement, PodId(i), now);
    if (!found) continue;
    w.key(name_of(cluster, PodId(i))).begin_object();
    w.field("node", cluster.text(placement.node(found->node).name));
    w.key("victims").begin_array();
    for (PodId victim : found->victims) w.string(name_of(cluster, victim));
    w.end_array().end_object();
  }
  w.end_object();
  return w.take();
}

}  // namespace

int main() {
  std::string file;
  while (std::getline(std::cin, file)) {
    std::ifstream in(file, std::ios::binary);
    wire::Inputs inputs;
    inputs.objects.push_back({file, {std::istreambuf_iterator<char>(in), {}}});
    const auto reading = wire::read_snapshot(inputs);
    if (!reading) {
      std::cerr << reading.error().message << "\n";
      return 2;
    }
    std::cout << answer(reading->cluster, *parse_rfc3339("2026-11-15T00:00:00Z")) << std::endl;
  }
  return 0;
}

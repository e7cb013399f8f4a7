// Answers `fits --all -o json -f FILE` with the literal scheduler, so that judge.py can put the real one beside it:
//
//   judge.py --tamp build/bin/world_fits --seeds 1..300
#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "core/json_writer.h"
#include "oracle/filter.h"
#include "wire/snapshot.h"

namespace {

std::string answer(const tamp::Cluster& cluster) {
  using namespace tamp;
  world::Placement placement(cluster);
  JsonWriter out;
  out.begin_object().key("pods").begin_array();
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    const Pod& pod = cluster.pods[i];
    // Pods on nodes that are not there are nobody's business.
    bool dangling = std::find(cluster.dangling.begin(), cluster.dangling.end(), i) != cluster.dangling.end();
    if (!pod.active() || dangling) continue;
    out.begin_object().field("namespace", cluster.text(pod.ns)).field("name", cluster.text(pod.name));
    out.key("nodes").begin_array();
    for (world::NodeRef node : placement.nodes()) {
      auto verdict = world::filter(placement, PodId(i), node);
      out.begin_object()
          .field("name", cluster.text(placement.node(node).name))
          .field("fits", verdict.fits)
          .field("reason", verdict.plugin)
          .end_object();
    }
    out.end_array().end_object();
  }
  out.end_array().end_object();
  return out.take();
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;
  for (int i = 1; i + 1 < argc; ++i)
    if (std::string_view(argv[i]) == "-f") file = argv[i + 1];
  std::ifstream in(file, std::ios::binary);
  if (!in) {
    fmt::print(stderr, "usage: world_fits fits --all -o json -f FILE\n");
    return 2;
  }
  tamp::wire::Inputs inputs;
  inputs.objects.push_back({file, std::string(std::istreambuf_iterator<char>(in), {})});
  auto reading = tamp::wire::read_snapshot(inputs);
  if (!reading.ok()) {
    fmt::print(stderr, "{}\n", reading.error().message);
    return 2;
  }
  fmt::print("{}\n", answer(reading->cluster));
  return 0;
}

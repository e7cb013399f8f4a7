#include "explain/fits_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/layout.h"
#include "explain/words.h"

namespace tamp::explain {
namespace {

constexpr std::size_t kFew = 3;  // pods that get a line for each node

bool fits_there(const fit::NodeFit& fit) { return fit.reason[0] == '\0'; }

std::size_t fitting(const fit::PodFit& fit) {
  return static_cast<std::size_t>(std::count_if(fit.nodes.begin(), fit.nodes.end(), fits_there));
}

// "7 insufficient resources, 3 taint not tolerated": most first.
std::string refusals(const fit::PodFit& fit) {
  std::vector<std::pair<std::string_view, std::size_t>> counts;
  for (const fit::NodeFit& node : fit.nodes) {
    if (fits_there(node)) continue;
    auto it =
        std::find_if(counts.begin(), counts.end(), [&](const auto& c) { return c.first == node.reason; });
    if (it == counts.end()) it = counts.insert(it, {node.reason, 0});
    ++it->second;
  }
  std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::string out;
  for (const auto& [reason, n] : counts)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, complaint(reason));
  return out;
}

std::string one_pod(const Cluster& cluster, const fit::PodFit& fit, const Style& style) {
  const Pod& pod = cluster.pods[fit.pod.index()];
  std::string out = paint(style, Ink::Bold, pod_name(cluster, fit.pod));
  out += paint(style, Ink::Dim,
               pod.bound() ? fmt::format("  runs on {}, judged as if it had just been evicted",
                                         node_name(cluster, pod.node))
                           : "  waits for a node");
  out += fmt::format("\n  could run on {} of {}\n\n", fitting(fit), count(fit.nodes.size(), "node", "nodes"));
  Table table({Align::Left, Align::Left, Align::Left, Align::Left, Align::Left, Align::Left}, 2);
  table.header({"", "NODE", "TYPE", "ZONE", "FILTER", ""});
  for (const fit::NodeFit& node : fit.nodes) {
    const Node& n = cluster.nodes[node.node.index()];
    const bool fits = fits_there(node);
    table.row({{fits ? "✓" : "✗", fits ? Ink::Green : Ink::Red},
               {node_name(cluster, node.node)},
               {text(cluster, n.labels.get(cluster.known.instance_type))},
               {text(cluster, n.labels.get(cluster.known.zone))},
               {node.reason},
               {fits ? "" : std::string(complaint(node.reason)), Ink::Dim}});
  }
  return out + table.render(style);
}

}  // namespace

std::string fits_page(const Cluster& cluster, const std::vector<fit::PodFit>& fits, const Style& style) {
  if (fits.empty()) return "no pods that could be scheduled\n";
  if (fits.size() <= kFew) {
    std::string out;
    for (const fit::PodFit& fit : fits) out += (out.empty() ? "" : "\n") + one_pod(cluster, fit, style);
    return out;
  }
  Table table({Align::Left, Align::Left, Align::Right, Align::Left}, 0);
  table.header({"POD", "RUNS ON", "FITS", "WHY NOT ELSEWHERE"});
  for (const fit::PodFit& fit : fits) {
    const Pod& pod = cluster.pods[fit.pod.index()];
    const std::size_t n = fitting(fit);
    table.row({{pod_name(cluster, fit.pod)},
               {pod.bound() ? node_name(cluster, pod.node) : "-"},
               {fmt::format("{}/{}", n, fit.nodes.size()), n == 0 ? Ink::Red : Ink::Green},
               {refusals(fit), Ink::Dim}});
  }
  return table.render(style);
}

}  // namespace tamp::explain

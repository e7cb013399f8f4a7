#include "fit/fits.h"

#include "fit/index.h"
#include "fit/simulation.h"

namespace tamp::fit {

std::vector<PodFit> fits(const Cluster& cluster, std::span<const PodId> pods) {
  Index index(cluster, Options{});
  Simulation simulation(index, {});
  std::vector<PodFit> all;
  all.reserve(pods.size());
  for (PodId p : pods) {
    PodFit fit{p, {}};
    fit.nodes.reserve(cluster.nodes.size());
    bool bound = cluster.pods[p.index()].bound();
    if (bound) simulation.lift(p);
    for (std::size_t n = 0; n < cluster.nodes.size(); ++n)
      fit.nodes.push_back({NodeId(n), simulation.filter(p, index.site_of(NodeId(n)))});
    if (bound) simulation.put_back(p);
    all.push_back(std::move(fit));
  }
  return all;
}

}  // namespace tamp::fit

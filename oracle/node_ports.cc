#include <vector>

#include "oracle/filters.h"

namespace tamp::world {
namespace {

// 0.0.0.0 is every address; "::" is not special to the scheduler.
bool conflict(const Cluster& cluster, const HostPort& a, const HostPort& b) {
  if (a.port <= 0 || b.port <= 0) return false;
  bool same_address = a.ip == b.ip || a.ip == cluster.known.any_ip || b.ip == cluster.known.any_ip;
  return same_address && a.protocol == b.protocol && a.port == b.port;
}

}  // namespace

std::vector<HostPort> host_ports(const PodSpec& spec) {
  std::vector<HostPort> ports = spec.host_ports;
  ports.insert(ports.end(), spec.init_host_ports.begin(), spec.init_host_ports.end());
  return ports;
}

bool host_ports_free(const Cluster& cluster, const PodSpec& spec, const std::vector<HostPort>& taken) {
  for (const HostPort& wanted : host_ports(spec))
    for (const HostPort& used : taken)
      if (conflict(cluster, wanted, used)) return false;
  return true;
}

bool node_ports_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  const PodSpec& spec = cluster.spec(cluster.pods[pod.index()]);
  for (PodId other : placement.pods_on(node, pod))
    if (!host_ports_free(cluster, spec, host_ports(cluster.spec(cluster.pods[other.index()])))) return false;
  return true;
}

}  // namespace tamp::world

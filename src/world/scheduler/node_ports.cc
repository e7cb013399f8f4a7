#include <vector>

#include "world/scheduler/filters.h"

namespace tamp::world {
namespace {

// Ports of containers and of sidecars; an ordinary init container is gone before the pod runs.
std::vector<HostPort> host_ports(const PodSpec& spec) {
  std::vector<HostPort> ports = spec.host_ports;
  ports.insert(ports.end(), spec.init_host_ports.begin(), spec.init_host_ports.end());
  return ports;
}

// 0.0.0.0 is every address; "::" is not special to the scheduler.
bool conflict(const Cluster& cluster, const HostPort& a, const HostPort& b) {
  if (a.port <= 0 || b.port <= 0) return false;
  bool same_address = a.ip == b.ip || a.ip == cluster.known.any_ip || b.ip == cluster.known.any_ip;
  return same_address && a.protocol == b.protocol && a.port == b.port;
}

}  // namespace

bool node_ports_fits(const Placement& placement, PodId pod, NodeRef node) {
  const Cluster& cluster = placement.cluster();
  for (const HostPort& wanted : host_ports(cluster.spec(cluster.pods[pod.index()])))
    for (PodId other : placement.pods_on(node, pod))
      for (const HostPort& taken : host_ports(cluster.spec(cluster.pods[other.index()])))
        if (conflict(cluster, wanted, taken)) return false;
  return true;
}

}  // namespace tamp::world

// What the tests of this room ask: which filter keeps a pod from a node?
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "oracle/filter.h"
#include "support/cluster_builder.h"

namespace tamp::world {

// "" if it fits. Pods are looked up in the namespace "default" unless the name has a slash.
inline std::string refused_by(const Cluster& cluster, std::string_view pod, std::string_view node) {
  auto slash = pod.find('/');
  PodId id = slash == std::string_view::npos ? cluster.find_pod("default", pod)
                                             : cluster.find_pod(pod.substr(0, slash), pod.substr(slash + 1));
  NodeId target = cluster.find_node(node);
  if (!id.valid() || !target.valid()) return "no such pod or node";
  Placement placement(cluster);
  FilterVerdict verdict = filter(placement, id, placement.ref(target));
  EXPECT_EQ(verdict.fits, verdict.plugin.empty());
  return std::string(verdict.plugin);
}

}  // namespace tamp::world

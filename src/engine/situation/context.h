// The facts of one moment that a decision depends on.
#pragma once

#include <cstdint>
#include <optional>

#include "core/cluster.h"
#include "core/settings.h"
#include "core/time.h"

namespace tamp::situation {

struct Context {
  // No fact has a default: leaving one out would switch its gate off. A caller that does not know a fact says so.
  Context(const Cluster& cluster_now, const Settings& settings_now, Time at, std::optional<Time> last_deleted,
          NodeId leader)
      : cluster(cluster_now),
        settings(settings_now),
        now(at),
        last_node_deleted(last_deleted),
        leader_node(leader) {}

  const Cluster& cluster;
  const Settings& settings;
  Time now;
  std::optional<Time> last_node_deleted;  // for the stabilization window ("Cluster Consolidation")
  NodeId leader_node;                     // where the deciding controller runs; invalid: elsewhere
  // --compat: 0 orders equal candidates by name; Karpenter orders them at random, as other numbers do.
  std::uint64_t ties = 0;
};

}  // namespace tamp::situation

// A cluster at a moment, for tests of this room: asks the gates about nodes by their names.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

#include "gates/candidate.h"
#include "support/cluster_builder.h"

namespace tamp::gates {

struct Scene {
  explicit Scene(const test::ClusterBuilder& builder)
      : cluster(builder.build()), settings(test::settings_for(cluster)) {}

  static Scene compat(const test::ClusterBuilder& builder) {
    Scene scene(builder);
    scene.settings = test::compat_settings_for(scene.cluster);
    return scene;
  }

  situation::Context context() const { return {cluster, settings, now, last_node_deleted, leader_node}; }
  NodeId id(std::string_view node) const { return cluster.find_node(node); }
  Candidate candidate(std::string_view node) const { return assess_nodes(context())[id(node).index()]; }
  std::string reason(std::string_view node) const { return std::string(name(candidate(node).blocked)); }
  std::string message(std::string_view node) const { return candidate(node).message; }
  // One gate's answer, whatever the gates before it said.
  GateOutcome gate(Reason reason, std::string_view node) const {
    for (GateOutcome& outcome : explain_gates(context(), id(node)))
      if (outcome.gate == reason) return std::move(outcome);
    ADD_FAILURE() << "gate " << name(reason) << " is not in force";
    return {};
  }
  bool in_force(Reason reason, std::string_view node) const {
    for (const GateOutcome& outcome : explain_gates(context(), id(node)))
      if (outcome.gate == reason) return true;
    return false;
  }

  Cluster cluster;
  Settings settings;
  Time now = test::kNow;
  std::optional<Time> last_node_deleted;
  NodeId leader_node;
};

inline bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace tamp::gates

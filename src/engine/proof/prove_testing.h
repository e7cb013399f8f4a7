// Fleets and their measurements, for tests of this room. Unless told otherwise every pod is measured, calm, and uses half of
// what it requests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proof/motion.h"
#include "proof/prover.h"
#include "support/cluster_builder.h"
#include "support/observations.h"

namespace tamp::proof {

inline Windowed same(double value) { return {value, value, value}; }

struct Fleet {
  explicit Fleet(const test::ClusterBuilder& builder)
      : cluster(builder.build()),
        settings(test::settings_for(cluster)),
        observations(test::calm(cluster, test::kNow)) {
    settings.utilization_threshold.value = 1.0;
  }

  situation::Context context() const { return {cluster, settings, now, std::nullopt, NodeId()}; }
  Evidence evidence(const situation::Context& context) const {
    return {context, observations, measured_, requests_published, autoscaler};
  }
  Proposal propose(const ConsolidationPlan* published = nullptr) const {
    const situation::Context c = context();
    return proof::propose(evidence(c), search::make_plan(c, {}), published);
  }
  Revalidation revalidate(const ConsolidationPlan& plan) const {
    const situation::Context c = context();
    return proof::revalidate(evidence(c), plan);
  }
  // The refusals of removing this very node, in words; "" if it may go.
  std::string refusals(std::string_view victim) const {
    std::string out;
    for (const Check& check : checks(victim))
      if (!check.passed) out += (out.empty() ? "" : "; ") + check.message();
    return out;
  }
  // Digest of what removing this very node depends on.
  std::string structure(std::string_view victim) const {
    const situation::Context c = context();
    return proof::prove(evidence(c), {{cluster.find_node(victim)}, nullptr, ""}).plan.structure;
  }
  Check check(std::string_view victim, std::string_view name) const {
    for (const Check& c : checks(victim))
      if (c.name == name) return c;
    ADD_FAILURE() << "no check " << name;
    return {};
  }
  std::vector<Check> checks(std::string_view victim) const {
    const situation::Context c = context();
    search::PlanOptions every;
    every.every = true;
    const search::Plan plan = search::make_plan(c, every);
    const NodeId id = cluster.find_node(victim);
    for (const price::Command& command : plan.commands)
      if (command.nodes == std::vector{id})
        return proof::prove(evidence(c), {{id}, &command, ""}).plan.checks;
    return proof::prove(evidence(c), {{id}, nullptr, plan.nodes[id.index()].message}).plan.checks;
  }

  Observation& observed(std::string_view node) {
    for (Observation& o : observations)
      if (o.node == node) return o;
    ADD_FAILURE() << "no observation of " << node;
    return observations.front();
  }
  PodObservation& measured(std::string_view pod) {
    for (Observation& o : observations)
      for (PodObservation& p : o.pods)
        if (p.name == pod) return p;
    ADD_FAILURE() << "no measurement of " << pod;
    return observations.front().pods.front();
  }

  Cluster cluster;
  Settings settings;
  Observations observations;
  Time now = test::kNow;
  bool measured_ = true;  // false: planner Requests
  bool requests_published = false;
  const AutoscalerStatus* autoscaler = nullptr;
};

// A move whose placement is written by hand: {pod, node}, or {pod, ""} for the first of the command's replacements.
struct HandmadeMove {
  using Placement = std::pair<std::string_view, std::string_view>;
  HandmadeMove(const Fleet& fleet, const std::vector<std::string_view>& victims,
               const std::vector<Placement>& placements, std::vector<price::Replacement> replacements = {})
      : context(fleet.context()),
        command(command_of(fleet, victims, placements, std::move(replacements))),
        view(context),
        motion(examine(fleet.evidence(context), view, {command.nodes, &command, ""})) {}
  HandmadeMove(const HandmadeMove&) = delete;
  HandmadeMove& operator=(const HandmadeMove&) = delete;

  const Survivor& survivor(std::string_view name) const {
    for (const Survivor& s : motion.survivors)
      if (s.name == name) return s;
    ADD_FAILURE() << "no survivor " << name;
    return motion.survivors.front();
  }

  situation::Context context;
  price::Command command;
  SchedulerView view;
  Motion motion;

 private:
  static price::Command command_of(const Fleet& fleet, const std::vector<std::string_view>& victims,
                                   const std::vector<Placement>& placements,
                                   std::vector<price::Replacement> replacements) {
    const Cluster& c = fleet.cluster;
    price::Command command;
    for (const std::string_view v : victims) command.nodes.push_back(c.find_node(v));
    command.replacements = std::move(replacements);
    for (const auto& [pod, node] : placements) {
      const PodId id = c.find_pod("default", pod);
      EXPECT_TRUE(id.valid()) << pod;
      command.moves.push_back({id, c.pods[id.index()].node, node.empty() ? NodeId() : c.find_node(node)});
    }
    return command;
  }
};

// "Automated node consolidation under an SLO guard": three machines of 4 cores, a latency-critical cache with its load
// generator, filler and background beside them. Node c can go.
inline void describe_fleet(test::ClusterBuilder& b, std::int64_t cores = 4) {
  b.pool("default");
  for (const char* name : {"a", "b", "c"})
    b.node(name).cpu(cores * 1000).memory_gi(16).node().price_override = Money::from_dollars(0.134);
  b.pod("memcached").on("a").cpu(1000).memory_gi(2).priority(1'000'000);
  b.pod("memtier").on("b").cpu(500).memory_mi(512).priority(100'000);
  b.pod("filler-a").on("a").cpu(400).memory_mi(512);
  b.pod("filler-b").on("b").cpu(400).memory_mi(512);
  b.pods(2, "filler-c").on("c").cpu(200).memory_mi(256);
  for (const char* name : {"a", "b", "c"})
    b.pod(std::string("background-") + name).on(name).memory_mi(128).priority(-1000);
}

struct Consolidable : Fleet {
  static Fleet make() {
    test::ClusterBuilder b;
    describe_fleet(b);
    return Fleet(b);
  }
};

}  // namespace tamp::proof

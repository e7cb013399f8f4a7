// A small cluster for the tests of this room: three nodes of one pool, four pods, two machine types.
#pragma once

#include "core/cluster.h"
#include "search/plan.h"

namespace tamp::explain {

struct Sample {
  Cluster cluster;
  search::Plan plan;

  Sample() {
    cluster.catalogue.emplace();
    for (const char* type : {"big", "small"}) {
      InstanceType t;
      t.name = cluster.symbols.intern(type);
      cluster.catalogue->types.push_back(t);
    }
    cluster.pools.emplace_back().name = cluster.symbols.intern("default");
    for (const char* name : {"a", "b", "c"}) {
      Node& node = cluster.nodes.emplace_back();
      node.name = cluster.symbols.intern(name);
      node.labels.set(cluster.known.instance_type, cluster.symbols.intern("big"));
      node.labels.set(cluster.known.zone, cluster.symbols.intern("z1"));
      node.allocatable.set(kCpu, 4000);
      node.allocatable.set(kMemory, std::int64_t{8} << 30);
    }
    PodSpec spec;
    spec.requests.set(kCpu, 1500);
    spec.requests.set(kMemory, std::int64_t{3} << 30);
    const PodSpecId asks = cluster.intern_spec(spec);
    add_pod("web-1", "a", asks, PodPhase::Running);
    add_pod("web-2", "a", asks, PodPhase::Running);
    add_pod("web-3", "b", asks, PodPhase::Running);
    add_pod("done", "c", asks, PodPhase::Succeeded);
    cluster.finish();

    plan.decided_at = *parse_rfc3339("2026-11-15T00:00:00Z");
    plan.hourly_cost = Money::from_dollars(0.6);
    for (std::size_t i = 0; i < 3; ++i) {
      gates::Candidate& c = plan.candidates.emplace_back();
      c.node = NodeId{i};
      c.pool = PoolId{std::size_t{0}};
      c.zone = cluster.symbols.intern("z1");
      c.capacity_type = cluster.symbols.intern("on-demand");
      c.price = Money::from_dollars(0.2);
      plan.nodes.push_back({NodeId{i}, search::Verdict::Eligible, gates::Reason::None, ""});
    }
    plan.candidates[0].pods = {pod("web-1"), pod("web-2")};
    plan.candidates[0].disruption_cost = 4;
  }

  void block(std::size_t node, gates::Reason reason, const char* message) {
    plan.nodes[node] = {NodeId{node}, search::Verdict::Blocked, reason, message};
  }

  PodId pod(const char* name) const { return cluster.find_pod("default", name); }

  // Node a goes: web-1 to b, web-2 to a new node of type small.
  price::Command replace_a() const {
    price::Command command;
    command.nodes = {NodeId{std::size_t{0}}};
    command.savings = Money::from_dollars(0.15);
    command.disruption_cost = 4;
    command.required_savings = Money::from_dollars(0.04);
    command.moves = {{pod("web-1"), NodeId{std::size_t{0}}, NodeId{std::size_t{1}}},
                     {pod("web-2"), NodeId{std::size_t{0}}, NodeId{}}};
    price::Replacement& r = command.replacements.emplace_back();
    r.pool = PoolId{std::size_t{0}};
    r.types = {TypeId{std::size_t{1}}};
    r.capacity_types = {cluster.symbols.find("on-demand")};
    r.zones = {cluster.symbols.find("z1")};
    r.price = Money::from_dollars(0.05);
    return command;
  }

  // Each of its pods to a new node of its own.
  price::Command replace_a_by_two() const {
    price::Command command = replace_a();
    command.replacements.push_back(command.replacements.front());
    command.savings = Money::from_dollars(0.10);
    command.moves = {{pod("web-1"), NodeId{std::size_t{0}}, NodeId{}, 0},
                     {pod("web-2"), NodeId{std::size_t{0}}, NodeId{}, 1}};
    return command;
  }

 private:
  void add_pod(const char* name, const char* node, PodSpecId asks, PodPhase phase) {
    Pod& pod = cluster.pods.emplace_back();
    pod.ns = cluster.symbols.intern("default");
    pod.name = cluster.symbols.intern(name);
    pod.spec = asks;
    pod.labels = cluster.intern_labels({});
    pod.phase = phase;
    cluster.bindings.emplace_back(static_cast<std::uint32_t>(cluster.pods.size() - 1),
                                  cluster.symbols.intern(node));
  }
};

}  // namespace tamp::explain

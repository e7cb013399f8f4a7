// Plans in words, for tests: "single delete a", "multi replace a b by m.large", "single replace a by s and by s".
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "gates/decide_testing.h"
#include "search/moves.h"

namespace tamp::search {

inline std::string in_words(const Cluster& cluster, const price::Command& command) {
  constexpr const char* kMethods[] = {"empty", "multi", "single"};
  std::string out = kMethods[static_cast<std::size_t>(command.method)];
  out += command.replaces() ? " replace" : " delete";
  for (NodeId n : command.nodes) out += " " + std::string(cluster.text(cluster.nodes[n.index()].name));
  for (std::size_t i = 0; i < command.replacements.size(); ++i) {
    out += i > 0 ? " and by" : " by";
    for (TypeId t : command.replacements[i].types)
      out += " " + std::string(cluster.text(cluster.catalogue->types[t.index()].name));
  }
  return out;
}

struct PlanScene : gates::Scene {
  using gates::Scene::Scene;
  PlanScene(gates::Scene scene) : gates::Scene(std::move(scene)) {}

  static PlanScene compat(const test::ClusterBuilder& builder) {
    return PlanScene(gates::Scene::compat(builder));
  }

  Plan plan(const PlanOptions& options = {}) const { return make_plan(context(), options); }
  // All commands in order, "; " between them; "none" where there is none.
  std::string commands(const PlanOptions& options = {}) const {
    std::string out;
    for (const price::Command& c : plan(options).commands)
      out += (out.empty() ? "" : "; ") + in_words(cluster, c);
    return out.empty() ? "none" : out;
  }
  std::string every() const {
    PlanOptions options;
    options.every = true;
    return commands(options);
  }
  // "command", "eligible" or the reason that blocks.
  std::string verdict(std::string_view node) const {
    const NodeVerdict v = node_verdict(node);
    if (v.verdict == Verdict::Command) return "command";
    return v.verdict == Verdict::Eligible ? "eligible" : std::string(gates::name(v.reason));
  }
  std::string why(std::string_view node) const { return node_verdict(node).message; }
  NodeVerdict node_verdict(std::string_view node) const { return plan().nodes[id(node).index()]; }

  // What would come of removing just these together, whatever the gates and budgets say.
  price::Priced together(const std::vector<std::string_view>& nodes) const {
    Moves moves(context());
    std::vector<const gates::Candidate*> victims;
    for (auto n : nodes) victims.push_back(&moves.candidate(id(n)));
    return moves.evaluate(victims, nodes.size() > 1 ? price::Method::Multi : price::Method::Single);
  }

  // Where a pod of the command goes: a node's name, "replacement", or "nowhere" when it does not move.
  std::string destination(const price::Command& command, std::string_view pod) const {
    for (const price::Move& m : command.moves)
      if (cluster.text(cluster.pods[m.pod.index()].name) == pod)
        return m.to.valid() ? std::string(cluster.text(cluster.nodes[m.to.index()].name)) : "replacement";
    return "nowhere";
  }
};

}  // namespace tamp::search

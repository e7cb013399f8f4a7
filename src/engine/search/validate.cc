// Does a command still hold? The second look before anything is carried out.
#include <fmt/format.h>

#include <algorithm>

#include "search/moves.h"

namespace tamp::search {

std::optional<Invalidation> validate(const situation::Context& newer, const Cluster& cluster_then,
                                     const price::Command& command) {
  Moves moves(newer);
  auto no = [](gates::Reason reason, std::string message) {
    return Invalidation{reason, std::move(message)};
  };
  if (newer.settings.paused) return no(gates::Reason::Paused, "the TemperPolicy is paused");

  std::vector<const gates::Candidate*> victims;
  for (NodeId n : command.nodes) {
    std::string_view name = cluster_then.text(cluster_then.nodes[n.index()].name);
    NodeId id = newer.cluster.find_node(name);
    if (!id.valid()) return no(gates::Reason::Deleting, fmt::format("node {} is gone", name));
    if (newer.cluster.text(newer.cluster.nodes[id.index()].uid) !=
        cluster_then.text(cluster_then.nodes[n.index()].uid))
      return no(gates::Reason::Deleting, fmt::format("node {} is another one of the same name", name));
    const gates::Candidate& c = moves.candidate(id);
    if (!c.eligible()) return no(c.blocked, fmt::format("node {}: {}", name, c.message));
    if (command.method == price::Method::Empty && !c.empty)
      return no(gates::Reason::NotEmpty,
                fmt::format("node {} is not empty any more: {} pods", name, c.pods.size()));
    victims.push_back(&c);
  }
  std::size_t left = newer.cluster.nodes.size() - victims.size() + command.replacements.size();
  if (static_cast<std::int64_t>(left) < newer.settings.min_nodes.value)
    return no(gates::Reason::MinNodes, fmt::format("{} nodes would be left, limits.minNodes is {}", left,
                                                   newer.settings.min_nodes.value));

  auto reason =
      command.method == price::Method::Empty ? DisruptionReason::Empty : DisruptionReason::Underutilized;
  auto states = gates::budget_states(newer, reason);
  for (const gates::Candidate* v : victims) {
    if (!v->pool.valid()) continue;
    gates::BudgetState& s = states[v->pool.index()];
    if (s.remaining() <= 0)
      return no(gates::Reason::BudgetExhausted,
                fmt::format("pool {} allows only {} nodes at a time now",
                            newer.cluster.text(newer.cluster.pools[v->pool.index()].name), s.allowed));
    ++s.disrupting;
  }
  if (command.method == price::Method::Empty) return std::nullopt;

  std::vector<NodeId> avoided;
  for (NodeId n : command.avoided)
    if (NodeId id = newer.cluster.find_node(cluster_then.text(cluster_then.nodes[n.index()].name));
        id.valid())
      avoided.push_back(id);
  moves.avoid(avoided);
  price::Priced p = moves.evaluate(victims, command.method);
  if (!p.command) return no(p.reason, p.message);
  if (p.command->replaces() != command.replaces())
    return no(command.replaces() ? gates::Reason::NoCheaperReplacement : gates::Reason::PodsDoNotFit,
              command.replaces() ? "its pods fit without a new node now: decide again"
                                 : "its pods need a new node now");
  if (p.command->replacements.size() != command.replacements.size())
    return no(gates::Reason::NeedsSeveralNodes,
              fmt::format("{} new nodes would be needed now, not {}: decide again",
                          p.command->replacements.size(), command.replacements.size()));
  for (std::size_t i = 0; i < command.replacements.size(); ++i) {
    const price::Replacement &then = command.replacements[i], &now = p.command->replacements[i];
    if (cluster_then.text(cluster_then.pools[then.pool.index()].name) !=
        newer.cluster.text(newer.cluster.pools[now.pool.index()].name))
      return no(gates::Reason::NoCheaperReplacement,
                fmt::format("the new node would be of pool {} now",
                            newer.cluster.text(newer.cluster.pools[now.pool.index()].name)));
    std::vector<std::string_view> allowed;
    allowed.reserve(now.types.size());
    for (TypeId t : now.types)
      allowed.push_back(newer.cluster.text(newer.cluster.catalogue->types[t.index()].name));
    for (TypeId t : then.types) {
      std::string_view type = cluster_then.text(cluster_then.catalogue->types[t.index()].name);
      if (std::find(allowed.begin(), allowed.end(), type) == allowed.end())
        return no(gates::Reason::NoCheaperReplacement, fmt::format("a new {} would not do any more", type));
    }
  }
  if (p.command->savings < command.required_savings && !newer.settings.karpenter_compat)
    return no(gates::Reason::SavingsBelowThreshold,
              fmt::format("saves only {}/h now", format_money(p.command->savings)));
  return std::nullopt;
}

}  // namespace tamp::search

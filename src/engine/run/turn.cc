#include "run/turn.h"

#include <fmt/format.h>

#include <algorithm>

namespace tamp::run {

bool takes_back(const Run& run, const Mutation& m) {
  return m.kind == MutationKind::Release || m.kind == MutationKind::ReleaseClaim ||
         m.kind == MutationKind::Leave || (m.kind == MutationKind::DeleteClaim && m.name == run.claim);
}

void give_up(Turn& turn, std::string_view reason, std::string message) {
  Run& run = turn.run();
  if (!touched(run.phase)) {
    finish(turn, Phase::RolledBack, std::string(reason), std::move(message));
    return;
  }
  for (Mutation& m : run.journal.entries) {
    if (m.over() || takes_back(run, m)) continue;
    // It may be on its way all the same: what takes back begins with reading the object.
    m.state = MutationState::Failed;
    m.settled = turn.now();
    m.reason = "Withdrawn";
    m.not_before.reset();
  }
  enter(run, Phase::Aborting, turn.now(), std::string(reason), std::move(message));
}

Signal look_out(Turn& turn) {
  Signal worst = Signal::Fine;
  const GuardFinding* stop = nullptr;
  const std::vector<GuardFinding> findings = look(turn.run(), turn.sight);
  for (const GuardFinding& f : findings) {
    turn.step.remarks.push_back(
        fmt::format("{} ({}): {}", f.guard, f.signal == Signal::Stop ? "stop" : "wait", f.message));
    if (f.signal == Signal::Stop && stop == nullptr) stop = &f;
    worst = std::max(worst, f.signal);
  }
  if (stop != nullptr) {
    if (touched(turn.run().phase)) turn.run().guards.tripped = stop->guard;
    give_up(turn, stop->reason, stop->message);
  }
  return worst;
}

void finish(Turn& turn, Phase end, std::string reason, std::string message) {
  Run& run = turn.run();
  const auto reaped =
      std::count_if(run.victims.begin(), run.victims.end(), [](const Victim& v) { return v.reaped; });
  const bool all = !run.victims.empty() && reaped == std::ssize(run.victims);
  const Mutation* const deletion = run.journal.last(MutationKind::DeleteClaim, "", run.claim);
  const bool kept_replacement = !run.claim_node.empty() && (deletion == nullptr || spared(*deletion));
  run.outcome.nodes_after = run.outcome.nodes_before - reaped + (kept_replacement ? 1 : 0);
  run.outcome.evictions =
      std::count_if(run.journal.entries.begin(), run.journal.entries.end(), [](const Mutation& m) {
        return m.kind == MutationKind::Evict && m.state == MutationState::Done && m.reason != "Gone";
      });
  // What a part of the victims brings is not known apart from the rest.
  run.outcome.achieved_savings = all ? run.outcome.predicted_savings : Money{};
  run.guards.pending.clear();
  run.guards.unreadable_since.reset();
  run.guards.distrusted_since.reset();
  if (end == Phase::Succeeded && all) run.late_watch_until = turn.now() + turn.limits().after_reap;
  enter(run, end, turn.now(), std::move(reason), std::move(message));
}

bool spared(const Mutation& deletion) {
  return deletion.state == MutationState::Failed && deletion.reason == "InUse";
}

bool due(const Mutation& m, Time now) {
  return (m.state == MutationState::Blocked || m.state == MutationState::Unclear) &&
         (!m.not_before || *m.not_before <= now);
}

Standing see_to(Turn& turn, MutationKind kind, const Targets& targets) {
  Standing standing;
  for (const auto& [name, uid] : targets) {
    Mutation* m = turn.journal().last(kind, "", name);
    if (m == nullptr || (m->over() && !m->uid.empty() && m->uid != uid)) {
      m = &turn.journal().intend(kind, "", name, uid, turn.now());
    } else if (due(*m, turn.now())) {
      m->state = MutationState::Intended;
      m->not_before.reset();
    }
    standing.over = standing.over && m->over();
    if (m->state == MutationState::Failed && standing.failed == nullptr) standing.failed = m;
  }
  return standing;
}

std::optional<Time> first_eviction(const Run& run) {
  for (const Mutation& m : run.journal.entries)
    if (m.kind == MutationKind::Evict) return m.intended;
  return std::nullopt;
}

Targets changed_nodes(const Run& run) {
  Targets nodes;
  for (const Mutation& m : run.journal.entries) {
    const bool changes = m.kind == MutationKind::Protect || m.kind == MutationKind::Cordon ||
                         m.kind == MutationKind::Taint || m.kind == MutationKind::Uncordon;
    const std::pair target(m.name, m.uid);
    if (changes && std::find(nodes.begin(), nodes.end(), target) == nodes.end()) nodes.push_back(target);
  }
  return nodes;
}

const Node* find_node(const Cluster& cluster, std::string_view name, std::string_view uid) {
  const NodeId id = cluster.find_node(name);
  if (!id.valid() || cluster.text(cluster.nodes[id.index()].uid) != uid) return nullptr;
  return &cluster.nodes[id.index()];
}

const NodeClaim* find_claim(const Cluster& cluster, std::string_view name, std::string_view uid) {
  const auto it = std::lower_bound(
      cluster.claims.begin(), cluster.claims.end(), name,
      [&](const NodeClaim& claim, std::string_view wanted) { return cluster.text(claim.name) < wanted; });
  if (it == cluster.claims.end() || cluster.text(it->name) != name) return nullptr;
  return uid.empty() || cluster.text(it->uid) == uid ? &*it : nullptr;
}

const Pod* find_pod(const Cluster& cluster, const Departing& move) {
  const PodId id = cluster.find_pod(move.ns, move.name);
  if (!id.valid() || cluster.text(cluster.pods[id.index()].uid) != move.uid) return nullptr;
  return &cluster.pods[id.index()];
}

std::string name_of(const Cluster& cluster, const Pod& pod) {
  return fmt::format("{}/{}", cluster.text(pod.ns), cluster.text(pod.name));
}

bool going(const Cluster& cluster, const Node& node) {
  return node.deleted || (node.claim.valid() && cluster.claims[node.claim.index()].deleted);
}

}  // namespace tamp::run

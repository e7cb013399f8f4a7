// Draining: evictions, tier by tier, the least important first; and Settling, when the last pod has left.
//
// A tier begins when every pod of the tiers before it has left and its controller is whole again. Protected pods go one by one,
// others a few at a time, and never two of one controller before it is whole. Before each eviction every guard must be fine and
// the cluster must be what plan and journal say.
#include <fmt/format.h>

#include <algorithm>

#include "run/drift.h"
#include "run/turn.h"
#include "run/wholeness.h"

namespace tamp::run {
namespace {

// How long an eviction of which nothing is known rests before it is tried again: even a refused one costs a budget slot.
constexpr Duration kUnclearRest = Duration::seconds(30);

bool settled(const Departing& move) { return move.left && move.replaced; }

Time began(const Mutation& m) { return m.tried.value_or(m.intended); }

std::string name_of(const Departing& move) { return fmt::format("{}/{}", move.ns, move.name); }

// What the cluster shows of pods that leave. REQUIRES: it can be trusted.
void note_departures(Turn& turn) {
  const Cluster& cluster = turn.cluster();
  for (Departing& move : turn.run().moves) {
    const Pod* const pod = find_pod(cluster, move);
    Mutation* const eviction = turn.journal().eviction_of(move.uid);
    // It left by itself, or was let go: the eviction has happened, whoever did it.
    if (eviction != nullptr && !eviction->over() && (pod == nullptr || !pod->active())) {
      eviction->state = MutationState::Done;
      eviction->settled = turn.now();
      eviction->not_before.reset();
    }
    if (!move.left && (pod == nullptr || pod->terminal())) move.left = turn.now();
    const Time since = eviction != nullptr ? eviction->intended : move.left.value_or(turn.now());
    if (move.left && !move.replaced && whole(cluster, move, since)) move.replaced = turn.now();
  }
}

// Something takes longer than it may.
bool too_slow(Turn& turn) {
  const Limits& limits = turn.limits();
  for (const Departing& move : turn.run().moves) {
    const Mutation* const eviction = turn.journal().eviction_of(move.uid);
    if (move.left) {
      if (!move.replaced && turn.now() - *move.left > limits.ready_patience) {
        give_up(turn, "NotReady",
                fmt::format("the controller of {} was not whole again within {}", name_of(move),
                            format_duration(limits.ready_patience)));
        return true;
      }
      continue;
    }
    const Pod* const pod = find_pod(turn.cluster(), move);
    if (pod == nullptr) continue;
    std::optional<Time> asked;
    if (eviction != nullptr && eviction->state == MutationState::Done) asked = began(*eviction);
    if (pod->deleted) asked = std::max(asked.value_or(*pod->deleted), *pod->deleted);
    if (asked && turn.now() > *asked + pod->grace + limits.termination_margin) {
      give_up(turn, "PodStuck",
              fmt::format("pod {} did not stop within its grace period of {} and {} more", name_of(move),
                          format_duration(pod->grace), format_duration(limits.termination_margin)));
      return true;
    }
    if (eviction != nullptr && eviction->state == MutationState::Blocked &&
        turn.now() - eviction->intended > limits.budget_patience) {
      const bool budget = eviction->reason == "Budget";
      give_up(turn, budget ? "BudgetBlocked" : "Unreachable",
              fmt::format("the eviction of {} was refused for {}: {}", name_of(move),
                          format_duration(limits.budget_patience), eviction->message));
      return true;
    }
  }
  return false;
}

// An eviction that failed for good.
bool refused(Turn& turn) {
  for (const Departing& move : turn.run().moves) {
    const Mutation* const eviction = turn.journal().eviction_of(move.uid);
    if (move.left || eviction == nullptr || eviction->state != MutationState::Failed) continue;
    // The pod that was meant is gone; the watch will show it.
    if (eviction->reason == "OtherObject" || eviction->reason == "Gone") continue;
    give_up(turn, eviction->reason == "TwoBudgets" ? "TwoBudgets" : "Denied",
            fmt::format("the eviction of {} was refused: {}", name_of(move), eviction->message));
    return true;
  }
  return false;
}

// Evictions that were intended and may not have been sent must not be sent now.
void hold_back(Turn& turn) {
  for (Mutation& m : turn.journal().entries)
    if (m.kind == MutationKind::Evict && m.state == MutationState::Intended) m.state = MutationState::Unclear;
}

// Each survivor was measured after the last eviction: the guards have seen what it did.
bool measured_since(const Turn& turn) {
  const Run& run = turn.run();
  if (!run.pressure_guards || !run.guards.last_eviction) return true;
  return std::all_of(run.survivors.begin(), run.survivors.end(), [&](const Survivor& s) {
    const Observation* const seen = find_observation(turn.sight.observations, s.node);
    return seen != nullptr && seen->at > *run.guards.last_eviction;
  });
}

// Pods on their way, and controllers that are not whole.
struct UnderWay {
  std::int64_t count = 0;
  std::vector<const Departing*> moves;

  bool owner_busy(const Departing& move) const {
    return !move.owner_uid.empty() && std::any_of(moves.begin(), moves.end(), [&](const Departing* other) {
      return other != &move && other->owner_uid == move.owner_uid;
    });
  }
};

UnderWay under_way(const Turn& turn) {
  UnderWay all;
  for (const Departing& move : turn.run().moves) {
    if (settled(move)) continue;
    const Pod* const pod = find_pod(turn.cluster(), move);
    if (!move.left && turn.journal().eviction_of(move.uid) == nullptr && pod != nullptr && pod->active())
      continue;
    ++all.count;
    all.moves.push_back(&move);
  }
  return all;
}

// The least important tier that is not done.
std::optional<Tier> present_tier(const Run& run) {
  std::optional<Tier> tier;
  for (const Departing& move : run.moves)
    if (!settled(move) && (!tier || move.tier > *tier)) tier = move.tier;
  return tier;
}

// May this pod be asked to leave now, by what the journal knows of it?
bool may_ask(const Turn& turn, const Mutation* eviction) {
  if (eviction == nullptr) return true;
  const Time now = turn.now();
  if (turn.sight.resting.contains(eviction->id)) return false;
  if (eviction->state == MutationState::Unclear && now - began(*eviction) < kUnclearRest) return false;
  return due(*eviction, now);
}

// The next pod that may go; null if none may now.
Departing* next_to_go(Turn& turn) {
  Run& run = turn.run();
  const std::optional<Tier> tier = present_tier(run);
  if (!tier) return nullptr;
  const UnderWay others = under_way(turn);
  const std::int64_t at_once = is_protected(*tier) ? 1 : std::max<std::int64_t>(1, turn.limits().at_once);
  for (Departing& move : run.moves) {
    if (move.tier != *tier || move.left) continue;
    const Pod* const pod = find_pod(turn.cluster(), move);
    if (pod == nullptr || !pod->active()) continue;
    const Mutation* const eviction = turn.journal().eviction_of(move.uid);
    if (!may_ask(turn, eviction) || (eviction == nullptr && others.count >= at_once)) continue;
    if (!others.owner_busy(move)) return &move;
  }
  return nullptr;
}

// The hour's limit of evictions is used up, with those that this step intends. One that is tried again has been counted.
bool hour_is_full(const Turn& turn, const Departing& move) {
  if (!turn.sight.evictions_left || turn.journal().eviction_of(move.uid) != nullptr) return false;
  const auto& entries = turn.journal().entries;
  return std::count_if(entries.begin(), entries.end(), [&](const Mutation& m) {
           return m.kind == MutationKind::Evict && m.intended == turn.now();
         }) >= *turn.sight.evictions_left;
}

// True if one more eviction is intended now.
bool evict_one(Turn& turn) {
  Run& run = turn.run();
  Departing* const move = next_to_go(turn);
  if (move == nullptr) return false;
  // It was enough when the run began: somebody lowered it since.
  if (hour_is_full(turn, *move)) {
    run.message = fmt::format("{} waits: limits.maxEvictionsPerHour is used up", name_of(*move));
    return false;
  }
  const auto& last = run.guards.last_eviction;
  if ((last && turn.now() - *last < turn.limits().between_evictions) || !measured_since(turn)) return false;
  if (const auto drift = no_place_left(run, turn.sight)) {
    give_up(turn, drift->reason, drift->message);
    return false;
  }
  if (!move->ready_before) move->ready_before = pods_at_work(turn.cluster(), *move);
  if (Mutation* const again = turn.journal().eviction_of(move->uid)) {
    again->state = MutationState::Intended;
    again->not_before.reset();
  } else {
    turn.journal().intend(MutationKind::Evict, move->ns, move->name, move->uid, turn.now());
  }
  run.guards.last_eviction = turn.now();
  run.message = kDrains;
  return true;
}

}  // namespace

void drain(Turn& turn) {
  Run& run = turn.run();
  const Signal signal = look_out(turn);
  if (run.phase != Phase::Draining) return;
  if (!turn.trusted()) return hold_back(turn);
  note_departures(turn);
  if (too_slow(turn) || refused(turn)) return;
  if (const auto drift = unplanned_pod(run, turn.cluster()))
    return give_up(turn, drift->reason, drift->message);
  if (!present_tier(run)) {
    enter(run, Phase::Settling, turn.now(), "", "all pods have left; the guards keep watching");
    return;
  }
  if (signal != Signal::Fine) return hold_back(turn);
  while (evict_one(turn)) {
  }
}

void settle(Turn& turn) {
  Run& run = turn.run();
  const Signal signal = look_out(turn);
  if (run.phase != Phase::Settling || !turn.trusted()) return;
  if (const auto drift = unplanned_pod(run, turn.cluster()))
    return give_up(turn, drift->reason, drift->message);
  if (signal != Signal::Fine || turn.in_phase() < turn.limits().settle) return;
  if (turn.limits().reap != ReapMode::None) {
    enter(run, Phase::AwaitingReap, turn.now(), "", "the empty nodes are the autoscaler's");
    return;
  }
  // Schedulable again they would fill up before anybody came for them.
  Targets kept = changed_nodes(run), left;
  for (const Victim& v : run.victims) {
    std::erase(kept, std::pair(v.node, v.uid));
    left.emplace_back(v.node, v.uid);
  }
  bool over = see_to(turn, MutationKind::Release, kept).over;
  over = see_to(turn, MutationKind::Leave, left).over && over;
  if (!run.claim.empty())
    over = see_to(turn, MutationKind::ReleaseClaim, {{run.claim, run.claim_uid}}).over && over;
  if (over)
    finish(turn, Phase::Succeeded, "LeftEmpty",
           "the nodes are empty and cordoned, and are left to whoever removes them");
}

}  // namespace tamp::run

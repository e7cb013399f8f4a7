// Approval: a run may begin if its hash is that of the plan which is published now, and nothing else is at work.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "core/sha256.h"
#include "run/advance.h"
#include "run/turn.h"

namespace tamp::run {
namespace {

// A status must stay under 256 KiB; some room is for what the guards will remember.
constexpr std::size_t kLargestStatus = 224U << 10U;

struct Refusal {
  std::string_view reason;
  std::string message;
};
using MayBegin = std::optional<Refusal>;

bool meets(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](const std::string& x) { return std::find(b.begin(), b.end(), x) != b.end(); });
}

bool earlier(const Desk::Other& other, const Run& run) {
  return std::tie(other.created, other.name) < std::tie(run.approved_at, run.name);
}

MayBegin refuse_for_others(const Run& run, const Desk& desk) {
  for (const Desk::Other& other : desk.others) {
    if (other.name == run.name) continue;
    // Whichever was created first: times of creation are whole seconds, and it was taken in before this one.
    if (other.plan_hash == run.plan_hash && other.used)
      return Refusal{"AlreadyUsed", fmt::format("run {} was made of this plan", other.name)};
  }
  for (const Desk::Other& other : desk.others) {
    if (other.name == run.name || over(other.phase)) continue;
    // Two approvals that wait side by side: the earlier one goes first.
    if (other.phase == Phase::Approved && !earlier(other, run)) continue;
    if (!waits_for_reap(other.phase))
      return Refusal{"AnotherRun", fmt::format("run {} is at work ({})", other.name, word(other.phase))};
    if (desk.plan != nullptr &&
        (meets(desk.plan->victims, other.victims) || meets(desk.plan->victims, other.survivors) ||
         meets(desk.plan->survivors, other.victims)))
      return Refusal{"AnotherRun", fmt::format("run {} still holds one of the nodes", other.name)};
  }
  return std::nullopt;
}

MayBegin refuse(const Run& run, const Desk& desk, const Cluster& cluster, Time now) {
  if (run.abort_requested) return Refusal{"AbortRequested", "somebody asked for it before it began"};
  if (!desk.acts) return Refusal{"NotActing", "the policy's mode is not Act"};
  // Whoever changed the policy since wants to be asked.
  if (run.source == kByPolicy && !desk.automatic)
    return Refusal{"NotAutomatic", "the policy approved it, and now wants a person's approval"};
  if (desk.paused) return Refusal{"Paused", "the policy is paused"};
  if (auto refusal = refuse_for_others(run, desk)) return refusal;
  if (desk.plan == nullptr) return Refusal{"StalePlan", "no plan is published now"};
  if (desk.plan->hash != run.plan_hash)
    return Refusal{"StalePlan", fmt::format("the plan that is published now is {}", desk.plan->hash)};
  if (now >= desk.plan->expires)
    return Refusal{"PlanExpired", fmt::format("it was good until {}", format_rfc3339(desk.plan->expires))};
  // Planner Requests publishes such a plan as advice.
  for (const proof::Check& check : desk.plan->checks)
    if (!check.passed)
      return Refusal{"ChecksFailed", "the plan was published without being proven: " + check.message()};
  if (desk.plan->replacements.size() > 1)
    return Refusal{"SeveralReplacements", fmt::format("the plan makes {} new nodes, and a run makes one",
                                                      desk.plan->replacements.size())};
  for (const proof::PlannedReplacement& r : desk.plan->replacements) {
    const PoolId id = cluster.find_pool(r.pool);
    if (!id.valid() || cluster.pools[id.index()].kind != PoolKind::Karpenter ||
        !cluster.pools[id.index()].has_object)
      return Refusal{"NoKarpenter",
                     fmt::format("{} is no NodePool of Karpenter's, so nobody would launch the "
                                 "replacement: raise the pool's size, then approve the next plan",
                                 r.pool)};
  }
  // Better not begun than waiting for the hour to end with nodes that take no pods.
  if (desk.evictions_left)
    if (std::string why = beyond_hour(*desk.plan, *desk.evictions_left); !why.empty())
      return Refusal{"EvictionLimit", std::move(why)};
  return std::nullopt;
}

// Empty if all of it is there.
std::string copy_nodes(Run& run, const proof::ConsolidationPlan& plan, const Cluster& cluster) {
  for (const std::string& name : plan.victims) {
    const NodeId id = cluster.find_node(name);
    if (!id.valid()) return fmt::format("node {} is gone", name);
    const Node& node = cluster.nodes[id.index()];
    Victim victim;
    victim.node = name;
    victim.uid = cluster.text(node.uid);
    if (node.claim.valid()) {
      victim.claim = cluster.text(cluster.claims[node.claim.index()].name);
      victim.claim_uid = cluster.text(cluster.claims[node.claim.index()].uid);
    }
    victim.was_cordoned = node.unschedulable;
    run.victims.push_back(std::move(victim));
  }
  for (const std::string& name : plan.survivors) {
    const NodeId id = cluster.find_node(name);
    if (!id.valid()) return fmt::format("node {} is gone", name);
    run.survivors.push_back({name, std::string(cluster.text(cluster.nodes[id.index()].uid))});
  }
  return "";
}

void copy_moves(Run& run, const proof::ConsolidationPlan& plan, const Cluster& cluster) {
  for (const proof::PlannedMove& m : plan.moves) {
    Departing d;
    d.ns = m.ns;
    d.name = m.name;
    d.uid = m.uid;
    d.tier = m.tier;
    d.from = m.from;
    d.to = m.to;
    if (const Pod* pod = find_pod(cluster, d); pod != nullptr && pod->has_controller) {
      d.owner_uid = cluster.text(pod->owner_uid);
      d.foreign_owner = pod->owner_kind == OwnerKind::Other;
    }
    run.moves.push_back(std::move(d));
  }
  // The plan has them so; the order is what the drain depends on.
  std::stable_sort(run.moves.begin(), run.moves.end(),
                   [](const Departing& a, const Departing& b) { return a.tier > b.tier; });
}

// Of the status when the run is over, at most.
std::size_t size_at_the_end(const Run& run, StatusBytes status_bytes) {
  constexpr std::size_t kEntry = 550;  // an entry of the journal without its names, with its longest message
  std::size_t size = status_bytes(run);
  for (const Departing& d : run.moves) size += kEntry + d.ns.size() + d.name.size() + d.uid.size();
  for (const Victim& v : run.victims) size += 5 * (kEntry + v.node.size() + v.uid.size());
  for (const Survivor& s : run.survivors) size += 2 * (kEntry + s.node.size() + s.uid.size());
  return size;
}

// The same whoever asks, so that a claim which was made and forgotten is found again. Names of nodes may be made of it.
std::string claim_name(const Run& run) {
  return fmt::format("{}-{}", run.replacement->pool.substr(0, 45),
                     sha256_hex(run.name + "/" + run.uid).substr(0, 10));
}

}  // namespace

std::string beyond_hour(const proof::ConsolidationPlan& plan, std::int64_t evictions_left) {
  if (std::ssize(plan.moves) <= evictions_left) return "";
  return fmt::format("limits.maxEvictionsPerHour: {} evictions are left of this hour, and it needs {}",
                     evictions_left, plan.moves.size());
}

void take_in(Run& run, const Desk& desk, const Cluster& cluster, StatusBytes status_bytes, Time now) {
  if (run.phase != Phase::Approved) return;
  if (run.phases.empty()) run.phases.push_back({Phase::Approved, run.approved_at, ""});
  if (auto refusal = refuse(run, desk, cluster, now)) {
    enter(run, Phase::RolledBack, now, std::string(refusal->reason), std::move(refusal->message));
    return;
  }
  const proof::ConsolidationPlan& plan = *desk.plan;
  Run taken = run;
  if (std::string missing = copy_nodes(taken, plan, cluster); !missing.empty()) {
    enter(run, Phase::RolledBack, now, "StalePlan", std::move(missing));
    return;
  }
  copy_moves(taken, plan, cluster);
  if (!plan.replacements.empty()) taken.replacement = plan.replacements.front();
  if (taken.replacement) taken.claim = claim_name(taken);
  taken.plan_structure = plan.structure;
  taken.plan_expires = plan.expires;
  taken.pressure_guards = desk.pressure_guards;
  taken.outcome.nodes_before = taken.outcome.nodes_after = std::ssize(cluster.nodes);
  taken.outcome.predicted_savings = plan.hourly_savings;
  if (const std::size_t size = size_at_the_end(taken, status_bytes); size > kLargestStatus) {
    enter(run, Phase::RolledBack, now, "TooLarge",
          fmt::format("{} pods are more than one run can keep a journal of", taken.moves.size()));
    return;
  }
  run = std::move(taken);
  enter(run, Phase::Validating, now, "", "the plan is held against the cluster as it is now");
}

}  // namespace tamp::run

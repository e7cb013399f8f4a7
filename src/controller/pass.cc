#include "controller/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "explain/plan_summary.h"
#include "proof/prover.h"
#include "search/moves.h"
#include "situation/resolve_settings.h"

namespace tamp::controller {
namespace {

// Planner SLO publishes what is proven and nothing else. Planner Requests publishes what it decided, with the checks that it
// would fail: it is advice also where nobody could carry it out.
void propose(const PassInput& input, const situation::Context& context, const search::Plan& decision,
             PassOutcome& outcome, std::vector<proof::Refusal>& refusals) {
  const bool measured = outcome.measuring = planner_measures(input.reading.cluster);
  if (!input.run_at_work.empty()) {
    outcome.withheld_reason = "RunInProgress";
    outcome.withheld_message = "run " + input.run_at_work + " is changing the cluster";
    return;
  }
  static const Observations kNone;
  const proof::Evidence evidence{context, measured ? input.observations : kNone, measured,
                                 input.requests_published,
                                 input.reading.autoscaler ? &*input.reading.autoscaler : nullptr};
  const proof::ConsolidationPlan* published = input.published ? &*input.published : nullptr;
  proof::Proposal proposal = proof::propose(evidence, decision, published);
  outcome.plan = proposal.plan ? std::move(proposal.plan) : std::move(proposal.unproven);
  refusals = std::move(proposal.refusals);
  if (outcome.plan || refusals.empty()) return;
  outcome.withheld_reason = "NotProven";
  outcome.withheld_message = documents::nearest_refusal(refusals);
  if (input.observations.empty())
    outcome.withheld_message +=
        "; planner SLO publishes only plans that are proven from measurements, and no agent was heard: "
        "planner Requests "
        "decides on requests alone";
}

void note_threshold_blocks(const Cluster& cluster, const search::Plan& every, PassOutcome& outcome) {
  for (std::size_t i = 0; i < every.nodes.size(); ++i) {
    const search::NodeVerdict& verdict = every.nodes[i];
    if (verdict.reason != gates::Reason::SavingsBelowThreshold) continue;
    const PoolId pool = pool_of(cluster, cluster.nodes[verdict.node.index()]);
    outcome.threshold_blocks.push_back(
        {std::string(cluster.text(cluster.nodes[verdict.node.index()].name)),
         pool.valid() ? std::string(cluster.text(cluster.pools[pool.index()].name)) : std::string(),
         verdict.message});
  }
}

void count_reasons(const search::Plan& every, PassOutcome& outcome) {
  std::map<gates::Reason, std::int64_t> counts;
  for (const search::NodeVerdict& verdict : every.nodes)
    if (verdict.verdict == search::Verdict::Blocked) ++counts[verdict.reason];
  outcome.blocked.assign(counts.begin(), counts.end());
}

}  // namespace

bool planner_measures(const Cluster& cluster) {
  return !cluster.policy || cluster.policy->planner.value_or("SLO") != "Requests";
}

Settings controller_settings(const Cluster& cluster, const FlagSettings& flags) {
  Settings settings = situation::resolve_settings(cluster, flags);
  settings.max_replacements.value = std::min<std::int64_t>(settings.max_replacements.value, 1);
  return settings;
}

PassOutcome run_pass(const PassInput& input) {
  const Cluster& cluster = input.reading.cluster;
  PassOutcome outcome;
  outcome.warnings = input.reading.warnings;

  const Settings settings = controller_settings(cluster, input.flags);
  const situation::Context context{cluster, settings, input.now, input.last_node_deleted,
                                   cluster.find_node(input.leader_node)};
  // Both ask for the same verdicts: what the first has found, the second need not find again.
  search::Moves moves(context);
  moves.remember();
  const search::Plan plan = search::make_plan(moves, {});
  search::PlanOptions each;
  each.every = true;
  search::Plan every = search::make_plan(moves, each);

  std::vector<proof::Refusal> refusals;
  propose(input, context, plan, outcome, refusals);
  const documents::PolicyStatus status{cluster, plan, every, outcome.plan ? &*outcome.plan : nullptr,
                                       refusals};
  outcome.status = documents::status_members(status);
  outcome.withheld_key = outcome.status.refusals_key;
  if (outcome.plan) {
    outcome.savings = outcome.plan->hourly_savings;
    outcome.victims = outcome.plan->victims.size();
  }
  for (documents::NodeNote& note : documents::node_notes(status)) {
    const Node& node = cluster.nodes[note.node.index()];
    outcome.remarks.push_back({std::string(cluster.text(node.name)), std::string(cluster.text(node.uid)),
                               note.planned, note.reason, std::move(note.message)});
  }
  note_threshold_blocks(cluster, every, outcome);
  count_reasons(every, outcome);
  outcome.facts = documents::cluster_facts(cluster);
  outcome.nodes = cluster.nodes.size();
  outcome.pods = explain::live_pods(cluster);
  outcome.candidates =
      static_cast<std::size_t>(std::count_if(every.candidates.begin(), every.candidates.end(),
                                             [](const gates::Candidate& c) { return c.eligible(); }));
  outcome.cost = plan.hourly_cost;
  for (const gates::Candidate& candidate : every.candidates) outcome.prices.push_back(candidate.price);
  outcome.verdicts = std::move(every.nodes);
  outcome.refusals = std::move(refusals);
  return outcome;
}

}  // namespace tamp::controller

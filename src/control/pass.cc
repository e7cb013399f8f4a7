#include "control/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "codec/settings.h"
#include "report/plan_summary.h"

namespace tamp::control {
namespace {

constexpr std::string_view kDefaultPlanner = "SLO";

// Until plans are proven from measurements, a planner that demands the proof has none to show.
void decide_whether_to_publish(const Cluster& cluster, PassOutcome& outcome) {
  const std::string planner =
      cluster.policy && cluster.policy->planner ? *cluster.policy->planner : std::string(kDefaultPlanner);
  if (planner != "Requests") {
    outcome.withheld_reason = "NotProven";
    outcome.withheld_message =
        "planner SLO publishes only plans that are proven from measurements, and there are none; planner "
        "Requests "
        "decides on requests alone";
  }
}

void note_threshold_blocks(const Cluster& cluster, const decide::Plan& every, PassOutcome& outcome) {
  for (std::size_t i = 0; i < every.nodes.size(); ++i) {
    const decide::NodeVerdict& verdict = every.nodes[i];
    if (verdict.reason != decide::Reason::SavingsBelowThreshold) continue;
    const PoolId pool = pool_of(cluster, cluster.nodes[verdict.node.index()]);
    outcome.threshold_blocks.push_back(
        {std::string(cluster.text(cluster.nodes[verdict.node.index()].name)),
         pool.valid() ? std::string(cluster.text(cluster.pools[pool.index()].name)) : std::string(),
         verdict.message});
  }
}

void count_reasons(const decide::Plan& every, PassOutcome& outcome) {
  std::map<decide::Reason, std::int64_t> counts;
  for (const decide::NodeVerdict& verdict : every.nodes)
    if (verdict.verdict == decide::Verdict::Blocked) ++counts[verdict.reason];
  outcome.blocked.assign(counts.begin(), counts.end());
}

}  // namespace

PassOutcome run_pass(const PassInput& input) {
  const Cluster& cluster = input.reading.cluster;
  PassOutcome outcome;
  decide_whether_to_publish(cluster, outcome);
  outcome.warnings = input.reading.warnings;

  const Settings settings = codec::resolve_settings(cluster, input.flags);
  decide::Context context{cluster, settings, input.now, input.last_node_deleted};
  context.leader_node = cluster.find_node(input.leader_node);
  const decide::Plan plan = decide::make_plan(context, {});
  decide::PlanOptions each;
  each.every = true;
  const decide::Plan every = decide::make_plan(context, each);

  const report::PolicyStatus status{cluster,
                                    plan,
                                    every,
                                    outcome.withheld_reason.empty() ? "Requests" : kDefaultPlanner,
                                    outcome.withheld_reason.empty(),
                                    input.published_hash,
                                    input.published_at};
  outcome.status = report::status_members(status);
  if (!outcome.status.plan_hash.empty()) {
    outcome.commands = plan.commands.size();
    for (const decide::Command& command : plan.commands) {
      outcome.savings += command.savings;
      outcome.victims += command.nodes.size();
    }
  }
  for (report::NodeNote& note : report::node_notes(status)) {
    const Node& node = cluster.nodes[note.node.index()];
    outcome.remarks.push_back({std::string(cluster.text(node.name)), std::string(cluster.text(node.uid)),
                               note.planned, note.reason, std::move(note.message)});
  }
  note_threshold_blocks(cluster, every, outcome);
  count_reasons(every, outcome);
  outcome.facts = decide::cluster_facts(cluster);
  outcome.nodes = cluster.nodes.size();
  outcome.pods = report::live_pods(cluster);
  outcome.candidates =
      static_cast<std::size_t>(std::count_if(every.candidates.begin(), every.candidates.end(),
                                             [](const decide::Candidate& c) { return c.eligible(); }));
  outcome.cost = plan.hourly_cost;
  for (const Node& node : cluster.nodes) outcome.node_names.emplace_back(cluster.text(node.name));
  return outcome;
}

}  // namespace tamp::control

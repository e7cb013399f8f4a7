// What the dashboard shows, as values: the cluster as the last pass saw it, what it decided, the runs, and how cost and savings
// went. Whoever holds a Look holds everything: documents are made from it on any thread, while the controller goes on.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/money.h"
#include "core/observation.h"
#include "core/settings.h"
#include "core/time.h"
#include "proof/proof.h"
#include "run/run.h"
#include "search/plan.h"
#include "wire/snapshot.h"

namespace tamp::documents {

// One pass: what it looked at and what came of it.
struct Scene {
  std::shared_ptr<const wire::Reading> reading;  // never null
  Settings settings;
  Time now;
  std::optional<Time> last_node_deleted;
  std::string leader_node;  // where the controller runs; empty: elsewhere
  Observations observations;
  bool measuring = false;                     // planner SLO
  bool requests_published = true;             // by every agent, see proof::Evidence
  std::vector<search::NodeVerdict> verdicts;  // by node, in the order of the cluster
  std::vector<std::optional<Money>> prices;   // by node
  Money cost;                                 // per hour
  std::optional<proof::ConsolidationPlan> plan;
  std::vector<proof::Refusal> refusals;
  std::string withheld_reason, withheld_message;  // why there is no plan; empty: nothing speaks against one

  const Cluster& cluster() const { return reading->cluster; }
  situation::Context context() const {
    return {cluster(), settings, now, last_node_deleted, cluster().find_node(leader_node)};
  }
};

// Somebody has looked at a plan and does not want it: annotation temper.codes/dismissed of the TemperPolicy.
struct Dismissal {
  std::string plan_hash, by, reason;
  std::string at;  // RFC 3339, as written
  bool operator==(const Dismissal&) const = default;
};
// Nothing: the annotation says nothing that makes sense. It is written by whoever may, so it decides about nothing but words.
std::optional<Dismissal> read_dismissal(const std::string& annotation);
std::string write_dismissal(const Dismissal& dismissal);

struct HistoryPoint {
  Time at;
  Money cost, identified, realized;  // per hour
};

struct Look {
  std::uint64_t revision = 0;                                // grows with every change
  std::shared_ptr<const Scene> scene;                        // null: no pass was made yet
  std::vector<std::shared_ptr<const run::Run>> runs;         // by name
  std::shared_ptr<const std::vector<HistoryPoint>> history;  // never null
  std::optional<Dismissal> dismissed;                        // the newest
  std::string replica;                                       // who we are
  std::string leader;                                        // who decides; empty: not known
  std::string version;                                       // of the program

  // Another replica decides, and we do not know what.
  bool follows() const { return !leader.empty() && leader != replica; }
};

// Of a run's own records: when it ended, and what that saves.
struct RealizedStep {
  Time at;
  Money total;  // per hour, of all runs until then
};
// By the runs that the cluster still has, oldest first: unlike the rest of the history it outlives this process.
std::vector<RealizedStep> realized_steps(const std::vector<std::shared_ptr<const run::Run>>& runs);
// Of the nodes that runs have removed, per hour.
Money realized_savings(const std::vector<std::shared_ptr<const run::Run>>& runs);
// The run that is not over and began last; null: none.
const run::Run* active_run(const Look& look);

}  // namespace tamp::documents

// The controller: watches the cluster, decides again when something has changed, publishes the plan and the reasons, and
// carries approved plans out. Without an approval it changes nothing but the status of TemperPolicies, Events and its own Lease.
//
//   watches ──▶ store ──▶ pass (beside the loop) ──▶ TemperPolicy.status, Events on nodes, metrics, log
//                  └────▶ runs (run_keeper.h)     ──▶ ConsolidationRun.status, nodes, evictions
//
// The rhythm is that of "Cluster Consolidation": a look every few seconds, a pass when something has changed since the
// last one, and one at least every five minutes, since some gates open with time alone. A pass that takes long is followed
// by a longer pause, so that planning never takes more than a fraction of a core.
//
// Every replica watches and is ready to lead; only the leader decides and writes. Everything runs on one Loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "controller/announcer.h"
#include "controller/application_reader.h"
#include "controller/autoscaler_reader.h"
#include "controller/dashboard_feed.h"
#include "controller/health.h"
#include "controller/informers.h"
#include "controller/log.h"
#include "controller/metrics.h"
#include "controller/observation_collector.h"
#include "controller/pass.h"
#include "controller/policy_writer.h"
#include "controller/run_keeper.h"
#include "net/client.h"
#include "net/election.h"
#include "net/event_recorder.h"
#include "net/loop.h"
#include "store/store.h"

namespace tamp::controller {

struct ControllerOptions {
  net::ElectionOptions election;
  net::ClientOptions client;
  std::string pod_name;   // for events
  std::string node_name;  // where this process runs; empty: outside of the cluster
  FlagSettings flags;
  Duration poll_interval = Duration::seconds(5);
  Duration idle_interval = Duration::minutes(5);
  CollectorOptions collector;
  // Agents publish what their nodes' pods request, and it is compared; only a simulated one may leave it out.
  bool requests_published = true;
  // How long a watch may be broken before what it told is no longer believed.
  Duration watch_patience = Duration::seconds(30);
};

class Controller {
 public:
  Controller(net::Loop& loop, net::ApiTransport& transport, ControllerOptions options,
             store::ClusterStore store, const Log& log, controller::Metrics& metrics,
             controller::Health& health);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // Who is asked for measurements; without anybody planner SLO has no plan. REQUIRES: not started; `source` outlives this.
  void observe_with(ObservationSource& source);
  // Who shows people what is decided. REQUIRES: not started; `feed` outlives this.
  void show_on(DashboardFeed& feed) { feed_ = &feed; }
  // How Prometheus is reached, for runs that are guarded by a query. Without it such a query has no answer, and no run goes on.
  // REQUIRES: not started.
  void ask_applications_with(ApplicationReader::Connect connect);
  void start();
  // Writes nothing more, gives the Lease back, then calls `done`.
  void stop(std::function<void()> done);

  bool leading() const { return election_.leading(); }
  bool may_write() const { return election_.may_write(); }
  // Its writes pass only while we lead.
  net::Client& client() { return client_; }
  // What the webhook's rules need to know; null until the cluster was read. Thread-safe.
  std::shared_ptr<const documents::ClusterFacts> facts() const;
  // What runs see: as fresh as the watches, read anew only if something has changed. Null until the cluster
  // was read.
  std::shared_ptr<const Outlook> outlook();

 private:
  void tick();
  void lead();
  void follow();
  void consider();
  bool pass_due(net::Instant now) const;
  bool heard_agents();
  void attend_to_guards();
  void begin_pass();
  std::optional<proof::ConsolidationPlan> found_plan() const;
  // What runs may be approved for, and whether somebody has said that it is not wanted.
  std::optional<PublishedPlan> on_offer() const;
  void pass_ended(std::uint64_t generation, net::Instant began, const std::shared_ptr<const PassInput>& input,
                  const std::shared_ptr<PassOutcome>& outcome);
  void note_nodes(const Cluster& cluster);
  void tell_metrics(const PassOutcome& outcome);
  void log_threshold_blocks(const PassOutcome& outcome);
  void publish(const PassOutcome& outcome);
  // `problem` keeps a plan from being made: whatever is published is withdrawn.
  void withdraw(std::string_view reason, const std::string& problem);
  void write_status(const WantedStatus& wanted);
  PolicyWriter& writer_of(const std::string& policy);
  std::int64_t default_policy_generation() const;
  void refresh_facts();
  void set_facts(documents::ClusterFacts facts);
  // Why the store cannot be trusted, as a condition's reason and message; nothing when it can.
  std::optional<std::pair<std::string, std::string>> distrust() const;
  void tell_watches();
  void log_problem(const std::string& problem);

  net::Loop& loop_;
  ControllerOptions options_;
  const Log& log_;
  controller::Metrics& metrics_;
  controller::Health& health_;
  net::Client client_;
  store::ClusterStore store_;
  net::Election election_;
  net::EventRecorder recorder_;
  Announcer announcer_;
  Informers informers_;
  std::optional<ObservationCollector> collector_;
  DashboardFeed* feed_ = nullptr;
  AutoscalerReader autoscaler_;
  ApplicationReader application_;
  RunKeeper runs_;
  std::map<std::string, std::unique_ptr<PolicyWriter>> writers_;  // by policy

  // Of the passes.
  bool passing_ = false;
  std::optional<std::uint64_t> decided_generation_;
  std::uint64_t decided_round_ = 0;       // of the collector
  bool measuring_ = false;                // the planner asks for measurements
  std::optional<net::Instant> surveyed_;  // when a new leader saw which nodes there are to be asked
  std::optional<proof::ConsolidationPlan> plan_;
  std::optional<PublishedPlan>
      on_offer_;          // the same for approvals; nothing before the first pass since we lead
  std::string pass_run_;  // at work when the last pass began
  std::shared_ptr<const Outlook> outlook_;
  std::uint64_t outlook_generation_ = 0, outlook_news_ = 0;
  std::int64_t pass_policy_generation_ = 0;  // metadata.generation of the default policy that the pass saw
  net::Instant last_pass_;                   // its end
  Duration last_pass_took_;
  std::optional<Time> last_node_deleted_;  // or since when we lead: what was before is not known
  std::optional<Time> seen_deletion_;      // what is published: the last that a leader has seen
  std::vector<std::string> node_names_;    // of the last view, in order
  std::unordered_map<std::string, std::string> threshold_logged_;  // node -> message; look-up only
  std::string logged_plan_, logged_problem_;
  net::Instant started_;
  std::optional<std::uint64_t> facts_generation_;
  net::Instant facts_at_;
  std::vector<std::uint64_t> relists_told_;  // by reflector

  mutable std::mutex facts_mutex_;
  std::shared_ptr<const documents::ClusterFacts> facts_;  // guarded by facts_mutex_

  net::Pending tick_, pass_;
};

}  // namespace tamp::controller

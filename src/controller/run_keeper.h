// Keeps the runs: while we lead, every run that is not over has an attendant. Takes approvals in, approves by itself where the
// policy says so, lets go of nodes that a run which no longer exists left marked, and forgets the oldest runs.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/log.h"
#include "controller/metrics.h"
#include "controller/run_attendant.h"
#include "controller/run_records.h"
#include "controller/run_shelf.h"
#include "net/event_recorder.h"

namespace tamp::controller {

// The plan of the last pass since we lead.
struct PublishedPlan {
  std::shared_ptr<const proof::ConsolidationPlan> plan;  // null: none is published
  bool pressure_guards = true;                           // of its planner
  std::string dismissed_by = {};                         // somebody does not want it; empty: nobody said so
  bool written = false;                                  // the policy's status shows it
};

class RunKeeper {
 public:
  struct Needs {
    std::function<std::shared_ptr<const Outlook>()> outlook;  // null: the cluster was not read yet
    std::function<std::string()> nodes_seen;                  // newest resourceVersion of the watch of nodes
    std::function<std::optional<PublishedPlan>()> plan;       // nothing: no pass was made yet
  };
  RunKeeper(net::Loop& loop, net::Client& client, const Log& log, net::EventRecorder& recorder,
            controller::Metrics& metrics, std::string ns, Needs needs);
  RunKeeper(const RunKeeper&) = delete;
  RunKeeper& operator=(const RunKeeper&) = delete;

  void start();
  void stop();
  void lead();
  void follow();

  bool synced() const { return shelf_.synced(); }
  // The run that is at work and not only waiting for its nodes to be reaped; empty: none. No plan is published meanwhile: it would
  // describe a cluster that is changing under it.
  std::string at_work() const;
  // Victims and survivors of runs whose guards read measurements, also while they watch on after the end.
  std::vector<std::string> measured_nodes() const;
  // A run is watched by its guards.
  bool guarding() const;
  const RunShelf& shelf() const { return shelf_; }

 private:
  void tick();
  void attend();
  std::optional<run::Desk> desk(const run::Run& run);
  std::vector<const run::Run*> known_runs() const;
  void stepped(const run::Run& before, const run::Run& after);
  void concluded(const run::Run& run, const run::Mutation& entry);
  void approve();
  void ask_who_we_are();
  void sweep();
  void release(const run::Mutation& mutation, const std::string& run);
  void forget_old();

  net::Loop& loop_;
  net::Client& client_;
  const Log& log_;
  net::EventRecorder& recorder_;
  controller::Metrics& metrics_;
  std::string ns_;  // where records are kept
  Needs needs_;
  RunShelf shelf_;
  RunSurroundings surroundings_;
  bool leading_ = false;
  std::map<std::string, std::unique_ptr<RunAttendant>> attendants_;  // by run
  std::map<std::string, std::unique_ptr<RunRecords>> records_;       // of runs that have an attendant
  // Of runs that were taken in by this process, by hash: what they are validated against.
  std::map<std::string, std::shared_ptr<const proof::ConsolidationPlan>> plans_;

  std::string own_name_;  // as the API server knows us
  std::string approving_, said_obstacle_;
  std::set<std::pair<std::string, std::string>> suspects_;  // (object, run) of the last sweep
  std::unique_ptr<Errand> sweeping_;
  bool swept_ = false;
  net::Instant last_sweep_;
  net::Pending tick_, soon_, review_, creation_, removal_;
};

}  // namespace tamp::controller

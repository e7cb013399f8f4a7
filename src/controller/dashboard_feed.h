// What the controller tells the dashboard: after each pass what it saw and decided, and how the runs go. Keeps the history of cost and
// savings, which is in memory alone: a new leader begins a new one.
//
// Thread safety: none; lives on one loop. What it hands out is shared and never changed.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/pass.h"
#include "controller/run_shelf.h"
#include "dashboard/event_hub.h"
#include "documents/look.h"

namespace tamp::controller {

class DashboardFeed {
 public:
  using Show =
      std::function<void(std::shared_ptr<const documents::Look>, const std::vector<dashboard::Topic>&)>;
  // `replica`: our own identity in the election.
  DashboardFeed(std::string replica, std::string version, Show show);
  DashboardFeed(const DashboardFeed&) = delete;
  DashboardFeed& operator=(const DashboardFeed&) = delete;

  void passed(const std::shared_ptr<const PassInput>& input, const PassOutcome& outcome);
  // The plan is withdrawn: the cluster is not known well enough.
  void withdrawn(std::string_view reason, const std::string& problem);
  // We lead no more: what was decided here is old.
  void followed();
  // Who leads now, as the Lease says; empty: nobody.
  void leader_is(const std::string& holder);
  void look_at_runs(const RunShelf::Runs& runs);
  // The annotation of the policy, as written.
  void dismissed(const std::string& annotation);

 private:
  void note_history(Time now);
  void show(const std::vector<dashboard::Topic>& changed);

  Show show_;
  documents::Look look_;                         // as it was handed out last, or is about to be
  std::map<std::string, std::string> versions_;  // of the runs in look_
  std::string annotation_;
  std::vector<documents::HistoryPoint> history_;
};

// The recorded lines of a run (ledger.h), all parts after one another; empty if there are none.
void read_records(net::Client& client, const std::string& ns, const std::string& run, const std::string& what,
                  std::function<void(std::string)> done);

}  // namespace tamp::controller

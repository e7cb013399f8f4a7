// Attends to one run while we lead: reads it, takes steps of the machine in engine/run/, stores every step before it acts on
// it, and has the open entries of the journal carried out.
//
//   read ─▶ resume ─▶ ┌▶ look, advance ─▶ store the status ─▶ carry out what is open ─▶ conclude ─┐
//                     └──────────────────── on a tick, a change, a conclusion ◀───────────────────┘
//
// Before its first step a run gets our finalizer, so that it cannot vanish while it holds nodes, and whoever leads next looks at it
// until its last record is written, also if it is refused at once. Nothing is carried out unless the stored status is the very run that
// asks for it. An abort is stored
// when nothing of what it withdraws is on its way any more: whoever reads
// Aborting knows that no eviction and no mark will follow. A write that meets another version is no reason to insist: the run is read again.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/hand.h"
#include "controller/log.h"
#include "controller/run_shelf.h"
#include "net/client.h"
#include "net/loop.h"
#include "run/advance.h"
#include "wire/snapshot.h"

namespace tamp::controller {

inline constexpr std::string_view kRollbackFinalizer = "temper.codes/rollback";

// The cluster at a moment, as runs see it. Shared by all runs of a tick and by work beside the loop.
struct Outlook {
  std::shared_ptr<const wire::Reading> reading;
  Settings settings;
  run::Limits limits;
  Observations observations;
  std::optional<Time> last_node_deleted;       // see situation::Context
  std::string leader_node;                     // where the leader itself runs; empty: not in this cluster
  bool requests_published = true;              // by every agent, see proof::Evidence
  std::optional<AutoscalerStatus> autoscaler;  // of Cluster Autoscaler
  std::string distrust;                        // why the watches cannot be believed; empty: they can
  std::optional<run::ApplicationSignal> application;
};

// What an attendant needs of its surroundings.
struct RunSurroundings {
  std::function<std::shared_ptr<const Outlook>()> outlook;  // null: the cluster was not read yet
  // The newest resourceVersion that the watch of nodes has shown.
  std::function<std::string()> nodes_seen;
  // For an approval that nobody has taken in yet; nothing: ask again later.
  std::function<std::optional<run::Desk>(const run::Run& run)> desk;
  // Of limits.maxEvictionsPerHour, all runs counted; nothing: there is no policy.
  std::function<std::optional<std::int64_t>()> evictions_left;
  // Of this hash, if it is known still.
  std::function<std::shared_ptr<const proof::ConsolidationPlan>(const std::string& hash)> plan;
  // What happened, for events, metrics and the audit.
  std::function<void(const run::Run& before, const run::Run& after)> stepped;
  std::function<void(const run::Run& run, const run::Mutation& entry)> concluded;
  // The run is stored as it is: time for the records. What the hash of the newest stored record is.
  std::function<std::string(const run::Run& run, const Outlook& outlook)> recorded;
  // Everything that was to be recorded of it is stored.
  std::function<bool(const std::string& run)> records_kept;
};

class RunAttendant {
 public:
  RunAttendant(net::Loop& loop, net::Client& client, const Log& log, const RunSurroundings& surroundings,
               std::string name);
  RunAttendant(const RunAttendant&) = delete;
  RunAttendant& operator=(const RunAttendant&) = delete;

  // The watch shows this version.
  void hear(const ShelvedRun& seen);
  // Looks at the cluster and does what is to be done.
  void tick();

  // As far as known; null before it was read.
  const run::Run* run() const { return run_ ? &*run_ : nullptr; }
  // It is over, nothing is to be done or watched any more, and all of that is stored.
  bool at_rest() const;

 private:
  void read();
  void adopt(ShelvedRun found);
  void rest_evictions();
  void step();
  void step_soon();
  run::Sight look(const Outlook& outlook);
  std::string distrust(const Outlook& outlook) const;
  void record(const Outlook& outlook);
  bool is_stored() const;
  void set_stored(std::string status);
  bool recall();
  void store();
  void stored(net::Reply reply);
  void write_finalizer();
  bool finalizer_fits() const;
  bool finalizer_due() const;
  void act();
  void did(std::uint32_t id, Deed deed);
  void revalidate(const std::shared_ptr<const Outlook>& outlook);
  void rehearse(const std::vector<std::size_t>& moves);

  net::Loop& loop_;
  net::Client& client_;
  const Log& log_;
  const RunSurroundings& surroundings_;
  std::string name_;

  std::optional<run::Run> run_;  // the newest; stored when stored_status_ says the same
  std::string stored_status_;
  mutable std::optional<run::Run> stored_run_;  // one whose status that is, if known: spares writing it out
  std::string resource_version_;
  std::vector<std::string> finalizers_;
  bool deleting_ = false;
  bool busy_ = false;                                 // reading or storing
  run::Phase recorded_phase_ = run::Phase::Approved;  // when the records were last told
  run::Phase head_phase_ = run::Phase::Approved;      // when audit_head was last renewed
  std::optional<net::Instant> over_since_;            // as far as we know
  bool again_ = false;
  net::Pending request_, retry_, soon_;

  std::map<std::uint32_t, std::unique_ptr<Errand>> errands_;  // by entry
  std::vector<std::pair<std::uint32_t, Deed>> deeds_;         // done and not concluded yet
  std::map<std::uint32_t, net::Instant> evictions_tried_;     // by entry: when last, or when we took over
  // Our last write to a node, which the watch must have shown before what it shows counts.
  std::string node_version_;

  bool revalidating_ = false;
  std::optional<proof::Revalidation> revalidation_;
  net::Pending revalidation_work_;
  std::map<std::string, run::Conclusion> rehearsals_;  // by pod uid
  std::map<std::string, std::unique_ptr<Rehearsal>> rehearsing_;
  std::map<std::string, net::Instant> rehearsed_;  // when last
};

}  // namespace tamp::controller

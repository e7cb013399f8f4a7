// Judges the controller from outside. It hears every write when it arrives at the API server, every change of the store, and knows who
// made it; from that it keeps an account of its own and holds it against the invariants I1–I15 of docs/guides/simulation.md.
// It shares no code with the machine that it judges.
//
// The controller sees the cluster through watches, so for what others do it gets some time to notice. What depends on its own deeds
// gets none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/server.h"
#include "sim/campaign/cluster_truth.h"
#include "sim/campaign/findings.h"
#include "sim/campaign/marks_ledger.h"
#include "sim/campaign/run_view.h"
#include "sim/campaign/wire.h"

namespace tamp::sim {

class Auditor {
 public:
  Auditor(world::api::Server& server, Coverage& coverage);

  // Everything that is there now is as it was found.
  void begin();
  // Custom kinds come and go.
  void find_kinds();
  // What others did since the last time. To be called after every step of the world.
  void look();
  // Of the process with this identity.
  void arriving(const std::string& identity, const Call& call);
  void done(const std::string& identity, const Call& call, const world::api::Answer& answer);

  // How long the controller may take to notice what others do: longer when its watches are in trouble.
  void set_notice(Duration notice) { notice_ = notice; }
  // Nodes whose agents tell nothing that can be believed, and those that do not know the pressure of their pods, since when. Both must
  // outlive the auditor.
  void set_ailing(const std::map<std::string, Time>* ailing, const std::map<std::string, Time>* unpressured) {
    ailing_ = ailing;
    unpressured_ = unpressured;
  }
  // Faults are over and everything had its time.
  void conclude();
  // From now on nothing happens in the cluster, and nobody approves anything.
  void keep_still() { still_since_ = server_.now(); }
  // Controllers (ReplicaSets and the like) with fewer ready pods than they want, and had as many before: "ns/name".
  std::vector<std::string> short_of_pods() const;
  // I15, where nothing but the controller's own process was troubled.
  void judge_availability();

  void violate(std::string_view rule, std::string text);
  const std::vector<Violation>& violations() const { return violations_; }
  const std::map<std::string, RunView>& runs() const { return runs_; }
  const std::string& published() const { return published_; }
  // Of everything that was sent and answered, when and by whom.
  std::uint64_t digest() const { return digest_; }
  std::uint64_t evictions() const { return evictions_; }
  // Deeds of the controller so far, for people.
  const std::vector<std::string>& deeds() const { return deeds_; }

 private:
  void catch_up(bool ours, const Call* call);
  void hear(const world::api::Change& change, bool ours, const Call* call);
  void mix(std::string_view text);
  void notice_namesake(const world::api::Object& pod);

  void judge_permission(const Call& call);
  void judge_leadership(const std::string& identity, const Call& call);
  void judge_eviction(const Call& call);
  void judge_node_write(const world::api::Change& change);
  void judge_claim_write(const world::api::Change& change);
  void judge_run_write(const world::api::Change& change, bool ours);
  void judge_step(const RunView& before, const RunView& after, bool created);
  void judge_protection(const RunView& run, std::string_view before_what);
  void judge_remains();
  void judge_records(const RunView& run);
  bool left_empty(const std::string& node_uid) const;
  void judge_telemetry(const RunView& run, const std::string& pod_name);
  const RunView* run_intending(std::string_view kind, std::string_view name, std::string_view uid,
                               bool* in_flight = nullptr) const;

  world::api::Server& server_;
  Coverage& coverage_;
  std::uint64_t heard_ = 0;
  const std::map<std::string, Time>*ailing_ = nullptr, *unpressured_ = nullptr;
  Duration notice_ = Duration::seconds(8);
  std::vector<Violation> violations_;
  std::vector<std::string> deeds_;
  std::uint64_t digest_ = 0xcbf29ce484222325u, evictions_ = 0;

  ClusterTruth truth_;
  MarksLedger marks_;
  std::map<std::string, RunView> runs_;                      // by name; as stored now
  std::map<std::string, std::pair<RunView, Time>> deleted_;  // as they were, and since when
  std::map<std::string, Time> entered_;                      // "run/phase"
  std::map<std::string, std::string> used_hashes_;           // and by which run
  // "kind|name|uid" of an entry that was Intended until then, and its run.
  std::map<std::string, std::pair<std::string, Time>> recently_intended_;
  std::set<std::string> rehearsed_;            // uids of pods whose eviction was tried with dryRun
  std::map<std::string, Time> last_eviction_;  // by pod uid: when one was last sent
  std::string published_;                      // hash of the plan in the policy's status
  std::map<std::string, Time> was_published_;  // until when
  std::optional<Time> paused_at_;              // the policy
  std::map<std::string, Time> late_trips_;     // by run: a guard tripped when it was over
  std::set<std::string> of_people_;            // runs
  std::set<std::string> of_policy_;            // … that the controller approved
  bool automatic_ = false;                     // the policy's approval
  Time manual_since_{};                        // meaningless while it is Automatic; from the beginning: zero
  std::string holder_;                         // of the Lease
  std::map<std::string, Time> over_since_;     // by run
  std::set<std::string> journal_lost_;         // nodes of runs that others deleted before they were over
  std::set<std::string> left_cordoned_;        // nodes by uid
  std::set<std::string> whole_before_;         // controllers by uid
  std::optional<Time> still_since_;
  std::int64_t looked_ = 0;  // second
  std::optional<world::api::ResourceId> policies_, consolidation_runs_, claims_;
};

}  // namespace tamp::sim

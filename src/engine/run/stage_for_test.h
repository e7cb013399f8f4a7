// A cluster of a few nodes played by hand: what a run intends is carried out on objects as the API server prints them, and what it
// sees is read back through the decoders. Controllers recreate pods, a scheduler of one line places them, and an autoscaler removes
// empty nodes when the test says so. Every fault is a switch.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings.h"
#include "run/advance.h"
#include "run/guards.h"
#include "run/limits.h"
#include "support/words.h"
#include "wire/tree.h"

namespace tamp::run {

struct StagedPod {
  std::string name, node;
  std::string app;                       // its ReplicaSet; empty: none
  std::optional<std::int32_t> priority;  // absent: Normal
  std::int64_t cpu_millis = 200;
};

class Stage {
 public:
  Stage();

  // ---- what there is
  void add_node(const std::string& name, std::int64_t cpu_millis = 8000);
  void add_pod(const StagedPod& pod);
  wire::Tree& node(const std::string& name) { return nodes_.at(name); }
  wire::Tree& pod(const std::string& name) { return pods_.at(name); }
  bool has_node(const std::string& name) const { return nodes_.contains(name); }
  bool has_pod(const std::string& name) const { return pods_.contains(name); }
  bool has_claim(const std::string& name) const { return claims_.contains(name); }
  std::map<std::string, wire::Tree>& claims() { return claims_; }
  std::set<std::string> pods_on(const std::string& node) const;
  std::size_t stopping() const;  // pods that were asked to
  bool schedulable(const std::string& node) const;
  bool annotated(const std::string& node, std::string_view key) const;
  // Everything that is Tamp's or an autoscaler's mark, of all nodes: equal texts before and after mean no residue.
  std::string marks() const;
  void scale(const std::string& app, std::int64_t replicas);
  void restart(const std::string& pod, std::int64_t times);
  void crash_loop(const std::string& pod, std::int64_t restarts);
  // Takes the node away, and its pods with it: a reap, or a machine that dies.
  void remove_node(const std::string& name);

  // ---- how the cluster behaves
  Time now = test::kNow;
  bool replaces = true;         // controllers recreate pods
  bool schedules = true;        // pending pods get a node
  bool becomes_ready = true;    // pods that have a node become ready
  bool stops = true;            // evicted pods go
  bool reaps_cordoned = false;  // the autoscaler removes empty nodes that are cordoned …
  bool reaps_tainted = true;    // … or tainted by us
  bool launches = true;         // NodeClaims get a node
  bool measures = true;         // agents answer
  Duration reap_delay = Duration::minutes(2);
  double pressure = 0.0;            // of every pod, in all windows
  std::optional<Windowed> windows;  // … and of `pressed_pod`, cpu
  std::string pressed_pod = "cache-a";
  std::int64_t samples = 300;
  std::optional<double> reading_age = 1;  // seconds: of the newest reading of every pod
  Duration observation_age;
  std::optional<std::int64_t> evictions_left;
  std::set<std::uint32_t> resting;
  std::string distrust;                        // of the watches
  std::map<std::string, Conclusion> refusals;  // by name of the object: answered instead of being carried out
  std::set<std::uint32_t> unanswered;          // ids that are carried out, and whose answer is lost
  int dies_at = 0;                             // the leader dies at the so-many-th change, counted from 1 …
  bool dies_after_sending = true;  // … when it is made and before the answer comes, or before it is made
  std::map<std::string, Conclusion> rehearsals;  // by uid of the pod; made up as they are asked for
  bool answers_rehearsals = true;
  bool paused = false, acts = true, policy_present = true;
  std::optional<ApplicationSignal> application;
  std::optional<proof::Revalidation> revalidation = proof::Revalidation{true, {}, {}};
  Limits limits;

  // ---- a run
  Run run;
  // Approves the removal of these nodes; all others survive.
  void approve(const std::vector<std::string>& victims, bool with_replacement = false);
  proof::ConsolidationPlan plan(const std::vector<std::string>& victims, bool with_replacement = false) const;
  // One look, one store, whatever is to be done, and five seconds of the cluster's life.
  void turn(Duration life = Duration::seconds(5));
  // Until it is over or the time is up. True if it is over.
  bool play(Duration limit = Duration::hours(2));
  bool play_until_the_first_eviction();  // which has not happened yet
  bool play_until(Phase phase, Duration limit = Duration::hours(2));
  // The leader dies: what it knew is what was stored.
  void crash() { resume(run); }

  Step look();                                   // advance only; nothing is stored
  void carry_out(bool answers = true);           // open entries; without answers the leader dies in between
  Conclusion perform(const Mutation& mutation);  // on the objects
  void live(Duration time);                      // the cluster goes on

  // ---- what happened, in order: "Cordon c", "Evict default/web-1"
  std::vector<std::string> history;
  std::vector<std::string> evicted() const;
  bool happened(std::string_view what) const;
  // What that guard says now; Fine if it has nothing to say.
  GuardFinding ask(std::string_view guard);
  Cluster cluster() const;

 private:
  Duration step_of_time() const;
  void recreate();
  void place();
  void reap();
  Observations observations(const Cluster& cluster) const;
  std::string stored() const;  // the run's object

  std::map<std::string, wire::Tree> nodes_, pods_, claims_, sets_;
  std::map<std::string, Time> empty_since_;
  std::set<std::uint32_t> asked_;
  int serial_ = 0, carried_out_ = 0;
};

// Node a with a Critical pod, and node b with one of Background and one that is High.
Stage two_nodes();
// Three nodes; c holds nine pods of four tiers, each with a controller of its own, as in "Automated node consolidation under an SLO
// guard".
Stage three_nodes();

}  // namespace tamp::run

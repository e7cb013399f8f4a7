// Decides again after a pod has changed, without building anything anew: the index, the simulation, the gates' answers, the order of
// candidates and the verdicts on single nodes are kept, and a change touches only what it can reach.
//
// What comes out is what make_plan says of the cluster as it is then (a property test holds the two against each other). Where a
// change reaches further than can be followed (a pod that waits for a place, volumes, host ports, DaemonSets, a kind of pod
// that was not there, …), everything is built anew: slower, and the same. The clock stands still: who wants
// another time makes another Replanner.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "core/cluster.h"
#include "core/settings.h"
#include "fit/index.h"
#include "gates/survey.h"
#include "search/plan.h"
#include "search/verdict_memo.h"

namespace tamp::search {

class Moves;

class Replanner {
 public:
  // As Context has them: when a node was last deleted, and where the leader runs.
  Replanner(Cluster cluster, Settings settings, Time now, std::optional<Time> last_node_deleted,
            NodeId leader_node);
  ~Replanner();
  Replanner(const Replanner&) = delete;
  Replanner& operator=(const Replanner&) = delete;

  const Cluster& cluster() const { return cluster_; }

  // A new pod. Its symbols, spec and labels are the cluster's.
  PodId add(Pod pod);
  // The pod is now as `version` says. REQUIRES: the same spec, namespace, labels, name and uid.
  void change(PodId pod, Pod version);
  // The pod is gone. Its place among the cluster's pods stays, as that of a pod that ended and runs nowhere.
  void remove(PodId pod);

  // Without the candidates, which are costly to copy.
  Plan plan(PlanOptions options);

  // How many changes were followed, and how many times everything was built anew since the first time.
  std::uint64_t followed() const { return followed_; }
  std::uint64_t rebuilt() const { return rebuilt_; }
  // Verdicts that the changes so far took away.
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  void build();
  void rebuild();
  void put(PodId pod, Pod version, bool fresh);
  bool followable(const Pod& pod) const;
  // A node that a change is about, as it was before.
  struct Touched {
    NodeId node;
    fit::Closed closed;
    bool overcommitted;
  };
  std::vector<Touched> touched_by(const Pod& before, const Pod& version);
  bool stands_as_before(const Touched& touched);
  // Only the cluster's own lists.
  void assign(PodId pod, const Pod& before, Pod version);
  // Of the sites of these nodes: what the memo says, into `stood_`.
  void note_standing(const std::vector<Touched>& touched);
  // Which shapes read the counts that the pod adds to, into `reads_`.
  void note_readers(PodId pod);
  void look_again(const std::vector<Touched>& touched);
  void count_replica(const Pod& pod, std::int64_t by);

  Cluster cluster_;
  Settings settings_;
  situation::Context context_;
  std::unique_ptr<Moves> moves_;
  std::optional<gates::Survey> survey_;
  std::vector<std::vector<fit::ShapeId>> readers_;  // by GroupId: shapes that ask for its counts
  std::unordered_map<Symbol, std::int64_t>
      spare_;                   // by uid of a controller: pods that it has beyond those it wants
  std::size_t incomplete_ = 0;  // controllers that lack pods
  bool far_reaching_ = false;   // under these settings and facts every pod matters to every node
  // Scratch: the sites of the nodes that a change is about, before and after it; and by ShapeId.
  std::vector<VerdictMemo::Standing> stood_;
  VerdictMemo::Standing stands_;
  std::vector<std::uint8_t> reads_;
  std::uint64_t followed_ = 0, rebuilt_ = 0, forgotten_ = 0;
};

}  // namespace tamp::search

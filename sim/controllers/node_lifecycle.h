// What becomes of nodes that fall silent, are in trouble or are cordoned, and of the pods there.
//
// A node whose lease and status were not renewed for 50 s gets its conditions Unknown. Conditions and spec.unschedulable become
// taints with NoSchedule. Ready not true becomes a taint with NoExecute too, one node in 10 s for each zone, more
// carefully where most of a zone is down, and not at all where nothing in the cluster is ready: then it is the network that is
// broken. Pods that do not tolerate a NoExecute taint are deleted, at once or after their tolerationSeconds.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sim/engine/work_queue.h"

namespace tamp::world {

class NodeLifecycle {
 public:
  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

 private:
  enum What : std::uint8_t { kMonitor, kNode, kPod };
  using Key = std::pair<std::string, std::string>;

  struct Health {
    Time beat;  // the last sign of life that was seen
    bool ready = false;
    bool registered = false;  // it was told that the node is known
    std::string zone;
    bool tainting = false;  // waits for its NoExecute taint
  };
  struct Zone {
    std::optional<Time> last;               // when a node of it was last tainted
    Duration pace = Duration::seconds(10);  // between two nodes; 0: none
  };

  void node_changed(Stage& stage, const api::Change& change);
  void pod_changed(Stage& stage, const api::Change& change);
  void monitor(Stage& stage);
  void judge_zones();
  void taint_no_execute(Stage& stage);
  void declare_unknown(Stage& stage, const api::Object& node);
  void mark_pods_not_ready(Stage& stage, std::string_view node);
  void look_at_node(Stage& stage, std::string_view name);
  void judge_pod(Stage& stage, const api::Object& pod, const api::Object& node);
  void evict(Stage& stage, const Event& event);

  std::map<std::string, Health, std::less<>> health_;  // by node
  std::map<std::string, Zone, std::less<>> zones_;
  std::map<std::string, std::set<Key>, std::less<>> pods_on_;  // by node
  std::map<Key, Time> evictions_;                              // pods that will be deleted when
  bool monitoring_ = false;
  WorkQueue queue_;
};

}  // namespace tamp::world

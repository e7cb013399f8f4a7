// Pods that wait for a node, as kube-scheduler's queue keeps them:
//
//   active         to be tried next: the highest priority first, then whoever has waited longest
//   backing off    tried in vain not long ago, and something happened since that may help: after 1 s, doubling to 10 s
//   unschedulable  tried in vain; woken by what may help, after 5 minutes at the latest
//   gated          has scheduling gates; never tried
//
// kube-scheduler v1.36 takes a pod that backs off early when nothing else is to do; this queue always lets it wait.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/time.h"

namespace tamp::world {

using PodName = std::pair<std::string, std::string>;  // namespace, name

struct WaitingPod {
  std::string uid;
  std::int64_t priority = 0;
  Time since = {};   // when it joined the queue, or was last tried
  int failures = 0;  // how often it was found unschedulable
  std::set<std::string, std::less<>> refused_by =
      {};  // the filters that refused it when it was last tried; empty: an error
};

class PodQueue {
 public:
  // A new pod, or one whose specification changed: to be tried at once. What is known of its failures stays.
  void add(const PodName& name, std::string uid, std::int64_t priority, Time now);
  void add_gated(const PodName& name, std::string uid, std::int64_t priority, Time now);
  void remove(const PodName& name);
  bool has(const PodName& name) const { return pods_.contains(name); }
  bool gated(const PodName& name) const;

  // The next to be tried; it is no longer in the queue.
  std::optional<std::pair<PodName, WaitingPod>> take();
  // It was tried in vain. Without `refused_by` it was an error, and it is tried again after its backoff.
  void put_back(const PodName& name, WaitingPod pod, Time now);

  // Something happened. Those that are unschedulable and for which it may help are tried again when their backoff is over.
  void wake(const std::function<bool(const PodName&, const WaitingPod&)>& helps, Time now);
  // Everybody whose time has come becomes active.
  void advance(Time now);

  bool ready() const { return !active_.empty(); }
  // When advance() will have something to do.
  std::optional<Time> next() const;
  std::size_t size() const { return pods_.size(); }

 private:
  enum class Where : std::uint8_t { Active, BackingOff, Unschedulable, Gated };
  struct Entry {
    WaitingPod pod;
    Where where = Where::Active;
    Time due = {};  // of those that back off or are unschedulable
  };
  // Higher priorities first.
  using Turn = std::tuple<std::int64_t, Time, PodName>;
  static Turn turn(const PodName& name, const WaitingPod& pod) { return {-pod.priority, pod.since, name}; }

  void move(const PodName& name, Entry& entry, Where where, Time due);
  void forget_place(const PodName& name, const Entry& entry);

  std::map<PodName, Entry> pods_;
  std::set<Turn> active_;
  std::set<std::pair<Time, PodName>> due_;  // backing off and unschedulable
};

}  // namespace tamp::world

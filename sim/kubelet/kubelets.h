// The kubelets of all nodes, as one actor: they start the pods that are bound to their node, report how they fare, stop those
// that are deleted, and keep their nodes' leases. What a pod's program does, behaviour.h says.
//
// A kubelet lives as long as its Node object: with it the machine is gone, and what ran there has ended without a word.
//
// Real kubelets renew their lease every 10 s. Here they do so every 40 s (an option), which those who watch leases against a
// grace period of 50 s cannot tell from the truth: when a kubelet stops, its lease gets the time of the last renewal
// that a real one would have made.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/engine/stage.h"
#include "sim/kubelet/pod_run.h"

namespace tamp::world {

struct KubeletOptions {
  Duration renew_leases = Duration::seconds(40);
};

class Kubelets {
 public:
  explicit Kubelets(KubeletOptions options = {}) : options_(options) {}

  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

  // ---- faults. Of a node that is not there nothing happens.
  // The kubelet falls silent; containers go on.
  void stop(Stage& stage, std::string_view node);
  void resume(Stage& stage, std::string_view node);
  // All containers end and the kubelet is silent for that long; then what may be restarted is.
  void reboot(Stage& stage, std::string_view node, Duration down = Duration::seconds(60));

 private:
  using Key = std::pair<std::string, std::string>;  // namespace and name of a pod
  struct Machine {
    std::string uid, host_ip, boot_id;
    Amounts allocatable;
    std::int64_t pods_most = 110;
    std::int64_t network = 0;  // its pods' addresses
    std::set<std::int64_t> addresses = {};
    bool alive = true, reports_soon = false;
    Time since = {};                    // when its kubelet was started
    std::set<std::string> images = {};  // pulled already
    std::set<Key> pods = {};            // that it runs or has run
    std::vector<Event> missed = {};     // while it was silent
  };
  enum What : std::uint8_t {
    Beat,         // all leases
    Report,       // one node: it is ready
    Boot,         // one node: it is up again
    Look,         // the pod is seen for the first time
    Pull,         // an image could not be pulled
    PullBackOff,  // ... and will be tried again later
    Initialize,   // init containers are done
    Start,        // containers run
    BeReady,
    Probe,    // a readiness probe finds a container that is not ready yet
    Exit,     // a container ends
    Restart,  // and is started again
    Stop,     // all containers have ended as was asked
    Expire,   // activeDeadlineSeconds
  };

  void node_changed(Stage& stage, const api::Change& change);
  void pod_changed(Stage& stage, const api::Change& change);
  void take_over(Stage& stage, const api::Object& pod);
  void forget(const Key& key);
  Machine* machine_of(std::string_view node);

  void beat(Stage& stage);
  void happen_to_pod(Stage& stage, const Event& event);
  void plan(Stage& stage, Duration delay, What what, const Key& key, const PodRun& run);
  void report(Stage& stage, const Key& key, const PodRun& run);
  void look(Stage& stage, const Key& key, PodRun& run, const api::Object& pod);
  bool admit(Stage& stage, const Key& key, PodRun& run, const api::Object& pod);
  Duration pull_time(Stage& stage, PodRun& run, const api::Object& pod, std::string_view list);
  // Of its containers, once everything that comes before them is done.
  Duration time_to_start(Stage& stage, PodRun& run, const api::Object& pod);
  void pull_failed(Stage& stage, const Key& key, PodRun& run, const api::Object& pod);
  void back_off_pulling(Stage& stage, const Key& key, PodRun& run, const api::Object& pod);
  void initialize(Stage& stage, const Key& key, PodRun& run, const api::Object& pod);
  void start(Stage& stage, const Key& key, PodRun& run, const api::Object& pod);
  void plan_readiness_and_end(Stage& stage, const Key& key, PodRun& run, const api::Object& pod);
  void be_ready(Stage& stage, const Key& key, PodRun& run);
  void probe(Stage& stage, const Key& key, PodRun& run, const api::Object& pod);
  void exit(Stage& stage, const Key& key, PodRun& run, const api::Object& pod, int code, bool all);
  void restart(Stage& stage, const Key& key, PodRun& run, const api::Object& pod);
  void begin_to_stop(Stage& stage, const Key& key, PodRun& run, const api::Object& pod);
  void stopped(Stage& stage, const Key& key, PodRun& run);
  void expire(Stage& stage, const Key& key, PodRun& run, const api::Object& pod);

  void renew_lease(Stage& stage, const std::string& node, Time renewed);
  void report_ready(Stage& stage, const std::string& node, Machine& machine);
  void boot(Stage& stage, const std::string& node, Machine& machine);

  KubeletOptions options_;
  std::map<std::string, Machine, std::less<>> machines_;
  std::map<Key, PodRun> runs_;
  std::int64_t tokens_ = 0, networks_ = 0;
  bool beating_ = false;
};

}  // namespace tamp::world

// A pod as its node knows it: its containers and how far they are. The pod's status is written from this.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "sim/kubelet/amounts.h"
#include "sim/kubelet/behaviour.h"
#include "wire/tree.h"

namespace tamp::world {

struct Ending {
  int exit_code = 0;
  std::string_view reason;  // "Completed", "Error"
  Time started, finished;
  std::string container_id;
};

struct ContainerRun {
  enum class State : std::uint8_t { Waiting, Running, Terminated };
  State state = State::Waiting;
  std::string_view reason = "ContainerCreating";  // of waiting
  std::string message = {};
  Time started = {};
  std::string id = {};
  std::optional<Ending> ending = {};  // of Terminated; of the run before, otherwise
  std::int64_t restarts = 0;
  bool ready = false;
  std::optional<Duration> pull = {};  // how long its image took; nothing if the node had it
  bool pulling_told = false;
};

// The wait before a container that ended is started again: none, then 10 s, doubling up to 5 minutes; none again after
// it has run for 10 minutes.
class RestartDelay {
 public:
  // The container ended at this time: how long to wait?
  Duration after(Time ended) const { return expired(ended) ? Duration{} : delay_; }
  // And at this time it was started again.
  void restarted(Time ended, Time now);

 private:
  static constexpr Duration kFirst = Duration::seconds(10), kMost = Duration::minutes(5);
  bool expired(Time ended) const { return !since_ || ended - *since_ > Duration{2 * kMost.ns}; }

  Duration delay_;
  std::optional<Time> since_;
};

struct PodRun {
  enum class Stage : std::uint8_t {
    Seen,      // not looked at yet
    Starting,  // pulls, sandbox, init containers
    Running,
    Ended,     // Succeeded, Failed or rejected
    Stopping,  // told to stop
    Stopped,   // all that a kubelet does is done; finalizers may keep the object
  };
  std::string uid, node;
  Stage stage = Stage::Seen;
  // Plans of another token are void.
  std::int64_t token = 0;
  PodAmounts amounts;
  Behaviour behaviour;
  std::vector<ContainerRun> containers, init;  // as in the spec
  RestartDelay restart_delay;
  std::int64_t exits = 0, pull_attempts = 0, failed_probes = 0;
  bool sandbox = false, initialized = false;
  std::optional<Time> seen, stop_at;
  bool killed = false;  // the grace period will end before the containers do
  std::string pod_ip;
  // Of one that failed as a whole.
  std::string_view reason;
  std::string message;

  bool holds_resources() const {
    return stage != Stage::Seen && stage != Stage::Ended && stage != Stage::Stopped;
  }
  bool ready() const;
};

// Makes the pod's status what the run says; conditions of others stay as they are.
void write_status(wire::Tree& pod, const PodRun& run, std::string_view host_ip, Time now);
// What a kubelet that was started anew finds: a run from the status that it wrote before.
PodRun adopt(const wire::Tree& pod);

// "pod default/web-1"
std::string pod_words(std::string_view ns, std::string_view name);
// Ids of nothing: 64 hexadecimal digits.
std::string container_id(Dice& dice);

}  // namespace tamp::world

// The physics of machines that pods share: what each pod's demand (demand.h) makes of the cores (cpu_sharing.h), what the
// kernel would count of it, and what an agent on the node would say. Pods take part while the API says that a container of
// theirs runs.
//
// Time goes in ticks; a pod that comes or goes in between cuts one in two. What is read at ticks is kept for as long as the
// longest window needs. Everything follows from the objects, their uids and the time: nothing is thrown.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/policy.h"
#include "core/tier.h"
#include "sim/engine/stage.h"
#include "sim/kubelet/cpu_sharing.h"
#include "sim/kubelet/demand.h"
#include "sim/kubelet/readings.h"

namespace tamp::world {

struct PressureOptions {
  // Between readings; divides 10 s. A real agent reads every second, which a small world can afford: an hour of 3,000 pods costs
  // about 0.3 s of cpu at 5 s, and 1.2 s at 1 s.
  Duration tick = Duration::seconds(5);
  TierFloors tiers = {};
};

enum class AgentFault : std::uint8_t {
  None,
  Silent,      // does not answer
  Frozen,      // answers, but reads nothing any more: the newest reading grows old
  NoPressure,  // the kernel counts no pressure
  Lying,       // says that nobody waits for anything
};

// The p99 latency of a pod that has one, minute by minute.
struct LatencyMinute {
  Time minute;
  std::int64_t mean_us = 0, highest_us = 0;
  std::int64_t ticks = 0;
};

// One pod on its machine.
struct PodLoad {
  explicit PodLoad(Duration tick) : readings(tick) {}

  std::string ns, name, uid;
  Tier tier = Tier::Normal;
  PodAmounts amounts;
  Demand demand;
  MemoryDemand memory;
  Duration latency;  // 0: it has none
  std::uint64_t salt = 0;
  std::size_t group = 0;  // 0: shares its demand with nobody
  bool running = false;   // now
  Time since;             // when it first ran
  Stall stall;
  Counters counters;
  Readings readings;
  Maxima maxima;
  std::int32_t highest = -1;  // usage over 10 s since it was last put into the maxima
};

// One machine with its agent.
struct HostLoad {
  std::string uid, boot_id;
  std::int64_t cores = 0, memory_bytes = 0;  // millionths of a core
  Time up_to;                                // counted until here
  std::optional<Time> first_reading;         // of this agent process
  AgentFault fault = AgentFault::None;
  bool unsettled = true;              // who wants how much has changed
  std::vector<PodLoad> pods = {};     // by namespace and name
  std::vector<CpuClaim> claims = {};  // beside pods
};

class Pressure {
 public:
  explicit Pressure(PressureOptions options = {}) : options_(options) {}

  void changed(Stage& stage, const api::Change& change);
  void happen(Stage& stage, const Event& event);

  // What the node's agent answers to GET /observe; empty if it does not answer.
  std::string observation(std::string_view node, Time now) const;
  // Of every pod that has or had one, by namespace and name.
  using Key = std::pair<std::string, std::string>;
  const std::map<Key, std::vector<LatencyMinute>>& latencies() const { return latencies_; }

  // Without agents nobody answers.
  void set_agents(bool agents) { agents_ = agents; }

  // ---- faults. Of a node that is not there nothing happens.
  // "silent", "frozen", "psi-off", "lying", "restarted" or "normal". Returns whether it is one of these.
  bool befall_agent(std::string_view node, std::string_view state);
  void set_fault(std::string_view node, AgentFault fault);
  // The agent begins anew: all windows are empty.
  void restart_agent(std::string_view node);

 private:
  void node_changed(Stage& stage, const api::Change& change);
  void pod_changed(Stage& stage, const api::Change& change);
  void take_over(Stage& stage, HostLoad& host, const api::Object& pod, bool profile_changed);
  void drop(Stage& stage, const Key& key);
  std::size_t group_of(const api::Object& pod);
  void set_running(PodLoad& pod, bool running, Time now);
  void advance(HostLoad& host, Time to);
  void read(HostLoad& host, Time now);
  void note_latency(const PodLoad& pod, Time now);

  PressureOptions options_;
  std::map<std::string, HostLoad, std::less<>> hosts_;
  std::map<Key, std::string> where_;           // pod to node
  std::map<std::string, std::size_t> groups_;  // by the owner's uid
  std::vector<std::int64_t> sharers_ = {1};    // running pods of each group
  std::map<Key, std::vector<LatencyMinute>> latencies_;
  CpuSharing sharing_;
  bool ticking_ = false, agents_ = true;
};

// The document; `host` has answered.
std::string write_observation(std::string_view node, const HostLoad& host, Time now);

}  // namespace tamp::world

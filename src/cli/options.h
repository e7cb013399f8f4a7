// What the user asked for: the command line and the environment, checked. Flags win over the environment.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/settings.h"
#include "core/time.h"
#include "search/plan.h"
#include "terminal/terminal.h"

namespace tamp::cli {

enum class Verb : std::uint8_t {
  Help,
  Version,
  Plan,
  Explain,
  Fits,
  Controller,
  Snapshot,
  Demo,
  Simulate,
  Status,
  Approve,
  Abort,
  Pause,
  Resume,
  Runs,
  Run,
  Export,
  Audit
};
enum class Format : std::uint8_t { Table, Json, Yaml };

// For `tamp controller`.
struct ControllerFlags {
  std::string ns;        // empty: that of the pod, else tamp-system
  std::string pod_name;  // empty: the host's name
  std::string node_name;
  Duration poll_interval = Duration::seconds(5);
  Duration idle_interval = Duration::minutes(5);
  std::string metrics_address = "127.0.0.1:8080";
  std::string webhook_address;  // empty: no webhook
  std::string webhook_service = "tamp-webhook";
  std::string dashboard_address;                               // empty: no dashboard
  std::string dashboard_certificate_file, dashboard_key_file;  // empty: one that nobody knows is made
  std::string dashboard_service;                               // empty: nobody is led to the leader
  std::string pod_ip;                                          // for that
  std::string agent_token_file;                                // empty: no agent is asked
  std::string agent_authority_file;
  std::string agent_namespace = "tamp-agents";
  std::string log_level = "info";
  std::string log_format;  // empty: text in a terminal, else json
  double qps = 50;
};

// For `tamp demo`.
struct DemoFlags {
  std::string address = "127.0.0.1";
  std::uint16_t port = 0;  // 0: any that is free
  std::string scenario = "slo-fleet";
  std::uint64_t seed = 1;
  double speed = 20;
  std::string kubeconfig;  // where to write it; empty: a file that is gone at the end
  std::uint16_t dashboard_port = 0;
  bool dashboard_login = false;
  std::optional<Duration> length;  // of real time; absent: until Ctrl-C
};

struct SimulateFlags {
  std::string trace;  // a file; empty: a generated day
  std::string plots;  // a directory; empty: none
  bool sweep = false;
};

struct Options {
  Verb verb = Verb::Help;
  std::string help;  // the text to print, for Verb::Help

  std::string kubeconfig;  // empty: as the environment has it
  std::string context;
  std::vector<std::string> files;  // "-" is standard input; none: the live cluster
  std::optional<std::string> instance_types;
  std::optional<std::string> prices;
  std::optional<std::string> policy;
  std::optional<std::string> observe;
  std::optional<Time> now;  // absent: the clock
  std::optional<Time> last_node_deleted;
  bool planner_given = false;
  bool slo = false;  // --planner SLO: prove the moves from measurements
  search::PlanOptions plan;
  bool all_methods = true;           // --method all, or none given
  std::optional<std::size_t> steps;  // --steps: follow the road so far
  std::optional<Money> target_cost;  // --target-cost: and no further than to this
  FlagSettings settings;

  // explain: a node; fits: a pod or namespace/pod; snapshot: the file to write; approve: a hash; otherwise a run
  std::string subject;
  std::string target;  // export: the directory; audit: the run or file
  std::string node;    // pause, resume: this one alone
  bool watch = false;
  bool all_pods = false;
  bool mask = false;
  ControllerFlags controller;
  DemoFlags demo;
  SimulateFlags simulate;

  Format format = Format::Table;
  terminal::ColorWish color = terminal::ColorWish::Auto;
  bool timings = false;
  std::vector<std::string> notes;  // for standard error: what was accepted without effect
};

// `arguments` is argv. An error is a usage error: exit status 2.
Result<Options> parse_options(std::span<const char* const> arguments,
                              const terminal::Environment& environment);

}  // namespace tamp::cli

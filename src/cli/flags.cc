#include "cli/flags.h"

#include <charconv>
#include <cmath>

#include "cli/address.h"

namespace tamp::cli {
namespace {

Error expected(const std::string& value, std::string_view what) {
  return Error{"\"" + value + "\" is not " + std::string(what)};
}

Result<bool> parse_bool(const std::string& value) {
  if (value == "true" || value == "1") return true;
  if (value == "false" || value == "0") return false;
  return expected(value, "true or false");
}

// REQUIRES: nothing about `value`; refuses NaN, infinities and trailing text.
Result<double> parse_number(const std::string& value, double low, double high, std::string_view what) {
  double number = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stop != end || !std::isfinite(number) || number < low || number > high)
    return expected(value, what);
  return number;
}

Status set_switch(bool& target, const std::string& value) {
  TAMP_TRY(target, parse_bool(value));
  return success();
}

Status apply_file(Options& o, const std::string& value, SettingSource) {
  if (value.empty()) return Error{"the name of a file is missing"};
  o.files.push_back(value);
  return success();
}

template <std::optional<std::string> Options::* Field>
Status apply_path(Options& o, const std::string& value, SettingSource) {
  if (value.empty()) return Error{"the name of a file is missing"};
  o.*Field = value;
  return success();
}

template <std::optional<Time> Options::* Field>
Status apply_time(Options& o, const std::string& value, SettingSource) {
  const Result<Time> time = parse_rfc3339(value);
  if (!time.ok()) return expected(value, "a time like 2026-11-15T00:00:00Z (RFC 3339)");
  o.*Field = *time;
  return success();
}

Status apply_planner(Options& o, const std::string& value, SettingSource) {
  if (value != "Requests" && value != "SLO") return expected(value, "Requests or SLO");
  o.planner_given = true;
  o.slo = value == "SLO";
  return success();
}

Status apply_method(Options& o, const std::string& value, SettingSource) {
  if (value != "all" && value != "empty" && value != "multi" && value != "single")
    return expected(value, "all, empty, multi or single");
  o.all_methods = value == "all";
  o.plan.empty = o.all_methods || value == "empty";
  o.plan.multi = o.all_methods || value == "multi";
  o.plan.single = o.all_methods || value == "single";
  return success();
}

Status apply_every(Options& o, const std::string& value, SettingSource) {
  return set_switch(o.plan.every, value);
}

Status apply_target_cost(Options& o, const std::string& value, SettingSource) {
  double dollars = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, dollars);
  if (error != std::errc{} || stop != end || !(dollars >= 0 && dollars <= 1e6))
    return expected(value, "dollars per hour from 0 to 1000000");
  o.target_cost = Money::from_dollars(dollars);
  return success();
}

Status apply_max_replacements(Options& o, const std::string& value, SettingSource source) {
  TAMP_TRY(const double count, parse_number(value, 1, 100, "a whole number from 1 to 100"));
  if (count != std::floor(count)) return expected(value, "a whole number from 1 to 100");
  o.settings.max_replacements = Setting<std::int64_t>{static_cast<std::int64_t>(count), source};
  return success();
}

Status apply_steps(Options& o, const std::string& value, SettingSource) {
  std::size_t steps = 0;
  const char* end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, steps);
  if (error != std::errc{} || stop != end || steps == 0 || steps > 1'000'000)
    return expected(value, "a number from 1 to 1000000");
  o.steps = steps;
  return success();
}

Status apply_compat(Options& o, const std::string& value, SettingSource) {
  if (value != "karpenter-1.14")
    return expected(value, "karpenter-1.14, the one engine that Tamp can follow");
  o.settings.karpenter_compat = true;
  return success();
}

// "A=true,B=false", as Karpenter takes it. Its other gates concern what Tamp leaves to it.
Status apply_feature_gates(Options& o, const std::string& value, SettingSource source) {
  std::size_t at = 0;
  while (at <= value.size()) {
    const std::size_t end = std::min(value.find(',', at), value.size());
    const std::string entry = value.substr(at, end - at);
    at = end + 1;
    if (entry.empty()) continue;
    const std::size_t equals = entry.find('=');
    if (equals == std::string::npos) return expected(entry, "of the form NAME=true");
    const std::string gate = entry.substr(0, equals);
    TAMP_TRY(const bool on, parse_bool(entry.substr(equals + 1)));
    if (gate == "SpotToSpotConsolidation")
      o.settings.spot_to_spot = Setting<bool>{on, source};
    else
      o.notes.push_back("feature gate " + gate + " has no effect on Tamp");
  }
  return success();
}

Status apply_preferences(Options& o, const std::string& value, SettingSource source) {
  if (value != "Ignore" && value != "Respect") return expected(value, "Ignore or Respect");
  const auto policy = value == "Respect" ? PreferencePolicy::Respect : PreferencePolicy::Ignore;
  o.settings.preferences = Setting<PreferencePolicy>{policy, source};
  return success();
}

Status apply_utilization(Options& o, const std::string& value, SettingSource source) {
  TAMP_TRY(const double threshold, parse_number(value, 0, 1, "a number from 0 to 1"));
  o.settings.utilization_threshold = Setting<double>{threshold, source};
  return success();
}

Status apply_savings(Options& o, const std::string& value, SettingSource source) {
  TAMP_TRY(const double threshold, parse_number(value, 0, 1e6, "a number of dollars per hour, 0 or more"));
  o.settings.savings_threshold = Setting<double>{threshold, source};
  return success();
}

Status apply_output(Options& o, const std::string& value, SettingSource) {
  if (value == "table")
    o.format = Format::Table;
  else if (value == "json")
    o.format = Format::Json;
  else if (value == "yaml")
    o.format = Format::Yaml;
  else
    return expected(value, "table, json or yaml");
  return success();
}

Status apply_color(Options& o, const std::string& value, SettingSource) {
  if (value == "auto")
    o.color = terminal::ColorWish::Auto;
  else if (value == "always")
    o.color = terminal::ColorWish::Always;
  else if (value == "never")
    o.color = terminal::ColorWish::Never;
  else
    return expected(value, "auto, always or never");
  return success();
}

Status apply_all_pods(Options& o, const std::string& value, SettingSource) {
  return set_switch(o.all_pods, value);
}

Status apply_timings(Options& o, const std::string& value, SettingSource) {
  return set_switch(o.timings, value);
}

template <std::string Options::* Field>
Status apply_text(Options& o, const std::string& value, SettingSource) {
  o.*Field = value;
  return success();
}

template <std::string ControllerFlags::* Field>
Status apply_controller_text(Options& o, const std::string& value, SettingSource) {
  o.controller.*Field = value;
  return success();
}

template <Duration ControllerFlags::* Field>
Status apply_interval(Options& o, const std::string& value, SettingSource) {
  const Result<Duration> interval = parse_go_duration(value);
  if (!interval.ok() || *interval < Duration::seconds(1)) return expected(value, "a duration of 1s or more");
  o.controller.*Field = *interval;
  return success();
}

Status apply_qps(Options& o, const std::string& value, SettingSource) {
  TAMP_TRY(o.controller.qps, parse_number(value, 1, 10'000, "a number of requests per second, 1 or more"));
  return success();
}

Status apply_watch(Options& o, const std::string& value, SettingSource) { return set_switch(o.watch, value); }

Status apply_mask(Options& o, const std::string& value, SettingSource) { return set_switch(o.mask, value); }

// The embedded cluster knows no way to keep strangers out but to be out of their reach.
Status apply_listen(Options& o, const std::string& value, SettingSource) {
  TAMP_TRY(const Address address, parse_address(value));
  if (!address.ip.starts_with("127.") && address.ip != "::1")
    return expected(value, "a loopback address such as 127.0.0.1:6443");
  o.demo.address = address.ip;
  o.demo.port = address.port;
  return success();
}

template <std::string DemoFlags::* Field>
Status apply_demo_text(Options& o, const std::string& value, SettingSource) {
  o.demo.*Field = value;
  return success();
}

template <std::string SimulateFlags::* Field>
Status apply_simulate_text(Options& o, const std::string& value, SettingSource) {
  o.simulate.*Field = value;
  return success();
}

Status apply_sweep(Options& o, const std::string& value, SettingSource) {
  return set_switch(o.simulate.sweep, value);
}

Status apply_seed(Options& o, const std::string& value, SettingSource) {
  const char* end = value.data() + value.size();
  if (value.empty() || std::from_chars(value.data(), end, o.demo.seed).ptr != end)
    return expected(value, "a whole number, 0 or more");
  return success();
}

Status apply_speed(Options& o, const std::string& value, SettingSource) {
  TAMP_TRY(o.demo.speed, parse_number(value, 0.01, 10'000, "a number from 0.01 to 10000"));
  return success();
}

Status apply_dashboard_port(Options& o, const std::string& value, SettingSource) {
  const char* end = value.data() + value.size();
  if (value.empty() || std::from_chars(value.data(), end, o.demo.dashboard_port).ptr != end)
    return expected(value, "a port from 0 to 65535");
  return success();
}

Status apply_dashboard_login(Options& o, const std::string& value, SettingSource) {
  return set_switch(o.demo.dashboard_login, value);
}

Status apply_length(Options& o, const std::string& value, SettingSource) {
  const Result<Duration> length = parse_go_duration(value);
  if (!length.ok() || length->ns <= 0) return expected(value, "a duration such as 30s");
  o.demo.length = *length;
  return success();
}

constexpr Flag kFlags[] = {
    {"--kubeconfig", "", "FILE", "",
     "how to reach the cluster; else KUBECONFIG, ~/.kube/config, or the account of the pod", kLive, false,
     apply_text<&Options::kubeconfig>},
    {"--context", "", "NAME", "CONTEXT", "the kubeconfig's context, other than its current one", kLive, false,
     apply_text<&Options::context>},
    {"--filename", "-f", "FILE", "FILENAME",
     "what kubectl get -o json|yaml printed, - for standard input; may be repeated", kQuestions, true,
     apply_file},
    {"--instance-types", "", "FILE", "INSTANCE_TYPES", "machine catalogue, JSON of Karpenter's KWOK provider",
     kQuestions | kController | kSimulate, false, apply_path<&Options::instance_types>},
    {"--prices", "", "FILE", "PRICES", "prices that override the catalogue's, OpenCost CSV",
     kQuestions | kController, false, apply_path<&Options::prices>},
    {"--policy", "", "FILE", "POLICY", "a TemperPolicy, in place of the one in the cluster", kQuestions,
     false, apply_path<&Options::policy>},
    {"--observe", "", "FILE", "OBSERVE",
     "what the nodes' agents measured: a JSON array of /observe documents", kPlan, false,
     apply_path<&Options::observe>},
    {"--planner", "", "Requests|SLO", "PLANNER",
     "decide on requests (the default), or prove each move from measurements", kDecisions, false,
     apply_planner},
    {"--now", "", "TIME", "NOW", "decide as of this time (RFC 3339) and not as of the clock", kQuestions,
     false, apply_time<&Options::now>},
    {"--method", "", "all|empty|multi|single", "METHOD",
     "which moves to look for; all stops at the first that finds one", kPlan, false, apply_method},
    {"--every", "", "", "EVERY", "give each node its own verdict; its commands exclude each other", kPlan,
     false, apply_every},
    {"--steps", "", "NUMBER", "STEPS",
     "follow the road: carry commands out in thought, so many at most, and say what comes of it", kPlan,
     false, apply_steps},
    {"--target-cost", "", "DOLLARS", "TARGET_COST",
     "with --steps: what the cluster may cost per hour in the end; fewer pods move for a higher target",
     kPlan, false, apply_target_cost},
    {"--max-replacements", "", "NUMBER", "MAX_REPLACEMENTS",
     "new nodes that one command may ask for (1); more are for a look, runs make one", kDecisions, false,
     apply_max_replacements},
    {"--compat", "", "karpenter-1.14", "COMPAT", "decide as that engine does", kQuestions, false,
     apply_compat},
    {"--feature-gates", "", "NAME=BOOL,…", "FEATURE_GATES",
     "SpotToSpotConsolidation=true lets spot replace spot", kDecides, false, apply_feature_gates},
    {"--last-node-deleted", "", "TIME", "LAST_NODE_DELETED",
     "when a node was last deleted, for the stabilization window", kDecisions, false,
     apply_time<&Options::last_node_deleted>},
    {"--preference-policy", "", "Ignore|Respect", "PREFERENCE_POLICY",
     "preferred affinity and spread: ignore, or respect and relax", kQuestions | kController, false,
     apply_preferences},
    {"--scaledown-utilization-threshold", "", "SHARE", "SCALE_DOWN_UTILIZATION_THRESHOLD",
     "nodes whose requests exceed this share stay; 1 is off", kDecides, false, apply_utilization},
    {"--savings-threshold", "", "DOLLARS", "SAVINGS_THRESHOLD",
     "$/h that a move must save per unit of disruption cost; 0 is off", kDecides, false, apply_savings},
    {"--all", "", "", "ALL", "every pod", kFits, false, apply_all_pods},
    {"--output", "-o", "table|json|yaml", "OUTPUT", "for people or for tools",
     kQuestions | kStatus | kRuns | kRun | kSimulate, false, apply_output},
    {"--color", "", "auto|always|never", "COLOR", "auto: in a terminal, unless NO_COLOR is set",
     kQuestions | kDemo | kSimulate | kStatus | kRuns | kRun, false, apply_color},
    {"--node", "", "NODE", "NODE", "this node alone", kPause | kResume, false, apply_text<&Options::node>},
    {"--watch", "-w", "", "WATCH", "stay, and tell of every step until the run is over",
     kApprove | kAbort | kRun, false, apply_watch},
    {"--mask", "", "", "MASK", "replace names and images by pseudonyms", kSnapshot, false, apply_mask},
    {"--pod-namespace", "", "NAME", "POD_NAMESPACE",
     "where the Lease, the webhook's certificate and the records of runs are kept (tamp-system)",
     kController | kExport | kAudit | kDecisions, false, apply_controller_text<&ControllerFlags::ns>},
    {"--pod-name", "", "NAME", "POD_NAME", "who this is, in the Lease and in Events", kController, false,
     apply_controller_text<&ControllerFlags::pod_name>},
    {"--node-name", "", "NAME", "NODE_NAME", "where this runs: the leader's node is not removed", kController,
     false, apply_controller_text<&ControllerFlags::node_name>},
    {"--poll-interval", "", "DURATION", "POLL_INTERVAL", "time between two passes, at least (5s)",
     kController, false, apply_interval<&ControllerFlags::poll_interval>},
    {"--idle-interval", "", "DURATION", "IDLE_INTERVAL", "time between two passes while nothing changes (5m)",
     kController, false, apply_interval<&ControllerFlags::idle_interval>},
    {"--metrics-address", "", "IP:PORT", "METRICS_ADDRESS",
     "for /metrics, /healthz and /readyz (127.0.0.1:8080)", kController, false,
     apply_controller_text<&ControllerFlags::metrics_address>},
    {"--webhook-address", "", "IP:PORT", "WEBHOOK_ADDRESS",
     "for the admission webhook, with TLS; off if not given", kController, false,
     apply_controller_text<&ControllerFlags::webhook_address>},
    {"--dashboard-address", "", "IP:PORT", "DASHBOARD_ADDRESS",
     "for the dashboard, with TLS unless on loopback; off if not given", kController, false,
     apply_controller_text<&ControllerFlags::dashboard_address>},
    {"--dashboard-certificate-file", "", "FILE", "DASHBOARD_CERTIFICATE_FILE",
     "PEM, for the dashboard (one that is made at the start, which browsers do not know)", kController, false,
     apply_controller_text<&ControllerFlags::dashboard_certificate_file>},
    {"--dashboard-key-file", "", "FILE", "DASHBOARD_KEY_FILE", "PEM, of that certificate", kController, false,
     apply_controller_text<&ControllerFlags::dashboard_key_file>},
    {"--dashboard-service", "", "NAME", "DASHBOARD_SERVICE",
     "a Service without a selector that is to lead to the leader's dashboard; needs --pod-ip", kController,
     false, apply_controller_text<&ControllerFlags::dashboard_service>},
    {"--pod-ip", "", "IP", "POD_IP", "where this replica is reached", kController, false,
     apply_controller_text<&ControllerFlags::pod_ip>},
    {"--webhook-service", "", "NAME", "WEBHOOK_SERVICE", "the Service in front of the webhook (tamp-webhook)",
     kController, false, apply_controller_text<&ControllerFlags::webhook_service>},
    {"--agent-token-file", "", "FILE", "AGENT_TOKEN_FILE",
     "the token for the agents, good for nothing else; without it none is asked", kController, false,
     apply_controller_text<&ControllerFlags::agent_token_file>},
    {"--agent-ca-file", "", "FILE", "AGENT_CA_FILE",
     "who signs the agents' certificates for tamp-agent (not checked if not given)", kController, false,
     apply_controller_text<&ControllerFlags::agent_authority_file>},
    {"--agent-namespace", "", "NAME", "AGENT_NAMESPACE", "where the agents' pods are (tamp-agents)",
     kController, false, apply_controller_text<&ControllerFlags::agent_namespace>},
    {"--kube-api-qps", "", "NUMBER", "KUBE_API_QPS", "requests per second, at most (50)", kController, false,
     apply_qps},
    {"--log-level", "", "debug|info|warn|error", "LOG_LEVEL", "what is logged (info)", kController, false,
     apply_controller_text<&ControllerFlags::log_level>},
    {"--log-format", "", "text|json", "LOG_FORMAT", "for people or for tools (text in a terminal, else json)",
     kController, false, apply_controller_text<&ControllerFlags::log_format>},
    {"--scenario", "", "NAME|FILE", "SCENARIO",
     "which cluster (slo-fleet): slo-fleet, anti-affinity, off-peak, mixed-200, black-friday, or a file",
     kDemo, false, apply_demo_text<&DemoFlags::scenario>},
    {"--trace", "", "FILE", "TRACE",
     "minute,deployment,replicas,milli-cores,MiB: what to run (a generated day)", kSimulate, false,
     apply_simulate_text<&SimulateFlags::trace>},
    {"--sweep", "", "", "SWEEP", "the defaults with other savings thresholds, to find one's own", kSimulate,
     false, apply_sweep},
    {"--plots", "", "DIRECTORY", "PLOTS", "write SVG pictures there", kSimulate, false,
     apply_simulate_text<&SimulateFlags::plots>},
    {"--seed", "", "NUMBER", "SEED", "what chance gives (1); the same seed, the same cluster or day",
     kDemo | kSimulate, false, apply_seed},
    {"--speed", "", "FACTOR", "SPEED", "seconds of the cluster in one of ours (20)", kDemo, false,
     apply_speed},
    {"--listen", "", "IP:PORT", "LISTEN", "where kubectl finds it; loopback only (127.0.0.1, any free port)",
     kDemo, false, apply_listen},
    {"--kubeconfig", "", "FILE", "",
     "write the kubeconfig there and leave it (a file that is gone at the end)", kDemo, false,
     apply_demo_text<&DemoFlags::kubeconfig>},
    {"--dashboard-port", "", "PORT", "DASHBOARD_PORT", "of the dashboard, on 127.0.0.1 (any that is free)",
     kDemo, false, apply_dashboard_port},
    {"--dashboard-login", "", "", "DASHBOARD_LOGIN",
     "let the dashboard ask for a token of the cluster, as the real one does", kDemo, false,
     apply_dashboard_login},
    {"--run-for", "", "DURATION", "RUN_FOR", "end by itself after so long", kDemo, false, apply_length},
    {"--timings", "", "", "TIMINGS", "say how much processor time reading and planning took", kPlan, false,
     apply_timings},
};

}  // namespace

std::span<const Flag> flags() { return kFlags; }

}  // namespace tamp::cli

#include "agent/metrics.h"

#include <fmt/format.h>

#include <utility>

namespace tamp::agent {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

class Metrics {
 public:
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name;
    text_ += fmt::format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
  }
  template <typename T>
  void value(const std::string& labels, const std::optional<T>& value) {
    if (value) text_ += fmt::format("{}{} {}\n", name_, labels.empty() ? "" : "{" + labels + "}", *value);
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
  std::string_view name_;
};

std::string tier_label(std::string_view tier) { return fmt::format("tier=\"{}\"", tier); }

void add_agent(Metrics& m, const Snapshot& s) {
  m.family("tamp_agent_info", "gauge", "The agent's version.");
  m.value(fmt::format("version=\"{}\",node=\"{}\"", escaped(s.observation.agent_version),
                      escaped(s.observation.node)),
          std::optional(1));
  m.family("tamp_agent_cpu_seconds_total", "counter", "What the agent itself has used.");
  m.value("", std::optional(s.cost.cpu_seconds));
  m.family("tamp_agent_anonymous_bytes", "gauge", "Memory that the agent has allocated.");
  m.value("", s.cost.anonymous_bytes);
  std::size_t missing = 0;
  for (const PodDetails& pod : s.pods) missing += pod.found ? 0 : 1;
  m.family("tamp_agent_pods_not_found", "gauge", "Pods of this node without a cgroup that holds a process.");
  m.value("", std::optional(missing));
}

void add_service(Metrics& m, const ServiceFigures& f) {
  m.family("tamp_agent_refused_total", "counter", "Requests that were refused, by status code.");
  for (const auto& [code, count] : f.refused) m.value(fmt::format("code=\"{}\"", code), std::optional(count));
  m.family("tamp_agent_pod_list_age_seconds", "gauge", "Since the API server or the kubelet was last heard.");
  m.value("", f.pods_age_seconds);
  m.family("tamp_agent_annotation_writes_total", "counter", "Writes of temper.codes/requests.");
  m.value("result=\"ok\"", f.annotation_writes);
  m.value("result=\"failed\"", f.annotation_failures);
}

void add_tiers(Metrics& m, const Snapshot& s) {
  const auto each = [&](auto get) {
    for (std::size_t i = 0; i < s.observation.tiers.size(); ++i)
      m.value(tier_label(s.observation.tiers[i].tier), get(s.observation.tiers[i], s.tiers[i]));
  };
  m.family("tamp_agent_tier_pods", "gauge", "Pods of the tier on this node.");
  each([](const TierRequests& t, const TierDetails&) { return std::optional(t.pods); });
  m.family("tamp_agent_tier_cpu_request_cores", "gauge", "What they request.");
  each([](const TierRequests& t, const TierDetails&) {
    return std::optional(static_cast<double>(t.cpu_millis) / 1e3);
  });
  m.family("tamp_agent_tier_memory_request_bytes", "gauge", "What they request.");
  each([](const TierRequests& t, const TierDetails&) { return std::optional(t.memory_bytes); });
  m.family("tamp_agent_tier_cpu_usage_cores", "gauge",
           "What they used in the last 60 s; absent if any is unknown.");
  each([](const TierRequests&, const TierDetails& d) { return d.cpu_usage.s60; });
  m.family(
      "tamp_agent_tier_cpu_pressure_ratio", "gauge",
      "The highest pressure among them in the last 60 s, corrected by throttling; absent if any is unknown.");
  each([](const TierRequests&, const TierDetails& d) { return d.cpu_corrected_most.s60; });
}

// Of protected pods alone: the others may be under pressure.
void add_pods(Metrics& m, const Snapshot& s) {
  const auto each = [&](std::string_view name, std::string_view help, auto get) {
    m.family(name, "gauge", help);
    for (const PodObservation& pod : s.observation.pods)
      if (const auto tier = tier_from(pod.tier); tier && is_protected(*tier))
        m.value(fmt::format("namespace=\"{}\",pod=\"{}\",{}", escaped(pod.ns), escaped(pod.name),
                            tier_label(pod.tier)),
                get(pod));
  };
  each("tamp_agent_pod_cpu_pressure_ratio",
       "Pressure of a protected pod in the last 60 s, corrected by throttling.",
       [](const PodObservation& pod) { return pod.cpu_corrected.s60; });
  each("tamp_agent_pod_memory_pressure_ratio", "Memory pressure (some) of a protected pod in the last 60 s.",
       [](const PodObservation& pod) { return pod.memory.some.s60; });
  each("tamp_agent_pod_io_pressure_ratio",
       "Input and output pressure (some) of a protected pod in the last 60 s.",
       [](const PodObservation& pod) { return pod.io.some.s60; });
}

}  // namespace

std::string write_metrics(const Snapshot& snapshot, const ServiceFigures& figures) {
  Metrics metrics;
  add_agent(metrics, snapshot);
  add_service(metrics, figures);
  add_tiers(metrics, snapshot);
  add_pods(metrics, snapshot);
  return metrics.take();
}

}  // namespace tamp::agent

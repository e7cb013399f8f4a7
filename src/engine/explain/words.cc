#include "explain/words.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "explain/layout.h"

namespace tamp::explain {

std::string per_hour(Money m) {
  const bool dollars = m >= Money::from_dollars(1) || m <= Money::from_dollars(-1);
  return format_money(m, dollars ? 2 : 4) + "/h";
}

std::string month_amount(Money m) {
  const double dollars = m.dollars() * kHoursPerMonth;
  const double size = std::fabs(dollars);
  const char* sign = dollars < 0 ? "-" : "";
  if (size < 9.995) return fmt::format("{}${:.2f}", sign, size);
  return fmt::format("{}${}", sign, grouped(std::llround(size)));
}

std::string per_month(Money m) { return month_amount(m) + "/month"; }

std::string hour_amount(std::optional<Money> m) {
  return m ? fmt::format("{}${:.4f}", m->nanos < 0 ? "-" : "", std::fabs(m->dollars())) : "?";
}

std::string decimal(double value) {
  std::string out = fmt::format("{:.3f}", value);
  while (out.back() == '0') out.pop_back();
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string percent(double share) {
  const double scaled = share * 100;
  std::string out = fmt::format("{:.1f}", scaled);
  if (out.ends_with(".0")) out.resize(out.size() - 2);
  return out + "%";
}

std::string grouped(std::int64_t n) {
  std::string digits = std::to_string(n < 0 ? -n : n);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return n < 0 ? "-" + digits : digits;
}

std::string count(std::size_t n, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", grouped(static_cast<std::int64_t>(n)), n == 1 ? singular : plural);
}

std::string text(const Cluster& cluster, Symbol symbol) { return printable(cluster.text(symbol)); }

std::string pod_name(const Cluster& cluster, PodId pod) {
  const Pod& p = cluster.pods[pod.index()];
  return text(cluster, p.ns) + "/" + text(cluster, p.name);
}

std::string node_name(const Cluster& cluster, NodeId node) {
  return text(cluster, cluster.nodes[node.index()].name);
}

std::string new_node(const price::Command& command, std::size_t number) {
  return command.replacements.size() > 1 ? fmt::format("new node {}", number + 1) : "new node";
}

std::string destination(const Cluster& cluster, const price::Command& command, const price::Move& move) {
  return move.to.valid() ? node_name(cluster, move.to) : new_node(command, move.replacement);
}

std::string_view name(search::Verdict verdict) {
  switch (verdict) {
    case search::Verdict::Command:
      return "command";
    case search::Verdict::Eligible:
      return "eligible";
    case search::Verdict::Blocked:
      return "blocked";
  }
  return "";
}

std::string_view name(SettingSource source) {
  switch (source) {
    case SettingSource::Compat:
      return "Compat";
    case SettingSource::PolicyPool:
      return "PolicyPool";
    case SettingSource::PolicyDefault:
      return "PolicyDefault";
    case SettingSource::NodePool:
      return "NodePool";
    case SettingSource::Flag:
      return "Flag";
    case SettingSource::Environment:
      return "Environment";
    case SettingSource::BuiltIn:
      return "BuiltIn";
  }
  return "";
}

std::string_view sentence(SettingSource source) {
  switch (source) {
    case SettingSource::Compat:
      return "set by --compat";
    case SettingSource::PolicyPool:
      return "set by the TemperPolicy for this pool";
    case SettingSource::PolicyDefault:
      return "set by the TemperPolicy";
    case SettingSource::NodePool:
      return "set by the NodePool";
    case SettingSource::Flag:
      return "set by a flag";
    case SettingSource::Environment:
      return "set by the environment";
    case SettingSource::BuiltIn:
      return "built-in default";
  }
  return "";
}

std::string_view complaint(std::string_view filter) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kWords = {{
      {"NodeName", "asked for another node by name"},
      {"NodeUnschedulable", "cordoned"},
      {"TaintToleration", "taint not tolerated"},
      {"NodeAffinity", "node selector or affinity"},
      {"NodePorts", "host port taken"},
      {"NodeResourcesFit", "insufficient resources"},
      {"VolumeRestrictions", "volume used elsewhere"},
      {"NodeVolumeLimits", "volume attach limit"},
      {"VolumeBinding", "volume cannot be used there"},
      {"VolumeZone", "volume in another zone"},
      {"PodTopologySpread", "topology spread"},
      {"InterPodAffinity", "pod affinity or anti-affinity"},
  }};
  for (const auto& [key, words] : kWords)
    if (key == filter) return words;
  return filter;
}

}  // namespace tamp::explain

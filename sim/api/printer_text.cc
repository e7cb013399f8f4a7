// Parts of cells.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/api/printer.h"

namespace tamp::world::api {

std::string human_duration(Duration span) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t seconds = span.ns / kSecond;
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 120) return fmt::format("{}s", seconds);
  const auto pair = [](std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
    if (small == 0) return fmt::format("{}{}", large, large_unit);
    return fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
  };
  const std::int64_t minutes = seconds / 60;
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return fmt::format("{}m", minutes);
  const std::int64_t hours = minutes / 60;
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  const std::int64_t days = hours / 24;
  if (days < 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 730) return fmt::format("{}d", days);
  if (days < 8 * 365) return pair(days / 365, 'y', days % 365, 'd');
  return fmt::format("{}y", days / 365);
}

std::string age(const Tree& timestamp, Time now) {
  if (timestamp.string().empty()) return "<unknown>";
  const auto then = parse_rfc3339(timestamp.string());
  return then.ok() ? human_duration(now - *then) : "<unknown>";
}

std::string format_labels(const Tree& labels) {
  std::string out;
  for (const Tree::Member& label : labels.members()) {
    if (!out.empty()) out += ',';
    out += label.key + "=" + std::string(label.value.string());
  }
  return out.empty() ? "<none>" : out;
}

std::string format_selector(const Tree& selector) {
  // Requirements are printed in the order of their keys.
  std::vector<std::pair<std::string, std::string>> parts;
  for (const Tree::Member& label : selector["matchLabels"].members())
    parts.emplace_back(label.key, label.key + "=" + std::string(label.value.string()));
  for (const Tree& expression : selector["matchExpressions"].elements()) {
    const std::string key(expression["key"].string());
    const std::string_view op = expression["operator"].string();
    std::vector<std::string> values;
    for (const Tree& value : expression["values"].elements()) values.emplace_back(value.string());
    std::sort(values.begin(), values.end());
    const std::string set = fmt::format("({})", fmt::join(values, ","));
    std::string text;
    if (op == "In")
      text = key + " in " + set;
    else if (op == "NotIn")
      text = key + " notin " + set;
    else
      text = op == "Exists" ? key : "!" + key;
    parts.emplace_back(key, std::move(text));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string out;
  for (const auto& [key, text] : parts) out += (out.empty() ? "" : ",") + text;
  return out.empty() ? "<none>" : out;
}

}  // namespace tamp::world::api

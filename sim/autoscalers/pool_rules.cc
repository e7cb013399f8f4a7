#include "sim/autoscalers/pool_rules.h"

#include <algorithm>
#include <charconv>

namespace tamp::world {
namespace {

using wire::Tree;

bool is_about_empty_nodes(const Tree& budget) {
  const auto& reasons = budget["reasons"].elements();
  return reasons.empty() || std::any_of(reasons.begin(), reasons.end(),
                                        [](const Tree& reason) { return reason.string() == "Empty"; });
}

// "20%" of the nodes, rounded up, or a number. What makes no sense allows nothing.
std::size_t allowed(std::string_view text, std::size_t nodes) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  std::size_t number = 0;
  if (std::from_chars(text.data(), text.data() + text.size(), number).ptr != text.data() + text.size())
    return 0;
  return percent ? (nodes * std::min<std::size_t>(number, 100) + 99) / 100 : number;
}

}  // namespace

std::optional<Duration> empty_after(const Tree& pool) {
  const std::string_view text = pool.at({"spec", "disruption", "consolidateAfter"}).string("0s");
  if (text == "Never") return {};
  const auto span = parse_go_duration(text);
  if (!span.ok()) return {};
  return *span;
}

std::size_t empty_allowance(const Tree& pool, std::size_t nodes) {
  const auto& budgets = pool.at({"spec", "disruption", "budgets"}).elements();
  if (budgets.empty()) return allowed("10%", nodes);
  std::size_t least = nodes;
  for (const Tree& budget : budgets)
    if (is_about_empty_nodes(budget)) least = std::min(least, allowed(budget["nodes"].string("10%"), nodes));
  return least;
}

}  // namespace tamp::world

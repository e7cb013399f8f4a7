#include "wire/disruption.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/ascii.h"
#include "core/number.h"
#include "wire/cron.h"
#include "wire/duration.h"

namespace tamp::wire {
namespace {

constexpr Words<ConsolidationPolicy> kPolicies[] = {
    {"WhenEmpty", ConsolidationPolicy::WhenEmpty},
    {"WhenEmptyOrUnderutilized", ConsolidationPolicy::WhenEmptyOrUnderutilized},
    {"Balanced", ConsolidationPolicy::Balanced}};
constexpr Words<DisruptionReason> kReasons[] = {{"Underutilized", DisruptionReason::Underutilized},
                                                {"Empty", DisruptionReason::Empty},
                                                {"Drifted", DisruptionReason::Drifted}};

constexpr std::size_t kMaxBudgets = 50;  // as in Karpenter's API

bool is_number(std::string_view text) { return !text.empty() && all_digits(text); }
bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// ^((100|[0-9]{1,2})%|[0-9]+)$
bool parse_nodes(std::string_view text, Budget& budget) {
  const bool percent = text.ends_with('%');
  const std::string_view digits = percent ? text.substr(0, text.size() - 1) : text;
  if (!is_number(digits)) return false;
  if (percent && digits.size() > 2 && digits != "100") return false;
  // What no number can hold is more nodes than there are.
  (percent ? budget.percent : budget.count) = read_number<std::int64_t>(digits).value_or(INT64_MAX);
  return true;
}

// ^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\s(.+)\s(.+)\s(.+)\s(.+))$
bool looks_like_schedule(std::string_view text) {
  static constexpr std::array<std::string_view, 7> kDescriptors = {
      "@annually", "@yearly", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"};
  for (const std::string_view name : kDescriptors)
    if (text.starts_with(name)) return true;
  int gaps = 0;
  std::size_t part_begin = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    if (!is_space(text[i]) || i == part_begin) continue;
    ++gaps;
    part_begin = i + 1;
  }
  return gaps >= 4;
}

// ^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$
bool looks_like_window(std::string_view text) {
  if (text.ends_with("h0s") || text.ends_with("m0s")) text.remove_suffix(2);
  const auto hours = text.find('h');
  if (hours != std::string_view::npos) {
    if (!is_number(text.substr(0, hours))) return false;
    text.remove_prefix(hours + 1);
    if (text.empty()) return true;
  }
  return text.ends_with('m') && is_number(text.substr(0, text.size() - 1));
}

void decode_schedule(Decoder& d, Value item, Budget& budget) {
  const Value schedule = item.get("schedule"), duration = item.get("duration");
  if (schedule.present() != duration.present())
    return d.fail(item, schedule.present() ? "must be set with schedule" : "must be set with duration",
                  schedule.present() ? "duration" : "schedule");
  if (!schedule.present()) return;

  const std::string_view window = d.text(item, "duration");
  budget.schedule_text = d.text(item, "schedule");
  budget.has_schedule = true;
  if (d.failed()) return;
  if (!looks_like_schedule(budget.schedule_text))
    return d.fail(schedule, fmt::format("\"{}\" is not a cron schedule of five fields, nor one of @yearly, "
                                        "@annually, @monthly, @weekly, @daily, @midnight, @hourly",
                                        budget.schedule_text));
  if (!looks_like_window(window))
    return d.fail(
        duration,
        fmt::format("\"{}\" is not a duration in hours and minutes such as 8h, 30m or 1h30m", window));
  const auto length = parse_go_duration(window);
  if (!length) return d.fail(duration, length.error().message);
  budget.duration = *length;

  const auto cron = parse_cron(budget.schedule_text);
  if (cron) {
    budget.schedule = *cron;
    return;
  }
  budget.invalid = true;
  budget.problem = cron.error().message;
  d.warn(schedule, fmt::format("{}; with an invalid budget the pool allows no disruption", budget.problem));
}

Budget decode_budget(Decoder& d, Value item) {
  Budget budget;
  // Written as a number, too: YAML makes one of an unquoted 5.
  const Value nodes = item.get("nodes");
  if (nodes.is_number())
    budget.nodes = nodes.number_text();
  else if (nodes.present())
    budget.nodes = d.text(item, "nodes");
  if (!d.failed() && !parse_nodes(budget.nodes, budget))
    d.fail(nodes,
           fmt::format("\"{}\" is neither a number of nodes nor a percentage from 0% to 100%", budget.nodes));
  decode_schedule(d, item, budget);
  for (const Value reason : d.list(item, "reasons")) {
    const auto name = reason.string().value_or("");
    const auto known = std::find_if(std::begin(kReasons), std::end(kReasons),
                                    [&](const auto& r) { return r.first == name; });
    if (known == std::end(kReasons)) {
      d.fail(reason, fmt::format("is \"{}\", must be one of Underutilized, Empty, Drifted", name));
      break;
    }
    budget.all_reasons = false;
    budget.reasons.push_back(known->second);
  }
  std::sort(budget.reasons.begin(), budget.reasons.end());
  return budget;
}

}  // namespace

DisruptionBlock decode_disruption(Decoder& d, Value parent, std::string_view key) {
  DisruptionBlock block;
  const Value value = d.object(parent, key);
  if (!value.present()) return block;
  if (value.get("consolidationPolicy").present())
    block.policy = d.word<ConsolidationPolicy>(value, "consolidationPolicy", kPolicies, std::nullopt);
  block.consolidate_after = decode_duration_or_never(d, value, "consolidateAfter");
  block.grace_period = decode_duration_or_never(d, value, "consolidationGracePeriod");
  block.savings_threshold = d.number(value, "consolidationSavingsThreshold");
  if (block.savings_threshold && !(*block.savings_threshold >= 0 && *block.savings_threshold <= 1e9))
    d.fail(value.get("consolidationSavingsThreshold"),
           fmt::format("is {}, must be from 0 to 1000000000 (dollars per hour and unit of disruption cost)",
                       *block.savings_threshold));
  if (value.get("budgets").present()) {
    block.budgets.emplace();
    for (const Value item : d.objects(value, "budgets")) {
      if (block.budgets->size() == kMaxBudgets)
        d.fail(value.get("budgets"), fmt::format("must not hold more than {} budgets", kMaxBudgets));
      if (d.failed()) break;
      block.budgets->push_back(decode_budget(d, item));
    }
  }
  return block;
}

}  // namespace tamp::wire

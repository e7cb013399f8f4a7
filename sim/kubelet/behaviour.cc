#include "sim/kubelet/behaviour.h"

#include <string>

#include "core/result.h"

namespace tamp::world {
namespace {

std::optional<Duration> parse_span(std::string_view text) {
  if (text.empty()) return {};
  const char last = text.back();
  const bool bare = last >= '0' && last <= '9';
  const auto span = parse_go_duration(bare ? std::string(text) + "s" : std::string(text));
  if (!span || span->ns < 0) return {};
  return *span;
}

std::int64_t times(std::string_view text) {
  if (text == "true") return INT64_MAX;
  std::int64_t count = 0;
  if (text.empty() || text.size() > 9) return 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;
    count = count * 10 + (c - '0');
  }
  return count;
}

}  // namespace

std::optional<TimeRange> parse_time_range(std::string_view text) {
  const auto dots = text.find("..");
  if (dots == std::string_view::npos) {
    const auto span = parse_span(text);
    if (!span) return {};
    return TimeRange{*span, *span};
  }
  const auto least = parse_span(text.substr(0, dots)), most = parse_span(text.substr(dots + 2));
  if (!least || !most || *most < *least) return {};
  return TimeRange{*least, *most};
}

Behaviour behaviour_of(const wire::Tree& pod) {
  Behaviour b;
  std::optional<TimeRange> crash, fail, run;
  bool limited = false;
  for (const auto& annotation : pod.at({"metadata", "annotations"}).members()) {
    std::string_view key = annotation.key;
    if (!key.starts_with(kBehaviourPrefix)) continue;
    key.remove_prefix(kBehaviourPrefix.size());
    const std::string_view value = annotation.value.string();
    const auto range = parse_time_range(value);
    if (key == "start-seconds") b.start = range.value_or(b.start);
    if (key == "pull-seconds") b.pull = range.value_or(b.pull);
    if (key == "init-seconds") b.init = range.value_or(b.init);
    if (key == "terminate-seconds") b.terminate = range.value_or(b.terminate);
    if (key == "ready-after") b.ready_after = range;
    if (key == "crash-after") crash = range;
    if (key == "fail-after") fail = range;
    if (key == "run-seconds") run = range;
    if (key == "pull-fails") b.pull_failures = times(value);
    if (key == "never-ready") b.never_ready = value == "true";
    if (key == "never-terminates") b.never_terminates = value == "true";
    if (key == "crash-times") {
      b.exits = times(value);
      limited = true;
    }
  }
  b.exit_after = crash ? crash : fail ? fail : run;
  b.exits_well = b.exit_after && !crash && !fail;
  if (!limited) b.exits = INT64_MAX;
  return b;
}

}  // namespace tamp::world

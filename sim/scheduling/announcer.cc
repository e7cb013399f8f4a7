#include "sim/scheduling/announcer.h"

#include <fmt/format.h>

namespace tamp::world {
namespace {

using wire::Tree;

// kube-scheduler writes a series on when it ends, and every half hour; it ends after six minutes without news.
constexpr Duration kBetweenWrites = Duration::minutes(6);

}  // namespace

void Announcer::announce(Stage& stage, const api::Object& pod, std::string_view type, std::string_view reason,
                         std::string_view action, std::string_view message) {
  const std::pair key{std::string(pod.uid()), std::string(reason)};
  if (const auto found = told_.find(key); found != told_.end()) {
    Told& told = found->second;
    ++told.count;
    if (stage.now - told.written < kBetweenWrites) return;
    told.written = stage.now;
    const api::Outcome written =
        stage.api.modify(api::ResourceId::Events, pod.ns(), told.event, [&](Tree& event) {
          event.set("series", Tree::object({{"count", told.count},
                                            {"lastObservedTime", api::format_micro_time(stage.now)}}));
        });
    if (written.ok()) return;
    told_.erase(found);
  }
  const std::string name =
      fmt::format("{}.{:x}", pod.name(), static_cast<std::uint64_t>(stage.now.ns) + serial_++);
  stage.api.create(
      api::ResourceId::Events, pod.ns(),
      Tree::object({{"apiVersion", "v1"},
                    {"kind", "Event"},
                    {"metadata", Tree::object({{"name", name}, {"namespace", pod.ns()}})},
                    {"involvedObject", Tree::object({{"apiVersion", "v1"},
                                                     {"kind", "Pod"},
                                                     {"name", pod.name()},
                                                     {"namespace", pod.ns()},
                                                     {"resourceVersion", pod.metadata()["resourceVersion"]},
                                                     {"uid", pod.uid()}})},
                    {"type", type},
                    {"reason", reason},
                    {"action", action},
                    {"message", message},
                    {"eventTime", api::format_micro_time(stage.now)},
                    {"reportingComponent", "default-scheduler"},
                    {"reportingInstance", "default-scheduler-0"},
                    {"source", Tree::object()}}));
  if (type == "Warning") told_[key] = {name, stage.now, 1};
}

void Announcer::forget(std::string_view uid) {
  const auto first = told_.lower_bound({std::string(uid), ""});
  auto last = first;
  while (last != told_.end() && last->first.first == uid) ++last;
  told_.erase(first, last);
}

}  // namespace tamp::world

#include "sim/api/event_versions.h"

#include <array>
#include <utility>

namespace tamp::world::api {
namespace {

// v1 and events.k8s.io/v1.
constexpr std::array<std::pair<const char*, const char*>, 7> kNames = {
    {{"involvedObject", "regarding"},
     {"message", "note"},
     {"reportingComponent", "reportingController"},
     {"source", "deprecatedSource"},
     {"firstTimestamp", "deprecatedFirstTimestamp"},
     {"lastTimestamp", "deprecatedLastTimestamp"},
     {"count", "deprecatedCount"}}};

void rename(Tree& event, const char* from, const char* to) {
  Tree* value = event.find(from);
  if (value == nullptr) return;
  Tree moved = std::move(*value);
  event.erase(from);
  event.set(to, std::move(moved));
}

}  // namespace

Tree to_events_v1(const Tree& core_event) {
  Tree event = core_event;
  for (const auto& [core, other] : kNames) rename(event, core, other);
  event.set("apiVersion", "events.k8s.io/v1");
  for (const char* key : {"reportingController", "reportingInstance"})
    if (event[key].is_string() && event[key].string().empty()) event.erase(key);
  return event;
}

Tree from_events_v1(const Tree& other_event) {
  Tree event = other_event;
  for (const auto& [core, other] : kNames) rename(event, other, core);
  event.set("apiVersion", "v1");
  // What its type always has.
  for (const char* key : {"eventTime", "firstTimestamp", "lastTimestamp"}) event.ensure(key);
  for (const char* key : {"involvedObject", "source"})
    if (!event[key].is_object()) event.set(key, Tree::object());
  for (const char* key : {"reportingComponent", "reportingInstance"})
    if (!event[key].is_string()) event.set(key, "");
  return event;
}

}  // namespace tamp::world::api

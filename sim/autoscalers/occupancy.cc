#include "sim/autoscalers/occupancy.h"

#include "sim/autoscalers/pod_needs.h"

namespace tamp::world {
namespace {

std::string_view node_of(const api::ObjectPtr& pod) {
  return pod == nullptr || leaves_node_empty(*pod) ? std::string_view() : pod->spec()["nodeName"].string();
}

}  // namespace

std::set<std::string> Occupancy::changed(const api::Change& change, Time now) {
  std::set<std::string> touched;
  if (change.resource == api::ResourceId::Nodes) {
    if (change.after == nullptr)
      rooms_.erase(std::string(change.before->name()));
    else if (change.before == nullptr && !rooms_.contains(change.after->name()))
      rooms_[std::string(change.after->name())] = {{}, now, now};
    return touched;
  }
  if (change.resource != api::ResourceId::Pods) return touched;
  const std::string_view before = node_of(change.before), after = node_of(change.after);
  if (before == after) return touched;
  if (!before.empty()) leave(*change.before, touched, now);
  if (!after.empty()) enter(*change.after, touched, now);
  return touched;
}

void Occupancy::leave(const api::Object& pod, std::set<std::string>& touched, Time now) {
  auto room = rooms_.find(pod.spec()["nodeName"].string());
  if (room == rooms_.end()) return;
  room->second.occupants.erase({std::string(pod.ns()), std::string(pod.name())});
  room->second.last_event = now;
  if (room->second.occupants.empty()) room->second.empty_since = now;
  touched.insert(room->first);
}

void Occupancy::enter(const api::Object& pod, std::set<std::string>& touched, Time now) {
  const std::string node(pod.spec()["nodeName"].string());
  Room& room = rooms_[node];
  room.occupants.emplace(pod.ns(), pod.name());
  room.last_event = now;
  touched.insert(node);
}

std::optional<Time> Occupancy::empty_since(std::string_view node) const {
  auto room = rooms_.find(node);
  if (room == rooms_.end() || !room->second.occupants.empty()) return {};
  return room->second.empty_since;
}

std::optional<Time> Occupancy::last_event(std::string_view node) const {
  auto room = rooms_.find(node);
  if (room == rooms_.end()) return {};
  return room->second.last_event;
}

const std::set<Occupancy::PodKey>& Occupancy::occupants(std::string_view node) const {
  static const std::set<PodKey> kNone;
  auto room = rooms_.find(node);
  return room == rooms_.end() ? kNone : room->second.occupants;
}

}  // namespace tamp::world

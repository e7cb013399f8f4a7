#include "sim/scheduling/pod_queue.h"

#include <algorithm>
#include <vector>

namespace tamp::world {
namespace {

constexpr Duration kPatience = Duration::minutes(5);

Time backoff_over(const WaitingPod& pod) {
  if (pod.failures == 0) return pod.since;
  return pod.since + Duration::seconds(pod.failures > 4 ? 10 : std::min(10, 1 << (pod.failures - 1)));
}

}  // namespace

void PodQueue::forget_place(const PodName& name, const Entry& entry) {
  if (entry.where == Where::Active) active_.erase(turn(name, entry.pod));
  if (entry.where == Where::BackingOff || entry.where == Where::Unschedulable) due_.erase({entry.due, name});
}

void PodQueue::move(const PodName& name, Entry& entry, Where where, Time due) {
  forget_place(name, entry);
  entry.where = where;
  entry.due = due;
  if (where == Where::Active) active_.insert(turn(name, entry.pod));
  if (where == Where::BackingOff || where == Where::Unschedulable) due_.emplace(due, name);
}

void PodQueue::add(const PodName& name, std::string uid, std::int64_t priority, Time now) {
  const auto [it, fresh] = pods_.try_emplace(name);
  Entry& entry = it->second;
  if (!fresh) forget_place(name, entry);
  if (fresh || entry.pod.uid != uid) entry.pod = {std::move(uid), priority, now, 0, {}};
  entry.pod.priority = priority;
  // Not in any of the lists at this point: a gated entry has no place to forget.
  entry.where = Where::Gated;
  if (now < backoff_over(entry.pod))
    move(name, entry, Where::BackingOff, backoff_over(entry.pod));
  else
    move(name, entry, Where::Active, {});
}

void PodQueue::add_gated(const PodName& name, std::string uid, std::int64_t priority, Time now) {
  remove(name);
  pods_[name] = {{std::move(uid), priority, now, 0, {}}, Where::Gated, {}};
}

void PodQueue::remove(const PodName& name) {
  const auto it = pods_.find(name);
  if (it == pods_.end()) return;
  forget_place(name, it->second);
  pods_.erase(it);
}

bool PodQueue::gated(const PodName& name) const {
  const auto it = pods_.find(name);
  return it != pods_.end() && it->second.where == Where::Gated;
}

std::optional<std::pair<PodName, WaitingPod>> PodQueue::take() {
  if (active_.empty()) return {};
  const PodName name = std::get<2>(*active_.begin());
  auto entry = pods_.extract(name);
  active_.erase(active_.begin());
  return std::pair(name, std::move(entry.mapped().pod));
}

void PodQueue::put_back(const PodName& name, WaitingPod pod, Time now) {
  remove(name);
  pod.since = now;
  ++pod.failures;
  Entry& entry = pods_[name];
  entry.pod = std::move(pod);
  entry.where = Where::Gated;
  if (entry.pod.refused_by.empty())
    move(name, entry, Where::BackingOff, backoff_over(entry.pod));
  else
    move(name, entry, Where::Unschedulable, now + kPatience);
}

void PodQueue::wake(const std::function<bool(const PodName&, const WaitingPod&)>& helps, Time now) {
  for (auto& [name, entry] : pods_) {
    if (entry.where != Where::Unschedulable || !helps(name, entry.pod)) continue;
    const Time over = backoff_over(entry.pod);
    if (now < over)
      move(name, entry, Where::BackingOff, over);
    else
      move(name, entry, Where::Active, {});
  }
}

void PodQueue::advance(Time now) {
  while (!due_.empty() && due_.begin()->first <= now) {
    const PodName name = due_.begin()->second;
    move(name, pods_[name], Where::Active, {});
  }
}

std::optional<Time> PodQueue::next() const {
  if (due_.empty()) return {};
  return due_.begin()->first;
}

}  // namespace tamp::world

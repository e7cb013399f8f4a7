#include "sim/api/store.h"

#include <cassert>
#include <string>

namespace tamp::world::api {
namespace {

std::pair<std::string_view, std::string_view> key_of(std::string_view ns, std::string_view name) {
  return {ns, name};
}

}  // namespace

const Objects& Store::objects(ResourceId resource) const {
  static const Objects kNone;
  const auto index = static_cast<std::size_t>(resource);
  return index < shelves_.size() ? shelves_[index] : kNone;
}

Objects& Store::shelf(ResourceId resource) {
  const auto index = static_cast<std::size_t>(resource);
  if (index >= shelves_.size()) shelves_.resize(index + 1);
  return shelves_[index];
}

ObjectPtr Store::get(ResourceId resource, std::string_view ns, std::string_view name) const {
  const Objects& all = objects(resource);
  const auto found = all.find(key_of(ns, name));
  return found != all.end() ? found->second : nullptr;
}

ObjectPtr Store::put(ResourceId resource, Tree object, bool reads_otherwise) {
  object.ensure("metadata").set("resourceVersion", std::to_string(++revision_));
  auto after = std::make_shared<const Object>(std::move(object), reads_otherwise);
  Objects& all = shelf(resource);
  ObjectPtr before;
  if (auto found = all.find(key_of(after->ns(), after->name())); found != all.end()) {
    before = std::move(found->second);
    found->second = after;
  } else {
    all.emplace(ObjectKey(after->ns(), after->name()), after);
  }
  log({{revision_, resource, std::move(before), after}, nullptr});
  return after;
}

ObjectPtr Store::erase(ResourceId resource, std::string_view ns, std::string_view name) {
  Objects& all = shelf(resource);
  auto found = all.find(key_of(ns, name));
  assert(found != all.end());
  Tree last = found->second->tree();
  last.ensure("metadata").set("resourceVersion", std::to_string(++revision_));
  auto gone = std::make_shared<const Object>(std::move(last));
  log({{revision_, resource, gone, nullptr}, std::move(found->second)});
  all.erase(found);
  return gone;
}

void Store::log(Entry entry) {
  log_.push_back(std::move(entry));
  if (log_.size() > kept_) log_.pop_front();
}

void Store::keep_changes(std::size_t count) {
  kept_ = count;
  while (log_.size() > kept_) log_.pop_front();
}

const Change* Store::change_after(std::uint64_t revision) const {
  if (revision >= revision_ || log_.empty()) return nullptr;
  return &(revision <= oldest() ? log_.front() : log_[revision - oldest()]).change;
}

std::optional<Objects> Store::at(ResourceId resource, std::uint64_t revision) const {
  if (revision < oldest()) return {};
  Objects then = objects(resource);
  for (std::size_t i = log_.size(); i > revision - oldest(); --i) {
    const Entry& entry = log_[i - 1];
    if (entry.change.resource != resource) continue;
    const Object& object = entry.change.object();
    const ObjectPtr& before = entry.removed ? entry.removed : entry.change.before;
    ObjectKey key(object.ns(), object.name());
    if (before)
      then[std::move(key)] = before;
    else
      then.erase(key);
  }
  return then;
}

}  // namespace tamp::world::api

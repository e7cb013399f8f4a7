#include "controller/run_shelf.h"

#include <utility>

#include "documents/run_document.h"

namespace tamp::controller {

using wire::EventInfo;
using wire::Tree;

ShelvedRun read_shelved_run(const Tree& object) {
  ShelvedRun out;
  const Tree& metadata = object["metadata"];
  if (auto run = documents::read_run(wire::to_json(object)))
    out.run = std::move(*run);
  else
    out.error = run.error().message;
  out.run.name = metadata["name"].string();
  out.run.uid = metadata["uid"].string();
  out.resource_version = metadata["resourceVersion"].string();
  for (const Tree& finalizer : metadata["finalizers"].elements())
    out.finalizers.emplace_back(finalizer.string());
  out.deleting = metadata.has("deletionTimestamp");
  return out;
}

RunShelf::RunShelf(net::Loop& loop, net::Client& client)
    : reflector_(loop, client, net::kConsolidationRuns,
                 {[this] { listed_.clear(); }, [this](const std::string& bytes) { return page(bytes); },
                  [this] { runs_ = std::exchange(listed_, {}); },
                  [this](const std::string& line) { return event(line); }},
                 [] {
                   net::ReflectorOptions options;
                   options.custom = true;
                   options.page_size = 50;  // a run may have a quarter of a megabyte
                   return options;
                 }()) {
  reflector_.set_on_change([this] {
    if (reflector_.state().phase == net::ReflectorState::Phase::Absent) runs_.clear();
    if (on_change_) on_change_();
  });
}

Result<wire::PageInfo> RunShelf::page(const std::string& bytes) {
  TAMP_TRY(const Tree list, wire::read_tree(bytes));
  const Tree& items = list["items"];
  if (!list.is_object() || !(items.is_array() || items.is_null())) return Error{"not a list"};
  for (const Tree& item : items.elements()) {
    ShelvedRun run = read_shelved_run(item);
    if (run.run.name.empty()) return Error{"a ConsolidationRun without a name"};
    std::string name = run.run.name;
    listed_.insert_or_assign(std::move(name), std::move(run));
  }
  return wire::PageInfo{std::string(list.at({"metadata", "resourceVersion"}).string()),
                        std::string(list.at({"metadata", "continue"}).string())};
}

Result<EventInfo> RunShelf::event(const std::string& line) {
  TAMP_TRY(const Tree event, wire::read_tree(line));
  const std::string_view type = event["type"].string();
  const Tree& object = event["object"];
  EventInfo info;
  if (type == "ERROR") {
    info.type = EventInfo::Type::Error;
    info.error_code = static_cast<int>(object["code"].integer());
    info.error_message = object["message"].string();
    return info;
  }
  info.resource_version = object.at({"metadata", "resourceVersion"}).string();
  if (type == "BOOKMARK") {
    info.type = EventInfo::Type::Bookmark;
    return info;
  }
  ShelvedRun run = read_shelved_run(object);
  std::string name = run.run.name;
  if (name.empty()) return Error{"a ConsolidationRun without a name"};
  if (type == "DELETED") {
    info.type = EventInfo::Type::Deleted;
    runs_.erase(name);
    return info;
  }
  if (type != "ADDED" && type != "MODIFIED")
    return Error{"an event of the unknown type " + std::string(type)};
  info.type = type == "ADDED" ? EventInfo::Type::Added : EventInfo::Type::Modified;
  runs_.insert_or_assign(std::move(name), std::move(run));
  return info;
}

}  // namespace tamp::controller

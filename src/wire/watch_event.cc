#include "wire/watch_event.h"

#include <utility>

#include "wire/api_status.h"

namespace tamp::wire {

Result<PageInfo> read_page_info(Value list) {
  if (!list.is_object()) return Error{"a list must be an object"};
  if (const auto kind = list.get("kind").string(); kind && *kind == "Status")
    return Error{"a Status where a list should be"};
  const Value metadata = list.get("metadata");
  PageInfo page;
  page.resource_version = metadata.get("resourceVersion").string().value_or(std::string_view());
  page.continue_token = metadata.get("continue").string().value_or(std::string_view());
  if (page.resource_version.empty()) return Error{"metadata.resourceVersion: missing"};
  return page;
}

Result<EventInfo> read_event_info(Value event) {
  static constexpr std::pair<std::string_view, EventInfo::Type> kTypes[] = {
      {"ADDED", EventInfo::Type::Added},     {"MODIFIED", EventInfo::Type::Modified},
      {"DELETED", EventInfo::Type::Deleted}, {"BOOKMARK", EventInfo::Type::Bookmark},
      {"ERROR", EventInfo::Type::Error},
  };
  const auto word = event.get("type").string();
  if (!word) return Error{"type: missing"};
  EventInfo info;
  bool known = false;
  for (const auto& [name, type] : kTypes) {
    if (*word != name) continue;
    info.type = type;
    known = true;
  }
  if (!known) return Error{"type: \"" + std::string(*word) + "\" is not known"};
  const Value object = event.get("object");
  if (!object.is_object()) return Error{"object: missing"};
  if (info.type == EventInfo::Type::Error) {
    const ApiStatus status = read_api_status(object);
    info.error_code = status.code;
    info.error_message = status.message;
    return info;
  }
  info.resource_version = object.get("metadata").get("resourceVersion").string().value_or(std::string_view());
  if (info.resource_version.empty()) return Error{"object.metadata.resourceVersion: missing"};
  return info;
}

}  // namespace tamp::wire

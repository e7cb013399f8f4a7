// What keeping a kind current needs to know of a page of a list and of an event of a watch, whoever decodes the objects
// in them: where the list or the watch stands, and whether it goes on.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.h"
#include "wire/value.h"

namespace tamp::wire {

// Of a list's metadata.
struct PageInfo {
  std::string resource_version;
  std::string continue_token;  // empty: this was the last page
};

struct EventInfo {
  enum class Type : std::uint8_t { Added, Modified, Deleted, Bookmark, Error };
  Type type = Type::Added;
  std::string resource_version;  // of the object; empty for an Error
  // For an Error, of the Status in it. 0 if it has none.
  int error_code = 0;
  std::string error_message;
};

// REQUIRES of none: anything that is no list (no event) is an error. Objects inside are not looked at.
Result<PageInfo> read_page_info(Value list);
Result<EventInfo> read_event_info(Value event);

}  // namespace tamp::wire

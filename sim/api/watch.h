// Open watches. A watch is a place in the store's log of changes; it costs nothing while nobody asks for its next frame.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/backend.h"
#include "sim/api/selectors.h"
#include "sim/api/show.h"

namespace tamp::world::api {

struct WatchAsked {
  Resource resource;  // a copy: a custom resource may go while it is watched
  std::string ns;     // empty: all
  Filter filter;
  Form form = Form::Object;
  RowObject row_object = RowObject::Metadata;
  std::uint64_t after = 0;         // changes after this revision
  std::vector<ObjectPtr> initial;  // shown as ADDED first
  bool initial_end = false;        // then a bookmark that says so
  bool bookmarks = false;
  std::optional<Time> until;
};

// What a GET with watch=true asks for, or why it cannot be.
struct WatchReading {
  std::optional<WatchAsked> asked;
  Outcome failure;
};
WatchReading read_watch(const Backend& backend, const Resource& resource, std::string_view ns,
                        std::string_view name, std::string_view accept, const Query& query);

class Watches {
 public:
  WatchId open(WatchAsked asked, std::function<void()> news, Time now);
  std::optional<std::string> next_frame(const Backend& backend, WatchId id);
  bool ended(WatchId id) const;
  void close(WatchId id);

  // After a write: tells those whose resource it is. After time went on: those that end or are due a bookmark.
  void tell(const Backend& backend, std::uint64_t since);
  void time_went_on(Time now);

 private:
  struct Open {
    WatchAsked asked;
    std::function<void()> news;
    std::size_t initial_sent = 0;
    std::uint64_t cursor = 0;
    Time next_bookmark;
    bool bookmark_due = false, columns_sent = false, ended = false;
  };
  std::string frame(Open& watch, const Backend& backend, std::string_view type, const ObjectPtr& object);
  std::string bookmark(Open& watch, const Backend& backend, bool initial_end);
  std::optional<std::string> next_change(Open& watch, const Backend& backend);

  std::map<WatchId, Open> open_;
  WatchId next_ = 1;
  Time earliest_{INT64_MAX};  // when time_went_on has something to do
};

}  // namespace tamp::world::api

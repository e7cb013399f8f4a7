// Keeps one kind current: lists it in pages, then watches it from there, and starts over where the server says that it
// cannot go on. The bytes go to a sink, which decodes them; the reflector looks only at where list and watch stand.
//
// It never goes back: a list that is older than something already seen (another API server may lag behind) is not used.
// So a cluster whose store was set back by a restore stays Broken, and says so, until the program starts anew.
//
// Thread safety: none; lives on one loop. Its sink must not destroy it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/result.h"
#include "core/time.h"
#include "net/backoff.h"
#include "net/client.h"
#include "net/loop.h"
#include "net/resource.h"
#include "net/watch_frame.h"
#include "wire/watch_event.h"

namespace tamp::net {

// Called in this order: begin_list, page…, end_list, event…, and again from begin_list. A list may be given up at any
// page: another begin_list forgets what came since the last one, so what was there before counts until end_list.
struct WatchSink {
  std::function<void()> begin_list;
  std::function<Result<wire::PageInfo>(std::string bytes)> page;
  std::function<void()> end_list;
  // An error of an event makes the reflector list again.
  std::function<Result<wire::EventInfo>(std::string line)> event;
};

struct ReflectorOptions {
  // The kind is installed separately: a server that does not know it has none of its objects.
  bool custom = false;
  std::string field_selector;  // "spec.nodeName=a": only these objects
  int page_size = 500;
  Duration watch_at_least = Duration::minutes(5), watch_at_most = Duration::minutes(10);
  // Bookmarks come about once a minute, so a watch that is silent for longer than this is dead.
  Duration stall_after = Duration::minutes(3);
  Duration open_within = Duration::seconds(30);
  // A watch that held as long as this ends the count of failures.
  Duration settled_after = Duration::seconds(10);
  Duration resume_jitter{200'000'000};
  Duration look_for_absent = Duration::seconds(30);
  // After many a 401 and 403, at most; half of it at least.
  Duration denied_retry = Duration::seconds(20);
  BackoffOptions backoff;
};

struct ReflectorState {
  enum class Phase : std::uint8_t {
    Starting,  // nothing was heard yet
    Listing,   // the first list, or a new one, is under way
    Current,   // the sink has everything up to last_contact
    Absent,    // a custom kind that the server does not know
    Broken,    // the last attempt failed; the sink keeps what it had
  };
  Phase phase = Phase::Starting;
  Instant since;
  // The server was last heard: a page, an opened watch, an event, a bookmark.
  Instant last_contact;
  bool synced = false;     // a list was completed, or the kind found absent, at least once
  std::string last_error;  // empty once it is Current or Absent again
  std::optional<ApiError::Kind> last_error_kind;
  std::string resource_version;  // the last one seen
  std::uint64_t lists = 0, relists = 0, watches = 0, events = 0, failures = 0;

  bool usable() const { return phase == Phase::Current || phase == Phase::Absent; }
};
std::string_view word(ReflectorState::Phase phase);

class Reflector {
 public:
  Reflector(Loop& loop, Client& client, ResourceType type, WatchSink sink, ReflectorOptions options = {});
  Reflector(const Reflector&) = delete;
  Reflector& operator=(const Reflector&) = delete;

  void start();
  void stop();

  const ResourceType& type() const { return type_; }
  const ReflectorState& state() const { return state_; }
  // Called after each change of phase and after each list, and after each piece of the watch that carried events.
  void set_on_change(std::function<void()> on_change) { on_change_ = std::move(on_change); }

 private:
  // Where the next list must stand. NotOlderThan is quick, the newest is what the store itself says.
  enum class Reach : std::uint8_t { NotOlder, Newest };

  void list();
  void ask_page();
  void got_page(Reply reply);
  void listed();
  void watch();
  void opened();
  void got_bytes(std::string_view bytes);
  bool got_event(std::string line);  // false: the watch was left
  void watch_ended(std::optional<Response> refusal, std::optional<Failure> failure);
  void check_stall();

  void failed(const ApiError& error);
  void retry(std::function<void()> what, std::string why, std::optional<ApiError::Kind> kind,
             std::optional<Duration> wait = {});
  void absent();
  void leave_watch();
  void enter(ReflectorState::Phase phase);
  void changed();
  bool older_than_seen(const std::string& resource_version) const;
  Duration jitter(Duration span) { return random_part(span, loop_.random()); }

  Loop& loop_;
  Client& client_;
  ResourceType type_;
  WatchSink sink_;
  ReflectorOptions options_;
  ReflectorState state_;
  std::function<void()> on_change_;

  Reach reach_ = Reach::NotOlder;
  std::string list_version_;  // of the first page of the list under way
  std::string continue_token_;
  int failures_ = 0;  // in a row
  int gones_ = 0;     // of these, with 410
  int denials_ = 0;   // of these, with 401 and 403
  int absences_ = 0;  // in a row
  Instant watch_opened_;
  bool watch_open_ = false;
  WatchFrame frame_;
  Pending under_way_;  // a page, the watch, or a wait
  Pending stall_;
};

}  // namespace tamp::net

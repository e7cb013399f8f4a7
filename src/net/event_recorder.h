// Tells people what happens to an object, as core/v1 Events that `kubectl describe` shows.
//
// One event for each (object, reason, message), under a name made from them: a repeat is counted in the object that is
// there, also after a restart, and at most once in a while. Recording never fails and never blocks: what does not fit
// into the queue is dropped and counted. One request is under way at a time.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <cstdint>
#include <deque>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/time.h"
#include "net/client.h"
#include "net/loop.h"
#include "net/rate_limit.h"

namespace tamp::net {

struct ObjectReference {
  std::string api_version;  // "v1", "temper.codes/v1alpha1"
  std::string kind;
  std::string ns;  // empty for an object without namespace; its events are kept in "default"
  std::string name;
  std::string uid;
};

enum class EventType : std::uint8_t { Normal, Warning };

struct EventRecorderOptions {
  std::string component = "tamp";
  std::string host;  // the reporting instance: the pod's name
  double qps = 5;
  int burst = 50;
  std::size_t queue = 1000;
  std::size_t remembered = 20'000;
  // A repeat within this time is only counted. Less than the hour after which the server forgets an event.
  Duration repeat_after = Duration::minutes(20);
};

class EventRecorder {
 public:
  EventRecorder(Loop& loop, Client& client, EventRecorderOptions options = {});
  EventRecorder(const EventRecorder&) = delete;
  EventRecorder& operator=(const EventRecorder&) = delete;

  void record(const ObjectReference& object, EventType type, std::string_view reason,
              std::string_view message);

  std::size_t queued() const { return queue_.size(); }

 private:
  struct Entry {
    ObjectReference object;
    EventType type = EventType::Normal;
    std::string reason, message;
    std::string name;  // of the event
    Time first, last;
    std::int64_t untold = 0;   // how often since the server was told
    std::int64_t telling = 0;  // of these, in the request under way
    std::int64_t told = 0;     // the count that the server has
    bool known = false;        // the server has the event
    bool busy = false;         // queued or under way
    bool ever_sent = false;
    Instant sent_at;
  };
  using Entries = std::list<Entry>;

  void pump();
  void create(Entry& entry, bool after_update);
  void adopt(Entry& entry);
  void update(Entry& entry, bool after_create);
  void finished(Entry& entry, bool ok);
  void forget_oldest();
  std::string body(const Entry& entry) const;

  Loop& loop_;
  Client& client_;
  EventRecorderOptions options_;
  TokenBucket bucket_;
  Entries entries_;                                             // the least recently recorded first
  std::unordered_map<std::string, Entries::iterator> by_name_;  // "namespace/name"; look-up only
  std::deque<Entries::iterator> queue_;
  bool sending_ = false;
  Pending under_way_, wake_;
};

// "ip-10-0-3-13.5f3a…": a DNS name that the same (object, reason, message) gets always.
std::string event_name(const ObjectReference& object, std::string_view reason, std::string_view message);

}  // namespace tamp::net

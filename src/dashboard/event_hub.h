// News for open pages, as server-sent events. An event says which topic changed, never how: who cares asks for the document again. So
// what a client missed is no more than a set of topics, and resuming costs nothing.
//
//   id: 5f3a-17
//   event: nodes
//   data: {}
//
// How often a topic is told is bounded, and so is the number of streams.
//
// Thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>
#include <string>
#include <string_view>

#include "core/time.h"
#include "net/http_stream.h"
#include "net/loop.h"

namespace tamp::dashboard {

enum class Topic : std::uint8_t { Overview, Plan, Nodes, Runs };
inline constexpr std::size_t kTopics = 4;
std::string_view word(Topic topic);

class EventHub {
 public:
  // `boot` tells this process from the one before it: ids of another mean nothing here.
  EventHub(std::string boot, std::size_t most_streams) : boot_(std::move(boot)), most_(most_streams) {}

  // At most one event of the topic in so long; what comes earlier is told by flush() when it is time.
  void pace(Topic topic, Duration least);
  void tell(Topic topic, net::Instant now);
  // Tells what had to wait. To be called every second or so.
  void flush(net::Instant now);
  // Something that keeps connections from being taken for dead.
  void beat();

  // False: there are too many already. `last_id` as the client sent it: it is told at once what changed since; everything if that is
  // not known.
  bool join(const net::HttpStream& stream, std::string_view last_id);
  // Ends every stream: there is nothing more to be told here.
  void dismiss();

 private:
  void send(const std::string& text);
  std::string event(Topic topic) const;

  std::mutex mutex_;
  std::string boot_;
  std::size_t most_;
  std::uint64_t sequence_ = 0;
  struct State {
    std::uint64_t told = 0;  // sequence of its newest event
    net::Instant at;
    bool ever = false, waiting = false;
    Duration least;
  };
  std::array<State, kTopics> topics_;
  std::list<net::HttpStream> streams_;
};

}  // namespace tamp::dashboard

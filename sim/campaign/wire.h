// The way of one process to the simulated API server, with everything that can go wrong on it, and with an ear at the server's
// end: whoever judges the controller from outside hears every request when it arrives, and every answer.
//
// The wire outlives the processes that use it one after the other: what was sent before a crash is still carried out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "net/transport.h"
#include "sim/api/dice.h"
#include "sim/api/server.h"
#include "sim/campaign/process_loop.h"
#include "sim/campaign/weather.h"
#include "sim/embedded/memory_transport.h"

namespace tamp::sim {

// A request that changes something, taken apart.
struct Call {
  net::Method method{};
  std::string resource;  // "nodes", "pods", "consolidationruns", "leases", …
  std::string ns, name, subresource;
  bool dry_run = false;
  const net::Request* request = nullptr;
  bool write() const { return method != net::Method::Get; }
};
Call take_apart(const net::Request& request);

// When a process is to die, as seen from its next write of a certain kind.
enum class CrashPoint : std::uint8_t { BeforeArrival, AfterCommit, AfterAnswer };

class Wire : public net::ApiTransport {
 public:
  struct Ears {
    std::function<void(const Call&)> arriving;                         // before the server does it
    std::function<void(const Call&, const world::api::Answer&)> done;  // at once after
    std::function<void()> crash;                                       // the process must die now
    std::function<void(std::string_view)> count;                       // a rare branch was taken
  };
  // Changes what a process sends or hears: the injected bugs (mutants.h). An answer given here is not asked of the server.
  using Tamper = std::function<std::optional<net::Response>(net::Request& request)>;

  Wire(net::Loop& world_loop, world::api::Server& server, std::string token, std::uint64_t seed, Ears ears);

  // The loop of the process that uses the wire now. It must outlive its requests.
  void attach(ProcessLoop& loop) { process_ = &loop; }
  // It died: nobody hears answers any more.
  void detach() { process_ = nullptr; }
  Weather& weather() { return weather_; }
  void set_tamper(Tamper tamper) { tamper_ = std::move(tamper); }
  // Pods that come later are not told: a mutant.
  void set_blind(bool blind) { blind_ = blind; }
  // The next write to nodes, pods, claims or runs is the process's last.
  void crash_at_next_write(CrashPoint point) { crash_ = point; }
  void forget_crash() { crash_.reset(); }

  net::Pending send(net::Request request, std::function<void(net::Exchange)> done) override;
  net::Pending stream(net::Request request, net::StreamSink sink) override;

 private:
  struct Trip {
    net::Request request;
    std::function<void(net::Exchange)> done;
    net::Pending step;
    bool wanted = true;
  };
  struct Watching;

  Duration delay();
  void arrive(std::uint64_t id);
  void answer(std::uint64_t id, net::Exchange exchange, Duration after);
  std::optional<net::Response> refusal(const Call& call);
  net::Response ask(const Call& call);
  void grow_stale(std::string_view target, net::Response& response);

  net::Loop& world_loop_;
  world::api::Server& server_;
  std::string token_;
  world::Dice dice_;
  Ears ears_;
  embed::MemoryTransport memory_;
  ProcessLoop* process_ = nullptr;
  Weather weather_;
  Tamper tamper_;
  std::optional<CrashPoint> crash_;
  bool blind_ = false;
  std::set<std::string> unseen_;  // uids of pods that were kept back
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Trip> trips_;
  std::map<std::string, net::Response> old_lists_;  // by path: what an older cache would say
};

}  // namespace tamp::sim

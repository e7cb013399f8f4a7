// /healthz and /readyz: is the loop alive, and is everything in place that answers depend on? The loop writes, threads of the
// server read. Leader and follower are both ready: a follower serves the webhook and its metrics, too.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.h"
#include "net/http_server.h"
#include "net/loop.h"

namespace tamp::controller {

class Health {
 public:
  // A loop that has not ticked for this long is stuck; the kubelet restarts the container.
  static constexpr Duration kStuckAfter = Duration::seconds(60);

  // `needed`: what must be set ready first ("caches", "webhook-certificate"). `clock` is called on any thread; without one
  // it is the machine's monotonic clock.
  explicit Health(std::vector<std::string> needed, std::function<net::Instant()> clock = nullptr);

  // The loop is alive; to be called every few seconds from a timer of the loop.
  void tick();
  // Names that were not in `needed` are added.
  void set_ready(std::string_view name);
  // `problem` says why, in a few words: "waiting for pods and nodes".
  void set_not_ready(std::string_view name, std::string problem);

  // 200 or 503, with a line for each check if something fails or the query has `verbose`. Paths /healthz (also /livez) and
  // /readyz.
  net::HttpResponse answer(const net::HttpRequest& request) const;

 private:
  std::string loop_problem() const;

  std::function<net::Instant()> clock_;
  mutable std::mutex mutex_;
  net::Instant ticked_;
  std::map<std::string, std::string, std::less<>> problems_;  // by name; empty: ready
};

}  // namespace tamp::controller

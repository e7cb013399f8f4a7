// What the agent answers on its port: /observe, /metrics, /healthz and /readyz. A document is made at most once in each interval, however
// many ask for it, and one that is too large is not served. Thread-safe: readings and requests take turns.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/agent.h"
#include "agent/metrics.h"

namespace tamp::agent {

struct Page {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
};

// What collectors take at most (wire/observation.h).
inline constexpr std::size_t kLargestDocument = std::size_t{4} << 20;

class Pages {
 public:
  // `now` may be called on any thread.
  Pages(Agent agent, std::function<Moment()> now) : agent_(std::move(agent)), now_(std::move(now)) {}

  void tick();
  void follow(std::vector<wire::NodePod> pods);
  // Before it is first told who runs here, an agent that waits for that has nothing to say.
  void await_pods();

  Page answer(std::string_view method, std::string_view path, const ServiceFigures& figures = {});
  // What the annotation temper.codes/requests is to say.
  RequestsByTier requests();

 private:
  const Snapshot& snapshot();  // REQUIRES: mutex_ is held

  std::mutex mutex_;
  // All below is protected by mutex_.
  Agent agent_;
  bool pods_known_ = true;
  std::function<Moment()> now_;
  std::optional<Snapshot> snapshot_;  // since the last reading
  std::optional<std::string> document_;
};

}  // namespace tamp::agent

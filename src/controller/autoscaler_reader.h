// Keeps an eye on what Cluster Autoscaler says of itself: one ConfigMap, read now and then. A cluster without it has none; while it
// cannot be read, what it said before counts.
#pragma once

#include <optional>

#include "core/autoscaler_status.h"
#include "net/client.h"

namespace tamp::controller {

class AutoscalerReader {
 public:
  AutoscalerReader(net::Loop& loop, net::Client& client) : loop_(loop), client_(client) {}
  AutoscalerReader(const AutoscalerReader&) = delete;
  AutoscalerReader& operator=(const AutoscalerReader&) = delete;

  void start();  // again is no more
  void stop();
  // It was looked for at least once.
  bool looked() const { return looked_; }
  const std::optional<AutoscalerStatus>& status() const { return status_; }

 private:
  void read();

  net::Loop& loop_;
  net::Client& client_;
  std::optional<AutoscalerStatus> status_;
  bool running_ = false, looked_ = false;
  net::Pending request_, next_;
};

}  // namespace tamp::controller

// Asks Prometheus for an application's own signal (`guards.run.prometheus`) while a run is at work: an instant query, again and again, one
// at a time, with a deadline. The answer must be one number. No answer, several numbers, none, "not a number", or an answer that has
// grown old: the signal is not known, and the guards let nothing be evicted until it is.
//
// Thread safety: none; lives on one loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "controller/log.h"
#include "core/guards.h"
#include "core/result.h"
#include "net/loop.h"
#include "net/transport.h"
#include "run/sight.h"

namespace tamp::controller {

class ApplicationReader {
 public:
  // A way to the server at that URL, which ends without a slash.
  using Connect = std::function<std::unique_ptr<net::ApiTransport>(const std::string& url)>;

  ApplicationReader(net::Loop& loop, const Log& log) : loop_(loop), log_(log) {}
  ApplicationReader(const ApplicationReader&) = delete;
  ApplicationReader& operator=(const ApplicationReader&) = delete;

  void connect_with(Connect connect) { connect_ = std::move(connect); }
  // From now on this, until something else is said; the same again is no more. Nothing: no more.
  void ask(const std::optional<PrometheusGuard>& guard);
  void stop() { ask(std::nullopt); }

  // Of this very query.
  run::ApplicationSignal signal(const PrometheusGuard& guard) const;
  // Grows whenever what signal() says may have become something else.
  std::uint64_t news() const { return news_; }

 private:
  void send();
  void answered(Result<double> value);
  void forget();

  net::Loop& loop_;
  const Log& log_;
  Connect connect_;
  std::optional<PrometheusGuard> guard_;
  std::unique_ptr<net::ApiTransport> way_;
  std::optional<double> value_;
  std::string problem_;  // the last one that was logged
  std::uint64_t news_ = 0;
  net::Pending request_, next_, expiry_;
};

// "/api/v1/query?query=…", escaped.
std::string prometheus_target(const std::string& query);

}  // namespace tamp::controller

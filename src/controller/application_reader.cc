#include "controller/application_reader.h"

#include <fmt/format.h>

#include <utility>

#include "core/ascii.h"
#include "wire/prometheus_answer.h"

namespace tamp::controller {
namespace {

constexpr Duration kAskEvery = Duration::seconds(5);
constexpr Duration kAnswerWithin = Duration::seconds(5);
// When nothing is heard at all.
constexpr Duration kAskAnyway = Duration::seconds(10);
// An answer is believed so long, which outlives one that is lost or late.
constexpr Duration kGoodFor = Duration::seconds(15);
constexpr std::size_t kLargestAnswer = std::size_t{64} << 10;

Result<double> read(const net::Exchange& exchange) {
  if (!exchange.response) return Error{exchange.failure.message};
  // What is wrong with a query is in the document, with status 400 or 422.
  auto value = wire::read_prometheus_answer(exchange.response->body);
  if (exchange.response->status == 200 || !value.ok()) return value;
  return Error{fmt::format("status {}", exchange.response->status)};
}

}  // namespace

std::string prometheus_target(const std::string& query) {
  std::string target = "/api/v1/query?query=";
  for (const char c : query) {
    const bool plain = is_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~';
    if (plain)
      target += c;
    else
      target += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return target;
}

void ApplicationReader::ask(const std::optional<PrometheusGuard>& guard) {
  if (guard == guard_) return;
  guard_ = guard;
  request_.cancel();
  next_.cancel();
  way_.reset();
  problem_.clear();
  forget();
  if (!guard_) return;
  if (!connect_) return answered(Error{"nobody can be asked here"});
  std::string url = guard_->url;
  while (url.ends_with('/')) url.pop_back();
  way_ = connect_(url);
  send();
}

void ApplicationReader::send() {
  next_ = loop_.after(kAskAnyway, [this] { send(); });
  net::Request request;
  request.target = prometheus_target(guard_->query);
  request.largest_response = kLargestAnswer;
  request.timeout = kAnswerWithin;
  request_ = way_->send(std::move(request), [this](const net::Exchange& exchange) {
    next_ = loop_.after(kAskEvery, [this] { send(); });
    answered(read(exchange));
  });
}

void ApplicationReader::answered(Result<double> value) {
  if (!value.ok()) {
    if (problem_ != value.error().message)
      log_.warn("the application's own signal is not known",
                {{"url", guard_->url}, {"problem", value.error().message}});
    problem_ = value.error().message;
    return;
  }
  if (!std::exchange(problem_, {}).empty()) log_.info("the application's own signal is known again");
  value_ = *value;
  ++news_;
  expiry_ = loop_.after(kGoodFor, [this] { forget(); });
}

void ApplicationReader::forget() {
  expiry_.cancel();
  value_.reset();
  ++news_;
}

run::ApplicationSignal ApplicationReader::signal(const PrometheusGuard& guard) const {
  run::ApplicationSignal signal;
  signal.limit = guard.max;
  if (guard != guard_ || !value_) return signal;
  signal.known = true;
  signal.value = *value_;
  return signal;
}

}  // namespace tamp::controller

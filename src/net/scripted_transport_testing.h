// An API server in the hands of a test: requests are answered by a function or kept for the test to answer; streams are
// opened, fed and ended by the test. Everything that was asked is on record.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/json_writer.h"
#include "net/loop.h"
#include "net/transport.h"

namespace tamp::net {

inline Exchange answer(int status, std::string body = "{}", std::optional<Duration> retry_after = {}) {
  return {Response{status, std::move(body), retry_after}, {}};
}
inline Exchange no_answer(std::string message = "connection reset", bool maybe_done = true) {
  return {std::nullopt, Failure{std::move(message), maybe_done}};
}
// A metav1.Status. `details` is the JSON of its field, or empty.
inline std::string status_text(int code, std::string_view reason, std::string_view message = "no",
                               const std::string& details = {}) {
  std::string text =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","code":)" + std::to_string(code);
  text += R"(,"reason":)";
  append_json_string(text, reason);
  text += R"(,"message":)";
  append_json_string(text, message);
  if (!details.empty()) text += R"(,"details":)" + details;
  return text + "}";
}
inline Exchange refuse(int code, std::string_view reason, std::string_view message = "no",
                       const std::string& details = {}) {
  return answer(code, status_text(code, reason, message, details));
}

// One watch, as the server has it.
class ScriptedStream {
 public:
  ScriptedStream(Request request, StreamSink sink) : request_(std::move(request)), sink_(std::move(sink)) {}

  const Request& request() const { return request_; }
  // The client has not dropped it, and it has not ended.
  bool alive() const { return alive_; }
  void open() { call(sink_.opened); }
  void data(std::string_view bytes) {
    if (!alive_) return;
    const auto action = sink_.data;
    action(bytes);
  }
  void line(std::string_view text) { data(std::string(text) + "\n"); }
  void end() { finish({}, {}); }
  void fail(std::string message = "connection reset") { finish({}, Failure{std::move(message), true}); }
  void refuse(Response response) { finish(std::move(response), {}); }
  void drop() { alive_ = false; }

 private:
  void call(const std::function<void()>& what) {
    if (!alive_) return;
    const auto action = what;
    action();
  }
  void finish(std::optional<Response> refusal, std::optional<Failure> failure) {
    if (!std::exchange(alive_, false)) return;
    const auto action = sink_.ended;
    action(std::move(refusal), std::move(failure));
  }

  Request request_;
  StreamSink sink_;
  bool alive_ = true;
};

class ScriptedTransport : public ApiTransport {
 public:
  explicit ScriptedTransport(Loop& loop) : loop_(loop) {}

  // Without an answer the request waits for answer_held(). Not set: all wait.
  std::function<std::optional<Exchange>(const Request&)> on_send;
  // Called after the stream was taken down, never from within stream(). Not set: it waits for the test.
  std::function<void(ScriptedStream&)> on_stream;
  Duration latency;  // of the answers of on_send

  std::vector<Request> sent;                             // without streams
  std::vector<std::unique_ptr<ScriptedStream>> streams;  // also those that ended

  Pending send(Request request, std::function<void(Exchange)> done) override {
    sent.push_back(request);
    const std::uint64_t id = next_++;
    std::optional<Exchange> reply = on_send ? on_send(request) : std::nullopt;
    Held& held = held_[id];
    held.request = std::move(request);
    held.done = std::move(done);
    if (reply)
      held.timer = loop_.after(latency, [this, id, exchange = std::move(*reply)] { complete(id, exchange); });
    return Pending([this, id] { held_.erase(id); });
  }
  Pending stream(Request request, StreamSink sink) override {
    streams.push_back(std::make_unique<ScriptedStream>(std::move(request), std::move(sink)));
    ScriptedStream* added = streams.back().get();
    if (on_stream) {
      loop_.after(Duration{}, [this, added] { on_stream(*added); }).detach();
    }
    return Pending([added] { added->drop(); });
  }

  ScriptedStream& last_stream() { return *streams.back(); }
  std::size_t live_streams() const {
    std::size_t n = 0;
    for (const auto& stream : streams) n += stream->alive() ? 1u : 0u;
    return n;
  }
  // How many requests wait for the test.
  std::size_t held() const { return held_.size(); }
  // Answers the oldest request that waits.
  void answer_held(Exchange exchange) {
    if (!held_.empty()) complete(held_.begin()->first, std::move(exchange));
  }
  const Request& oldest_held() const { return held_.begin()->second.request; }

 private:
  struct Held {
    Request request;
    std::function<void(Exchange)> done;
    Pending timer;
  };

  void complete(std::uint64_t id, Exchange exchange) {
    auto node = held_.extract(id);
    if (!node.empty()) node.mapped().done(std::move(exchange));
  }

  Loop& loop_;
  std::uint64_t next_ = 0;
  std::map<std::uint64_t, Held> held_;
};

}  // namespace tamp::net

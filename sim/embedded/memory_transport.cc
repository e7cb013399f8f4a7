#include "sim/embedded/memory_transport.h"

#include <utility>

namespace tamp::embed {
namespace {

constexpr std::string_view kUserAgent = "tamp/embedded";

const char* name_of(net::Method method) {
  switch (method) {
    case net::Method::Get:
      return "GET";
    case net::Method::Post:
      return "POST";
    case net::Method::Put:
      return "PUT";
    case net::Method::Patch:
      return "PATCH";
    case net::Method::Delete:
      return "DELETE";
  }
  return "GET";
}

net::Response response_of(world::api::Answer answer) {
  return {answer.status, std::move(answer.body), answer.retry_after};
}

}  // namespace

// A request on its way there or back.
struct MemoryTransport::Call {
  net::Request request;
  std::function<void(net::Exchange)> done;
  net::Pending step;
};

struct MemoryTransport::Stream {
  net::Request request;
  net::StreamSink sink;
  std::optional<world::api::WatchId> watch;
  net::Pending step;     // being opened, or frames on their way
  bool pumping = false;  // a pump is set
};

MemoryTransport::MemoryTransport(net::Loop& loop, world::api::Server& server, std::string token,
                                 Latency latency)
    : loop_(loop), server_(server), token_(std::move(token)), latency_(latency) {}

MemoryTransport::~MemoryTransport() {
  for (auto& [id, stream] : streams_)
    if (stream.watch) server_.close_watch(*stream.watch);
}

Duration MemoryTransport::delay() {
  const auto span = static_cast<std::uint64_t>(latency_.most.ns - latency_.least.ns) + 1;
  return {latency_.least.ns + static_cast<std::int64_t>(loop_.random() % span)};
}

world::api::Request MemoryTransport::translate(const net::Request& request) const {
  world::api::Request out;
  out.method = name_of(request.method);
  out.target = request.target;
  out.content_type = request.content_type;
  out.accept = request.accept.empty() ? "application/json" : request.accept;
  out.user_agent = kUserAgent;
  out.authorization = "Bearer " + token_;
  out.body = request.body;
  return out;
}

net::Pending MemoryTransport::send(net::Request request, std::function<void(net::Exchange)> done) {
  const std::uint64_t id = next_id_++;
  Call& call = calls_[id];
  call.request = std::move(request);
  call.done = std::move(done);
  call.step = loop_.after(delay(), [this, id] {
    Call& there = calls_.at(id);
    net::Exchange exchange{response_of(server_.handle(translate(there.request))), {}};
    there.step = loop_.after(delay(), [this, id, exchange = std::move(exchange)]() mutable {
      auto back = calls_.extract(id);
      back.mapped().done(std::move(exchange));
    });
  });
  return net::Pending([this, id] {
    // Once sent, the server carries it out, whether anybody waits for the answer or not.
    if (auto found = calls_.find(id); found != calls_.end()) found->second.done = [](const net::Exchange&) {};
  });
}

net::Pending MemoryTransport::stream(net::Request request, net::StreamSink sink) {
  const std::uint64_t id = next_id_++;
  Stream& stream = streams_[id];
  stream.request = std::move(request);
  stream.sink = std::move(sink);
  stream.step = loop_.after(delay(), [this, id] { open(id); });
  return net::Pending([this, id] { end(id); });
}

void MemoryTransport::open(std::uint64_t id) {
  Stream& stream = streams_.at(id);
  auto watch = server_.open_watch(translate(stream.request), [this, id] {
    auto found = streams_.find(id);
    if (found == streams_.end() || std::exchange(found->second.pumping, true)) return;
    found->second.step = loop_.after(delay(), [this, id] { pump(id); });
  });
  if (!watch.id) {
    auto ended = std::move(stream.sink.ended);
    streams_.erase(id);
    ended(response_of(std::move(watch.refusal)), {});
    return;
  }
  stream.watch = watch.id;
  stream.pumping = true;
  stream.step = loop_.after(delay(), [this, id] { pump(id); });
  const auto opened = stream.sink.opened;
  opened();
}

void MemoryTransport::pump(std::uint64_t id) {
  auto found = streams_.find(id);
  found->second.pumping = false;
  const world::api::WatchId watch = *found->second.watch;
  std::string frames;
  while (auto frame = server_.next_frame(watch)) frames += *frame;
  const bool ended = server_.watch_ended(watch);
  const net::StreamSink sink = found->second.sink;  // its owner may drop the stream while it listens
  if (!frames.empty()) sink.data(frames);
  if (!ended || !streams_.contains(id)) return;
  end(id);
  sink.ended({}, {});
}

void MemoryTransport::end(std::uint64_t id) {
  auto found = streams_.find(id);
  if (found == streams_.end()) return;
  if (found->second.watch) server_.close_watch(*found->second.watch);
  streams_.erase(found);
}

}  // namespace tamp::embed

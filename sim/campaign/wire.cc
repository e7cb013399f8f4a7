#include "sim/campaign/wire.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "wire/tree.h"

namespace tamp::sim {
namespace {

using net::Method;

std::vector<std::string> parts_of(std::string_view path) {
  std::vector<std::string> parts;
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    if (slash != 0) parts.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return parts;
}

const char* name_of(Method method) {
  constexpr std::array<const char*, 5> kNames = {"GET", "POST", "PUT", "PATCH", "DELETE"};
  return kNames.at(static_cast<std::size_t>(method));
}

net::Response status(int code, std::string_view reason, std::string_view message) {
  return {
      code,
      fmt::format(R"({{"kind":"Status","apiVersion":"v1","metadata":{{}},"status":"Failure","message":"{}",)"
                  R"("reason":"{}","code":{}}})",
                  message, reason, code),
      {}};
}

constexpr std::string_view kGone =
    R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
    R"("message":"too old resource version","reason":"Expired","code":410}})"
    "\n";

// Without the lines that tell of something new, or of what was once kept back so.
std::string without_additions(std::string_view frames, std::set<std::string>& unseen) {
  std::string out;
  while (!frames.empty()) {
    const std::size_t end = frames.find('\n');
    const std::string line(frames.substr(0, end == std::string_view::npos ? end : end + 1));
    frames.remove_prefix(line.size());
    const auto event = wire::read_tree(line);
    if (!event) continue;
    const std::string uid(event->at({"object", "metadata", "uid"}).string());
    if ((*event)["type"].string() == "ADDED") unseen.insert(uid);
    if (!unseen.contains(uid)) out += line;
  }
  return out;
}

// What a run changes the cluster with. A crash is only interesting around these.
bool matters(const Call& call) {
  return call.write() && (call.resource == "nodes" || call.resource == "pods" ||
                          call.resource == "nodeclaims" || call.resource == "consolidationruns");
}

}  // namespace

Call take_apart(const net::Request& request) {
  Call call;
  call.method = request.method;
  call.request = &request;
  const std::size_t query = request.target.find('?');
  std::vector<std::string> parts = parts_of(std::string_view(request.target).substr(0, query));
  if (query != std::string::npos && request.target.find("dryRun=All", query) != std::string::npos)
    call.dry_run = true;
  if (!call.dry_run && request.body.find(R"("dryRun":["All"])") != std::string::npos) call.dry_run = true;
  std::size_t at = !parts.empty() && parts[0] == "apis" ? 3 : 2;
  if (parts.size() > at + 1 && parts[at] == "namespaces" && parts.size() > at + 2) {
    call.ns = parts[at + 1];
    at += 2;
  }
  if (parts.size() > at) call.resource = parts[at];
  if (parts.size() > at + 1) call.name = parts[at + 1];
  if (parts.size() > at + 2) call.subresource = parts[at + 2];
  return call;
}

Wire::Wire(net::Loop& world_loop, world::api::Server& server, std::string token, std::uint64_t seed,
           Ears ears)
    : world_loop_(world_loop),
      server_(server),
      token_(std::move(token)),
      dice_(seed),
      ears_(std::move(ears)),
      memory_(world_loop, server, token_) {}

Duration Wire::delay() {
  const std::int64_t usual = dice_.between(300'000, 3'000'000);
  return {usual + (weather_.slow.ns > 0 ? dice_.between(0, weather_.slow.ns) : 0)};
}

net::Pending Wire::send(net::Request request, std::function<void(net::Exchange)> done) {
  const std::uint64_t id = next_++;
  Trip& trip = trips_[id];
  trip.request = std::move(request);
  trip.done = std::move(done);
  std::optional<net::Response> made_up = tamper_ ? tamper_(trip.request) : std::nullopt;
  if (made_up)
    answer(id, {std::move(made_up), {}}, delay());
  else
    trip.step = world_loop_.after(delay(), [this, id] { arrive(id); });
  return net::Pending([this, id] {
    if (auto found = trips_.find(id); found != trips_.end()) found->second.wanted = false;
  });
}

// Answers wait for the process, which may be frozen; the server does not.
void Wire::answer(std::uint64_t id, net::Exchange exchange, Duration after) {
  trips_.at(id).step = world_loop_.after(after, [this, id, exchange = std::move(exchange)]() mutable {
    Trip& trip = trips_.at(id);
    if (!trip.wanted || process_ == nullptr) {
      trips_.erase(id);
      return;
    }
    // Called off until then by its owner: the trip is still there, unwanted.
    process_
        ->after(Duration{},
                [this, id, exchange = std::move(exchange)]() mutable {
                  auto back = trips_.extract(id);
                  if (back && back.mapped().wanted) back.mapped().done(std::move(exchange));
                })
        .detach();
  });
}

std::optional<net::Response> Wire::refusal(const Call& call) {
  const auto befalls = [this](double probability, std::string_view what) {
    if (probability <= 0 || !dice_.chance(probability)) return false;
    ears_.count(what);
    return true;
  };
  if (call.resource == "leases") return std::nullopt;  // losing the Lease has faults of its own
  if (befalls(weather_.server_errors, "F7 5xx"))
    return dice_.chance(0.5)
               ? status(500, "InternalError", "etcdserver: request timed out")
               : status(503, "ServiceUnavailable", "the server is currently unable to handle it");
  if (befalls(weather_.throttled, "F7 429 of fairness")) {
    net::Response response = status(429, "TooManyRequests", "too many requests, please try again later");
    response.retry_after = Duration::seconds(1);
    return response;
  }
  if (!call.write() || call.dry_run) return std::nullopt;
  const bool its = (weather_.denied_kind.empty() || call.resource == weather_.denied_kind ||
                    call.subresource == weather_.denied_kind) &&
                   (weather_.denied_name.empty() || call.name == weather_.denied_name);
  if (its && matters(call) && befalls(weather_.denied, "F8 F9 403"))
    return status(403, "Forbidden", "admission webhook or RBAC says no");
  if (call.subresource != "eviction" && call.method != Method::Post && befalls(weather_.conflicts, "F6 409"))
    return status(409, "Conflict",
                  "the object has been modified; please apply your changes to the latest version");
  return std::nullopt;
}

net::Response Wire::ask(const Call& call) {
  const net::Request& request = *call.request;
  world::api::Request asked;
  asked.method = name_of(request.method);
  asked.target = request.target;
  asked.content_type = request.content_type;
  asked.accept = request.accept.empty() ? "application/json" : request.accept;
  asked.user_agent = "tamp/sim";
  asked.authorization = "Bearer " + token_;
  asked.body = request.body;
  if (call.write()) ears_.arriving(call);
  world::api::Answer answer = server_.handle(asked);
  if (call.write()) ears_.done(call, answer);
  return {answer.status, std::move(answer.body), answer.retry_after};
}

// A list that must be current comes from the store and never is stale; one "not older than" comes from a cache. That one may be behind, and a
// server that is behind even that version should say so but may break its word: then the list goes back in time.
void Wire::grow_stale(std::string_view target, net::Response& response) {
  const std::string path(target.substr(0, target.find('?')));
  const auto old = old_lists_.find(path);
  const std::size_t match = target.find("resourceVersionMatch=NotOlderThan");
  if (match != std::string_view::npos && old != old_lists_.end() && weather_.stale_lists > 0 &&
      dice_.chance(weather_.stale_lists)) {
    const auto version = [](const std::string& body) {
      const auto list = wire::read_tree(body);
      return list ? std::stoull("0" + std::string(list->at({"metadata", "resourceVersion"}).string())) : 0;
    };
    constexpr std::string_view kAsked = "resourceVersion=";
    const std::size_t asked = target.find(kAsked);
    const std::uint64_t least = asked == std::string_view::npos
                                    ? 0
                                    : std::stoull("0" + std::string(target.substr(asked + kAsked.size())));
    const std::uint64_t told = version(old->second.body);
    if (told < least)
      ears_.count("F2 list that goes back");
    else if (told < version(response.body))
      ears_.count("F2 stale list");
    response = old->second;
  } else if (old == old_lists_.end() || dice_.chance(0.5)) {
    old_lists_[path] = response;
  }
}

void Wire::arrive(std::uint64_t id) {
  Trip& trip = trips_.at(id);
  const Call call = take_apart(trip.request);
  const bool last = crash_ && matters(call) && !call.dry_run;
  if (last && *crash_ == CrashPoint::BeforeArrival) {
    crash_.reset();
    ears_.count("F1 crash before a write");
    trips_.erase(id);
    return ears_.crash();
  }
  const bool lease = call.resource == "leases";
  const Duration timeout = trip.request.timeout;
  if (!lease && weather_.lost_before > 0 && dice_.chance(weather_.lost_before)) {
    ears_.count("lost before");
    return answer(id, {{}, {"timed out", true}}, timeout);
  }
  if (auto refused = refusal(call)) return answer(id, {std::move(refused), {}}, delay());

  net::Response response = ask(call);
  if (last) {
    const CrashPoint point = *crash_;
    crash_.reset();
    if (point == CrashPoint::AfterCommit) {
      ears_.count("F1 crash after a write");
      trips_.erase(id);
      return ears_.crash();
    }
    ears_.count("F1 crash after an answer");
    // After the process has heard and, perhaps, gone on.
    world_loop_.after(Duration{20'000'000}, [this] { ears_.crash(); }).detach();
  }
  if (!lease && weather_.lost_after > 0 && dice_.chance(weather_.lost_after)) {
    if (call.write()) ears_.count("F5 lost after");
    return answer(id, {{}, {"timed out", true}}, timeout);
  }
  if (call.method == Method::Get && call.name.empty() && response.status == 200)
    grow_stale(trip.request.target, response);
  answer(id, {std::move(response), {}}, delay());
}

// Between the memory transport and the process: holds back, cuts and spoils.
struct Wire::Watching {
  net::StreamSink sink;
  net::Pending inner;
  net::Pending step;
  std::string held;
  bool over = false;
};

net::Pending Wire::stream(net::Request request, net::StreamSink sink) {
  auto watching =
      std::make_shared<Watching>();  // of the stream's callbacks and its handle, whichever goes last
  watching->sink = std::move(sink);
  ProcessLoop& process = *process_;
  const auto finish = [](const std::shared_ptr<Watching>& w, std::optional<net::Response> refusal,
                         std::optional<net::Failure> failure) {
    if (std::exchange(w->over, true)) return;
    const auto ended = w->sink.ended;
    ended(std::move(refusal), std::move(failure));
  };
  // Everything that was heard reaches the process in order, when it runs and the watch is not stalled.
  const std::function<void(const std::shared_ptr<Watching>&)> pass_on =
      [this, &process, finish](const std::shared_ptr<Watching>& w) {
        const auto again = [this, &process, finish](const auto& self,
                                                    const std::shared_ptr<Watching>& held) -> void {
          if (held->over || held->held.empty()) return;
          if (weather_.stalled || process.frozen()) {
            held->step = world_loop_.after(Duration::seconds(1), [self, held] { self(self, held); });
            return;
          }
          const std::string bytes = std::exchange(held->held, {});
          if (weather_.gone_watches > 0 && dice_.chance(weather_.gone_watches)) {
            ears_.count("F4 410");
            const auto data = held->sink.data;
            data(kGone);
            return finish(held, {}, {});
          }
          if (weather_.cut_watches > 0 && dice_.chance(weather_.cut_watches)) {
            ears_.count("F3 watch cut");
            return finish(held, {}, net::Failure{"connection reset", true});
          }
          const auto data = held->sink.data;
          data(bytes);
        };
        again(again, w);
      };
  net::StreamSink heard;
  const std::weak_ptr<Watching> weak = watching;
  heard.opened = [weak] {
    if (auto w = weak.lock(); w && !w->over) w->sink.opened();
  };
  const bool pods = request.target.find("/pods?") != std::string::npos;
  heard.data = [this, weak, pass_on, pods](std::string_view bytes) {
    auto w = weak.lock();
    if (!w || w->over) return;
    std::string seen;
    if (blind_ && pods) bytes = seen = without_additions(bytes, unseen_);
    if (bytes.empty()) return;
    if (weather_.stalled && w->held.empty()) ears_.count("F4 watch stalled");
    const bool waiting = !w->held.empty();
    w->held += bytes;
    if (!waiting) pass_on(w);
  };
  heard.ended = [weak, finish](std::optional<net::Response> refusal, std::optional<net::Failure> failure) {
    if (auto w = weak.lock()) finish(w, std::move(refusal), std::move(failure));
  };
  watching->inner = memory_.stream(std::move(request), std::move(heard));
  return net::Pending([watching] {
    watching->over = true;
    watching->step.cancel();
    watching->inner.cancel();
  });
}

}  // namespace tamp::sim

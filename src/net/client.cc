#include "net/client.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "core/json_writer.h"

namespace tamp::net {
namespace {

using Kind = ApiError::Kind;

// A server that asks for more is asked again after this: a wrong figure must not silence the program for an hour.
constexpr Duration kLongestPause = Duration::minutes(1);

bool success(const Response& response) { return response.status / 100 == 2; }

std::string content_type(PatchType type) {
  switch (type) {
    case PatchType::Json:
      return "application/json-patch+json";
    case PatchType::Merge:
      return "application/merge-patch+json";
    case PatchType::StrategicMerge:
      return "application/strategic-merge-patch+json";
  }
  return "";
}

void write_preconditions(JsonWriter& json, const std::string& uid, const std::string& resource_version) {
  if (uid.empty() && resource_version.empty()) return;
  json.key("preconditions").begin_object();
  if (!uid.empty()) json.field("uid", uid);
  if (!resource_version.empty()) json.field("resourceVersion", resource_version);
  json.end_object();
}

void write_delete_options(JsonWriter& json, const RemoveOptions& options) {
  json.field("apiVersion", "v1").field("kind", "DeleteOptions");
  if (options.grace_seconds) json.field("gracePeriodSeconds", *options.grace_seconds);
  if (!options.propagation.empty()) json.field("propagationPolicy", options.propagation);
  write_preconditions(json, options.uid, options.resource_version);
  if (options.dry_run) json.key("dryRun").begin_array().string("All").end_array();
}

}  // namespace

Client::Client(Loop& loop, ApiTransport& transport, ClientOptions options)
    : loop_(loop),
      transport_(transport),
      options_(std::move(options)),
      bucket_(options_.qps, options_.burst, loop.instant()),
      paused_until_(loop.instant()) {}

// ---- verbs

Pending Client::get(const ResourceType& type, std::string_view ns, std::string_view name, Done done) {
  Call call;
  call.request.target = object_path(type, ns, name);
  call.request.timeout = options_.read_timeout;
  call.done = std::move(done);
  call.verb = "get";
  call.resource = type.plural;
  call.urgent = type == kLeases;
  call.repeat = call.urgent ? Repeat::Never : Repeat::Reads;
  if (call.urgent) call.request.timeout = options_.lease_timeout;
  return submit(std::move(call));
}

Pending Client::get_path(std::string path, Done done) {
  Call call;
  call.request.target = std::move(path);
  call.request.timeout = options_.read_timeout;
  call.done = std::move(done);
  call.verb = "get";
  call.repeat = Repeat::Reads;
  return submit(std::move(call));
}

Pending Client::list_page(const ResourceType& type, const ListOptions& options, Done done) {
  Call call;
  const bool first = options.continue_token.empty();
  call.request.target = collection_path(type, options.ns) +
                        query_text({{"labelSelector", options.label_selector},
                                    {"fieldSelector", options.field_selector},
                                    {"limit", options.limit > 0 ? std::to_string(options.limit) : ""},
                                    {"continue", options.continue_token},
                                    {"resourceVersion", first ? options.resource_version : ""},
                                    {"resourceVersionMatch", first ? options.resource_version_match : ""}});
  call.request.timeout = options_.read_timeout;
  call.done = std::move(done);
  call.verb = "list";
  call.resource = type.plural;
  call.repeat = options.repeat ? Repeat::Reads : Repeat::Never;
  return submit(std::move(call));
}

Pending Client::watch(const ResourceType& type, const WatchOptions& options, StreamSink sink) {
  Request request;
  request.target = collection_path(type, options.ns) +
                   query_text({{"watch", "true"},
                               {"allowWatchBookmarks", "true"},
                               {"labelSelector", options.label_selector},
                               {"fieldSelector", options.field_selector},
                               {"resourceVersion", options.resource_version},
                               {"timeoutSeconds", std::to_string(options.lifetime.ns / 1'000'000'000)}});
  request.timeout = Duration{};
  const auto report = [this, asked = loop_.instant(), resource = type.plural](int status) {
    if (observer_) observer_({"watch", resource, status, loop_.instant() - asked, Duration{}});
  };
  sink.opened = [report, opened = std::move(sink.opened)] {
    report(200);
    opened();
  };
  sink.ended = [report, ended = std::move(sink.ended)](std::optional<Response> refusal,
                                                       std::optional<Failure> failure) {
    if (refusal)
      report(refusal->status);
    else if (failure)
      report(0);
    ended(std::move(refusal), std::move(failure));
  };
  return transport_.stream(std::move(request), std::move(sink));
}

Client::Call Client::write(Method method, std::string_view verb, const ResourceType& type, std::string path,
                           Query query, std::string body, Done done) const {
  Call call;
  const Duration timeout = type == kLeases ? options_.lease_timeout : options_.write_timeout;
  query.emplace_back("timeout", format_duration(timeout));
  call.request.method = method;
  call.request.target = std::move(path) + query_text(query);
  call.request.content_type = "application/json";
  call.request.body = std::move(body);
  call.request.timeout = timeout;
  call.done = std::move(done);
  call.verb = verb;
  call.resource = type.plural;
  call.urgent = type == kLeases;
  call.fenced = type != kLeases;
  call.repeat = call.urgent ? Repeat::Never : Repeat::IfRefused;
  return call;
}

Pending Client::create(const ResourceType& type, std::string_view ns, std::string body, Done done) {
  return submit(write(Method::Post, "create", type, collection_path(type, ns),
                      {{"fieldManager", options_.field_manager}}, std::move(body), std::move(done)));
}

Pending Client::replace(const ResourceType& type, std::string_view ns, std::string_view name,
                        std::string body, Done done) {
  return submit(write(Method::Put, "update", type, object_path(type, ns, name),
                      {{"fieldManager", options_.field_manager}}, std::move(body), std::move(done)));
}

Pending Client::patch(const ResourceType& type, std::string_view ns, std::string_view name,
                      std::string_view subresource, PatchType patch_type, std::string body, Done done) {
  Call call = write(Method::Patch, "patch", type, object_path(type, ns, name, subresource),
                    {{"fieldManager", options_.field_manager}}, std::move(body), std::move(done));
  call.request.content_type = content_type(patch_type);
  call.json_patch = patch_type == PatchType::Json;
  return submit(std::move(call));
}

Pending Client::apply(const ResourceType& type, std::string_view ns, std::string_view name,
                      std::string_view subresource, std::string body, bool force, Done done) {
  Call call = write(Method::Patch, "apply", type, object_path(type, ns, name, subresource),
                    {{"fieldManager", options_.field_manager}, {"force", force ? "true" : ""}},
                    std::move(body), std::move(done));
  call.request.content_type = "application/apply-patch+yaml";  // of which JSON is a part
  return submit(std::move(call));
}

Pending Client::remove(const ResourceType& type, std::string_view ns, std::string_view name,
                       const RemoveOptions& options, Done done) {
  JsonWriter json;
  json.begin_object();
  write_delete_options(json, options);
  json.end_object();
  return submit(write(Method::Delete, "delete", type, object_path(type, ns, name),
                      {{"dryRun", options.dry_run ? "All" : ""}}, json.take(), std::move(done)));
}

Pending Client::evict(std::string_view ns, std::string_view pod, const EvictOptions& options, Done done) {
  assert(!options.uid.empty());
  JsonWriter json;
  json.begin_object().field("apiVersion", "policy/v1").field("kind", "Eviction");
  json.key("metadata").begin_object().field("namespace", ns).field("name", pod).end_object();
  json.key("deleteOptions").begin_object();
  RemoveOptions remove_options;
  remove_options.uid = options.uid;
  remove_options.grace_seconds = options.grace_seconds;
  remove_options.dry_run = options.dry_run;
  write_delete_options(json, remove_options);
  json.end_object().end_object();
  // The query tells admission webhooks that it is a dry run, the body tells the eviction.
  Call call = write(Method::Post, "evict", kPods, object_path(kPods, ns, pod, "eviction"),
                    {{"dryRun", options.dry_run ? "All" : ""}}, json.take(), std::move(done));
  call.repeat = Repeat::Never;
  return submit(std::move(call));
}

Pending Client::review(const ResourceType& type, std::string body, Done done) {
  Call call =
      write(Method::Post, "review", type, collection_path(type), {}, std::move(body), std::move(done));
  call.fenced = false;
  return submit(std::move(call));
}

// ---- the queue

Pending Client::submit(Call call) {
  const CallId id = next_id_++;
  calls_.emplace(id, std::move(call));
  enqueue(id);
  return Pending([this, id] { forget(id); });
}

void Client::enqueue(CallId id) {
  Call& call = calls_.at(id);
  call.queued = loop_.instant();
  (call.urgent ? urgent_ : normal_).push_back(id);
  pump();
}

void Client::pump() {
  const Instant now = loop_.instant();
  while (!urgent_.empty()) {
    const CallId id = urgent_.front();
    urgent_.pop_front();
    bucket_.overdraw(now);
    send(id);
  }
  while (!normal_.empty()) {
    const bool paused = now < paused_until_;
    if (paused || !bucket_.take(now)) {
      wake_ = loop_.after(paused ? paused_until_ - now : bucket_.wait(now), [this] { pump(); });
      return;
    }
    const CallId id = normal_.front();
    normal_.pop_front();
    send(id);
  }
}

void Client::send(CallId id) {
  Call& call = calls_.at(id);
  call.sent = loop_.instant();
  if (held_back(call)) {
    call.under_way = loop_.after(Duration{}, [this, id] {
      ApiError error;
      error.kind = Kind::Forbidden;
      error.reason = "Fenced";
      error.message = "not sent: this process does not lead";
      finish(id, {std::move(error), {}});
    });
    return;
  }
  ++call.attempt;
  // A call that may be sent again keeps its request.
  Request request = call.repeat == Repeat::Never ? std::move(call.request) : call.request;
  call.under_way = transport_.send(std::move(request),
                                   [this, id](Exchange exchange) { answered(id, std::move(exchange)); });
}

std::optional<ApiError> Client::error_in(const Call& call, const Exchange& exchange) const {
  const Method method = call.request.method;
  if (!exchange.response) return error_of(exchange.failure, method);
  if (success(*exchange.response)) {
    if (method == Method::Get || !wire::read_api_status(exchange.response->body).failure) return std::nullopt;
    return error_of(*exchange.response, method);
  }
  ApiError error = error_of(*exchange.response, method);
  // A test of a JSON patch that fails is told as a 422 without any cause, unlike a value that is not valid.
  if (call.json_patch && error.kind == Kind::Invalid && error.causes.empty()) error.kind = Kind::Conflict;
  return error;
}

void Client::answered(CallId id, Exchange exchange) {
  Call& call = calls_.at(id);
  std::optional<ApiError> error = error_in(call, exchange);
  const Instant now = loop_.instant();
  if (observer_) {
    const int status = exchange.response ? exchange.response->status : 0;
    observer_({call.verb, call.resource, status, now - call.sent, call.sent - call.queued});
  }
  if (!error) return finish(id, {std::nullopt, std::move(exchange.response->body), exchange.response->date});

  const bool overloaded = error->kind == Kind::Throttled || error->status == 503;
  if (overloaded && error->retry_after)
    paused_until_ = std::max(paused_until_, now + std::min(*error->retry_after, kLongestPause));
  if (!may_repeat(call, *error)) return finish(id, {std::move(error), {}});
  const Duration wait = backoff(options_.backoff, call.attempt, loop_.random());
  call.under_way = loop_.after(wait, [this, id] { enqueue(id); });
}

bool Client::may_repeat(const Call& call, const ApiError& error) const {
  if (call.repeat == Repeat::Never || call.attempt >= options_.attempts) return false;
  if (error.kind == Kind::Throttled) return true;
  return call.repeat == Repeat::Reads &&
         (error.kind == Kind::Unreachable || error.kind == Kind::Timeout || error.kind == Kind::ServerError);
}

void Client::finish(CallId id, Reply reply) {
  const auto node = calls_.extract(id);
  assert(!node.empty());
  // The handle of what has just happened goes with the call, after Done: it may be what Done itself is called from.
  node.mapped().done(std::move(reply));
}

void Client::forget(CallId id) {
  if (calls_.erase(id) == 0) return;
  std::erase(urgent_, id);
  std::erase(normal_, id);
}

// ---- bodies

std::string make_json_patch(std::string_view resource_version,
                            const std::vector<PatchOperation>& operations) {
  std::string version;
  append_json_string(version, resource_version);
  std::vector<PatchOperation> all{{"test", "/metadata/resourceVersion", std::move(version)}};
  all.insert(all.end(), operations.begin(), operations.end());
  return tamp::make_json_patch(all);
}

}  // namespace tamp::net

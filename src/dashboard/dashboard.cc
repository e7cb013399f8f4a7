#include "dashboard/dashboard.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "core/json_writer.h"
#include "core/sha256.h"
#include "dashboard/pages.h"
#include "documents/dashboard_documents.h"
#include "net/caller_access.h"
#include "net/election.h"
#include "net/gzip.h"

namespace tamp::dashboard {
namespace {

using documents::Look;
using wire::Tree;

constexpr std::string_view kApi = "/api/v1/";
constexpr std::string_view kCookie = "tamp_session";
constexpr std::size_t kMostWaiting = 64;
constexpr std::size_t kMostThoughts = 8;     // each may take seconds on a large cluster
constexpr std::size_t kWorthZipping = 1400;  // bytes: what fits into a packet anyway
constexpr std::size_t kLongestReason = 1024;
constexpr int kBeatEvery = 15;  // ticks
// Then the client comes again, and is asked who it is.
constexpr Duration kStreamLife = Duration::minutes(30);
// So many nodes more make a second more between two events about them: traffic does not grow with the cluster.
constexpr std::int64_t kNodesPerSecond = 500;

net::Instant monotonic_now() {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(
              std::chrono::steady_clock::now().time_since_epoch())
              .count()};
}

// Of every answer: nothing may be loaded from elsewhere, framed, or guessed at.
void add_security_headers(net::HttpResponse& response) {
  response.headers.insert(
      response.headers.end(),
      {{"Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
       {"X-Content-Type-Options", "nosniff"},
       {"X-Frame-Options", "DENY"},
       {"Referrer-Policy", "no-referrer"},
       {"Cross-Origin-Opener-Policy", "same-origin"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Permissions-Policy", "camera=(), geolocation=(), microphone=()"}});
}

std::string header(const net::HttpRequest& request, std::string_view name) {
  for (const auto& [key, value] : request.others)
    if (key == name) return value;
  return {};
}

bool matches(std::string_view if_none_match, std::string_view etag) {
  return if_none_match == "*" || if_none_match.find(etag) != std::string_view::npos;
}

net::HttpResponse page_response(const net::HttpRequest& request, const Page& page) {
  net::HttpResponse response;
  response.content_type = std::string(page.content_type);
  response.headers = {
      {"ETag", std::string(page.etag)}, {"Cache-Control", "no-cache"}, {"Vary", "Accept-Encoding"}};
  if (request.method != "GET" && request.method != "HEAD") {
    response = refuse(405, "MethodNotAllowed", "this can only be read");
    response.headers = {{"Allow", "GET, HEAD"}};
  } else if (!request.if_none_match.empty() && matches(request.if_none_match, page.etag)) {
    response.status = 304;
  } else if (net::accepts_gzip(request.accept_encoding)) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = std::string(page.gzip);
  } else {
    response.body = std::string(page.bytes);
  }
  return response;
}

std::string session_document(const Session& session, bool login) {
  JsonWriter w;
  w.begin_object().field("user", session.caller.user).key("rights").begin_object();
  w.field("view", session.rights.view).field("approve", session.rights.approve);
  w.field("abort", session.rights.abort).field("pause", session.rights.pause).end_object();
  w.field("csrf", session.csrf).field("login", login).end_object();
  return w.take();
}

const char* missing_right(const Session& session, const Route& route, bool changes) {
  const Rights& may = session.rights;
  if (!may.view) return "get temperpolicies and list consolidationruns";
  if (!changes) return nullptr;
  switch (route.endpoint) {
    case Endpoint::Runs:
      return may.approve ? nullptr : "create consolidationruns";
    case Endpoint::RunAbort:
      return may.abort ? nullptr : "patch consolidationruns";
    case Endpoint::Pause:
    case Endpoint::Dismissal:
      return may.pause ? nullptr : "patch temperpolicies";
    default:
      return nullptr;
  }
}

std::string cookie_text(std::string_view id, bool tls, bool end) {
  std::string text = std::string(kCookie) + "=" + std::string(id) + "; Path=/; HttpOnly; SameSite=Strict";
  if (tls) text += "; Secure";
  if (end) text += "; Max-Age=0";
  return text;
}

std::shared_ptr<const run::Run> find_run(const Look& look, const std::string& name) {
  for (const auto& run : look.runs)
    if (run->name == name) return run;
  return nullptr;
}

net::HttpResponse not_yet() {
  net::HttpResponse response =
      refuse(503, "NotReady", "the cluster has not been looked at yet; try again in a moment");
  response.headers.emplace_back("Retry-After", "2");
  return response;
}

std::string pod_of(const std::string& identity) { return std::string(net::pod_of_identity(identity)); }

// Only the leader decides, so only the leader has something to show. A connection that stays open would keep the client here when the
// Service leads elsewhere by now.
net::HttpResponse not_here(const Look& look) {
  const std::string leader = pod_of(look.leader);
  JsonWriter detail;
  detail.begin_object().field("leader", leader).field("replica", pod_of(look.replica)).end_object();
  net::HttpResponse response = refuse(
      503, "NotLeader", "another replica leads: " + leader + " has what there is to show", detail.take());
  response.headers.emplace_back("Retry-After", "2");
  response.close = true;
  return response;
}

net::HttpResponse too_many() {
  net::HttpResponse response = refuse(429, "TooManyRequests", "slower, please");
  response.headers.emplace_back("Retry-After", "2");
  return response;
}

}  // namespace

Dashboard::Dashboard(DashboardOptions options, DashboardSurroundings surroundings)
    : options_(std::move(options)),
      around_(std::move(surroundings)),
      sessions_(options_.sessions, around_.clock ? around_.clock : monotonic_now, random_secret),
      hub_(random_secret().substr(0, 8), options_.most_streams),
      rights_(*around_.client),
      actions_(around_.as_user),
      audits_(around_.records),
      login_tokens_(options_.login_burst),
      self_(std::make_shared<Dashboard*>(this)),
      worker_(kMostWaiting),
      thinker_(kMostThoughts) {
  if (!around_.clock) around_.clock = monotonic_now;
  login_at_ = around_.clock();
  for (const Topic topic : {Topic::Overview, Topic::Plan, Topic::Runs})
    hub_.pace(topic, Duration::seconds(1));
  everybody_ = {{options_.user, {}, {}, {}}, {true, true, true, true}, options_.token, random_secret(), true};
}

Dashboard::~Dashboard() { self_.reset(); }

net::HttpOptions Dashboard::server_options() {
  net::HttpOptions options;
  options.max_body_bytes = std::size_t{64} << 10;
  options.max_connections = 512;
  return options;
}

void Dashboard::show(std::shared_ptr<const Look> look, const std::vector<Topic>& changed) {
  if (look->scene)
    hub_.pace(Topic::Nodes,
              Duration::seconds(2 + static_cast<std::int64_t>(look->scene->cluster().nodes.size()) /
                                        kNodesPerSecond));
  if (look->follows()) hub_.dismiss();
  {
    const std::lock_guard lock(mutex_);
    look_ = std::move(look);
  }
  for (const Topic topic : changed) hub_.tell(topic, around_.clock());
}

void Dashboard::tick() {
  hub_.flush(around_.clock());
  if (++ticks_ % kBeatEvery == 0) hub_.beat();
}

std::shared_ptr<const Look> Dashboard::look() {
  const std::lock_guard lock(mutex_);
  return look_;
}

void Dashboard::on_loop(std::function<void()> action) {
  around_.post([self = std::weak_ptr(self_), action = std::move(action)] {
    if (self.lock()) action();
  });
}

void Dashboard::answer(net::HttpRequest request, const net::Responder& respond) {
  const net::Responder secured = [respond](net::HttpResponse response) {
    add_security_headers(response);
    respond(std::move(response));
  };
  // A name that leads here from elsewhere is how a foreign page would reach a port that asks for no login.
  if (!options_.login && !loopback_host(request.host))
    return secured(refuse(421, "WrongHost", "this port answers to 127.0.0.1 and localhost alone"));
  const std::string_view path = request.path == "/" ? "/index.html" : std::string_view(request.path);
  for (const Page& page : pages())
    if (page.path == path) return secured(page_response(request, page));
  if (!path.starts_with(kApi)) return secured(refuse(404, "NotFound", "there is no such page"));
  api(std::move(request), secured);
}

void Dashboard::api(net::HttpRequest request, const net::Responder& respond) {
  Route route = find_route(request.path);
  if (route.endpoint == Endpoint::None) return respond(refuse(404, "NotFound", "there is no such document"));
  if (!route.allows(request.method)) {
    net::HttpResponse response = refuse(405, "MethodNotAllowed", "allowed: " + std::string(route.allowed));
    response.headers.emplace_back("Allow", std::string(route.allowed));
    return respond(std::move(response));
  }
  if (const auto shown = look(); shown && shown->follows()) return respond(not_here(*shown));
  const bool changes = request.method != "GET";
  if (!request.origin.empty() && changes && !same_origin(request.origin, request.host, request.tls))
    return respond(refuse(403, "WrongOrigin", "this page was not sent by this server"));
  if (changes && request.method != "DELETE" && !request.content_type.starts_with("application/json"))
    return respond(refuse(415, "NotJson", "the body must be application/json"));
  auto exchange =
      std::make_shared<Exchange>(Exchange{std::move(request), std::move(route), respond, changes});
  if (exchange->route.endpoint == Endpoint::Session && exchange->request.method == "POST")
    return log_in(exchange);
  identify(exchange);
}

void Dashboard::identify(const ExchangePtr& exchange) {
  const net::HttpRequest& request = exchange->request;
  Sessions::Found found;
  std::string token(net::bearer_token(request.authorization));
  const bool by_cookie = token.empty();
  if (!options_.login) {
    found = {Sessions::State::Fresh, everybody_};
  } else if (!by_cookie) {
    found = sessions_.find_by_token(token);
    if (found.state == Sessions::State::None) {
      if (!may_log_in()) return exchange->respond(too_many());
      return ask_rights(exchange, token, false);
    }
  } else {
    const std::string_view id = cookie_value(request.cookie, kCookie);
    if (!id.empty()) found = sessions_.find(id);
    token = found.session.token;
  }
  if (found.state == Sessions::State::None)
    return exchange->respond(refuse(401, "Unauthenticated", "log in first"));
  if (found.state == Sessions::State::TooFast) return exchange->respond(too_many());
  if (exchange->changes && found.session.cookie) {
    // Browsers send cookies whoever asks them to; only our own page knows the token, and its origin.
    if (!same_secret(header(request, "x-tamp-csrf"), found.session.csrf))
      return exchange->respond(refuse(403, "NoCsrfToken", "the header X-Tamp-Csrf does not fit the session"));
    if (options_.login && request.origin.empty())
      return exchange->respond(refuse(403, "WrongOrigin", "no origin was told"));
  }
  if (exchange->route.endpoint == Endpoint::Session && request.method == "DELETE") return log_out(exchange);
  const bool fresh = !options_.login || (found.state == Sessions::State::Fresh && !exchange->changes);
  if (fresh) return serve(exchange, found.session);
  ask_rights(exchange, token, by_cookie);
}

bool Dashboard::may_log_in() {
  const std::lock_guard lock(mutex_);
  const net::Instant now = around_.clock();
  login_tokens_ = std::min(options_.login_burst,
                           login_tokens_ + (now - login_at_).to_seconds() * options_.logins_per_second);
  login_at_ = now;
  if (login_tokens_ < 1) return false;
  login_tokens_ -= 1;
  return true;
}

void Dashboard::ask_rights(const ExchangePtr& exchange, const std::string& token, bool by_cookie) {
  on_loop([this, exchange, token, by_cookie] {
    rights_.ask(token, [this, exchange, token, by_cookie](const KnownUser& user) {
      got_rights(exchange, token, by_cookie, user);
    });
  });
}

void Dashboard::got_rights(const ExchangePtr& exchange, const std::string& token, bool by_cookie,
                           const KnownUser& user) {
  if (user.state == KnownUser::State::Unknown)
    return exchange->respond(refuse(503, "ClusterFailed", "the API server could not be asked who you are"));
  if (user.state == KnownUser::State::Unauthenticated) {
    sessions_.close_by_token(token);
    return exchange->respond(refuse(401, "Unauthenticated", "the cluster does not know this token"));
  }
  Session session{user.caller, user.rights, token, {}, by_cookie};
  if (by_cookie) {
    const auto known = sessions_.find(cookie_value(exchange->request.cookie, kCookie));
    if (known.state == Sessions::State::None)
      return exchange->respond(refuse(401, "Unauthenticated", "log in first"));
    session.csrf = known.session.csrf;
  } else if (sessions_.find_by_token(token).state == Sessions::State::None) {
    sessions_.open_by_token(token, session);
  }
  sessions_.refresh(token, user.caller, user.rights);
  serve(exchange, session);
}

void Dashboard::log_in(const ExchangePtr& exchange) {
  if (!options_.login) return exchange->respond(json_response(session_document(everybody_, false)));
  if (!may_log_in()) return exchange->respond(too_many());
  const auto body = wire::read_tree(exchange->request.body);
  const std::string token(body ? (*body)["token"].string() : std::string_view());
  if (net::bearer_token("Bearer " + token).empty())
    return exchange->respond(refuse(401, "Unauthenticated", "the cluster does not know this token"));
  on_loop([this, exchange, token] {
    rights_.ask(token, [this, exchange, token](const KnownUser& user) { logged_in(exchange, token, user); });
  });
}

void Dashboard::logged_in(const ExchangePtr& exchange, const std::string& token, const KnownUser& user) {
  if (user.state == KnownUser::State::Unknown)
    return exchange->respond(refuse(503, "ClusterFailed", "the API server could not be asked who you are"));
  if (user.state == KnownUser::State::Unauthenticated)
    return exchange->respond(refuse(401, "Unauthenticated", "the cluster does not know this token"));
  if (!user.rights.view)
    return exchange->respond(refuse(
        403, "Forbidden", user.caller.user + " may not get temperpolicies and list consolidationruns"));
  const std::string id = sessions_.open({user.caller, user.rights, token, {}, true});
  net::HttpResponse response = json_response(session_document(sessions_.find(id).session, true), 201);
  response.headers.emplace_back("Set-Cookie", cookie_text(id, exchange->request.tls, false));
  response.headers.emplace_back("Cache-Control", "no-store");
  exchange->respond(std::move(response));
}

void Dashboard::log_out(const ExchangePtr& exchange) {
  sessions_.close(cookie_value(exchange->request.cookie, kCookie));
  net::HttpResponse response = json_response("null");
  response.headers.emplace_back("Set-Cookie", cookie_text("", exchange->request.tls, true));
  exchange->respond(std::move(response));
}

void Dashboard::serve(const ExchangePtr& exchange, const Session& session) {
  if (exchange->route.endpoint == Endpoint::Session) {
    net::HttpResponse response = json_response(session_document(session, options_.login));
    response.headers.emplace_back("Cache-Control", "no-store");
    return exchange->respond(std::move(response));
  }
  if (const char* right = missing_right(session, exchange->route, exchange->changes))
    return exchange->respond(
        refuse(403, "Forbidden", session.caller.user + " has not the right to " + right));
  switch (exchange->route.endpoint) {
    case Endpoint::Events:
      return open_events(exchange);
    case Endpoint::WhatIf:
      return what_if(exchange);
    case Endpoint::Policy:
    case Endpoint::Run:
    case Endpoint::RunAudit:
    case Endpoint::RunExport:
      return on_loop([this, exchange] { read_records(exchange); });
    case Endpoint::Audit:
      return on_loop([this, exchange] { read_audit(exchange); });
    default:
      if (!exchange->changes) return read(exchange);
      on_loop([this, exchange, session] { act(exchange, session); });
  }
}

void Dashboard::act(const ExchangePtr& exchange, const Session& session) {
  const auto body = wire::read_tree(exchange->request.body.empty() ? "{}" : exchange->request.body);
  if (!body || !body->is_object())
    return exchange->respond(refuse(400, "BadBody", "the body is no JSON object"));
  const auto shown = look();
  if (!shown) return exchange->respond(not_yet());
  const std::string hash((*body)["planHash"].string()), reason((*body)["reason"].string());
  if (reason.size() > kLongestReason) return exchange->respond(refuse(422, "Invalid", "reason: is too long"));
  const auto respond = exchange->respond;
  switch (exchange->route.endpoint) {
    case Endpoint::Runs:
      return actions_.approve(session, hash, reason, shown, respond);
    case Endpoint::Dismissal:
      return actions_.dismiss(session, hash, reason, around_.now(), shown, respond);
    case Endpoint::RunAbort: {
      const auto run = find_run(*shown, exchange->route.name);
      if (!run) return respond(refuse(404, "NotFound", "there is no such run"));
      if (run::over(run->phase)) return respond(refuse(409, "Over", "the run is over already"));
      return actions_.abort(session, run->name, respond);
    }
    case Endpoint::Pause:
      if ((*body)["paused"].kind() != Tree::Kind::Boolean)
        return respond(refuse(422, "Invalid", "paused: must be true or false"));
      return actions_.pause(session, (*body)["paused"].boolean(), respond);
    default:
      respond(refuse(404, "NotFound", "there is no such action"));
  }
}

net::HttpResponse Dashboard::document(const net::HttpRequest& request, const Made& made) const {
  net::HttpResponse response = json_response("");
  response.headers = {
      {"ETag", made.etag}, {"Cache-Control", "private, no-cache"}, {"Vary", "Accept-Encoding"}};
  if (!request.if_none_match.empty() && matches(request.if_none_match, made.etag)) {
    response.status = 304;
  } else if (!made.zipped.empty() && net::accepts_gzip(request.accept_encoding)) {
    response.headers.emplace_back("Content-Encoding", "gzip");
    response.body = made.zipped;
  } else {
    response.body = made.body;
  }
  return response;
}

namespace {

// REQUIRES: not the middle of something: called on the worker alone.
template <typename Made>
Made finish(std::uint64_t revision, std::string body) {
  Made made{revision, std::move(body), {}, {}};
  made.etag = "\"" + sha256_hex(made.body).substr(0, 24) + "\"";
  if (made.body.size() > kWorthZipping) made.zipped = net::gzip(made.body);
  return made;
}

}  // namespace

// What all look at is made once for each Look.
Dashboard::Made Dashboard::made(Endpoint endpoint, const Look& look) {
  {
    const std::lock_guard lock(mutex_);
    const auto it = made_.find(endpoint);
    if (it != made_.end() && it->second.revision == look.revision) return it->second;
  }
  std::string body;
  switch (endpoint) {
    case Endpoint::Status:
      body = documents::status_document(look);
      break;
    case Endpoint::Overview:
      body = documents::overview_document(look);
      break;
    case Endpoint::Nodes:
      body = documents::nodes_document(look);
      break;
    case Endpoint::Plan:
      body = documents::plan_document(look);
      break;
    default:
      body = documents::runs_document(look);
  }
  Made fresh = finish<Made>(look.revision, std::move(body));
  const std::lock_guard lock(mutex_);
  made_[endpoint] = fresh;
  return fresh;
}

void Dashboard::on_worker(net::Worker& worker, const ExchangePtr& exchange,
                          std::function<net::HttpResponse(const Look&)> make) {
  const auto shown = look();
  if (!shown || !shown->scene) return exchange->respond(not_yet());
  const bool added =
      worker.add([exchange, shown, make = std::move(make)] { exchange->respond(make(*shown)); });
  if (!added) exchange->respond(refuse(503, "Busy", "too many documents are asked for at once; try again"));
}

void Dashboard::read(const ExchangePtr& exchange) {
  const bool simple = exchange->route.endpoint != Endpoint::Node;
  on_worker(simple ? worker_ : thinker_, exchange, [this, exchange, simple](const Look& look) {
    if (simple) return document(exchange->request, made(exchange->route.endpoint, look));
    auto body = documents::node_document(look, exchange->route.name);
    if (!body) return refuse(404, "NotFound", "there is no such node");
    return document(exchange->request, finish<Made>(look.revision, std::move(*body)));
  });
}

void Dashboard::what_if(const ExchangePtr& exchange) {
  auto change = documents::read_what_if(exchange->request.body);
  if (!change) return exchange->respond(refuse(422, "Invalid", change.error().message));
  on_worker(thinker_, exchange, [this, change = *change](const Look& look) {
    if (considered_.lock() != look.scene) {
      considered_document_ = documents::decided_document(*look.scene);
      considered_ = look.scene;
    }
    return json_response(documents::what_if_document(*look.scene, change, considered_document_));
  });
}

// What is kept in the cluster: the policy as written, and the records of runs.
void Dashboard::read_records(const ExchangePtr& exchange) {
  const auto shown = look();
  if (!shown) return exchange->respond(not_yet());
  const auto give = [this, exchange](std::function<std::string(const Look&)> make) {
    on_worker(worker_, exchange, [this, exchange, make = std::move(make)](const Look& look) {
      return document(exchange->request, finish<Made>(look.revision, make(look)));
    });
  };
  if (exchange->route.endpoint == Endpoint::Policy) {
    around_.client
        ->get(net::kTemperPolicies, "", "default",
              [give, exchange, self = std::weak_ptr(self_)](const net::Reply& reply) {
                if (!self.lock()) return;
                if (!reply.ok() && reply.error->kind != net::ApiError::Kind::NotFound)
                  return exchange->respond(refuse(502, "ClusterFailed", reply.error->text()));
                const auto object = reply.ok() ? wire::read_tree(reply.body) : Result<Tree>(Tree());
                give([object = object ? *object : Tree()](const Look& look) {
                  return documents::policy_document(look, object);
                });
              })
        .detach();
    return;
  }
  const auto run = find_run(*shown, exchange->route.name);
  if (!run) return exchange->respond(refuse(404, "NotFound", "there is no such run"));
  if (exchange->route.endpoint == Endpoint::Run)
    return around_.records(run->name, "timeline", [give, run](std::string lines) {
      give([run, lines = std::move(lines)](const Look& look) {
        return documents::run_document(look, *run, lines);
      });
    });
  around_.records(run->name, "audit", [give, run, exchange](std::string lines) {
    const bool whole = exchange->route.endpoint == Endpoint::RunExport;
    give([run, whole, lines = std::move(lines)](const Look& look) {
      std::string audit = documents::audit_document(*run, lines);
      if (!whole) return audit;
      return "{\"run\":" + documents::run_document(look, *run, "") + ",\"audit\":" + audit + "}\n";
    });
  });
}

void Dashboard::read_audit(const ExchangePtr& exchange) {
  const auto shown = look();
  if (!shown) return exchange->respond(not_yet());
  const bool asked = audits_.ask(shown->runs, [this, exchange](const AuditCollection::Found& found) {
    on_worker(worker_, exchange, [this, exchange, found](const Look& look) {
      return document(exchange->request, finish<Made>(look.revision, documents::audit_trail_document(
                                                                         found.runs, found.complete)));
    });
  });
  if (!asked)
    exchange->respond(refuse(503, "Busy", "the records of all runs are being read already; try again"));
}

void Dashboard::open_events(const ExchangePtr& exchange) {
  net::HttpStream stream(std::size_t{64} << 10);
  net::HttpResponse response;
  response.content_type = "text/event-stream";
  response.headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}};
  response.stream = stream;
  response.stream_for = kStreamLife;
  if (!hub_.join(stream, exchange->request.last_event_id))
    return exchange->respond(refuse(503, "TooManyStreams", "too many pages are open"));
  exchange->respond(std::move(response));
}

}  // namespace tamp::dashboard

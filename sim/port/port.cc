#include "sim/port/port.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <charconv>
#include <map>
#include <optional>
#include <random>
#include <utility>

#include "net/certificate.h"
#include "net/http_server.h"
#include "wire/base64.h"

namespace tamp::embed {
namespace {

using net::HttpRequest;
using net::HttpResponse;
using net::HttpStream;
using net::Responder;
namespace api = world::api;

// The API server's own limit on a request.
constexpr std::size_t kMaxBody = std::size_t{3} << 20;
// A watch fetches no more frames while so much waits to be sent: its place in the server's history waits for it, and if it is
// too slow even for that, it gets a 410 there as from the real server.
constexpr std::size_t kEnoughWaiting = std::size_t{1} << 20;

constexpr std::string_view kUnauthorized =
    R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"Unauthorized","reason":"Unauthorized","code":401})";

std::string random_token() {
  std::random_device device;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", device());
  return token;
}

api::Request to_api(HttpRequest in) {
  api::Request out;
  out.method = std::move(in.method);
  out.target = std::move(in.path);
  if (!in.query.empty()) out.target += "?" + in.query;
  out.content_type = std::move(in.content_type);
  out.accept = std::move(in.accept);
  out.user_agent = std::move(in.user_agent);
  out.authorization = std::move(in.authorization);
  out.body = std::move(in.body);
  for (auto& [name, value] : in.others) {
    if (name == "impersonate-user")
      out.impersonate_user = std::move(value);
    else if (name == "impersonate-group")
      out.impersonate_groups.push_back(std::move(value));
  }
  return out;
}

// RFC 7234's Warning header, as client-go reads it: 299 is "miscellaneous persistent warning".
std::string warning_header(const std::string& text) {
  std::string quoted;
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return "299 - \"" + quoted + "\"";
}

// RFC 9110, 5.6.7: "Sun, 06 Nov 1994 08:49:37 GMT".
std::string http_date(Time time) {
  constexpr std::array kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                               "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const CivilTime at = to_civil(time);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[static_cast<std::size_t>(at.weekday)],
                     at.day, kMonths[static_cast<std::size_t>(at.month - 1)], at.year, at.hour, at.minute,
                     at.second);
}

// `now`: by the cluster's clock, which may be a virtual one.
HttpResponse to_http(api::Answer in, Time now) {
  HttpResponse out{in.status, std::move(in.content_type), std::move(in.body)};
  out.headers.emplace_back("Date", http_date(now));
  out.headers.emplace_back("Cache-Control", "no-cache, private");
  if (in.retry_after)
    out.headers.emplace_back("Retry-After",
                             std::to_string((in.retry_after->ns + 999'999'999) / 1'000'000'000));
  for (const std::string& warning : in.warnings) out.headers.emplace_back("Warning", warning_header(warning));
  return out;
}

// timeoutSeconds of the query; nothing if it is not there or not a positive number.
std::optional<Duration> wished_life(std::string_view target) {
  constexpr std::string_view kKey = "timeoutSeconds=";
  const auto mark = target.find('?');
  if (mark == std::string_view::npos) return {};
  std::string_view rest = target.substr(mark + 1);
  while (!rest.empty()) {
    const auto end = rest.find('&');
    const std::string_view pair = rest.substr(0, end);
    std::int64_t seconds = 0;
    if (pair.starts_with(kKey)) {
      std::from_chars(pair.data() + kKey.size(), pair.data() + pair.size(), seconds);
      if (seconds > 0 && seconds < 1'000'000'000) return Duration::seconds(seconds);
      return {};
    }
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return {};
}

// The part that runs on the server's thread.
class Desk {
 public:
  Desk(api::Server& server, Port::Post post, const PortOptions& options, std::weak_ptr<Desk*> self)
      : server_(server), post_(std::move(post)), options_(options), self_(std::move(self)) {}
  ~Desk() { end_watches(); }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  void answer(HttpRequest request, const Responder& respond) {
    const api::Request call = to_api(std::move(request));
    if (options_.admitted && !options_.admitted(call)) {
      tell(call, 401);
      return respond({401, "application/json", std::string(kUnauthorized)});
    }
    if (server_.is_watch(call)) return watch(call, respond);
    api::Answer answer = server_.handle(call);
    tell(call, answer.status);
    respond(to_http(std::move(answer), server_.now()));
  }

  void end_watches() {
    for (auto& [watch, stream] : watches_) {
      server_.close_watch(watch);
      stream.finish();
    }
    watches_.clear();
  }

 private:
  // Runs `action` here, later; not at all if this has gone by then. From any thread.
  std::function<void()> here(std::function<void(Desk&)> action) const {
    return [post = post_, self = self_, action = std::move(action)] {
      post([self, action] {
        if (const auto desk = self.lock()) action(**desk);
      });
    };
  }

  void tell(const api::Request& call, int status) const {
    if (options_.answered) options_.answered(call, status);
  }

  void watch(const api::Request& call, const Responder& respond) {
    // The server says that there is news before its id is known here.
    const auto id = std::make_shared<std::optional<api::WatchId>>();
    const auto asked = std::make_shared<bool>(false);  // once until it is looked after
    const auto look = here([id, asked](Desk& desk) {
      *asked = false;
      if (*id) desk.pump(**id);
    });
    const api::Server::Watch opened = server_.open_watch(call, [asked, look] {
      if (!std::exchange(*asked, true)) look();
    });
    tell(call, opened.id ? 200 : opened.refusal.status);
    if (!opened.id) return respond(to_http(opened.refusal, server_.now()));
    *id = opened.id;
    HttpStream stream;
    const api::WatchId watch = *opened.id;
    stream.on_closed(here([watch](Desk& desk) { desk.drop(watch); }));
    stream.on_sent(here([watch](Desk& desk) { desk.pump(watch); }));
    watches_.emplace(watch, stream);
    HttpResponse response = to_http(opened.refusal, server_.now());
    response.status = 200;
    response.body.clear();
    response.stream = stream;
    response.stream_for = wished_life(call.target).value_or(options_.watch_life);
    pump(watch);
    respond(std::move(response));
  }

  void pump(api::WatchId watch) {
    const auto found = watches_.find(watch);
    if (found == watches_.end()) return;
    HttpStream& stream = found->second;
    while (stream.waiting() < kEnoughWaiting) {
      const std::optional<std::string> frame = server_.next_frame(watch);
      if (!frame) {
        if (server_.watch_ended(watch)) stream.finish();
        return;
      }
      if (!stream.write(*frame)) return;
    }
  }

  void drop(api::WatchId watch) {
    if (watches_.erase(watch) > 0) server_.close_watch(watch);
  }

  api::Server& server_;
  Port::Post post_;
  const PortOptions& options_;
  std::weak_ptr<Desk*> self_;  // what is posted finds the desk by it, or finds it gone
  std::map<api::WatchId, HttpStream> watches_;
};

}  // namespace

struct Port::Impl {
  PortOptions options;
  std::string authority;
  net::HttpOptions listening;  // with the port that was found
  Post post;
  // Order matters: the HTTP server goes first, then the desk.
  std::shared_ptr<Desk*> self = std::make_shared<Desk*>(nullptr);
  std::optional<Desk> desk;
  std::unique_ptr<net::HttpServer> http;

  Status listen() {
    TAMP_TRY(http, net::HttpServer::start(listening, [to = post, desk = std::weak_ptr(self)](
                                                         HttpRequest request, Responder respond) {
               to([desk, request = std::move(request), respond = std::move(respond)]() mutable {
                 if (const auto there = desk.lock()) (*there)->answer(std::move(request), respond);
               });
             }));
    listening.port = http->port();
    return success();
  }
};

Port::Port(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Port::~Port() {
  impl_->http.reset();
  impl_->self.reset();
}

Result<std::unique_ptr<Port>> Port::start(api::Server& server, Post post, Time now, PortOptions options) {
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  if (impl->options.token.empty()) impl->options.token = random_token();
  server.add_token(impl->options.token, impl->options.caller);
  impl->post = std::move(post);
  impl->desk.emplace(server, impl->post, impl->options, impl->self);
  *impl->self = &*impl->desk;

  TAMP_TRY(const net::CertifiedKey authority, net::make_authority("tamp embedded authority", now));
  TAMP_TRY(const net::CertifiedKey serving,
           net::make_serving_certificate(authority,
                                         {"127.0.0.1", "::1", "localhost", "kubernetes.default.svc"}, now));
  impl->authority = authority.certificate;
  net::HttpOptions& http = impl->listening;
  http.address = impl->options.address;
  http.port = impl->options.port;
  http.tls = net::TlsIdentity{serving.certificate, serving.private_key};
  http.max_body_bytes = kMaxBody;
  http.max_header_bytes = std::size_t{64} << 10;
  http.max_connections = 2048;
  TAMP_CHECK(impl->listen());
  return std::unique_ptr<Port>(new Port(std::move(impl)));
}

std::uint16_t Port::port() const { return impl_->listening.port; }
std::string Port::url() const {
  const bool v6 = impl_->options.address.find(':') != std::string::npos;
  return fmt::format(fmt::runtime(v6 ? "https://[{}]:{}" : "https://{}:{}"), impl_->options.address, port());
}
const std::string& Port::token() const { return impl_->options.token; }
const std::string& Port::authority() const { return impl_->authority; }

std::string Port::kubeconfig() const {
  const std::string& name = impl_->options.name;
  return fmt::format(
      "apiVersion: v1\n"
      "kind: Config\n"
      "current-context: {0}\n"
      "clusters:\n"
      "- name: {0}\n"
      "  cluster:\n"
      "    server: {1}\n"
      "    certificate-authority-data: {2}\n"
      "users:\n"
      "- name: {0}\n"
      "  user:\n"
      "    token: {3}\n"
      "contexts:\n"
      "- name: {0}\n"
      "  context:\n"
      "    cluster: {0}\n"
      "    user: {0}\n",
      name, url(), wire::encode_base64(impl_->authority), token());
}

void Port::go_down() {
  impl_->http.reset();
  impl_->desk->end_watches();
}
Status Port::come_back() { return impl_->http ? success() : impl_->listen(); }

}  // namespace tamp::embed

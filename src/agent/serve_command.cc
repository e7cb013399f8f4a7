#include "agent/serve_command.h"

#include <malloc.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "agent/gate.h"
#include "agent/identity.h"
#include "agent/live_pods.h"
#include "agent/machine.h"
#include "agent/pages.h"
#include "agent/requests_publisher.h"
#include "net/access.h"
#include "net/caller_access.h"
#include "net/curl_transport.h"
#include "net/http_server.h"
#include "net/real_loop.h"
#include "net/stop_signals.h"

namespace tamp::agent {
namespace {

constexpr Duration kIdentityEvery = Duration::minutes(1);
// For the first list of `observe`.
constexpr Duration kFirstList = Duration::seconds(30);

void say(const std::string& what) { std::cerr << "tamp-agent: " << what << "\n"; }

// The time that the file was changed; nothing for standard input and where it cannot be told.
std::optional<std::filesystem::file_time_type> changed_at(const std::string& file) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

// A server, and those of our clients that speak to it.
struct Link {
  Link(net::RealLoop& loop, const net::Access& access) : transport(loop, access), loop_(loop) {}

  // Each purpose has its own pace, so that none waits for another.
  net::Client& client(double qps, int burst) {
    net::ClientOptions options;
    options.qps = qps;
    options.burst = burst;
    options.field_manager = "tamp-agent";
    options.read_timeout = Duration::seconds(15);
    clients_.push_back(std::make_unique<net::Client>(loop_, transport, options));
    return *clients_.back();
  }

  net::CurlTransport transport;

 private:
  net::RealLoop& loop_;
  std::vector<std::unique_ptr<net::Client>> clients_;
};

Result<std::unique_ptr<Link>> link_to_api(net::RealLoop& loop, const Flags& flags) {
  auto access =
      net::find_access({.kubeconfig = flags.kubeconfig,
                        .context = {},
                        .variable = net::environment_variable,
                        .service_account_directory = net::AccessOptions().service_account_directory});
  if (!access)
    return std::move(access).error().with(
        flags.pods.empty() ? "no --pods and no --kubelet-url, and the API server cannot be asked"
                           : "the API server cannot be asked");
  return std::make_unique<Link>(loop, *access);
}

std::string node_of(const Flags& flags) {
  return flags.agent.node.empty() ? read_machine(flags.agent.kernel).hostname : flags.agent.node;
}

// Whoever tells the pods while the agent runs: at most one of the two.
struct LivePods {
  std::unique_ptr<Link> kubelet_link;
  std::optional<KubeletPods> kubelet;
  std::optional<ApiPods> api;

  Status start(net::RealLoop& loop, Link* api_link, const Flags& flags, const std::string& node,
               const PodsChanged& changed) {
    if (!flags.kubelet_url.empty()) {
      TAMP_TRY(const KubeletAddress at, parse_kubelet_url(flags.kubelet_url));
      net::Access access;
      access.server = at.server;
      kubelet_link = std::make_unique<Link>(loop, access);
      kubelet.emplace(loop, kubelet_link->client(5, 5), at.path, flags.tiers, changed, say);
      kubelet->start();
    } else {
      api.emplace(loop, api_link->client(5, 10), node, flags.tiers, changed, say);
      api->start();
    }
    return success();
  }
  std::optional<net::Instant> heard() const {
    if (kubelet) return kubelet->heard();
    return api ? api->heard() : std::nullopt;
  }
};

// The agent as it runs. Members are destroyed in reverse: the server first, the loop (which is the caller's) last.
class Service {
 public:
  Service(net::RealLoop& loop, const Flags& flags, const ReadPods& read_pods)
      : loop_(loop), flags_(flags), read_pods_(read_pods) {}
  Service(const Service&) = delete;
  Service& operator=(const Service&) = delete;
  ~Service() {
    if (server_) server_->stop(Duration::seconds(1));
  }

  Status start() {
    std::vector<wire::NodePod> pods;
    AgentOptions options = flags_.agent;
    const bool from_file = !flags_.pods.empty();
    if (from_file) {
      TAMP_TRY(pods, read_pods_());
      changed_at_ = changed_at(flags_.pods);
    } else {
      options.node = node_of(flags_);
    }
    TAMP_TRY(Agent agent, Agent::start(options, std::move(pods)));
    const std::string node = agent.node();
    pages_.emplace(std::move(agent), [this] { return Moment{monotonic(), loop_.now()}; });
    if (flags_.asks_api()) {
      TAMP_TRY(api_, link_to_api(loop_, flags_));
    }
    if (flags_.publish_requests) publisher_.emplace(loop_, api_->client(1, 5), node, say);
    if (!from_file) {
      pages_->await_pods();
      TAMP_CHECK(live_.start(loop_, api_.get(), flags_, node,
                             [this](std::vector<wire::NodePod> fresh) { follow(std::move(fresh)); }));
    }
    TAMP_CHECK(open_port());
    due_ = monotonic();
    tick();
    return success();
  }

 private:
  Time monotonic() const { return Time{loop_.instant().ns}; }

  void follow(std::vector<wire::NodePod> pods) {
    pages_->follow(std::move(pods));
    if (publisher_) publisher_->set(pages_->requests());
    // A list is large once, and what it took is not needed again.
    ::malloc_trim(0);
  }

  void tick() {
    if (!flags_.pods.empty()) read_file_again();
    pages_->tick();
    const Time now = monotonic();
    while (due_ <= now) due_ = due_ + flags_.agent.interval;
    timer_ = loop_.after(due_ - now, [this] { tick(); });
  }

  void read_file_again() {
    const auto last = changed_at(flags_.pods);
    if (!last || last == changed_at_) return;
    changed_at_ = last;
    // A list that is being written may be half a list: the old one stays until there is a sound one.
    if (auto fresh = read_pods_())
      follow(std::move(fresh).value());
    else
      say(fresh.error().message);
  }

  Status open_port() {
    net::HttpOptions options;
    options.port = flags_.port;
    options.max_body_bytes = 1024;
    options.max_connections = 32;
    options.read_timeout = Duration::seconds(5);
    options.idle_timeout = Duration::seconds(60);
    options.handle_timeout = Duration::seconds(15);
    options.threads = 1;
    if (flags_.authenticates()) {
      identity_.emplace(IdentityFiles{flags_.certificate_file, flags_.private_key_file},
                        std::vector<std::string>{"tamp-agent", "localhost", "127.0.0.1"});
      TAMP_TRY(options.tls, identity_->renew(loop_.now()));
      if (!flags_.client_authority_file.empty()) {
        TAMP_TRY(options.client_authority, read_pem(flags_.client_authority_file));
      }
    }
    if (flags_.tokens) {
      net::CallerAccessOptions access;
      if (!flags_.token_audience.empty()) access.audiences.push_back(flags_.token_audience);
      access_.emplace(loop_, api_->client(5, 20), std::move(access));
    }
    gate_.emplace(loop_, access_ ? &*access_ : nullptr,
                  GateOptions{.anybody = !flags_.authenticates(), .client_name = flags_.client_name});
    const auto start_on = [&](const std::string& address) {
      options.address = address;
      return net::HttpServer::start(options, [this](net::HttpRequest request, net::Responder respond) {
        handle(std::move(request), std::move(respond));
      });
    };
    // Every interface; a kernel without IPv6 has no "::".
    auto server = start_on(flags_.address.empty() ? "::" : flags_.address);
    if (!server && flags_.address.empty()) server = start_on("0.0.0.0");
    if (!server) return std::move(server).error();
    server_ = std::move(server).value();
    say((identity_ ? "serves https://" : "serves http://") +
        (options.address.find(':') == std::string::npos ? options.address : "[" + options.address + "]") +
        ":" + std::to_string(server_->port()));
    if (identity_) renew_identity_later();
    return success();
  }

  void renew_identity_later() {
    identity_timer_ = loop_.after(kIdentityEvery, [this] {
      const auto fresh = identity_->renew(loop_.now());
      if (!fresh)
        say(fresh.error().message);
      else if (*fresh)
        if (const auto status = server_->replace_identity(**fresh); !status) say(status.error().message);
      renew_identity_later();
    });
  }

  // On the server's thread.
  void handle(net::HttpRequest request, net::Responder respond) {
    const bool guarded = request.path == "/observe" || request.path == "/metrics";
    if (!guarded) return respond(response(request, {}));
    loop_.post([this, request = std::move(request), respond = std::move(respond)] {
      gate_->ask(request, [this, request, respond](std::optional<net::HttpResponse> refusal) {
        respond(refusal ? std::move(*refusal) : response(request, figures()));
      });
    });
  }

  net::HttpResponse response(const net::HttpRequest& request, const ServiceFigures& figures) {
    Page page = pages_->answer(request.method, request.path, figures);
    return {.status = page.status, .content_type = std::move(page.type), .body = std::move(page.body)};
  }

  ServiceFigures figures() const {
    ServiceFigures f;
    for (std::size_t i = 0; i < Gate::kRefusals.size(); ++i)
      f.refused.emplace_back(Gate::kRefusals[i], gate_->refused()[i]);
    if (const auto heard = live_.heard()) f.pods_age_seconds = (loop_.instant() - *heard).to_seconds();
    if (publisher_) {
      f.annotation_writes = publisher_->written();
      f.annotation_failures = publisher_->failed();
    }
    return f;
  }

  net::RealLoop& loop_;
  const Flags& flags_;
  const ReadPods& read_pods_;
  std::optional<std::filesystem::file_time_type> changed_at_;
  std::optional<Pages> pages_;
  std::unique_ptr<Link> api_;
  std::optional<RequestsPublisher> publisher_;
  LivePods live_;
  std::optional<net::CallerAccess> access_;
  std::optional<Gate> gate_;
  std::optional<Identity> identity_;
  Time due_;
  net::Pending timer_, identity_timer_;
  std::unique_ptr<net::HttpServer> server_;
};

}  // namespace

Status run_serve(const Flags& flags, const ReadPods& read_pods) {
  net::RealLoop loop;
  const net::StopSignals signals(loop, [&loop] { loop.stop(); });
  Service service(loop, flags, read_pods);
  TAMP_CHECK(service.start());
  loop.run();
  return success();
}

Result<std::vector<wire::NodePod>> fetch_pods(const Flags& flags) {
  net::RealLoop loop;
  std::unique_ptr<Link> api;
  if (flags.kubelet_url.empty()) {
    TAMP_TRY(api, link_to_api(loop, flags));
  }
  std::optional<std::vector<wire::NodePod>> pods;
  bool too_long = false;
  const net::Pending patience = loop.after(kFirstList, [&] { too_long = true; });
  LivePods live;
  TAMP_CHECK(live.start(loop, api.get(), flags, node_of(flags),
                        [&](std::vector<wire::NodePod> fresh) { pods = std::move(fresh); }));
  loop.run_until([&] { return pods || too_long; });
  if (!pods) return Error{"who runs here could not be found out within " + format_duration(kFirstList)};
  return std::move(*pods);
}

}  // namespace tamp::agent

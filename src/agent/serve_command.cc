#include "agent/serve_command.h"

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <utility>

#include "agent/pages.h"
#include "serve/http_server.h"

namespace tamp::agent {
namespace {

// SIGTERM and SIGINT as something to wait for. Threads that start later leave them alone, too.
class EndSignals {
 public:
  EndSignals() {
    ::sigemptyset(&set_);
    ::sigaddset(&set_, SIGTERM);
    ::sigaddset(&set_, SIGINT);
    ::pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  }
  // True if it is time to end.
  bool wait(Duration at_most) const {
    const std::int64_t ns = std::max<std::int64_t>(at_most.ns, 0);
    const timespec timeout{ns / 1'000'000'000, ns % 1'000'000'000};
    return ::sigtimedwait(&set_, nullptr, &timeout) > 0;
  }

 private:
  sigset_t set_{};
};

// The time that the file was changed; nothing for standard input and where it cannot be told.
std::optional<std::filesystem::file_time_type> changed_at(const std::string& file) {
  std::error_code error;
  const auto time = std::filesystem::last_write_time(file, error);
  return error ? std::nullopt : std::optional(time);
}

}  // namespace

Status run_serve(const Flags& flags, std::vector<codec::NodePod> pods, const Clock& clock,
                 const std::function<Result<std::vector<codec::NodePod>>()>& read_pods) {
  TAMP_TRY(Agent agent, Agent::start(flags.agent, std::move(pods)));
  const EndSignals signals;
  Pages pages(std::move(agent), [&] { return Moment{clock.monotonic(), clock.wall()}; });
  pages.tick();

  serve::HttpOptions options;
  options.address = flags.address;
  options.port = flags.port;
  options.max_body_bytes = 1024;
  options.max_connections = 16;
  options.threads = 1;
  TAMP_TRY(
      const auto server,
      serve::HttpServer::start(options, [&](serve::HttpRequest request, serve::Responder respond) {
        Page page = pages.answer(request.method, request.path);
        respond({.status = page.status, .content_type = std::move(page.type), .body = std::move(page.body)});
      }));
  std::cerr << "tamp-agent: serves " << flags.address << ":" << server->port() << "\n";

  auto changed = changed_at(flags.pods);
  Time due = clock.monotonic();
  for (;;) {
    const Time now = clock.monotonic();
    while (due <= now) due = due + flags.agent.interval;
    if (signals.wait(due - now)) break;
    if (const auto last = changed_at(flags.pods); last && last != changed) {
      changed = last;
      // A list that is being written may be half a list: the old one stays until there is a sound one.
      if (auto fresh = read_pods())
        pages.follow(std::move(fresh).value());
      else
        std::cerr << "tamp-agent: " << fresh.error().message << "\n";
    }
    pages.tick();
  }
  server->stop(Duration::seconds(1));
  return success();
}

}  // namespace tamp::agent

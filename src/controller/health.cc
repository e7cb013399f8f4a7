#include "controller/health.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace tamp::controller {
namespace {

net::Instant monotonic_now() {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(
              std::chrono::steady_clock::now().time_since_epoch())
              .count()};
}

bool asks_for(std::string_view query, std::string_view word) {
  for (std::size_t begin = 0; begin <= query.size();) {
    const auto end = std::min(query.find('&', begin), query.size());
    const std::string_view part = query.substr(begin, end - begin);
    if (part.substr(0, part.find('=')) == word) return true;
    begin = end + 1;
  }
  return false;
}

}  // namespace

Health::Health(std::vector<std::string> needed, std::function<net::Instant()> clock)
    : clock_(clock ? std::move(clock) : monotonic_now), ticked_(clock_()) {
  for (std::string& name : needed) problems_.emplace(std::move(name), "not yet");
}

void Health::tick() {
  const std::lock_guard lock(mutex_);
  ticked_ = clock_();
}

void Health::set_ready(std::string_view name) { set_not_ready(name, ""); }

void Health::set_not_ready(std::string_view name, std::string problem) {
  const std::lock_guard lock(mutex_);
  problems_.insert_or_assign(std::string(name), std::move(problem));
}

std::string Health::loop_problem() const {
  const Duration still = clock_() - ticked_;
  if (still <= kStuckAfter) return "";
  return fmt::format("has not moved for {}", format_duration(Duration::seconds(still.ns / 1'000'000'000)));
}

net::HttpResponse Health::answer(const net::HttpRequest& request) const {
  if (request.method != "GET" && request.method != "HEAD")
    return {405, "text/plain; charset=utf-8", "only GET\n", {{"Allow", "GET, HEAD"}}};
  const bool ready = request.path == "/readyz";
  if (!ready && request.path != "/healthz" && request.path != "/livez")
    return {404, "text/plain; charset=utf-8", "not found\n"};

  std::map<std::string, std::string, std::less<>> problems;
  {
    const std::lock_guard lock(mutex_);
    if (ready) problems = problems_;
    problems.emplace("loop", loop_problem());
  }
  bool good = true;
  std::string lines;
  for (const auto& [name, problem] : problems) {
    good = good && problem.empty();
    lines += problem.empty() ? fmt::format("[+] {} ok\n", name) : fmt::format("[-] {}: {}\n", name, problem);
  }
  net::HttpResponse response;
  response.status = good ? 200 : 503;
  if (good && !asks_for(request.query, "verbose"))
    response.body = "ok\n";
  else
    response.body = lines + (good ? "ok\n" : ready ? "not ready\n" : "not healthy\n");
  return response;
}

}  // namespace tamp::controller

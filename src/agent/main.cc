// The tamp-agent program: reads the command line, measures, writes its answer. Exit status: 0 measured, 2 bad input or usage,
// 1 anything else.
#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "agent/agent.h"
#include "agent/flags.h"
#include "agent/serve_command.h"

#ifndef TAMP_VERSION
#define TAMP_VERSION "unknown"
#endif

namespace tamp::agent {
namespace {

constexpr int kMeasured = 0, kFailed = 1, kBadInput = 2;
constexpr std::size_t kLargestFile = std::size_t{256} << 20;

template <typename ChronoClock>
Time now_of() {
  const auto since = ChronoClock::now().time_since_epoch();
  return Time{std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()};
}

Clock real_clock() {
  using std::chrono::steady_clock, std::chrono::system_clock;
  return {now_of<steady_clock>, now_of<system_clock>, [](Time until) {
            std::this_thread::sleep_until(steady_clock::time_point(std::chrono::nanoseconds(until.ns)));
          }};
}

std::optional<std::string> environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): one thread
  return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

Result<wire::Input> read_input(const std::string& path) {
  const bool standard = path == "-";
  const std::string name = standard ? "<stdin>" : path;
  std::ifstream file;
  if (!standard) {
    file.open(path, std::ios::binary);
    if (!file) return Error{name + ": cannot be opened"};
  }
  std::istream& stream = standard ? std::cin : file;
  std::string bytes;
  std::vector<char> chunk(64 * 1024);
  while (stream.read(chunk.data(), static_cast<std::streamsize>(chunk.size())) || stream.gcount() > 0) {
    bytes.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    if (bytes.size() > kLargestFile) return Error{name + ": is too large"};
  }
  if (stream.bad()) return Error{name + ": cannot be read"};
  return wire::Input{name, std::move(bytes)};
}

// Up to a dozen files are open for each pod, and many systems start programs with a soft limit of 1024.
void allow_many_files() {
  constexpr rlim_t kEnough = 16 * 1024;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kEnough) return;
  limit.rlim_cur = std::min(kEnough, limit.rlim_max);
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Result<std::vector<wire::NodePod>> read_pods(const Flags& flags) {
  TAMP_TRY(const wire::Input input, read_input(flags.pods));
  return wire::read_node_pods(input, flags.tiers);
}

Result<std::string> run_observe(const Flags& flags) {
  TAMP_TRY(std::vector<wire::NodePod> pods, flags.pods.empty() ? fetch_pods(flags) : read_pods(flags));
  TAMP_TRY(Agent agent, Agent::start(flags.agent, std::move(pods)));
  return observe(agent, flags.seconds, flags.agent.interval, real_clock());
}

Result<std::string> answer(const Flags& flags) {
  switch (flags.verb) {
    case Verb::Help:
      return help_text();
    case Verb::Version:
      return std::string("tamp-agent " TAMP_VERSION "\n");
    case Verb::Observe:
      return run_observe(flags);
    case Verb::Serve: {
      TAMP_CHECK(run_serve(flags, [&] { return read_pods(flags); }));
      return std::string();
    }
  }
  return Error{"no such command"};
}

// Small rather than fast: one heap for the few threads there are, and large pieces go back to the kernel when they are freed.
void keep_memory_small() {
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_MMAP_THRESHOLD, 64 * 1024);
  ::mallopt(M_TRIM_THRESHOLD, 64 * 1024);
}

int run(const std::vector<std::string>& arguments) {
  keep_memory_small();
  allow_many_files();
  const auto flags = parse_flags(arguments, environment);
  const Result<std::string> text = flags ? answer(*flags) : Result<std::string>(flags.error());
  if (!text) {
    std::cerr << "tamp-agent: " << text.error().message << "\n";
    return kBadInput;
  }
  std::cout << *text << std::flush;
  return std::cout ? kMeasured : kFailed;
}

}  // namespace
}  // namespace tamp::agent

int main(int argc, char** argv) {
  try {
    return tamp::agent::run(std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tamp-agent: %s\n", e.what());
    return 1;
  }
}

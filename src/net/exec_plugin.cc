#include "net/exec_plugin.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "wire/exec_credential.h"

extern char** environ;

namespace tamp::net {
namespace {

using Clock = std::chrono::steady_clock;

// Certificate chains are some kilobytes.
constexpr std::size_t kLargestAnswer = std::size_t{1} << 20;
// How often a running plugin is looked at for whether it should be ended.
constexpr int kLookMs = 50;
// A credential is renewed this much before its end, so that it does not end on its way.
constexpr Duration kBeforeItsEnd = Duration::seconds(10);

std::string why(int error) { return std::generic_category().message(error); }

std::vector<std::string> environment_of(const wire::ExecPlugin& plugin, const std::string& exec_info) {
  std::vector<std::string> ours;
  for (char** entry = environ; *entry != nullptr; ++entry) ours.emplace_back(*entry);
  const auto set = [&](const std::string& name, const std::string& value) {
    std::erase_if(ours, [&](const std::string& entry) { return entry.starts_with(name + "="); });
    ours.push_back(name + "=" + value);
  };
  for (const auto& [name, value] : plugin.environment) set(name, value);
  set("KUBERNETES_EXEC_INFO", exec_info);
  return ours;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

class Child {
 public:
  // `out` becomes the write end's reader: what the child prints.
  static Result<Child> start(const wire::ExecPlugin& plugin, const std::string& exec_info, bool interactive) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return Error{"cannot make a pipe: " + why(errno)};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (!interactive) posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);

    // Our threads block signals and the program may ignore some; the plugin gets an ordinary start. A process group of
    // its own lets us end it with its children; one that asks a person has to stay in the terminal's group.
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, pipe_signal;
    sigemptyset(&none);
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &pipe_signal);
    short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    if (!interactive) {
      posix_spawnattr_setpgroup(&attributes, 0);
      flags = static_cast<short>(flags | POSIX_SPAWN_SETPGROUP);
    }
    posix_spawnattr_setflags(&attributes, flags);

    std::vector<std::string> arguments{plugin.command};
    arguments.insert(arguments.end(), plugin.arguments.begin(), plugin.arguments.end());
    std::vector<std::string> environment = environment_of(plugin, exec_info);
    Child child;
    const int failed = posix_spawnp(&child.pid_, plugin.command.c_str(), &actions, &attributes,
                                    pointers(arguments).data(), pointers(environment).data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    ::close(pipe[1]);
    child.out_ = pipe[0];
    child.own_group_ = !interactive;
    if (failed != 0) {
      child.pid_ = -1;
      const std::string hint = plugin.install_hint.empty() ? "" : "\n" + plugin.install_hint;
      return Error{"cannot start: " + why(failed) + hint};
    }
    return child;
  }

  Child(Child&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)),
        out_(std::exchange(other.out_, -1)),
        own_group_(other.own_group_) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (out_ >= 0) ::close(out_);
    if (pid_ <= 0) return;
    ::kill(own_group_ ? -pid_ : pid_, SIGKILL);
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
  }

  // What it printed until its end. An error if it does not end well or in time.
  Result<std::string> finish(Clock::time_point deadline, const std::stop_token& stop) {
    std::string answer;
    bool open = true;
    for (;;) {
      if (stop.stop_requested()) return Error{"was called off"};
      if (Clock::now() >= deadline) return Error{"took too long"};
      if (!open) {
        int status = 0;
        const pid_t ended = ::waitpid(pid_, &status, WNOHANG);
        if (ended == pid_) {
          pid_ = -1;
          if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return answer;
          if (WIFEXITED(status)) return Error{fmt::format("ended with status {}", WEXITSTATUS(status))};
          return Error{fmt::format("was ended by signal {}", WTERMSIG(status))};
        }
        (void)::poll(nullptr, 0, 1);
        continue;
      }
      pollfd waiting{out_, POLLIN, 0};
      if (::poll(&waiting, 1, kLookMs) <= 0) continue;
      std::array<char, 4096> chunk;
      const ssize_t got = ::read(out_, chunk.data(), chunk.size());
      if (got < 0 && errno != EINTR) return Error{"cannot read what it prints: " + why(errno)};
      if (got == 0) open = false;
      if (got > 0) answer.append(chunk.data(), static_cast<std::size_t>(got));
      if (answer.size() > kLargestAnswer) return Error{"printed more than a credential"};
    }
  }

 private:
  Child() = default;

  pid_t pid_ = -1;
  int out_ = -1;
  bool own_group_ = false;
};

Result<Issued> ask(const wire::ExecPlugin& plugin, const std::string& exec_info, bool interactive,
                   Duration timeout, const std::stop_token& stop) {
  const auto deadline = Clock::now() + std::chrono::nanoseconds(timeout.ns);
  TAMP_TRY(Child child, Child::start(plugin, exec_info, interactive));
  TAMP_TRY(const std::string answer, child.finish(deadline, stop));
  TAMP_TRY(wire::ExecCredential credential, wire::read_exec_credential(answer, plugin.api_version));
  TAMP_CHECK(check_token(credential.token));
  Issued issued;
  issued.credentials.token = std::move(credential.token);
  issued.credentials.certificate = std::move(credential.certificate);
  issued.credentials.key = std::move(credential.key);
  if (credential.expires) {
    const Time now{std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count()};
    issued.good_for = std::max(Duration{}, *credential.expires - kBeforeItsEnd - now);
  }
  return issued;
}

}  // namespace

CredentialSource credentials_from_plugin(wire::ExecPlugin plugin, std::string exec_info, bool interactive,
                                         Duration timeout) {
  return [plugin = std::move(plugin), exec_info = std::move(exec_info), interactive,
          timeout](std::stop_token stop) -> Result<Issued> {
    auto issued = ask(plugin, exec_info, interactive, timeout, stop);
    if (!issued) return std::move(issued).error().with("credential plugin " + plugin.command);
    return issued;
  };
}

}  // namespace tamp::net

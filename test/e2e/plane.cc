#include "e2e/plane.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "net/access.h"

namespace tamp::e2e {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "e2e: %s\n", why.c_str());
  std::exit(1);  // NOLINT(concurrency-mt-unsafe): the program ends
}

net::Access access_to(const std::string& kubeconfig) {
  net::AccessOptions options;
  options.kubeconfig = kubeconfig;
  auto access = net::find_access(options);
  if (!access.ok()) give_up(access.error().message);
  return std::move(*access);
}

// Both pipes are read as they fill: a program that writes much on one must not block on the other.
void drain(int out, int err, Finished& finished) {
  std::array<pollfd, 2> fds{{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  std::array<std::string*, 2> texts{&finished.out, &finished.err};
  int open = 2;
  std::array<char, 65536> buffer{};
  while (open > 0 && ::poll(fds.data(), fds.size(), -1) >= 0) {
    for (std::size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      const ssize_t n = ::read(fds[i].fd, buffer.data(), buffer.size());
      if (n > 0) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(n));
      } else {
        ::close(fds[i].fd);
        fds[i].fd = -1;
        --open;
      }
    }
  }
}

}  // namespace

std::string environment(const std::string& name) {
  const char* value =
      std::getenv(name.c_str());  // NOLINT(concurrency-mt-unsafe): set before the program starts
  if (value == nullptr) give_up(name + " is not set: ./dev e2e runs these tests");
  return value;
}

bool wait_until(Duration within, const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(within.ns);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return true;
}

Finished run(const std::vector<std::string>& command, const std::string& input) {
  std::array<int, 2> in{}, out{}, err{};
  if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0 ||
      ::pipe2(err.data(), O_CLOEXEC) != 0)
    give_up("pipe");
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = ::fork();
  if (child < 0) give_up("fork");
  if (child == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  ::close(err[1]);
  std::thread writer([&] {
    std::string_view rest = input;
    while (!rest.empty()) {
      const ssize_t n = ::write(in[1], rest.data(), rest.size());
      if (n <= 0) break;
      rest.remove_prefix(static_cast<std::size_t>(n));
    }
    ::close(in[1]);
  });
  Finished finished;
  drain(out[0], err[0], finished);
  writer.join();
  int status = 0;
  ::waitpid(child, &status, 0);
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return finished;
}

wire::Json parse(const std::string& text) {
  auto json = wire::Json::parse(text);
  if (!json.ok()) give_up("not JSON: " + json.error().message + ": " + text.substr(0, 300));
  return std::move(*json);
}

std::string text_at(wire::Value value, std::initializer_list<std::string_view> path) {
  for (const std::string_view key : path) value = value.get(key);
  if (const auto text = value.string()) return std::string(*text);
  return value.is_number() ? value.number_text() : "";
}

Session::Session(const std::string& kubeconfig)
    : transport_(loop_, access_to(kubeconfig)), client_(loop_, transport_, [] {
        net::ClientOptions options;
        options.qps = 500;
        options.burst = 1000;
        return options;
      }()) {}

net::Reply Session::wait_for(const std::function<net::Pending(net::Done)>& call) {
  std::optional<net::Reply> answer;
  const net::Pending pending = call([&](net::Reply reply) { answer = std::move(reply); });
  loop_.run_until([&] { return answer.has_value(); });
  return std::move(*answer);
}

net::Reply Session::get(const net::ResourceType& type, const std::string& ns, const std::string& name) {
  return wait_for([&](net::Done done) { return client_.get(type, ns, name, std::move(done)); });
}
net::Reply Session::list(const net::ResourceType& type, const net::ListOptions& options) {
  return wait_for([&](net::Done done) { return client_.list_page(type, options, std::move(done)); });
}
net::Reply Session::create(const net::ResourceType& type, const std::string& ns, const std::string& body) {
  return wait_for([&](net::Done done) { return client_.create(type, ns, body, std::move(done)); });
}
net::Reply Session::patch(const net::ResourceType& type, const std::string& ns, const std::string& name,
                          const std::string& subresource, net::PatchType patch_type,
                          const std::string& body) {
  return wait_for([&](net::Done done) {
    return client_.patch(type, ns, name, subresource, patch_type, body, std::move(done));
  });
}
net::Reply Session::apply(const net::ResourceType& type, const std::string& ns, const std::string& name,
                          const std::string& body) {
  return wait_for(
      [&](net::Done done) { return client_.apply(type, ns, name, "", body, true, std::move(done)); });
}
net::Reply Session::remove(const net::ResourceType& type, const std::string& ns, const std::string& name) {
  return wait_for([&](net::Done done) { return client_.remove(type, ns, name, {}, std::move(done)); });
}
net::Reply Session::evict(const std::string& ns, const std::string& pod, const net::EvictOptions& options) {
  return wait_for([&](net::Done done) { return client_.evict(ns, pod, options, std::move(done)); });
}

std::string control(const std::string& words) {
  std::vector<std::string> command = {"python3", environment("TAMP_E2E_CONTROLPLANE")};
  std::size_t at = 0;
  while (at < words.size()) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    command.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  command.push_back(environment("TAMP_E2E_DIRECTORY"));
  Finished finished = run(command);
  if (finished.status != 0) give_up(words + ": " + finished.out + finished.err);
  while (!finished.out.empty() && finished.out.back() == '\n') finished.out.pop_back();
  return finished.out;
}

std::string kubectl(const std::vector<std::string>& arguments, const std::string& input) {
  std::vector<std::string> command = {"kubectl"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Finished finished = run(command, input);
  if (finished.status != 0) give_up("kubectl " + arguments.front() + ": " + finished.err);
  return finished.out;
}

std::string account_kubeconfig(int seconds, const std::string& name) {
  return control("kubeconfig tamp-system tamp-controller " + std::to_string(seconds) + " " + name);
}

void install(int webhook_port) {
  const std::string deploy = environment("TAMP_E2E_SOURCE") + "/deploy";
  kubectl({"apply", "--server-side", "-f", environment("TAMP_E2E_NODEPOOL_CRDS")});
  kubectl({"apply", "--server-side", "-k", deploy});
  // The program runs beside the cluster; nodes that are none could not run it.
  kubectl({"delete", "deployment", "-n", "tamp-system", "--all"});
  kubectl({"wait", "--for=condition=Established", "crd", "--all", "--timeout=30s"});
  kubectl({"patch", "crd", "nodepools.karpenter.sh", "--type", "json", "--patch-file",
           deploy + "/karpenter-nodepool-patch.yaml"});
  if (webhook_port != 0) {
    control("webhook " + std::to_string(webhook_port));
  } else {
    kubectl({"delete", "validatingwebhookconfiguration", "tamp"});
    kubectl({"delete", "mutatingwebhookconfiguration", "tamp"});
  }
}

}  // namespace tamp::e2e

// embedded-cluster DIRECTORY: the embedded cluster for the end-to-end tests, on the loopback interface, in real time: API
// server, scheduler, controllers and kubelets, no autoscaler, and nothing in it but what a fresh cluster has. It writes
// DIRECTORY/embedded.kubeconfig (an administrator's) and DIRECTORY/audit.log.
//
// It takes commands, a line each, on standard input, and answers "ok TEXT" or "error TEXT":
//
//     down                                     nobody can connect any more, and what is connected is cut off
//     up                                       as before, under the same address
//     compact                                  history is forgotten: old resourceVersions get 410
//     token NAMESPACE ACCOUNT SECONDS NAME     a token of a ServiceAccount, valid for so long; NAME is for the audit log
#include <cstdio>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "e2e/embedded/audit.h"
#include "net/real_loop.h"
#include "net/stop_signals.h"
#include "sim/api/fresh_cluster.h"
#include "sim/port/port.h"
#include "sim/world/world.h"

namespace tamp::e2e {
namespace {

constexpr Duration kTick = Duration::nanoseconds(20'000'000);

class Cluster {
 public:
  Cluster(net::RealLoop& loop, const std::string& directory)
      : loop_(loop), world_(loop.random(), loop.now()), audit_(directory + "/audit.log") {
    world::api::add_fresh_objects(world_.api());
    keep_time();
  }

  Status serve(const std::string& kubeconfig) {
    embed::PortOptions options;
    options.admitted = [this](const world::api::Request& request) {
      const auto expiry = expiries_.find(request.authorization);
      return expiry == expiries_.end() || loop_.now() < expiry->second;
    };
    options.answered = [this](const world::api::Request& request, int status) {
      audit_.write(loop_.now(), request, status);
    };
    TAMP_TRY(port_, embed::Port::start(
                        world_.api(),
                        [this](std::function<void()> action) {
                          loop_.post([this, action = std::move(action)] {
                            world_.run_until(loop_.now());
                            action();
                            world_.deliver();
                          });
                        },
                        loop_.now(), std::move(options)));
    std::ofstream file(kubeconfig);
    file << port_->kubeconfig();
    file.close();
    if (!file) return Error{"cannot write " + kubeconfig + ": " + std::strerror(errno)};
    return success();
  }

  Result<std::string> obey(const std::string& line) {
    std::istringstream words(line);
    std::string command;
    words >> command;
    if (command == "down") {
      port_->go_down();
      return std::string();
    }
    if (command == "up") {
      TAMP_CHECK(port_->come_back());
      return std::string();
    }
    if (command == "compact") {
      world_.deliver();
      world_.api().keep_changes(0);
      world_.api().keep_changes(kChanges);
      return std::to_string(world_.api().revision());
    }
    if (command == "token") return token(words);
    return Error{"unknown command " + command};
  }

 private:
  // As many as a busy cluster writes in some minutes.
  static constexpr std::size_t kChanges = 100'000;

  void keep_time() {
    world_.run_until(loop_.now());
    tick_ = loop_.after(kTick, [this] { keep_time(); });
  }

  Result<std::string> token(std::istream& words) {
    std::string ns, account, name;
    double seconds = 0;
    if (!(words >> ns >> account >> seconds >> name)) return Error{"token NAMESPACE ACCOUNT SECONDS NAME"};
    const world::api::ObjectPtr found =
        world_.api().get(world::api::ResourceId::ServiceAccounts, ns, account);
    if (!found) return Error{"there is no account " + ns + "/" + account};
    std::string text = "e2e-" + std::to_string(loop_.random());
    text += std::to_string(loop_.random());
    const std::string user = "system:serviceaccount:" + ns + ":" + account;
    world_.api().add_token(
        text, {.user = user,
               .uid = std::string(found->uid()),
               .groups = {"system:serviceaccounts", "system:serviceaccounts:" + ns, "system:authenticated"},
               .manager = "unknown"});
    expiries_["Bearer " + text] = loop_.now() + Duration{static_cast<std::int64_t>(seconds * 1e9)};
    audit_.know(text, user, name);
    return text;
  }

  net::RealLoop& loop_;
  world::World world_;
  AuditLog audit_;
  std::map<std::string, Time, std::less<>> expiries_;  // by the Authorization header
  std::unique_ptr<embed::Port> port_;
  net::Pending tick_;
};

int serve(const std::string& directory) {
  net::RealLoop loop;
  Cluster cluster(loop, directory);
  net::StopSignals signals(loop, [&] { loop.stop(); });
  if (const Status started = cluster.serve(directory + "/embedded.kubeconfig"); !started.ok()) {
    std::fprintf(stderr, "embedded-cluster: %s\n", started.error().message.c_str());
    return 1;
  }
  std::thread commands([&] {
    for (std::string line; std::getline(std::cin, line);)
      loop.post([&cluster, line] {
        const Result<std::string> answer = cluster.obey(line);
        std::cout << (answer.ok() ? "ok " + *answer : "error " + answer.error().message) << std::endl;
      });
    loop.stop();
  });
  std::cout << "ok" << std::endl;
  loop.run();
  // Whoever started it has gone, or is about to: the thread waits for a line that may never come.
  commands.detach();
  std::_Exit(0);
}

}  // namespace
}  // namespace tamp::e2e

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: embedded-cluster DIRECTORY\n", stderr);
    return 2;
  }
  return tamp::e2e::serve(argv[1]);
}

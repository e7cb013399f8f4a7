// embedded-apiserver --kubeconfig FILE [--port N] [--user TOKEN,NAME,UID[,GROUP]…]…: the embedded API server alone, with what a
// fresh real one has, on the loopback interface. For the judge and for tests with kubectl; `tamp demo` has the whole cluster.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include "net/real_loop.h"
#include "net/stop_signals.h"
#include "sim/api/fresh_cluster.h"
#include "sim/api/server.h"
#include "sim/port/port.h"

namespace {

using namespace tamp;

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (;;) {
    const auto end = text.find(',', begin);
    parts.push_back(text.substr(begin, end - begin));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

int usage() {
  std::fputs("usage: embedded-apiserver --kubeconfig FILE [--port N] [--user TOKEN,NAME,UID[,GROUP]...]...\n",
             stderr);
  return 2;
}

// A file that is there is whole.
bool write_whole(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  std::ofstream(fresh) << text;
  return std::rename(fresh.c_str(), path.c_str()) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  net::RealLoop loop;
  world::api::Server server(loop.random(), loop.now());
  embed::PortOptions options;
  std::string kubeconfig;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string flag = argv[i], value = argv[i + 1];
    if (flag == "--kubeconfig") {
      kubeconfig = value;
    } else if (flag == "--port") {
      options.port = static_cast<std::uint16_t>(std::atoi(value.c_str()));
    } else if (flag == "--user") {
      const std::vector<std::string> parts = split(value);
      if (parts.size() < 3) return usage();
      world::api::Caller caller{parts[1], parts[2], {parts.begin() + 3, parts.end()}, ""};
      caller.groups.emplace_back("system:authenticated");
      server.add_token(parts[0], caller);
    } else {
      return usage();
    }
  }
  if (kubeconfig.empty() || argc % 2 == 0) return usage();

  net::StopSignals signals(loop, [&] { loop.stop(); });
  world::api::add_fresh_objects(server);
  // Requests see the time at which they are handled.
  const auto post = [&](std::function<void()> action) {
    loop.post([&, action = std::move(action)] {
      server.set_now(loop.now());
      action();
    });
  };
  auto port = embed::Port::start(server, post, loop.now(), options);
  if (!port.ok()) {
    std::fprintf(stderr, "embedded-apiserver: %s\n", port.error().message.c_str());
    return 1;
  }
  if (!write_whole(kubeconfig, (*port)->kubeconfig())) {
    std::fprintf(stderr, "embedded-apiserver: cannot write %s: %s\n", kubeconfig.c_str(),
                 std::strerror(errno));
    return 1;
  }
  std::printf("serving %s\n", (*port)->url().c_str());
  std::fflush(stdout);
  loop.run();
  return 0;
}

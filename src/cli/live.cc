#include "cli/live.h"

#include <fmt/format.h>
#include <unistd.h>

#include <optional>
#include <utility>

#include "cli/files.h"
#include "controller/autoscaler_reader.h"
#include "controller/cluster_reader.h"
#include "explain/words.h"
#include "net/curl_transport.h"
#include "net/real_loop.h"
#include "wire/dump.h"

namespace tamp::cli {
namespace {

// How far reading is, on one line of the terminal that is wiped at the end; nothing in a pipe.
class Progress {
 public:
  Progress() : shown_(::isatty(STDERR_FILENO) == 1) {}
  ~Progress() {
    if (pages_ > 0 && shown_) write_error("\r\x1b[K");
  }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void page(wire::ObjectKind kind, std::size_t bytes) {
    bytes_ += bytes;
    if (shown_ && ++pages_ % 8 == 1)
      write_error(fmt::format("\r\x1b[Kreading the cluster: {}, {:.0f} MiB", wire::info(kind).plural,
                              static_cast<double>(bytes_) / (1 << 20)));
  }

 private:
  bool shown_;
  std::size_t pages_ = 0, bytes_ = 0;
};

// Runs a loop of its own until every kind was read, and what Cluster Autoscaler says of itself where that is wanted.
Status read_all(const net::Access& access, controller::PageSink sink,
                std::optional<AutoscalerStatus>* autoscaler = nullptr) {
  net::RealLoop loop;
  net::CurlTransport transport(loop, access);
  net::Client client(loop, transport, [] {
    net::ClientOptions eager;  // one command, then silence
    eager.qps = 200;
    eager.burst = 400;
    return eager;
  }());
  Progress progress;
  auto page = std::exchange(sink.page, nullptr);
  sink.page = [&](wire::ObjectKind kind, std::string bytes) {
    progress.page(kind, bytes.size());
    return page(kind, std::move(bytes));
  };
  std::optional<Status> outcome;
  controller::ClusterReader reader(client, std::move(sink),
                                   [&](Status status) { outcome = std::move(status); });
  reader.start();
  controller::AutoscalerReader status(loop, client);
  if (autoscaler != nullptr) status.start();
  loop.run_until([&] { return outcome && (!outcome->ok() || autoscaler == nullptr || status.looked()); });
  if (autoscaler != nullptr) *autoscaler = status.status();
  if (!outcome->ok()) return std::move(*outcome).error().with(access.description);
  return success();
}

// An object that makes no sense is an error, as it is in a file: a plan without it would be a guess.
Status check_readable(const store::ClusterStore& store) {
  for (const store::UnreadableObject& object : store.unreadable())
    if (store::forbids_plan(object)) return Error{object.message};
  return success();
}

Result<wire::Reading> read_live(const Options& options, const terminal::Environment& environment,
                                bool& unreachable) {
  wire::Inputs policy_only;
  if (options.policy) {
    TAMP_TRY(policy_only.policy, read_input(*options.policy));
  }
  TAMP_TRY(store::ClusterStore store, empty_store(options));
  TAMP_TRY(const wire::Reading given, wire::read_snapshot(policy_only));
  TAMP_TRY(const net::Access access, access_of(options, environment));

  controller::PageSink sink;
  sink.begin = [&](wire::ObjectKind kind) { store.begin_list(kind); };
  sink.page = [&](wire::ObjectKind kind, const std::string& bytes) { return store.add_page(kind, bytes); };
  sink.end = [&](wire::ObjectKind kind) { store.end_list(kind); };
  std::optional<AutoscalerStatus> autoscaler;
  if (auto status = read_all(access, std::move(sink), &autoscaler); !status.ok()) {
    unreachable = true;
    return std::move(status).error();
  }
  TAMP_CHECK(check_readable(store));
  wire::Reading reading = store.view();
  reading.autoscaler = std::move(autoscaler);
  if (given.cluster.policy) reading.cluster.policy = given.cluster.policy;
  return reading;
}

}  // namespace

Result<net::Access> access_of(const Options& options, const terminal::Environment& environment) {
  net::AccessOptions wanted;
  wanted.kubeconfig = options.kubeconfig;
  wanted.context = options.context;
  wanted.variable = [&](const std::string& name) { return environment(name).value_or(""); };
  return net::find_access(wanted);
}

Result<store::ClusterStore> empty_store(const Options& options) {
  store::ClusterStore store;
  if (options.instance_types) {
    TAMP_TRY(const wire::Input input, read_input(*options.instance_types));
    TAMP_CHECK(store.set_instance_types(input));
  }
  if (options.prices) {
    TAMP_TRY(wire::Input input, read_input(*options.prices));
    TAMP_CHECK(store.set_prices(std::move(input)));
  }
  return store;
}

ClusterSource live_source(const Options& options, const terminal::Environment& environment,
                          bool& unreachable) {
  return [options, environment, &unreachable] { return read_live(options, environment, unreachable); };
}

Result<std::string> run_snapshot(const Options& options, const terminal::Environment& environment,
                                 bool& unreachable) {
  TAMP_TRY(const net::Access access, access_of(options, environment));
  wire::Dump dump({options.mask});
  controller::PageSink sink;
  sink.begin = [&](wire::ObjectKind kind) { dump.begin_list(kind); };
  sink.page = [&](wire::ObjectKind kind, std::string bytes) { return dump.add_page(kind, std::move(bytes)); };
  sink.end = [](wire::ObjectKind) {};
  if (auto status = read_all(access, std::move(sink)); !status.ok()) {
    unreachable = true;
    return std::move(status).error();
  }
  std::string text;
  TAMP_CHECK(dump.write([&](std::string_view piece) { text += piece; }));
  if (options.subject.empty() || options.subject == "-") return text;
  TAMP_CHECK(write_file(options.subject, text));
  return fmt::format("wrote {} ({:.1f} MiB) from {}\n", options.subject,
                     static_cast<double>(text.size()) / (1 << 20), access.description);
}

}  // namespace tamp::cli

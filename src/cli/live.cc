#include "cli/live.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/files.h"
#include "controller/autoscaler_reader.h"
#include "controller/cluster_reader.h"
#include "explain/words.h"
#include "net/curl_transport.h"
#include "net/election.h"
#include "net/real_loop.h"
#include "wire/dump.h"
#include "wire/lease.h"
#include "wire/object.h"
#include "wire/tree.h"

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

// What a plan depends on and no list shows.
struct Asides {
  std::string lease_namespace;
  bool with_lease = false;
  std::optional<AutoscalerStatus> autoscaler;  // what Cluster Autoscaler says of itself
  std::optional<wire::Lease> lease;            // the controller's; absent: there is none
  std::string problem;                         // why the Lease is not known; empty: it is
};

void read_lease(const net::Reply& reply, Asides& asides) {
  if (!reply.ok()) {
    if (reply.error->kind != net::ApiError::Kind::NotFound) asides.problem = reply.error->text();
    return;
  }
  auto lease = wire::read_lease(reply.body);
  if (lease)
    asides.lease = std::move(*lease);
  else
    asides.problem = lease.error().message;
}

// Runs a loop of its own until every kind was read, and the asides where they are wanted.
Status read_all(const net::Access& access, controller::PageSink sink, Asides* asides = nullptr) {
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
  if (asides != nullptr) status.start();
  bool lease_looked = true;
  net::Pending lease;
  if (asides != nullptr && asides->with_lease) {
    lease_looked = false;
    lease = client.get(net::kLeases, asides->lease_namespace, net::ElectionOptions{}.name,
                       [&](const net::Reply& reply) {
                         read_lease(reply, *asides);
                         lease_looked = true;
                       });
  }
  loop.run_until(
      [&] { return outcome && (!outcome->ok() || asides == nullptr || (status.looked() && lease_looked)); });
  if (asides != nullptr) asides->autoscaler = status.status();
  if (!outcome->ok()) return std::move(*outcome).error().with(access.description);
  return success();
}

// An object that makes no sense is an error, as it is in a file: a plan without it would be a guess.
Status check_readable(const store::ClusterStore& store) {
  for (const store::UnreadableObject& object : store.unreadable())
    if (store::forbids_plan(object)) return Error{object.message};
  return success();
}

// When a leader last saw a node go, as the policy's status on a page of policies says.
std::optional<Time> published_deletion(const std::string& page) {
  const auto list = wire::read_tree(page);
  if (!list) return std::nullopt;
  for (const wire::Tree& policy : (*list)["items"].elements()) {
    if (policy.at({"metadata", "name"}).string() != wire::kPolicyName) continue;
    const auto at = parse_rfc3339(policy.at({"status", "lastNodeDeletedAt"}).string());
    if (at) return *at;
  }
  return std::nullopt;
}

// Where whoever holds the Lease runs; invalid if nobody does, or not in this cluster.
NodeId node_of_holder(const Cluster& cluster, const wire::Lease& lease) {
  if (lease.holder.empty()) return {};
  const PodId pod = cluster.find_pod(lease.ns, net::pod_of_identity(lease.holder));
  return pod.valid() ? cluster.pods[pod.index()].node : NodeId();
}

Result<ClusterReading> read_live(const Options& options, const terminal::Environment& environment,
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
  std::optional<Time> last_node_deleted;
  sink.page = [&](wire::ObjectKind kind, const std::string& bytes) {
    if (kind == wire::ObjectKind::TemperPolicy)
      if (const auto deleted = published_deletion(bytes)) last_node_deleted = deleted;
    return store.add_page(kind, bytes);
  };
  sink.end = [&](wire::ObjectKind kind) { store.end_list(kind); };
  Asides asides;
  asides.with_lease = options.verb == Verb::Plan || options.verb == Verb::Explain;
  asides.lease_namespace = options.controller.ns.empty() ? net::ElectionOptions{}.ns : options.controller.ns;
  if (auto status = read_all(access, std::move(sink), &asides); !status.ok()) {
    unreachable = true;
    return std::move(status).error();
  }
  TAMP_CHECK(check_readable(store));
  wire::Reading reading = store.view();
  reading.autoscaler = std::move(asides.autoscaler);
  if (given.cluster.policy) reading.cluster.policy = given.cluster.policy;
  if (!asides.problem.empty())
    reading.warnings.push_back(
        fmt::format("Lease {}/{} was not read, so that nobody knows where the controller runs: {}",
                    asides.lease_namespace, net::ElectionOptions{}.name, asides.problem));
  NodeId leader_node;
  if (asides.lease) {
    leader_node = node_of_holder(reading.cluster, *asides.lease);
    // A leader does not know what happened before it led, so it takes that for a deletion, as we do.
    if (!asides.lease->holder.empty() && asides.lease->acquired)
      last_node_deleted =
          std::max(last_node_deleted.value_or(*asides.lease->acquired), *asides.lease->acquired);
  }
  return ClusterReading{std::move(reading), last_node_deleted, leader_node};
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

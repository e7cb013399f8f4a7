// large-dashboard NODES: the dashboard's own server in front of a fleet of that size, for the browser test: the pass, the feed and the
// HTTP server are those of `tamp controller`; the cluster is made here, and nobody is behind the API server. Passes follow each other every
// five seconds, each with other measurements, so that there is something to tell. Prints "Dashboard: URL" and goes on until it is stopped.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "controller/dashboard_feed.h"
#include "controller/pass.h"
#include "dashboard/dashboard.h"
#include "net/http_server.h"
#include "net/real_loop.h"
#include "support/cluster_builder.h"
#include "support/observations.h"

namespace tamp {
namespace {

constexpr Duration kBetweenPasses = Duration::seconds(5);
constexpr int kPodsOnANode = 6;

// Three pools of three sizes; every tenth node is half empty, so that there is something to consolidate.
Cluster make_cluster(int nodes) {
  test::ClusterBuilder b;
  const char* pools[] = {"services", "batch", "spot"};
  for (const char* pool : pools) b.pool(pool);
  b.policy().planner = "SLO";
  b.policy().mode = "Act";
  for (int i = 0; i < nodes; ++i) {
    const std::string name = "ip-10-" + std::to_string(i / 65536) + "-" + std::to_string(i / 256 % 256) +
                             "-" + std::to_string(i % 256);
    const std::int64_t cores = std::int64_t{4} << (i % 3);
    auto& node =
        b.node(name).pool(pools[i % 3]).zone(i % 2 == 0 ? "z1" : "z2").cpu(cores * 1000).memory_gi(cores * 4);
    node.node().price_override = Money::from_dollars(0.0336 * static_cast<double>(cores));
    const int pods = i % 10 == 0 ? kPodsOnANode / 2 : kPodsOnANode;
    for (int pod = 0; pod < pods; ++pod)
      b.pod("web-" + std::to_string(i) + "-" + std::to_string(pod))
          .on(name)
          .cpu(cores * 130)
          .memory_mi(cores * 400)
          .priority(pod == 0   ? 1'000'000
                    : pod == 1 ? -1000
                               : 0);
  }
  return b.build();
}

// As agents would tell it: half of what is requested, give or take.
Observations measure(const Cluster& cluster, Time now, net::Loop& loop) {
  Observations all;
  for (const Node& node : cluster.nodes) {
    Observation seen = test::bare(cluster, node, now);
    for (const PodId id : node.pods) {
      const double share = 0.4 + static_cast<double>(loop.random() % 1000) / 5000;
      seen.pods.push_back(test::calm(cluster, cluster.pods[id.index()], share));
      seen.pods.back().tier = "Normal";
    }
    all.push_back(std::move(seen));
  }
  return all;
}

// There is no API server.
class Nobody : public net::ApiTransport {
 public:
  explicit Nobody(net::Loop& loop) : loop_(loop) {}
  net::Pending send(net::Request, std::function<void(net::Exchange)> done) override {
    return loop_.after(Duration{}, [done = std::move(done)] { done({net::Response{404, "{}", {}}, {}}); });
  }
  net::Pending stream(net::Request, net::StreamSink) override { return {}; }

 private:
  net::Loop& loop_;
};

class Show {
 public:
  Show(net::RealLoop& loop, int nodes) : loop_(loop), began_(loop.instant()), cluster_(make_cluster(nodes)) {}

  Status start() {
    dashboard::DashboardOptions wish;
    wish.login = false;
    wish.user = "somebody";
    dashboard::DashboardSurroundings around;
    around.post = [this](std::function<void()> action) { loop_.post(std::move(action)); };
    around.now = [this] { return now(); };
    around.client = &client_;
    around.as_user = [this](const std::string&) {
      dashboard::UserWay way;
      way.transport = std::make_unique<Nobody>(loop_);
      way.client = std::make_unique<net::Client>(loop_, *way.transport);
      return way;
    };
    around.records = [](const std::string&, const std::string&,
                        const std::function<void(std::string)>& done) { done(""); };
    dashboard_ = std::make_unique<dashboard::Dashboard>(std::move(wish), std::move(around));
    TAMP_TRY(server_, net::HttpServer::start(dashboard::Dashboard::server_options(),
                                             [board = dashboard_.get()](net::HttpRequest request,
                                                                        const net::Responder& respond) {
                                               board->answer(std::move(request), respond);
                                             }));
    pass();
    tick();
    std::printf("Dashboard: http://127.0.0.1:%d/\n", static_cast<int>(server_->port()));
    std::fflush(stdout);
    return success();
  }

 private:
  Time now() const { return test::kNow + (loop_.instant() - began_); }
  void tick() {
    dashboard_->tick();
    tick_ = loop_.after(Duration::seconds(1), [this] { tick(); });
  }
  void pass() {
    auto input = std::make_shared<controller::PassInput>();
    input->reading.cluster = cluster_;
    input->now = now();
    input->requests_published = false;
    input->observations = measure(cluster_, input->now, loop_);
    input->published = plan_;
    auto outcome = std::make_shared<controller::PassOutcome>();
    const net::Instant began = loop_.instant();
    work_ = loop_.offload([input, outcome] { *outcome = controller::run_pass(*input); },
                          [this, input, outcome, began] {
                            std::printf("pass: %.2f s\n", (loop_.instant() - began).to_seconds());
                            std::fflush(stdout);
                            plan_ = outcome->plan;
                            feed_.passed(input, *outcome);
                            next_ = loop_.after(kBetweenPasses, [this] { pass(); });
                          });
  }

  net::RealLoop& loop_;
  net::Instant began_;
  Cluster cluster_;
  Nobody nobody_{loop_};
  net::Client client_{loop_, nobody_};
  controller::DashboardFeed feed_{
      "large_1", "test",
      [this](std::shared_ptr<const documents::Look> look, const std::vector<dashboard::Topic>& changed) {
        if (dashboard_) dashboard_->show(std::move(look), changed);
      }};
  std::unique_ptr<dashboard::Dashboard> dashboard_;
  std::unique_ptr<net::HttpServer> server_;  // goes before what it serves
  std::optional<proof::ConsolidationPlan> plan_;
  net::Pending tick_, work_, next_;
};

}  // namespace
}  // namespace tamp

int main(int argc, char** argv) {
  tamp::net::RealLoop loop;
  tamp::Show show(loop, argc > 1 ? std::atoi(argv[1]) : 10'000);
  if (const tamp::Status status = show.start(); !status.ok()) {
    std::fprintf(stderr, "%s\n", status.error().message.c_str());
    return 1;
  }
  loop.run();
}

// The controller for TAMP_E2E_SOAK_SECONDS (600) in a cluster that does not come to rest: workloads grow and shrink, pods
// die, nodes are cordoned, the policy is edited, and every other minute history is compacted and the API server killed. It
// must neither grow nor hold more and more connections, and at the end its plan is the right one.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>
#include <sstream>
#include <thread>

#include "e2e/plane.h"
#include "e2e/program.h"
#include "e2e/small_cluster.h"

namespace tamp::e2e {
namespace {

constexpr int kNodes = 40, kPods = 400, kDeployments = 40;
constexpr std::chrono::milliseconds kStepPause{200};
constexpr Duration kSampleEvery = Duration::seconds(5), kRestartEvery = Duration::minutes(2);
// The cluster swings, and with it what is held: medians of two spans are compared, not two moments. What the allocator keeps
// differs by a few MiB from one time to the next, most of all after the first new list of everything, which is over by then.
// Between the spans of ten minutes there are thousands of watch events, a hundred passes and several times a new connection
// for each watch: 2 KiB lost with each event, 100 KiB with each pass or a fifth of these connections is more than this.
constexpr long kMayGrowKib = 10 * 1024, kMayOpen = 5;

Duration soak_time() {
  const char* text = std::getenv("TAMP_E2E_SOAK_SECONDS");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  return Duration::seconds(text != nullptr ? std::atol(text) : 600);
}

constexpr net::ResourceType kDeploymentType{"apps", "v1", "deployments", true};

// Random, but the same every time. What fails because the API server is away is not done.
class Churn {
 public:
  explicit Churn(SmallCluster& cluster) : cluster_(cluster) {}

  void step() {
    switch (pick(5)) {
      case 0:
        return scale_some();
      case 1:
        return cordon(pick(kNodes), true);
      case 2:
        return cordon(pick(kNodes), false);
      case 3:
        return delete_pods();
      default:
        return edit_policy();
    }
  }
  // Everything as it was.
  void settle() {
    for (int i = 0; i < kDeployments; ++i) scale("app-" + padded(i), kPods / kDeployments);
    for (int i = 0; i < kNodes; ++i) cordon(i, false);
    count(cluster_.apply_policy());
  }
  int done() const { return done_; }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  static std::string padded(int i, std::size_t width = 3) {
    const std::string digits = std::to_string(i);
    return std::string(width - digits.size(), '0') + digits;
  }
  void count(const net::Reply& reply) { done_ += reply.ok() ? 1 : 0; }

  void scale(const std::string& name, int replicas) {
    count(cluster_.admin().patch(kDeploymentType, "load", name, "", net::PatchType::Merge,
                                 R"({"spec":{"replicas":)" + std::to_string(replicas) + "}}"));
  }
  void scale_some() {
    const std::string name = "app-" + padded(pick(kDeployments));
    scale(name, 2 + pick(20));
  }
  void cordon(int node, bool cordoned) {
    const std::string name = (node % 2 == 0 ? "general-" : "spot-") + padded(node, 5);
    count(cluster_.admin().patch(
        net::kNodes, "", name, "", net::PatchType::Merge,
        R"({"spec":{"unschedulable":)" + std::string(cordoned ? "true" : "null") + "}}"));
  }
  void delete_pods() {
    net::ListOptions some;
    some.ns = "load";
    some.limit = 20;
    const net::Reply reply = cluster_.admin().list(net::kPods, some);
    if (!reply.ok()) return;
    const wire::Json json = parse(reply.body);
    for (const wire::Value pod : json.root().get("items").elements())
      if (pick(4) == 0)
        count(cluster_.admin().remove(net::kPods, "load", text_at(pod, {"metadata", "name"})));
  }
  void edit_policy() {
    count(cluster_.apply_policy(R"(,"consolidationSavingsThreshold":0.0)" + std::to_string(1 + pick(9))));
  }

  SmallCluster& cluster_;
  std::mt19937 random_{20261115};  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same every time, on purpose
  int done_ = 0;
};

struct Sample {
  Duration at;
  long resident_kib = 0, open_files = 0;
  double threads = 0, passes = 0, relists = 0;
};

// Of all series of a family.
double sum_of(const std::string& metrics, const std::string& family) {
  std::istringstream lines(metrics);
  double sum = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(family)) sum += std::atof(line.c_str() + line.rfind(' '));
  return sum;
}

Sample sample(const Program& program, Duration at) {
  const std::string metrics = program.metrics();
  return {at,
          program.resident_kib(),
          program.open_files(),
          sum_of(metrics, "process_threads"),
          sum_of(metrics, "tamp_passes_total"),
          sum_of(metrics, "tamp_watch_relists_total")};
}

long median(const std::vector<Sample>& samples, Duration from, Duration to, long Sample::* member) {
  std::vector<long> values;
  for (const Sample& one : samples)
    if (one.at >= from && one.at < to) values.push_back(one.*member);
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<long>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

TEST(Soak, NeitherMemoryNorConnectionsGrow) {
  const Duration total = soak_time();
  SmallCluster cluster(kNodes, kPods);
  std::vector<std::string> flags = decision_flags();
  flags.insert(flags.end(), {"--poll-interval", "1s"});
  Program program("soak", account_kubeconfig(static_cast<int>(total.to_seconds()) + 600), flags);
  ASSERT_TRUE(wait_until(Duration::seconds(30), [&] { return program.leading(); })) << program.log();
  ASSERT_TRUE(cluster.agreement()) << program.log();

  Churn churn(cluster);
  std::vector<Sample> samples;
  const Time begin = wall_clock();
  const auto elapsed = [&] { return wall_clock() - begin; };
  Duration next_restart{kRestartEvery.ns / 2};
  Duration next_sample;
  int restarts = 0;
  std::jthread restart;
  std::printf("     s   resident MiB   open files   threads   passes   relists   changes   restarts\n");
  while (elapsed() < total) {
    ASSERT_TRUE(program.running()) << program.log();
    churn.step();
    std::this_thread::sleep_for(kStepPause);
    if (elapsed() >= next_sample) {
      next_sample.ns += kSampleEvery.ns;
      samples.push_back(sample(program, elapsed()));
      const Sample& s = samples.back();
      if (samples.size() % 6 == 1)
        std::printf("%6.0f %14.1f %12ld %9.0f %8.0f %9.0f %9d %10d\n", s.at.to_seconds(),
                    static_cast<double>(s.resident_kib) / 1024, s.open_files, s.threads, s.passes, s.relists,
                    churn.done(), restarts);
      std::fflush(stdout);
    }
    if (elapsed() < next_restart) continue;
    if (restart.joinable()) restart.join();
    // Beside the churn, which is to meet the server in every state.
    restart = std::jthread([] {
      control("compact");
      control("restart kube-apiserver");
    });
    ++restarts;
    next_restart.ns += kRestartEvery.ns;
  }
  if (restart.joinable()) restart.join();

  churn.settle();
  EXPECT_TRUE(cluster.agreement(Duration::seconds(60))) << program.log();
  EXPECT_TRUE(program.running());

  const Duration warm{std::min(Duration::minutes(2).ns, total.ns / 3)};
  const Duration span{(total.ns - warm.ns) / 3};
  const auto compare = [&](long Sample::* member) {
    return std::pair{median(samples, warm, Duration{warm.ns + span.ns}, member),
                     median(samples, Duration{total.ns - span.ns}, Duration{total.ns * 2}, member)};
  };
  const auto [memory_before, memory_after] = compare(&Sample::resident_kib);
  const auto [files_before, files_after] = compare(&Sample::open_files);
  std::printf("resident %ld KiB -> %ld KiB, open files %ld -> %ld\n", memory_before, memory_after,
              files_before, files_after);
  EXPECT_LE(memory_after, memory_before + kMayGrowKib);
  EXPECT_LE(files_after, files_before + kMayOpen);
  program.signal(SIGTERM);
  EXPECT_EQ(program.wait(), 0) << program.log();
}

}  // namespace
}  // namespace tamp::e2e

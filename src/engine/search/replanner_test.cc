#include "search/replanner.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "search/plan_testing.h"
#include "support/random_cluster.h"

namespace tamp::search {
namespace {

using namespace tamp::test;

std::string in_full(const Cluster& cluster, const Plan& plan) {
  std::string out;
  for (const price::Command& c : plan.commands) {
    out += in_words(cluster, c) + fmt::format(" saves {} needs {} costs {}:", c.savings.nanos,
                                              c.required_savings.nanos, c.disruption_cost);
    for (const price::Move& m : c.moves)
      out += fmt::format(" {}:{}>{}", m.pod.index(), m.from.valid() ? int(m.from.index()) : -1,
                         m.to.valid() ? int(m.to.index()) : -1);
    out += "\n";
  }
  for (const NodeVerdict& v : plan.nodes)
    out += fmt::format("{} {} {} {}\n", cluster.text(cluster.nodes[v.node.index()].name),
                       static_cast<int>(v.verdict), gates::name(v.reason), v.message);
  return out;
}

// One change to a pod: it goes, a copy of it comes, it is moved, becomes unready, or is asked to end; now and then it waits.
class Restless {
 public:
  Restless(Replanner& replanner, std::uint64_t seed) : replanner_(replanner), random_(seed) {}

  void change_something() {
    const Cluster& cluster = replanner_.cluster();
    const PodId id(pick(cluster.pods.size()));
    Pod pod = cluster.pods[id.index()];
    const NodeId node(pick(cluster.nodes.size()));
    switch (pick(8)) {
      case 0:
      case 1:
        return replanner_.remove(id);
      case 2:
      case 3:
      case 4:
        if (!pod.bound()) return;
        pod.node = node;
        replanner_.add(pod);
        return;
      case 5:
        if (!pod.bound()) return;
        pod.node = node;
        return replanner_.change(id, pod);
      case 6:
        if (!pod.bound()) return;
        pod.ready_false = !pod.ready_false;
        return replanner_.change(id, pod);
      default:
        if (!pod.bound() || pick(3) != 0) return;
        if (pick(2) == 0)
          pod.deleted = pod.deleted ? std::nullopt : std::optional(kNow);
        else
          pod.node = {};
        return replanner_.change(id, pod);
    }
  }

 private:
  std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  Replanner& replanner_;
  std::mt19937_64 random_;
};

RandomShape shape_of(std::uint64_t seed) {
  RandomShape shape;
  shape.min_nodes = 3;
  shape.max_nodes = 24;
  shape.min_pods = 8;
  shape.max_pods = 90;
  shape.catalogue = true;
  // One of them has more sites than a block of the order.
  if (seed == 5) {
    shape.min_nodes = 70;
    shape.max_nodes = 90;
    shape.min_pods = 200;
    shape.max_pods = 300;
  }
  // What can only be built anew is tried on every fourth cluster: the others are for what can be followed.
  if (seed % 4 == 0) return shape;
  shape.pending = seed % 4 == 1 ? 0.02 : 0;
  shape.ports = shape.claim = shape.disk = shape.daemon_sets = 0;
  return shape;
}

Settings lenient(Settings settings) {
  settings.utilization_threshold.value = 1.0;
  settings.min_node_lifetime.value = Duration{};
  settings.allow_unowned_pods.value = true;
  return settings;
}

// Whatever happens to the pods, what was kept says the same as what is built anew.
void hold_against_make_plan(bool compat) {
  std::uint64_t followed = 0, rebuilt = 0, forgotten = 0, verdicts = 0;
  constexpr std::uint64_t kSeeds = 12;  // minutes under the sanitizers, if there were many more
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Cluster cluster = random_cluster(seed, shape_of(seed));
    Settings settings = compat ? compat_settings_for(cluster) : lenient(settings_for(cluster));
    // Some of them shortly after a node was deleted, with the leader on one of the nodes.
    const bool facts = seed % 4 == 0;
    const std::optional<Time> deleted = facts ? std::optional(kNow - Duration::minutes(1)) : std::nullopt;
    const NodeId leader = facts ? NodeId(0) : NodeId();
    Replanner replanner(cluster, settings, kNow, deleted, leader);
    Restless restless(replanner, seed);
    for (int step = 0; step < 20; ++step) {
      restless.change_something();
      PlanOptions options;
      options.every = step % 2 == 0;
      const situation::Context context{replanner.cluster(), settings, kNow, deleted, leader};
      const Plan anew = make_plan(context, options);
      ASSERT_EQ(in_full(replanner.cluster(), replanner.plan(options)), in_full(replanner.cluster(), anew))
          << "seed " << seed << " step " << step;
      verdicts += anew.nodes.size();
    }
    followed += replanner.followed();
    rebuilt += replanner.rebuilt();
    forgotten += replanner.forgotten();
  }
  // It must have been about something: changes followed, changes that cannot be, verdicts taken away, and most of them kept.
  EXPECT_GT(followed, 3 * kSeeds);
  EXPECT_GT(rebuilt, kSeeds / 2);
  EXPECT_GT(forgotten, kSeeds);
  EXPECT_LT(forgotten, verdicts / 3);
}

TEST(Replanner, SaysWhatMakePlanSays) { hold_against_make_plan(false); }
TEST(Replanner, SaysWhatMakePlanSaysUnderCompat) { hold_against_make_plan(true); }

}  // namespace
}  // namespace tamp::search

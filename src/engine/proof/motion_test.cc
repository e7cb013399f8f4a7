// Who leaves, who stays, and what is known of them: the facts that every check reads.
#include "proof/motion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proof/prove_testing.h"

namespace tamp::proof {
namespace {

using test::kGi;
using test::kMi;
using ::testing::ElementsAre;

std::vector<std::string> survivors_of(const Fleet& fleet, const std::vector<std::string_view>& victims,
                                      const std::vector<HandmadeMove::Placement>& placements) {
  std::vector<std::string> names;
  for (const Survivor& s : HandmadeMove(fleet, victims, placements).motion.survivors) names.push_back(s.name);
  return names;
}

// In the order given; sorted() for sets.
std::vector<std::string> sorted(std::vector<std::string> all) {
  std::sort(all.begin(), all.end());
  return all;
}
std::vector<std::string> names(const Motion& motion, const std::vector<PodId>& pods) {
  std::vector<std::string> out;
  for (const PodId p : pods) out.push_back(motion.pod_name(p));
  return out;
}

// Node "v" goes; its pod "web" asks for an ssd, which every node has unless a test says otherwise.
test::NodeBuilder& add_node(test::ClusterBuilder& b, std::string_view name) {
  return b.node(name).cpu(4000).memory_gi(16).label("disk", "ssd");
}
void describe_web(test::ClusterBuilder& b) {
  b.pool("default");
  add_node(b, "v");
  b.pod("web").on("v").cpu(1000).memory_mi(512).node_selector("disk", "ssd");
}

TEST(Survivors, AreNodesOnWhichAMovedPodMayLand) {
  test::ClusterBuilder b;
  describe_web(b);
  add_node(b, "ok");
  add_node(b, "full");
  b.pod("large").on("full").cpu(3500).memory_mi(1);
  add_node(b, "paused").paused();
  add_node(b, "unpaused").paused("false");
  add_node(b, "tainted").taint("gpu");
  b.node("disk").cpu(4000).memory_gi(16);
  b.pool("other");
  add_node(b, "foreign").pool("other");
  EXPECT_THAT(survivors_of(Fleet(b), {"v"}, {{"web", "ok"}}), ElementsAre("ok", "unpaused"));
}

TEST(Survivors, AreThoseOfAllVictimsPools) {
  test::ClusterBuilder b;
  describe_web(b);
  b.pool("other");
  add_node(b, "v2").pool("other");
  b.pod("api").on("v2").cpu(100).memory_mi(64);
  add_node(b, "one");
  add_node(b, "two").pool("other");
  b.pool("third");
  add_node(b, "three").pool("third");
  EXPECT_THAT(survivors_of(Fleet(b), {"v", "v2"}, {{"web", "one"}, {"api", "two"}}),
              ElementsAre("one", "two"));
}

// Each kind of pod is asked about: the second one fits where the first does not.
TEST(Survivors, AreAskedForEveryKindOfPod) {
  test::ClusterBuilder b;
  describe_web(b);
  b.pod("small").on("v").cpu(100).memory_mi(64);
  add_node(b, "ssd");
  b.node("disk").cpu(4000).memory_gi(16);
  EXPECT_THAT(survivors_of(Fleet(b), {"v"}, {{"web", "ssd"}, {"small", "ssd"}}), ElementsAre("disk", "ssd"));
}

// Pods of one shape may differ in their volumes: each of them is asked for itself.
TEST(Survivors, AreAskedForEveryPodWithAVolume) {
  test::ClusterBuilder b;
  b.pool("default");
  add_node(b, "v");
  const std::pair<const char*, const char*> disks[] = {{"one", "data-db-0"}, {"two", "data-db-1"}};
  for (const auto& [node, claim] : disks) {
    add_node(b, node);
    const std::string volume = std::string("pv-") + node;
    b.pv(volume).local().only_on(test::kHostname, {node}).claimed_by("default", claim);
    b.pvc(claim).bound_to(volume);
  }
  b.pods(2, "db").on("v").owner(OwnerKind::StatefulSet, "db").cpu(100).memory_mi(64).claim_of_its_own("data");
  EXPECT_THAT(survivors_of(Fleet(b), {"v"}, {}), ElementsAre("one", "two"));
}

TEST(Survivors, AreNoneWhereNoPodMoves) {
  test::ClusterBuilder b;
  b.pool("default");
  add_node(b, "v");
  add_node(b, "a");
  b.daemon_set("agent").on("v").cpu(100).memory_mi(64);
  EXPECT_THAT(survivors_of(Fleet(b), {"v"}, {}), ElementsAre());
}

TEST(Survivors, AreThoseWithMostRoomAndWhereverAPodGoes) {
  test::ClusterBuilder b;
  describe_web(b);
  // By free cpu: c, then a and b, which differ in memory; d has least.
  for (const char* name : {"a", "b", "c", "d"}) add_node(b, name);
  b.pod("on-a").on("a").cpu(1000).memory_gi(2);
  b.pod("on-b").on("b").cpu(1000).memory_gi(1);
  b.pod("on-d").on("d").cpu(2000).memory_mi(1);
  Fleet fleet(b);
  const auto with = [&](std::int64_t most, std::string_view target) {
    fleet.settings.guards.max_survivors = most;
    return survivors_of(fleet, {"v"}, {{"web", target}});
  };
  EXPECT_THAT(with(4, "c"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(with(3, "c"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(with(2, "c"), ElementsAre("b", "c"));
  EXPECT_THAT(with(1, "c"), ElementsAre("c"));
  EXPECT_THAT(with(1, "d"), ElementsAre("c", "d")) << "wherever the simulation put a pod must be looked at";
}

TEST(Survivors, OfEqualRoomAreTakenInNameOrder) {
  test::ClusterBuilder b;
  describe_web(b);
  for (const char* name : {"a", "b", "c"}) add_node(b, name);
  Fleet fleet(b);
  fleet.settings.guards.max_survivors = 2;
  EXPECT_THAT(survivors_of(fleet, {"v"}, {{"web", "a"}}), ElementsAre("a", "b"));
}

TEST(Survivors, KnowTheirRoomAndTheirPods) {
  const Fleet fleet = Consolidable::make();
  const HandmadeMove move(fleet, {"c"}, {{"filler-c-0", "a"}, {"filler-c-1", "b"}, {"background-c", "a"}});
  const Survivor& a = move.survivor("a");
  EXPECT_EQ(a.free_cpu, 4000 - 1400);
  EXPECT_EQ(a.free_memory, 16 * kGi - (2048 + 512 + 128) * kMi);
  EXPECT_THAT(sorted(names(move.motion, a.stays)),
              ElementsAre("default/background-a", "default/filler-a", "default/memcached"));
  EXPECT_THAT(sorted(names(move.motion, a.comes)), ElementsAre("default/background-c", "default/filler-c-0"));
  EXPECT_THAT(names(move.motion, move.survivor("b").comes), ElementsAre("default/filler-c-1"));
  EXPECT_EQ(move.motion.free_cpu, 2600 + 3100);
  EXPECT_EQ(move.motion.free_memory, 32 * kGi - (2048 + 512 + 128 + 512 + 512 + 128) * kMi);
}

TEST(Survivors, HaveNoLessThanNothingFree) {
  test::ClusterBuilder b;
  describe_web(b);
  add_node(b, "a");
  b.pod("too-large").on("a").cpu(5000).memory_gi(17);
  const Fleet fleet(b);
  const HandmadeMove move(fleet, {"v"}, {{"web", "a"}});
  EXPECT_EQ(move.survivor("a").free_cpu, 0);
  EXPECT_EQ(move.survivor("a").free_memory, 0);
}

TEST(Survivors, AreMachinesAsObservedOrAsTheApiHasThem) {
  Fleet fleet = Consolidable::make();
  fleet.observed("a").cores = 3;
  fleet.observed("a").memory_bytes = 7 * kGi;
  fleet.observed("b").cores.reset();
  fleet.observed("b").memory_bytes.reset();
  {
    const HandmadeMove move(fleet, {"c"}, {{"filler-c-0", "a"}});
    EXPECT_EQ(move.survivor("a").cores, 3);
    EXPECT_EQ(move.survivor("a").memory_bytes, 7 * kGi);
    EXPECT_EQ(move.survivor("b").cores, 0) << "not known";
    EXPECT_EQ(move.survivor("b").memory_bytes, 0);
  }
  fleet.measured_ = false;
  const HandmadeMove move(fleet, {"c"}, {{"filler-c-0", "a"}});
  EXPECT_EQ(move.survivor("a").cores, 4);
  EXPECT_EQ(move.survivor("a").memory_bytes, 16 * kGi);
  EXPECT_EQ(move.survivor("b").cores, 4);
}

TEST(Survivors, ThatArePodsOfANodeAreNeitherFinishedNorForgotten) {
  test::ClusterBuilder b;
  describe_web(b);
  add_node(b, "a");
  b.pod("done").on("a").cpu(3000).memory_mi(1).phase(PodPhase::Succeeded);
  b.pod("leaving").on("a").cpu(500).memory_mi(1).terminating();
  const Fleet fleet(b);
  const HandmadeMove move(fleet, {"v"}, {{"web", "a"}});
  EXPECT_THAT(names(move.motion, move.survivor("a").stays), ElementsAre("default/leaving"));
  EXPECT_EQ(move.survivor("a").free_cpu, 3500);
}

// ---- replacements

TypeId type_of(const Fleet& fleet, std::string_view name) {
  const auto& types = fleet.cluster.catalogue->types;
  const auto found = std::find_if(types.begin(), types.end(),
                                  [&](const InstanceType& t) { return fleet.cluster.text(t.name) == name; });
  return TypeId(static_cast<std::size_t>(found - types.begin()));
}

TEST(Replacements, AreAsLargeAsTheSmallestMachineThatMayCome) {
  test::ClusterBuilder b;
  describe_web(b);
  b.type("wide").cpu(8000).memory_gi(8).overhead(100, 100);
  b.type("tall").cpu(4000).memory_gi(32).overhead(200, 200);
  b.daemon_set("agent").on("v").cpu(300).memory_mi(50);
  const Fleet fleet(b);
  price::Replacement either;
  either.pool = fleet.cluster.find_pool("default");
  either.types = {type_of(fleet, "wide"), type_of(fleet, "tall")};
  const HandmadeMove move(fleet, {"v"}, {{"web", ""}}, {either});
  const Survivor& fresh = move.survivor("replacement");
  EXPECT_FALSE(fresh.node.valid());
  EXPECT_EQ(fresh.observation, nullptr);
  EXPECT_EQ(fresh.cores, 4);
  EXPECT_EQ(fresh.memory_bytes, 8 * kGi);
  EXPECT_EQ(fresh.free_cpu, 4000 - 200 - 300);
  EXPECT_EQ(fresh.free_memory, 8 * kGi - 100 * kMi - 50 * kMi);
  EXPECT_THAT(names(move.motion, fresh.comes), ElementsAre("default/web"));
  std::swap(either.types[0], either.types[1]);
  const HandmadeMove other(fleet, {"v"}, {{"web", ""}}, {either});
  EXPECT_EQ(other.survivor("replacement").free_cpu, fresh.free_cpu);
}

TEST(Replacements, ComeWithOnePodOfEachDaemonSetAndTheStaticPodsOfOneNode) {
  test::ClusterBuilder b;
  b.pool("default");
  b.type("s").cpu(4000).memory_gi(16);
  for (const char* name : {"v1", "v2"}) {
    add_node(b, name);
    b.pod(std::string("static-one-") + name).on(name).mirror().cpu(10).memory_mi(1);
    b.pod(std::string("static-two-") + name).on(name).mirror().cpu(10).memory_mi(1);
    b.pod(std::string("web-") + name).on(name).cpu(10).memory_mi(1);
  }
  b.daemon_set("cni").on("v1").on("v2").cpu(10).memory_mi(1);
  b.daemon_set("csi").on("v2").cpu(10).memory_mi(1);
  const Fleet fleet(b);
  price::Replacement s;
  s.pool = fleet.cluster.find_pool("default");
  s.types = {type_of(fleet, "s")};
  const HandmadeMove move(fleet, {"v1", "v2"}, {{"web-v1", ""}, {"web-v2", ""}}, {s});
  std::vector<std::string> daemons = names(move.motion, move.survivor("replacement").daemons);
  EXPECT_EQ(std::count(daemons.begin(), daemons.end(), "default/static-one-v1"), 1);
  EXPECT_EQ(std::count(daemons.begin(), daemons.end(), "default/static-two-v1"), 1);
  EXPECT_EQ(std::count_if(daemons.begin(), daemons.end(),
                          [](const auto& d) { return d.starts_with("default/cni"); }),
            1);
  EXPECT_EQ(std::count_if(daemons.begin(), daemons.end(),
                          [](const auto& d) { return d.starts_with("default/csi"); }),
            1);
  EXPECT_EQ(daemons.size(), 4U);
  EXPECT_EQ(move.survivor("replacement").comes.size(), 2U);
}

TEST(Replacements, AreToldApart) {
  test::ClusterBuilder b;
  describe_web(b);
  b.pod("api").on("v").cpu(10).memory_mi(1);
  b.type("s").cpu(4000).memory_gi(16);
  const Fleet fleet(b);
  price::Replacement s;
  s.pool = fleet.cluster.find_pool("default");
  s.types = {type_of(fleet, "s")};
  HandmadeMove move(fleet, {"v"}, {{"web", ""}, {"api", ""}}, {s, s});
  move.command.moves[1].replacement = 1;
  SchedulerView view(move.context);
  const Motion motion = examine(fleet.evidence(move.context), view, {move.command.nodes, &move.command, ""});
  ASSERT_EQ(motion.survivors.size(), 2U);
  EXPECT_EQ(motion.survivors[0].name, "replacement");
  EXPECT_THAT(names(motion, motion.survivors[0].comes), ElementsAre("default/web"));
  EXPECT_EQ(motion.survivors[1].name, "replacement-2");
  EXPECT_THAT(names(motion, motion.survivors[1].comes), ElementsAre("default/api"));
}

// ---- moved pods and measurements

TEST(Moved, IsTheLeastImportantFirst) {
  test::ClusterBuilder b;
  b.pool("default");
  add_node(b, "v");
  add_node(b, "a");
  b.pod("critical").on("v").cpu(10).memory_mi(1).priority(1'000'000);
  b.pod("normal-b").on("v").cpu(10).memory_mi(1).priority(10);
  b.pod("normal-a").on("v").cpu(10).memory_mi(1).priority(10);
  b.pod("normal-less").on("v").cpu(10).memory_mi(1).priority(5);
  b.pod("background").on("v").cpu(10).memory_mi(1).priority(-1000);
  b.pod("static").on("v").mirror().cpu(10).memory_mi(1);
  b.pod("done").on("v").cpu(10).memory_mi(1).phase(PodPhase::Succeeded);
  b.daemon_set("agent").on("v").cpu(10).memory_mi(1);
  const Fleet fleet(b);
  const HandmadeMove move(fleet, {"v"}, {});
  EXPECT_THAT(names(move.motion, move.motion.moved),
              ElementsAre("default/background", "default/normal-less", "default/normal-a", "default/normal-b",
                          "default/critical"));
}

// Pods that wait for a node are part of a command too. They are not moved by it.
TEST(Moved, AreNotThePodsThatWaitForANode) {
  test::ClusterBuilder b;
  describe_web(b);
  add_node(b, "a");
  b.pod("waiting").cpu(10).memory_mi(1);
  const Fleet fleet(b);
  const HandmadeMove move(fleet, {"v"}, {{"web", "a"}, {"waiting", "a"}});
  EXPECT_THAT(names(move.motion, move.survivor("a").comes), ElementsAre("default/web"));
}

TEST(Measured, IsThisVeryPodOnItsNode) {
  test::ClusterBuilder b;
  describe_fleet(b);
  b.pod("static").on("a").mirror().cpu(10).memory_mi(1);
  b.pod("waiting").cpu(10).memory_mi(1);
  Fleet fleet(b);
  const auto measured = [&](std::string_view pod) {
    const situation::Context context = fleet.context();
    SchedulerView view(context);
    const Motion motion =
        examine(fleet.evidence(context), view, {{fleet.cluster.find_node("c")}, nullptr, "none"});
    const PodObservation* found = motion.measured(fleet.cluster.find_pod("default", pod));
    return found == nullptr ? std::string("-") : found->name;
  };
  EXPECT_EQ(measured("memcached"), "memcached");
  EXPECT_EQ(measured("filler-a"), "filler-a");
  EXPECT_EQ(measured("waiting"), "-");
  // An API server's copy of a static pod has another uid than the kubelet's; an old agent gives none.
  fleet.measured("static").uid = "the-kubelets";
  EXPECT_EQ(measured("static"), "static");
  fleet.measured("filler-a").uid.clear();
  EXPECT_EQ(measured("filler-a"), "filler-a");
  fleet.measured("memcached").uid = "an-earlier-one";
  EXPECT_EQ(measured("memcached"), "-");
  // Of two of one name the one with its uid counts.
  PodObservation twin = fleet.measured("filler-b");
  twin.uid = "0-an-earlier-one";
  twin.samples = 1;
  auto& pods = fleet.observed("b").pods;
  pods.insert(std::find_if(pods.begin(), pods.end(), [](const auto& p) { return p.name == "filler-b"; }),
              twin);
  const situation::Context context = fleet.context();
  SchedulerView view(context);
  const Motion motion =
      examine(fleet.evidence(context), view, {{fleet.cluster.find_node("c")}, nullptr, "none"});
  EXPECT_EQ(motion.measured(fleet.cluster.find_pod("default", "filler-b"))->samples, 300);
  fleet.observed("b").pods.clear();
  EXPECT_EQ(measured("filler-b"), "-");
}

TEST(Measured, IsFoundByNamespaceAndName) {
  test::ClusterBuilder b;
  describe_fleet(b);
  b.pod("filler-a").ns("another").on("a").cpu(10).memory_mi(1);
  Fleet fleet(b);
  const situation::Context context = fleet.context();
  SchedulerView view(context);
  const Motion motion =
      examine(fleet.evidence(context), view, {{fleet.cluster.find_node("c")}, nullptr, "none"});
  EXPECT_EQ(motion.measured(fleet.cluster.find_pod("another", "filler-a"))->ns, "another");
  EXPECT_EQ(motion.measured(fleet.cluster.find_pod("default", "filler-a"))->ns, "default");
  for (PodObservation& p : fleet.observed("a").pods)
    if (p.ns == "another") p.name = "filler-a0", p.uid.clear();
  EXPECT_EQ(motion.measured(fleet.cluster.find_pod("another", "filler-a")), nullptr);
}

// A command may speak of pods that controllers still owe, which are behind the pods of the cluster.
TEST(Moved, AreNotPodsThatDoNotExistYet) {
  test::ClusterBuilder b;
  describe_web(b);
  add_node(b, "a");
  const Fleet fleet(b);
  HandmadeMove move(fleet, {"v"}, {{"web", "a"}});
  move.command.moves.push_back(
      {PodId(fleet.cluster.pods.size()), fleet.cluster.find_node("v"), fleet.cluster.find_node("a")});
  SchedulerView view(move.context);
  const Motion motion = examine(fleet.evidence(move.context), view, {move.command.nodes, &move.command, ""});
  ASSERT_EQ(motion.survivors.size(), 1U);
  EXPECT_THAT(names(motion, motion.survivors[0].comes), ElementsAre("default/web"));
}

// The pod asks for two domains with at most one pod more in one of them than in the other.
TEST(Departure, IsTakenBackWhenItEnds) {
  test::ClusterBuilder b;
  b.pool("default");
  add_node(b, "a");
  add_node(b, "v");
  for (const auto& [name, node] : {std::pair("on-a", "a"), std::pair("on-v", "v")})
    b.pod(name).on(node).cpu(2000).memory_mi(1).label("group", "spread");
  SpreadConstraint even = b.constraint(b.selector("group", "spread"), test::kHostname);
  even.min_domains = 2;
  b.pod("new").on("a").cpu(2000).memory_mi(1).label("group", "spread").spread(even);
  const Fleet fleet(b);
  const fit::Index index(fleet.cluster, fit::Options{});
  fit::Simulation simulation(index, {});
  const NodeId a = fleet.cluster.find_node("a"), v = fleet.cluster.find_node("v");
  const PodId fresh = fleet.cluster.find_pod("default", "new");
  simulation.lift(fresh);
  const auto refusal = [&](NodeId node) {
    return std::string(simulation.filter(fresh, index.site_of(node)));
  };
  EXPECT_EQ(refusal(a), "");
  {
    const Departure departure(simulation, fleet.cluster, {v});
    EXPECT_EQ(refusal(a), "PodTopologySpread") << "v has none any more";
    EXPECT_EQ(simulation.room().free(index.site_of(v), kCpu), 4000);
  }
  EXPECT_EQ(refusal(a), "") << "v is there again, and its pod";
  EXPECT_EQ(simulation.room().free(index.site_of(v), kCpu), 2000);
}

// What a proof takes for granted where nothing else is said.
TEST(Evidence, IsMeasuredAndComesFromFilesUnlessItIsSaidOtherwise) {
  const Fleet fleet = Consolidable::make();
  const situation::Context context = fleet.context();
  const Evidence evidence{context, fleet.observations};
  EXPECT_TRUE(evidence.measured);
  EXPECT_FALSE(evidence.requests_published);
  EXPECT_EQ(evidence.autoscaler, nullptr);
}

}  // namespace
}  // namespace tamp::proof

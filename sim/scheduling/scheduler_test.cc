// The scheduler at work, alone with an API server: nobody else acts but the test.
#include "sim/scheduling/scheduler.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "wire/tree.h"

namespace tamp::world {
namespace {

using api::ObjectPtr;
using api::ResourceId;
using wire::Tree;

// A world of one actor. A copy is a world of its own.
class Theatre {
 public:
  explicit Theatre(std::uint64_t seed = 1) : server(seed), dice(seed) {
    server.create(ResourceId::Namespaces, "", tree(R"({"metadata":{"name":"default"}})"));
    server.create(ResourceId::ServiceAccounts, "default", tree(R"({"metadata":{"name":"default"}})"));
  }

  static Tree tree(const std::string& json) {
    auto parsed = wire::read_tree(json);
    EXPECT_TRUE(parsed.ok()) << json;
    return parsed.ok() ? *std::move(parsed) : Tree();
  }

  void node(const std::string& name, const std::string& cpu = "4", const std::string& zone = "z1",
            const std::string& spec = "{}") {
    Tree object = tree(fmt::format(
        R"({{"metadata":{{"name":"{0}","labels":{{"kubernetes.io/hostname":"{0}","topology.kubernetes.io/zone":"{2}"}}}},"spec":{3}}})",
        name, cpu, zone, spec));
    EXPECT_TRUE(server.create(ResourceId::Nodes, "", std::move(object)).ok());
    const auto made = server.modify(
        ResourceId::Nodes, "", name,
        [&](Tree& n) {
          n.ensure("status").set("allocatable",
                                 tree(fmt::format(R"({{"cpu":"{}","memory":"16Gi","pods":"110"}})", cpu)));
          n.ensure("status").set("capacity", n["status"]["allocatable"]);
        },
        {.subresource = "status"});
    EXPECT_TRUE(made.ok()) << made.message();
    // Every node is born with the taint of those that are not ready; the node lifecycle controller takes it off.
    const Tree taints = tree(spec)["taints"];
    server.modify(ResourceId::Nodes, "", name, [&](Tree& n) { n.ensure("spec").set("taints", taints); });
  }

  // `more` goes into the spec: R"("priority":5)".
  void pod(const std::string& name, const std::string& cpu, const std::string& more = "",
           const std::string& labels = "{}") {
    Tree object = tree(fmt::format(
        R"({{"metadata":{{"name":"{}","labels":{}}},"spec":{{"containers":[{{"name":"c","image":"i","resources":{{"requests":{{"cpu":"{}"}}}}}}]{}{}}}}})",
        name, labels, cpu, more.empty() ? "" : ",", more));
    const auto made = server.create(ResourceId::Pods, "default", std::move(object));
    EXPECT_TRUE(made.ok()) << made.message();
  }
  void priority_class(const std::string& name, int value) {
    EXPECT_TRUE(server
                    .create(ResourceId::PriorityClasses, "",
                            tree(fmt::format(R"({{"metadata":{{"name":"{}"}},"value":{}}})", name, value)))
                    .ok());
  }

  Stage stage() { return {server, queue, dice, story, server.now()}; }
  void deliver() {
    while (const api::Change* next = server.change_after(heard)) {
      const api::Change change = *next;
      heard = change.revision;
      Stage here = stage();
      scheduler.changed(here, change);
    }
  }
  void run(Duration span) {
    const Time until = server.now() + span;
    deliver();
    while (queue.next() && *queue.next() <= until) {
      auto [when, event] = queue.take();
      server.set_now(std::max(when, server.now()));
      Stage here = stage();
      scheduler.happen(here, event);
      deliver();
    }
    server.set_now(until);
  }
  // What a kubelet does at the end of a pod's grace period.
  void finish_terminating() {
    std::vector<std::string> gone;
    for (const ObjectPtr& pod : server.list(ResourceId::Pods, "default"))
      if (pod->terminating()) gone.emplace_back(pod->name());
    for (const std::string& name : gone)
      server.remove(ResourceId::Pods, "default", name, {.grace_seconds = 0});
  }

  ObjectPtr get(const std::string& pod) const { return server.get(ResourceId::Pods, "default", pod); }
  std::string where(const std::string& pod) const {
    const ObjectPtr object = get(pod);
    return object ? std::string(object->spec()["nodeName"].string()) : "gone";
  }
  std::string condition(const std::string& pod, std::string_view field) const {
    const ObjectPtr object = get(pod);
    const Tree* found = object ? api::find_condition(object->tree(), "PodScheduled") : nullptr;
    return found ? std::string((*found)[field].string()) : "";
  }
  std::multiset<std::string> events(std::string_view reason) const {
    std::multiset<std::string> found;
    for (const ObjectPtr& event : server.list(ResourceId::Events, "default"))
      if (event->tree()["reason"].string() == reason)
        found.emplace(event->tree().at({"involvedObject", "name"}).string());
    return found;
  }

  api::Server server;
  EventQueue queue;
  Dice dice;
  Story story;
  Scheduler scheduler;
  std::uint64_t heard = 0;
};

constexpr Duration kSecond = Duration::seconds(1);

TEST(Scheduler, BindsAPodAndSaysSo) {
  Theatre t;
  t.node("a");
  t.pod("p", "1");
  t.run(kSecond);
  EXPECT_EQ(t.where("p"), "a");
  EXPECT_EQ(t.condition("p", "status"), "True");
  EXPECT_EQ(t.events("Scheduled"), (std::multiset<std::string>{"p"}));
  ASSERT_FALSE(t.story.lines().empty());
  EXPECT_EQ(t.story.lines().back().what, "Bound");
}

TEST(Scheduler, SpreadsOverTheLeastAllocated) {
  Theatre t;
  for (const char* name : {"a", "b", "c"}) t.node(name);
  for (int i = 0; i < 6; ++i) t.pod(fmt::format("p{}", i), "500m");
  t.run(kSecond);
  std::map<std::string, int> count;
  for (int i = 0; i < 6; ++i) ++count[t.where(fmt::format("p{}", i))];
  EXPECT_EQ(count, (std::map<std::string, int>{{"a", 2}, {"b", 2}, {"c", 2}}));
}

TEST(Scheduler, LeavesPodsOfOtherSchedulersAlone) {
  Theatre t;
  t.node("a");
  t.pod("p", "1", R"("schedulerName":"mine")");
  t.run(Duration::minutes(10));
  EXPECT_EQ(t.where("p"), "");
  EXPECT_EQ(t.scheduler.waiting(), 0u);
}

TEST(Scheduler, HigherPriorityGoesFirst) {
  Theatre t;
  t.priority_class("high", 1000);
  t.node("a", "1");
  t.pod("first", "1");
  t.pod("important", "1", R"("priorityClassName":"high")");
  t.run(kSecond);
  EXPECT_EQ(t.where("important"), "a");
  EXPECT_EQ(t.where("first"), "");
}

TEST(Scheduler, SaysWhyAPodDoesNotFit) {
  Theatre t;
  t.node("a", "1");
  t.node("b", "4", "z1", R"({"unschedulable":true})");
  t.node("c", "4", "z1", R"({"taints":[{"key":"gpu","effect":"NoSchedule"}]})");
  t.pod("p", "2");
  t.run(kSecond);
  EXPECT_EQ(t.condition("p", "status"), "False");
  EXPECT_EQ(t.condition("p", "reason"), "Unschedulable");
  EXPECT_EQ(
      t.condition("p", "message"),
      "0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint(s), 1 node(s) were "
      "unschedulable. preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.");
  EXPECT_EQ(t.events("FailedScheduling"), (std::multiset<std::string>{"p"}));
}

TEST(Scheduler, WithoutNodesItWaitsAndBacksOff) {
  Theatre t;
  t.pod("p", "2");
  t.run(kSecond);
  EXPECT_EQ(t.condition("p", "message"), "no nodes available to schedule pods");
  t.node("a");
  t.run(Duration::seconds(10));
  EXPECT_EQ(t.where("p"), "a");
}

TEST(Scheduler, AnUnschedulablePodComesBackWhenRoomIsMade) {
  Theatre t;
  t.node("a", "2");
  t.pod("x", "2");
  t.run(kSecond);
  t.pod("p", "1");
  t.run(Duration::seconds(30));
  EXPECT_EQ(t.where("p"), "");
  t.server.remove(ResourceId::Pods, "default", "x", {.grace_seconds = 0});
  t.run(kSecond);
  EXPECT_EQ(t.where("p"), "a");
}

TEST(Scheduler, ATerminatingPodStillHoldsItsRoom) {
  Theatre t;
  t.node("a", "2");
  t.pod("x", "2");
  t.run(kSecond);
  t.pod("p", "1");
  t.server.remove(ResourceId::Pods, "default", "x");
  t.run(Duration::seconds(20));
  EXPECT_EQ(t.where("p"), "");
  t.finish_terminating();
  t.run(Duration::seconds(11));
  EXPECT_EQ(t.where("p"), "a");
}

TEST(Scheduler, ANewNodeOrAnUncordonedOneWakesWhoFitsThere) {
  Theatre t;
  t.node("a", "1");
  t.node("b", "4", "z1", R"({"unschedulable":true})");
  t.pod("p", "2");
  t.pod("q", "3");
  t.run(Duration::seconds(20));
  t.server.modify(ResourceId::Nodes, "", "b", [](Tree& n) { n.ensure("spec").erase("unschedulable"); });
  t.run(Duration::seconds(2));
  EXPECT_EQ((std::set<std::string>{t.where("p"), t.where("q")}), (std::set<std::string>{"", "b"}));
  t.node("c", "4");
  t.run(Duration::seconds(11));
  EXPECT_EQ((std::set<std::string>{t.where("p"), t.where("q")}), (std::set<std::string>{"b", "c"}));
}

TEST(Scheduler, FinishedPodsHoldNothing) {
  Theatre t;
  t.node("a", "1");
  t.pod("x", "1");
  t.run(kSecond);
  t.pod("p", "1");
  t.run(kSecond);
  t.server.modify(ResourceId::Pods, "default", "x",
                  [](Tree& p) { p.ensure({"status", "phase"}) = "Succeeded"; }, {.subresource = "status"});
  t.run(Duration::seconds(5));
  EXPECT_EQ(t.where("p"), "a");
}

TEST(Scheduler, GatesHoldAPodUntilTheyAreGone) {
  Theatre t;
  t.node("a");
  t.pod("p", "1", R"("schedulingGates":[{"name":"wait"}])");
  t.run(Duration::minutes(6));
  EXPECT_EQ(t.where("p"), "");
  EXPECT_EQ(t.condition("p", "reason"), "SchedulingGated");
  t.server.modify(ResourceId::Pods, "default", "p",
                  [](Tree& p) { p.ensure("spec").erase("schedulingGates"); });
  t.run(kSecond);
  EXPECT_EQ(t.where("p"), "a");
}

TEST(Scheduler, AntiAffinityHoldsBothWays) {
  Theatre t;
  t.node("a");
  t.node("b");
  const std::string repel =
      R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"app":"db"}},"topologyKey":"kubernetes.io/hostname"}]}})";
  t.pod("client", "100m", repel);
  t.run(kSecond);
  t.pod("db", "100m", "", R"({"app":"db"})");
  t.run(kSecond);
  ASSERT_NE(t.where("client"), "");
  ASSERT_NE(t.where("db"), "");
  EXPECT_NE(t.where("client"), t.where("db"));
}

TEST(Scheduler, PreemptsTheCheapestAndWaitsForIt) {
  Theatre t;
  t.priority_class("critical", 1000000);
  t.priority_class("normal", 100);
  t.node("a", "2");
  t.node("b", "2");
  t.pod("cheap", "2");
  t.run(kSecond);
  t.pod("dear", "2", R"("priorityClassName":"normal")");
  t.run(kSecond);
  const std::string node = t.where("cheap");
  t.pod("p", "2", R"("priorityClassName":"critical")");
  t.run(kSecond);
  ASSERT_TRUE(t.get("cheap")->terminating());
  const Tree* target = api::find_condition(t.get("cheap")->tree(), "DisruptionTarget");
  ASSERT_NE(target, nullptr);
  EXPECT_EQ((*target)["reason"].string(), "PreemptionByScheduler");
  EXPECT_FALSE(t.get("dear")->terminating());
  EXPECT_EQ(t.get("p")->status()["nominatedNodeName"].string(), node);
  EXPECT_EQ(t.where("p"), "");
  // Nothing more is preempted while the victim is on its way out, and the room is kept for the preemptor.
  t.pod("late", "1");
  t.run(Duration::seconds(20));
  EXPECT_FALSE(t.get("dear")->terminating());
  t.finish_terminating();
  t.run(Duration::seconds(11));
  EXPECT_EQ(t.where("p"), node);
  EXPECT_EQ(t.where("late"), "");
  EXPECT_EQ(t.events("Preempted"), (std::multiset<std::string>{"cheap"}));
}

TEST(Scheduler, AGentlePodPreemptsNobody) {
  Theatre t;
  t.node("a", "2");
  t.pod("x", "2");
  t.run(kSecond);
  t.server.create(ResourceId::PriorityClasses, "",
                  Theatre::tree(R"({"metadata":{"name":"gentle"},"value":1000,"preemptionPolicy":"Never"})"));
  t.pod("p", "2", R"("priorityClassName":"gentle")");
  t.run(Duration::seconds(5));
  EXPECT_FALSE(t.get("x")->terminating());
  EXPECT_EQ(
      t.condition("p", "message"),
      "0/1 nodes are available: 1 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.");
}

// "Automated node consolidation under an SLO guard", its aborted run: a critical pod's placement preempts clients with required
// anti-affinity against it, and their replacements have no place to go.
TEST(Scheduler, ReplacementsOfPreemptedClientsFindNoPlace) {
  Theatre t;
  t.priority_class("critical", 1000000);
  const std::string repel =
      R"("affinity":{"podAntiAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":[{"labelSelector":{"matchLabels":{"tier":"critical"}},"topologyKey":"kubernetes.io/hostname"}]}})";
  t.node("a", "2");
  t.node("b", "2");
  t.pod("client-1", "1500m", repel);
  t.pod("client-2", "1500m", repel);
  t.run(kSecond);
  for (const char* name : {"critical-1", "critical-2"}) {
    t.pod(name, "1500m", R"("priorityClassName":"critical")", R"({"tier":"critical"})");
    t.run(kSecond);
    EXPECT_EQ(t.where(name), "");
    t.finish_terminating();
    t.run(Duration::seconds(11));
    EXPECT_NE(t.where(name), "");
  }
  EXPECT_EQ(t.where("client-1"), "gone");
  EXPECT_EQ(t.where("client-2"), "gone");
  // There would be room.
  t.pod("replacement", "100m", repel);
  t.run(kSecond);
  EXPECT_EQ(t.where("replacement"), "");
  EXPECT_EQ(
      t.condition("replacement", "message"),
      "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. preemption: 0/2 nodes are "
      "available: 2 No preemption victims found for incoming pod.");
}

TEST(Scheduler, BindsClaimsThatWaitForTheirFirstConsumer) {
  Theatre t;
  t.node("a", "4", "z1");
  t.node("b", "4", "z2");
  t.server.create(
      ResourceId::StorageClasses, "",
      Theatre::tree(
          R"({"metadata":{"name":"fast"},"provisioner":"ebs.csi.aws.com","volumeBindingMode":"WaitForFirstConsumer"})"));
  const auto claim = t.server.create(
      ResourceId::PersistentVolumeClaims, "default",
      Theatre::tree(
          R"({"metadata":{"name":"data"},"spec":{"storageClassName":"fast","accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"1Gi"}}}})"));
  ASSERT_TRUE(claim.ok()) << claim.message();
  const std::string uses = R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}])";
  t.pod("p", "1", uses);
  t.run(kSecond);
  const std::string node = t.where("p");
  ASSERT_NE(node, "");
  const ObjectPtr bound = t.server.get(ResourceId::PersistentVolumeClaims, "default", "data");
  EXPECT_EQ(bound->status()["phase"].string(), "Bound");
  const ObjectPtr volume =
      t.server.get(ResourceId::PersistentVolumes, "", bound->spec()["volumeName"].string());
  ASSERT_NE(volume, nullptr);
  EXPECT_EQ(volume->status()["phase"].string(), "Bound");
  // The disk is in that zone: whoever comes next must go there, too.
  t.server.remove(ResourceId::Pods, "default", "p", {.grace_seconds = 0});
  for (int i = 0; i < 4; ++i) {
    t.pod(fmt::format("next{}", i), "100m", uses);
    t.run(kSecond);
    EXPECT_EQ(t.where(fmt::format("next{}", i)), node);
  }
}

TEST(Scheduler, AMissingClaimIsNamed) {
  Theatre t;
  t.node("a");
  t.pod("p", "1", R"("volumes":[{"name":"v","persistentVolumeClaim":{"claimName":"data"}}])");
  t.run(kSecond);
  EXPECT_EQ(t.condition("p", "message").substr(0, 66),
            "0/1 nodes are available: persistentvolumeclaim \"data\" not found. p");
}

TEST(Scheduler, ACopyOfTheWorldGoesTheSameWay) {
  Theatre t;
  for (int i = 0; i < 5; ++i) t.node(fmt::format("n{}", i), "2", i % 2 == 0 ? "z1" : "z2");
  for (int i = 0; i < 6; ++i) t.pod(fmt::format("p{}", i), "700m");
  t.run(kSecond);
  for (int i = 6; i < 20; ++i) t.pod(fmt::format("p{}", i), "700m");
  t.run(Duration{4'000'000});
  Theatre fork = t;
  t.run(Duration::minutes(1));
  fork.run(Duration::minutes(1));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(t.where(fmt::format("p{}", i)), fork.where(fmt::format("p{}", i)));
  ASSERT_EQ(t.story.lines().size(), fork.story.lines().size());
  for (std::size_t i = 0; i < t.story.lines().size(); ++i)
    EXPECT_EQ(to_text(t.story.lines()[i]), to_text(fork.story.lines()[i]));
}

}  // namespace
}  // namespace tamp::world

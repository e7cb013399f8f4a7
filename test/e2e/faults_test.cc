// What goes wrong around the controller on a real control plane: API server and store fail, history and tokens expire,
// leaders die and freeze. After each fault a change of the cluster is in the published plan within 30 s, without a restart of
// the program.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>

#include "e2e/plane.h"
#include "e2e/program.h"
#include "e2e/small_cluster.h"

namespace tamp::e2e {
namespace {

constexpr Duration kSoon = Duration::seconds(30);
constexpr Duration kStoreFrozen = Duration::seconds(30), kLeaderFrozen = Duration::seconds(60);

Duration rest_of(Duration span, Time since) { return {span.ns - (wall_clock() - since).ns}; }

bool holds_for(Duration span, const std::function<bool()>& holds) {
  return !wait_until(span, [&] { return !holds(); });
}

struct Faults : testing::Test {
  static inline std::unique_ptr<SmallCluster> cluster;

  static void SetUpTestSuite() { cluster = std::make_unique<SmallCluster>(20, 100); }
  static void TearDownTestSuite() { cluster.reset(); }

  void SetUp() override { cluster->forget_lease(); }

  // Its token and its log have its name.
  static std::unique_ptr<Program> start(const std::string& name, int token_seconds = 3600) {
    return std::make_unique<Program>(name, account_kubeconfig(token_seconds, name), decision_flags());
  }
  // In the same moment. The first of them leads.
  struct Pair {
    std::unique_ptr<Program> leader, follower;
    std::string leader_name, follower_name;
  };
  static Pair start_both(const std::string& a, const std::string& b) {
    const std::string config_a = account_kubeconfig(3600, a), config_b = account_kubeconfig(3600, b);
    Pair both{std::make_unique<Program>(a, config_a, decision_flags()),
              std::make_unique<Program>(b, config_b, decision_flags()), a, b};
    EXPECT_TRUE(wait_until(kSoon, [&] { return both.leader->leading() || both.follower->leading(); }))
        << both.leader->log() << both.follower->log();
    if (!both.leader->leading()) {
      std::swap(both.leader, both.follower);
      std::swap(both.leader_name, both.follower_name);
    }
    return both;
  }
  // Alone, leading, and the plan is published.
  static std::unique_ptr<Program> lead(const std::string& name, int token_seconds = 3600) {
    auto program = start(name, token_seconds);
    EXPECT_TRUE(wait_until(kSoon, [&] { return program->leading(); })) << program->log();
    EXPECT_TRUE(cluster->agreement()) << difference();
    return program;
  }
  static void end(Program& program) {
    program.signal(SIGTERM);
    EXPECT_EQ(program.wait(), 0) << "an orderly end\n" << program.log();
  }

  static std::string difference() {
    const auto is = cluster->published(), should_be = cluster->asked();
    return "published: " + (is ? is->text() : "nothing") +
           "\ntamp plan: " + (should_be ? should_be->text() : cluster->why());
  }

  // What is published is what `tamp plan` says, within 30 s of `since`.
  static void expect_agreement(const Program& leader, const std::string& after, Time since = wall_clock()) {
    const bool agreed = cluster->agreement(rest_of(kSoon, since));
    EXPECT_TRUE(agreed) << after << ": " << difference() << "\n" << leader.log();
    if (agreed)
      std::printf("  %s: a correct plan after %.1f s\n", after.c_str(), (wall_clock() - since).to_seconds());
  }
  // A change of the plan and its undoing are both published in time, and nothing of the cluster was lost on the way.
  static void expect_it_follows(Program& leader, const std::string& after, Time since = wall_clock()) {
    const auto before = cluster->asked();
    ASSERT_TRUE(before && !before->victims.empty()) << "no plan to change: " << cluster->why();
    const std::string node = *before->victims.begin();
    cluster->pause(node);
    const auto wanted = cluster->asked();
    EXPECT_TRUE(wanted && !wanted->victims.contains(node)) << "a paused node is in no plan";
    expect_agreement(leader, after + ", a change", since);
    cluster->go_on_with(node);
    expect_agreement(leader, after + ", its undoing");
    EXPECT_EQ(cluster->asked(), before) << "the cluster is what it was";
    EXPECT_TRUE(leader.running()) << leader.log();
    EXPECT_TRUE(leader.leading()) << leader.log();
  }

  static std::string holder() {
    const net::Reply reply = cluster->admin().get(net::kLeases, "tamp-system", "tamp-controller");
    return reply.ok() ? text_at(parse(reply.body).root(), {"spec", "holderIdentity"}) : "";
  }
  static std::string policy_version() {
    const net::Reply reply = cluster->admin().get(net::kTemperPolicies, "", "default");
    return reply.ok() ? text_at(parse(reply.body).root(), {"metadata", "resourceVersion"}) : "";
  }
  static double relists(const Program& program) {
    return std::max(0.0, program.metric("tamp_watch_relists_total{resource=\"nodes\"}"));
  }
};

// Writes other than those by which a Lease is got or kept.
std::vector<AuditedRequest> writes_of(const std::string& name, Time since = {}) {
  std::vector<AuditedRequest> writes = requests_of(name);
  std::erase_if(writes, [&](const AuditedRequest& request) {
    return !request.writes() || request.resource == "leases" || request.received < since;
  });
  return writes;
}

std::string text_of(const std::vector<AuditedRequest>& requests) {
  std::string out;
  for (const AuditedRequest& request : requests)
    out += request.verb + " " + request.resource + "/" + request.subresource + ": " +
           std::to_string(request.code) + "\n";
  return out;
}

// ---- the server and its store

TEST_F(Faults, TheApiServerIsKilledAndStartedAgain) {
  const auto program = lead("killed");
  control("kill kube-apiserver");
  EXPECT_TRUE(wait_until(kSoon, [&] { return program->metric("tamp_watch_state{resource=\"nodes\"}") == 4; }))
      << "a watch without a server is not called current";
  EXPECT_TRUE(wait_until(kSoon, [&] { return !program->leading(); })) << "nobody leads without a server";
  control("restart kube-apiserver");
  expect_it_follows(*program, "API server killed");
  end(*program);
}

TEST_F(Faults, TheStoreIsFrozenForHalfAMinute) {
  const auto program = lead("frozen-store");
  const Time frozen = wall_clock();
  control("freeze etcd");
  // Reads may still be answered from the API server's memory; no write is, so nobody can lead for long.
  EXPECT_TRUE(wait_until(Duration::seconds(15), [&] { return !program->leading(); })) << program->log();
  EXPECT_TRUE(holds_for(rest_of(kStoreFrozen, frozen), [&] { return !program->leading(); }))
      << program->log();
  control("thaw etcd");
  const Time thawed = wall_clock();
  ASSERT_TRUE(wait_until(kSoon, [] { return cluster->asked().has_value(); }))
      << "the API server has recovered";
  expect_it_follows(*program, "etcd frozen", thawed);
  end(*program);
}

TEST_F(Faults, HistoryIsForgotten) {
  const auto program = lead("compacted");
  const double before = relists(*program);
  control("compact");
  control("restart kube-apiserver");
  expect_it_follows(*program, "history compacted");
  EXPECT_GT(relists(*program), before) << "a version that is forgotten makes a new list";
  end(*program);
}

// ---- rights

TEST_F(Faults, TheTokenExpires) {
  const auto program = lead("rotating", 12);
  ASSERT_TRUE(wait_until(Duration::seconds(45), [&] { return !program->leading(); }))
      << "without a valid token nobody leads\n"
      << program->log();
  // Its watches may still be open, and tell it of this change; but it may not write any more, and does not.
  const std::string version = policy_version();
  const auto before = cluster->asked();
  ASSERT_TRUE(before && !before->victims.empty()) << cluster->why();
  const std::string node = *before->victims.begin();
  cluster->pause(node);
  EXPECT_TRUE(holds_for(Duration::seconds(8), [&] { return policy_version() == version; }))
      << "nothing is written with a dead token";
  EXPECT_FALSE(program->leading());
  account_kubeconfig(3600, "rotating");
  expect_agreement(*program, "token rotated");
  cluster->go_on_with(node);
  expect_agreement(*program, "token rotated, the next change");
  EXPECT_EQ(cluster->asked(), before);
  EXPECT_TRUE(program->leading()) << program->log();
  end(*program);
}

// ---- leaders

TEST_F(Faults, OfTwoOneLeadsAndTheOtherTakesOver) {
  const auto [first, second, leads, follows] = start_both("one", "two");
  EXPECT_TRUE(cluster->agreement()) << difference();
  expect_it_follows(*first, "two started together");
  EXPECT_FALSE(second->leading());
  EXPECT_TRUE(second->ready()) << "a follower knows the cluster";
  EXPECT_FALSE(writes_of(leads).empty());
  EXPECT_TRUE(writes_of(follows).empty()) << "only the leader writes:\n" << text_of(writes_of(follows));

  first->signal(SIGKILL);
  first->wait();
  const Time killed = wall_clock();
  const auto before = cluster->asked();
  ASSERT_TRUE(before && !before->victims.empty()) << cluster->why();
  cluster->pause(*before->victims.begin());
  expect_agreement(*second, "leader killed", killed);
  EXPECT_TRUE(second->leading()) << second->log();
  cluster->go_on_with(*before->victims.begin());
  expect_agreement(*second, "leader killed, the next change");

  const auto third = start("three");
  ASSERT_TRUE(wait_until(kSoon, [&] { return third->ready(); })) << third->log();
  EXPECT_FALSE(third->leading());
  const Time ended = wall_clock();
  end(*second);
  EXPECT_TRUE(wait_until(Duration::seconds(5), [&] { return third->leading(); }))
      << "a Lease that is given back need not expire; holder: " << holder() << "\n"
      << third->log();
  std::printf("  leader ended: the other leads after %.1f s\n", (wall_clock() - ended).to_seconds());
  expect_it_follows(*third, "leader ended", ended);
  end(*third);
}

TEST_F(Faults, AFrozenLeaderWritesNothingWhenItGoesOn) {
  const auto [first, second, frozen, awake] = start_both("frozen", "awake");
  // In the midst of what a new leader has to say of each node.
  ASSERT_TRUE(wait_until(kSoon, [&] { return !writes_of(frozen).empty(); })) << first->log();
  first->signal(SIGSTOP);
  const Time stopped = wall_clock();
  const std::size_t said = writes_of(frozen).size();
  ASSERT_TRUE(wait_until(kSoon, [&] { return second->leading(); })) << second->log();
  const Duration taken_over = wall_clock() - stopped;
  const auto before = cluster->asked();
  ASSERT_TRUE(before && !before->victims.empty()) << cluster->why();
  const std::string node = *before->victims.begin();
  cluster->pause(node);
  expect_agreement(*second, "leader frozen", stopped);
  EXPECT_TRUE(holds_for(rest_of(kLeaderFrozen, stopped), [&] { return second->leading(); })) << second->log();

  const std::string version = policy_version();
  const Time continued = wall_clock();
  first->signal(SIGCONT);
  EXPECT_TRUE(wait_until(Duration::seconds(5), [&] { return first->metric("tamp_leader") == 0; }))
      << "it knows that it leads no more\n"
      << first->log();
  EXPECT_TRUE(holds_for(Duration::seconds(10), [&] { return policy_version() == version; }))
      << "what the new leader has said stands";
  const auto late = writes_of(frozen, continued);
  EXPECT_LE(late.size(), 1U) << "at most what was under way already:\n" << text_of(late);
  std::printf(
      "  leader frozen after %zu writes: the other leads after %.1f s; after a minute it writes %zu more\n",
      said, taken_over.to_seconds(), late.size());
  EXPECT_TRUE(second->leading()) << second->log();
  EXPECT_EQ(cluster->published(), cluster->asked());
  cluster->go_on_with(node);
  expect_agreement(*second, "leader frozen, the next change");
  EXPECT_EQ(cluster->asked(), before);
  EXPECT_FALSE(first->leading());
  EXPECT_LE(writes_of(frozen, continued).size(), 1U) << text_of(writes_of(frozen, continued));
  EXPECT_FALSE(writes_of(awake).empty());
  end(*first);
  end(*second);
}

}  // namespace
}  // namespace tamp::e2e

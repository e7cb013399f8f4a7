// One run under its attendant, against an API server of one run and two empty nodes. Given what the
// controller knows of the cluster, expect whether the run goes on to its first mutation.
#include "controller/run_attendant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/run_document.h"
#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"
#include "search/plan.h"
#include "situation/resolve_settings.h"
#include "wire/tree.h"

namespace tamp::controller {
namespace {

using testing::HasSubstr;
using wire::Tree;

const char* const kPolicy =
    R"({"apiVersion":"temper.codes/v1alpha1","kind":"TemperPolicy","metadata":{"name":"default"},)"
    R"("spec":{"mode":"Act","planner":"Requests","disruption":{"consolidationSavingsThreshold":0}}})";

std::string node(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name + R"(","uid":"uid-)" + name +
         R"(","creationTimestamp":"2026-01-01T00:00:00Z",)" +
         R"("labels":{"eks.amazonaws.com/nodegroup":"g"}},"spec":{},)" +
         R"("status":{"allocatable":{"cpu":"4","memory":"8Gi","pods":"110"},)" +
         R"("conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z"}]}})";
}

std::string stateful_set(int replicas, int ready) {
  return R"({"apiVersion":"apps/v1","kind":"StatefulSet",)"
         R"("metadata":{"name":"db","namespace":"shop","uid":"uid-db"},"spec":{"replicas":)" +
         std::to_string(replicas) + R"(},"status":{"readyReplicas":)" + std::to_string(ready) + "}}";
}

struct Attended : testing::Test {
  Attended() {
    transport.on_send = [this](const net::Request& request) { return answer(request); };
    surroundings.outlook = [this] { return outlook; };
    surroundings.nodes_seen = [] { return std::string("1"); };
    surroundings.desk = [](const run::Run&) { return std::nullopt; };
    surroundings.evictions_left = [] { return std::nullopt; };
    surroundings.plan = [this](const std::string&) { return plan; };
    surroundings.stepped = [](const run::Run&, const run::Run&) {};
    surroundings.concluded = [](const run::Run&, const run::Mutation&) {};
    surroundings.recorded = [](const run::Run&, const Outlook&) { return std::string(); };
    surroundings.records_kept = [](const std::string&) { return true; };
  }

  // What the controller knows when the run is validated. The plan itself was made before, of the same two
  // nodes.
  void see(const std::vector<std::string>& more, std::optional<Time> last_node_deleted,
           const std::string& leader_node) {
    plan_for_the_first_node();
    outlook = look(more);
    auto facts = std::make_shared<Outlook>(*outlook);
    facts->last_node_deleted = last_node_deleted;
    facts->leader_node = leader_node;
    outlook = facts;
  }
  std::shared_ptr<const Outlook> look(const std::vector<std::string>& more) {
    wire::Inputs inputs;
    inputs.objects = {{"policy", kPolicy}, {"a", node("a")}, {"b", node("b")}};
    for (const std::string& object : more) inputs.objects.push_back({"more", object});
    auto reading = wire::read_snapshot(inputs);
    EXPECT_TRUE(reading) << reading.error().message;
    auto fresh = std::make_shared<Outlook>();
    fresh->settings = situation::resolve_settings(reading->cluster, {});
    fresh->limits = run::limits_of(fresh->settings.guards, fresh->settings.reap);
    fresh->reading = std::make_shared<const wire::Reading>(std::move(*reading));
    return fresh;
  }
  // And a run of it that was just taken in.
  void plan_for_the_first_node() {
    const auto then = look({});
    const situation::Context context{then->reading->cluster, then->settings, loop.now(), std::nullopt,
                                     NodeId()};
    const Observations none;
    proof::Proposal proposal = proof::propose({context, none, false}, search::make_plan(context, {}));
    ASSERT_TRUE(proposal.plan.has_value()) << "both nodes are empty";
    ASSERT_EQ(proposal.plan->victims, std::vector<std::string>{"a"});
    plan = std::make_shared<const proof::ConsolidationPlan>(std::move(*proposal.plan));

    run::Run approval;
    approval.name = "run-1";
    approval.plan_hash = plan->hash;
    approval.approved_at = loop.now();
    run::Desk desk;
    desk.plan = plan.get();
    desk.pressure_guards = false;
    desk.acts = true;
    run::take_in(approval, desk, then->reading->cluster, documents::status_bytes, loop.now());
    ASSERT_EQ(approval.phase, run::Phase::Validating) << approval.message;
    status = documents::write_status(approval);
  }

  void attend() {
    RunAttendant attendant(loop, client, log, surroundings, "run-1");
    loop.advance(Duration::seconds(10));
    ASSERT_NE(attendant.run(), nullptr) << logged;
    run = *attendant.run();
  }

  std::optional<net::Exchange> answer(const net::Request& request) {
    const bool patch = request.method == net::Method::Patch;
    if (request.target.find("/nodes/") != std::string::npos) {
      // Somebody else writes all the time: no mark is ever put, and the run stays where it is.
      if (patch) return net::refuse(409, "Conflict");
      node_reads.push_back(request.target);
      return net::answer(200, node(request.target.substr(request.target.rfind('/') + 1)));
    }
    if (request.target.find("/consolidationruns/run-1") == std::string::npos)
      return net::refuse(404, "NotFound");
    if (patch) {
      const auto operations = wire::read_tree(request.body);
      EXPECT_TRUE(operations) << request.body;
      for (const Tree& operation : operations->elements()) {
        if (operation["path"].string() == "/status") status = wire::to_json(operation["value"]);
        if (operation["path"].string() == "/metadata/finalizers")
          finalizers = wire::to_json(operation["value"]);
      }
      ++version;
    }
    return net::answer(200, R"({"apiVersion":"temper.codes/v1alpha1","kind":"ConsolidationRun",)"
                            R"("metadata":{"name":"run-1","uid":"uid-run","creationTimestamp":")" +
                                format_rfc3339(approved) + R"(","resourceVersion":")" +
                                std::to_string(version) + R"(","finalizers":)" + finalizers +
                                R"(},"spec":{"planHash":")" + plan->hash +
                                R"(","approvedBy":"mia","source":"cli"},"status":)" + status + "}");
  }

  net::FakeLoop loop;
  Time approved = loop.now();
  net::ScriptedTransport transport{loop};
  net::Client client{loop, transport};
  std::string logged;
  Log log{LogLevel::Debug, LogFormat::Text, [this] { return loop.now(); },
          [this](std::string_view line) { logged += line; }};
  RunSurroundings surroundings;
  std::shared_ptr<const Outlook> outlook;
  std::shared_ptr<const proof::ConsolidationPlan> plan;
  std::string status = "{}", finalizers = R"(["temper.codes/rollback"])";
  int version = 1;
  std::vector<std::string> node_reads;
  run::Run run;
};

TEST_F(Attended, GoesOnWhereThePlanStillHolds) {
  see({stateful_set(3, 3)}, loop.now() - Duration::minutes(1), "b");
  attend();
  EXPECT_EQ(run.phase, run::Phase::Cordoning) << run.message << logged;
  EXPECT_FALSE(node_reads.empty());
}

// Pods of the node that was deleted are not back yet: the cluster looks emptier than it is.
TEST_F(Attended, StopsBeforeItsFirstMutationWhileAnotherNodesPodsAreNotBack) {
  see({stateful_set(3, 2)}, loop.now() - Duration::minutes(1), "");
  attend();
  EXPECT_EQ(run.phase, run::Phase::RolledBack) << logged;
  EXPECT_EQ(run.reason, "ChecksFailed");
  EXPECT_THAT(run.message, HasSubstr("a node was deleted 1m ago"));
  EXPECT_TRUE(node_reads.empty()) << "a node was to be changed";
}

TEST_F(Attended, AnUnreadyControllerAloneDoesNotStopIt) {
  see({stateful_set(3, 2)}, std::nullopt, "");
  attend();
  EXPECT_EQ(run.phase, run::Phase::Cordoning) << run.message << logged;
}

// A leader that moved there since the plan was made would take itself away.
TEST_F(Attended, StopsBeforeItsFirstMutationIfTheLeaderRunsOnAVictim) {
  see({}, std::nullopt, "a");
  attend();
  EXPECT_EQ(run.phase, run::Phase::RolledBack) << logged;
  EXPECT_EQ(run.reason, "ChecksFailed");
  EXPECT_THAT(run.message, HasSubstr("RunsTamp"));
  EXPECT_TRUE(node_reads.empty()) << "a node was to be changed";
}

}  // namespace
}  // namespace tamp::controller

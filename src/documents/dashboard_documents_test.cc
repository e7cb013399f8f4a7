#include "documents/dashboard_documents.h"

#include <gtest/gtest.h>

#include "documents/audit.h"
#include "explain/sample_testing.h"

namespace tamp::documents {
namespace {

using wire::Tree;

Tree parse(const std::string& json) {
  auto tree = wire::read_tree(json);
  EXPECT_TRUE(tree.ok()) << json;
  return tree ? *tree : Tree();
}

// Three nodes at $0.2: a is in the plan, b is too busy, c saves too little.
struct Given {
  std::shared_ptr<Scene> scene = std::make_shared<Scene>();
  Look look;
  Given() {
    explain::Sample sample;
    auto reading = std::make_shared<wire::Reading>();
    reading->cluster = std::move(sample.cluster);
    for (Node& node : reading->cluster.nodes) node.ready.status = ConditionStatus::True;
    scene->reading = reading;
    scene->settings.pools.resize(1);
    scene->now = *parse_rfc3339("2026-11-15T00:00:00Z");
    scene->verdicts = sample.plan.nodes;
    scene->verdicts[0].verdict = search::Verdict::Command;
    scene->verdicts[1] = {NodeId{std::size_t{1}}, search::Verdict::Blocked, gates::Reason::Utilization,
                          "80%"};
    scene->verdicts[2] = {NodeId{std::size_t{2}}, search::Verdict::Blocked,
                          gates::Reason::SavingsBelowThreshold, "saves $0.006/h"};
    for (int i = 0; i < 3; ++i) scene->prices.push_back(Money::from_dollars(0.2));
    scene->prices[2].reset();
    scene->cost = Money::from_dollars(0.6);
    proof::ConsolidationPlan plan;
    plan.planner = "SLO";
    plan.hash = std::string(64, 'f');
    plan.victims = {"a"};
    plan.survivors = {"b"};
    plan.moves = {{"default", "web-1", "u1", Tier::Normal, "a", "b"}};
    plan.checks = {{"measurements", true, "3 pods", ""}};
    plan.predicted = {{"b", 4, 1.5, 8 << 20, 1 << 20, 1, 2}};
    plan.hourly_savings = Money::from_dollars(0.2);
    scene->plan = plan;
    look.scene = scene;
    look.history = std::make_shared<const std::vector<HistoryPoint>>();
  }
  run::Run& add_run(const char* name, run::Phase phase, double achieved) {
    auto run = std::make_shared<run::Run>();
    run->name = name;
    run->phase = phase;
    run->outcome.achieved_savings = Money::from_dollars(achieved);
    run->outcome.predicted_savings = Money::from_dollars(0.5);
    look.runs.push_back(run);
    return *run;
  }
  void observe(const char* node, std::vector<PodObservation> pods) {
    Observation seen;
    seen.node = node;
    seen.pods = std::move(pods);
    scene->observations.push_back(std::move(seen));
  }
  static PodObservation pod(const char* tier, std::optional<double> cores,
                            std::optional<std::int64_t> bytes) {
    PodObservation pod;
    pod.tier = tier;
    pod.cpu_usage.s60 = cores;
    pod.working_set = bytes;
    return pod;
  }
};

TEST(OverviewDocument, IdentifiedAndRealizedSavingsAreTwoNumbers) {
  Given given;
  given.add_run("done", run::Phase::Succeeded, 0.3);
  given.add_run("taken-back", run::Phase::RolledBack, 0.4);
  const Tree overview = parse(overview_document(given.look));
  EXPECT_DOUBLE_EQ(overview["hourlyCost"].number(), 0.6);
  EXPECT_DOUBLE_EQ(overview["identifiedHourly"].number(), 0.2);
  EXPECT_DOUBLE_EQ(overview["realizedHourly"].number(), 0.3) << "what was rolled back saves nothing";
  EXPECT_TRUE(overview["run"].is_null()) << "both are over";
}

TEST(OverviewDocument, TellsWhatBlocksSavingsDearestFirstAndUnknownPricesAsUnknown) {
  const Given given;
  const Tree overview = parse(overview_document(given.look));
  const Tree& blocked = overview["blocked"];
  ASSERT_EQ(blocked.size(), 2U);
  EXPECT_EQ(blocked.elements()[0]["reason"].string(), gates::name(gates::Reason::Utilization));
  EXPECT_DOUBLE_EQ(blocked.elements()[0]["hourlyCost"].number(), 0.2);
  EXPECT_EQ(blocked.elements()[0]["message"].string(), "b: 80%");
  EXPECT_TRUE(blocked.elements()[1]["hourlyCost"].is_null());
}

TEST(OverviewDocument, TheRunAtWorkIsShownBeforeOneThatWaitsForTheAutoscaler) {
  Given given;
  given.add_run("a", run::Phase::Draining, 0);
  given.add_run("z", run::Phase::AwaitingReap, 0).approved_at = Time{9};
  EXPECT_EQ(parse(overview_document(given.look)).at({"run", "name"}).string(), "a");
}

TEST(NodesDocument, EveryColumnHasEveryNode) {
  Given given;
  given.observe("a", {Given::pod("Normal", 1.5, 100), Given::pod("Background", 0.5, 100)});
  given.observe("b", {Given::pod("Normal", std::nullopt, 100)});
  const Tree nodes = parse(nodes_document(given.look));
  for (const Tree::Member& column : nodes.members())
    if (column.key != "pools" && column.key != "types" && column.key != "reasons") {
      EXPECT_EQ(column.value.size(), 3U) << column.key;
    }
  const auto at = [&](const char* key, std::size_t node) { return nodes[key].elements()[node]; };
  EXPECT_DOUBLE_EQ(at("cpuRequested", 0).number(), 3);
  EXPECT_DOUBLE_EQ(at("cpuRequested", 2).number(), 0) << "a pod that has ended holds nothing";
  EXPECT_DOUBLE_EQ(at("cpuUsed", 0).number(), 2);
  EXPECT_TRUE(at("cpuUsed", 1).is_null()) << "one pod was not measured: the sum would be a guess";
  EXPECT_TRUE(at("cpuUsed", 2).is_null());
  EXPECT_EQ(at("state", 0).string(), "victim");
  EXPECT_EQ(at("state", 1).string(), "survivor");
  EXPECT_EQ(at("state", 2).string(), "steady");
  EXPECT_TRUE(at("price", 2).is_null());
  const auto reason = static_cast<std::size_t>(at("reason", 1).integer());
  EXPECT_EQ(nodes["reasons"].elements()[reason].string(), gates::name(gates::Reason::Utilization));
}

TEST(NodesDocument, WhatCouldGoAloneIsNotInThePlan) {
  Given given;
  given.scene->verdicts[1].verdict = search::Verdict::Command;
  Tree verdict = parse(nodes_document(given.look))["verdict"];
  EXPECT_EQ(verdict.elements()[0].string(), "command") << "the plan removes a";
  EXPECT_EQ(verdict.elements()[1].string(), "eligible") << "it could go, too, but stays";
  EXPECT_EQ(verdict.elements()[2].string(), "blocked");
  given.scene->plan.reset();
  verdict = parse(nodes_document(given.look))["verdict"];
  EXPECT_EQ(verdict.elements()[0].string(), "eligible");
}

TEST(NodesDocument, NoiseInMeasurementsMakesNoNewDocument) {
  Given before, after;
  before.observe("a", {Given::pod("Normal", 1.501, 1'000'000)});
  after.observe("a", {Given::pod("Normal", 1.502, 1'100'000)});
  EXPECT_EQ(nodes_document(before.look), nodes_document(after.look));
}

TEST(PlanDocument, SurvivorsBeforeAndAfterCountTheSamePods) {
  Given given;
  given.observe("b", {Given::pod("Normal", 1.0, 100), Given::pod("Background", 3.0, 100)});
  const Tree plan = parse(plan_document(given.look))["plan"];
  const Tree& survivor = plan["predicted"].elements()[0];
  EXPECT_DOUBLE_EQ(survivor["cpuNow"].number(), 1.0) << "Background pods are left out of the prediction, too";
  EXPECT_DOUBLE_EQ(survivor["memoryNow"].number(), 200);
  EXPECT_TRUE(plan["approvable"].boolean());
}

TEST(PlanDocument, ADismissalIsOfOnePlan) {
  Given given;
  given.look.dismissed = read_dismissal(
      write_dismissal({std::string(64, 'f'), "ann", "not on Fridays", "2026-11-15T00:00:00Z"}));
  EXPECT_EQ(parse(plan_document(given.look)).at({"plan", "dismissed", "by"}).string(), "ann");
  given.look.dismissed->plan_hash = std::string(64, '0');
  EXPECT_TRUE(parse(plan_document(given.look)).at({"plan", "dismissed"}).is_null());
  for (const char* nonsense : {"", "x", "[]", "{}", "{\"planHash\": 7}"})
    EXPECT_FALSE(read_dismissal(nonsense)) << nonsense;
}

TEST(PlanDocument, TheDifferenceNamesWhatIsPublished) {
  Given given;
  Tree difference = parse(plan_difference(given.look, "seen"));
  EXPECT_EQ(difference["asked"].string(), "seen");
  EXPECT_EQ(difference.at({"published", "hash"}).string(), std::string(64, 'f'));
  given.scene->plan.reset();
  difference = parse(plan_difference(given.look, "seen"));
  EXPECT_TRUE(difference["published"].is_null());
}

TEST(RunDocument, PressureIsSampledAndThinned) {
  Given given;
  run::Run& run = given.add_run("run-1", run::Phase::Draining, 0);
  run.moves.push_back({"default", "web-1", "u1", Tier::Normal, "a", "b", "", false, {}, Time{5}, {}});
  std::string lines;
  for (int i = 0; i < 2000; ++i)
    lines += R"({"at":"2026-11-15T00:00:00Z","survivors":{"b":{"cpu60":)" + std::to_string(i) + "}}}\n";
  const Tree document = parse(run_document(given.look, run, lines));
  const Tree& samples = document.at({"guards", "samples"});
  EXPECT_LE(samples.size(), 301U);
  EXPECT_EQ(samples.elements().front()["cpu"].integer(), 0);
  EXPECT_EQ(samples.elements().back()["cpu"].integer(), 1999) << "the newest is always there";
  EXPECT_TRUE(samples.elements().front()["memory"].is_null());
  EXPECT_TRUE(document["achieved"].is_null()) << "it is not over";
  EXPECT_TRUE(document["moves"].elements()[0]["left"].is_string());
}

TEST(AuditDocument, AChainThatWasChangedOrCutIsNotValid) {
  Given given;
  run::Run& run = given.add_run("run-1", run::Phase::Draining, 0);
  run.approved_by = "ann";
  documents::AuditBook book;
  const std::string lines = book.update(run, Time{});
  run.audit_head = book.head().hash;
  Tree audit = parse(audit_document(run, lines));
  EXPECT_TRUE(audit["valid"].boolean()) << audit["problem"].string();
  EXPECT_EQ(audit["records"].elements()[0]["actor"].string(), "ann");
  std::string forged = lines;
  forged.replace(forged.find("ann"), 3, "bob");
  EXPECT_FALSE(parse(audit_document(run, forged))["valid"].boolean());
  EXPECT_FALSE(parse(audit_document(run, ""))["valid"].boolean())
      << "the record that the run knows of is missing";
}

TEST(AuditTrail, AllRunsInOneNewestFirstAndEachChainIsJudged) {
  Given given;
  std::vector<RunRecords> records;
  for (const char* name : {"run-1", "run-2"}) {
    run::Run run;
    run.name = name;
    run.approved_by = name[4] == '1' ? "ann" : "bob";
    run.approved_at = Time{} + Duration::hours(name[4] - '0');
    documents::AuditBook book;
    std::string lines = book.update(run, run.approved_at);
    run.audit_head = book.head().hash;
    records.push_back({std::make_shared<const run::Run>(run), std::move(lines)});
  }
  Tree trail = parse(audit_trail_document(records, true));
  EXPECT_TRUE(trail["complete"].boolean());
  ASSERT_GE(trail["records"].size(), 2U);
  EXPECT_EQ(trail["records"].elements().front()["actor"].string(), "bob") << "an hour later";
  EXPECT_EQ(trail["records"].elements().front()["run"].string(), "run-2");
  EXPECT_EQ(trail["records"].elements().back()["run"].string(), "run-1");
  for (const Tree& chain : trail["chains"].elements()) EXPECT_TRUE(chain["valid"].boolean());
  records[0].lines.replace(records[0].lines.find("ann"), 3, "eve");
  trail = parse(audit_trail_document(records, false));
  EXPECT_FALSE(trail["complete"].boolean());
  EXPECT_FALSE(trail["chains"].elements()[0]["valid"].boolean());
  EXPECT_NE(trail["chains"].elements()[0]["problem"].string(), "");
  EXPECT_TRUE(trail["chains"].elements()[1]["valid"].boolean()) << "others are not to blame";
}

TEST(RunDocument, TheApplicationsOwnSignalIsShownWithItsGaps) {
  Given given;
  run::Run& run = given.add_run("run-1", run::Phase::Draining, 0);
  EXPECT_TRUE(
      parse(run_document(given.look, run, "{\"at\":\"2026-11-15T00:00:00Z\"}\n"))["application"].is_null())
      << "nobody was asked";
  const std::string lines = R"({"at":"2026-11-15T00:00:00Z","application":{"limit":0.006,"value":0.001}})"
                            "\n"
                            R"({"at":"2026-11-15T00:00:05Z","application":{"limit":0.006}})"
                            "\n";
  given.scene->settings.guards.run.prometheus = PrometheusGuard{"http://prometheus", "p99(shop)", 0.006};
  const Tree application = parse(run_document(given.look, run, lines))["application"];
  EXPECT_EQ(application["label"].string(), "p99(shop)");
  EXPECT_DOUBLE_EQ(application["limit"].number(), 0.006);
  ASSERT_EQ(application["samples"].size(), 2U);
  EXPECT_DOUBLE_EQ(application["samples"].elements()[0]["value"].number(), 0.001);
  EXPECT_TRUE(application["samples"].elements()[1]["value"].is_null());
}

TEST(OverviewDocument, RealizedSavingsAreKnownFromTheRunsThemselves) {
  Given given;
  given.add_run("b", run::Phase::Succeeded, 0.3).phases = {
      {run::Phase::Succeeded, Time{} + Duration::hours(2), ""}};
  given.add_run("a", run::Phase::Succeeded, 0.5).phases = {
      {run::Phase::Succeeded, Time{} + Duration::hours(5), ""}};
  given.add_run("c", run::Phase::RolledBack, 0.9).phases = {
      {run::Phase::RolledBack, Time{} + Duration::hours(3), ""}};
  const Tree realized = parse(overview_document(given.look))["realized"];
  ASSERT_EQ(realized.size(), 2U);
  EXPECT_EQ(realized.elements()[0]["at"].string(), "1970-01-01T02:00:00Z");
  EXPECT_DOUBLE_EQ(realized.elements()[0]["hourly"].number(), 0.3);
  EXPECT_DOUBLE_EQ(realized.elements()[1]["hourly"].number(), 0.8) << "of both";
}

TEST(StatusDocument, SaysWhetherTampActs) {
  Given given;
  Tree status = parse(status_document(given.look));
  EXPECT_EQ(status["mode"].string(), "Observe") << "without a policy";
  EXPECT_FALSE(status["paused"].boolean());
  EXPECT_EQ(status.at({"plan", "hash"}).string(), std::string(64, 'f'));
  EXPECT_TRUE(status["run"].is_null());
  given.scene->settings.paused = true;
  given.add_run("a", run::Phase::Draining, 0);
  status = parse(status_document(given.look));
  EXPECT_TRUE(status["paused"].boolean());
  EXPECT_EQ(status.at({"run", "phase"}).string(), "Draining");
}

TEST(SettingsDocument, ATrialBeginsWithWhatIsInForce) {
  Given given;
  given.scene->settings.pools[0].savings_threshold = {0.02, SettingSource::NodePool};
  const std::string document = policy_document(given.look, Tree());
  const Tree present = parse(document)["whatIf"];
  EXPECT_DOUBLE_EQ(present["consolidationSavingsThreshold"].number(), 0.02);
  EXPECT_DOUBLE_EQ(present["utilizationThreshold"].number(), 0.75);
  EXPECT_TRUE(read_what_if(wire::to_json(present)).ok()) << "and can be sent back as it is";
}

}  // namespace
}  // namespace tamp::documents

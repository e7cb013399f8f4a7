// Tamp beside a real control plane with 200 KWOK nodes and 2,000 pods: what it says live is what it says of a dump, what it
// publishes follows the cluster, and its rights are exactly those that it needs.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <set>
#include <sstream>
#include <tuple>

#include "e2e/plane.h"
#include "e2e/program.h"
#include "wire/base64.h"

namespace tamp::e2e {
namespace {

using net::ApiError;
using wire::Json;
using wire::ObjectKind;
using wire::Value;

constexpr const char* kNow = "2027-01-01T00:00:00Z";  // long after everything has settled
constexpr const char* kAccount = "system:serviceaccount:tamp-system:tamp-controller";

std::string policy(const std::string& name, const std::string& spec) {
  return R"({"apiVersion":"temper.codes/v1alpha1","kind":"TemperPolicy","metadata":{"name":")" + name +
         R"("},"spec":)" + spec + "}";
}

// Nodes are minutes old, and their NodePools leave Karpenter nothing: both is overruled here. The savings threshold is
// left to the NodePools.
const std::string kSpec = R"({"planner":"Requests","minNodeLifetime":"0s","disruption":{
    "consolidationPolicy":"WhenEmptyOrUnderutilized","consolidateAfter":"0s","budgets":[{"nodes":"100%"}]}})";

struct Live : testing::Test {
  static inline std::unique_ptr<Session> admin;
  static inline std::unique_ptr<Program> program;
  static inline int webhook_port = 0;

  static void start() {
    program = std::make_unique<Program>(
        "tamp-live", account_kubeconfig(),
        std::vector<std::string>{"--instance-types", environment("TAMP_E2E_INSTANCE_TYPES"),
                                 "--webhook-address", "127.0.0.1:" + std::to_string(webhook_port)});
  }
  static void set_policy(const std::string& spec) {
    const net::Reply reply = admin->apply(ObjectKind::TemperPolicy, "", "default", policy("default", spec));
    ASSERT_TRUE(reply.ok()) << reply.error->text();
  }
  static std::string status() {
    const net::Reply reply = admin->get(ObjectKind::TemperPolicy, "", "default");
    return reply.ok() ? reply.body : "{}";
  }
  static std::string published_hash() { return text_at(parse(status()).root(), {"status", "plan", "hash"}); }
  static bool published() {
    return wait_until(Duration::seconds(30), [] { return !published_hash().empty(); });
  }

  // `tamp plan` and the like, as administrator; the test fails if it does.
  static std::string tamp(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), tamp_program());
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.status, 0) << finished.err;
    return finished.out;
  }
  static std::vector<std::string> plan(std::vector<std::string> more) {
    std::vector<std::string> arguments = {
        "plan", "--now", kNow, "-o", "json", "--instance-types", environment("TAMP_E2E_INSTANCE_TYPES")};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return arguments;
  }
  static std::string file(const std::string& name) { return environment("TAMP_E2E_DIRECTORY") + "/" + name; }
};

// One control plane, one loaded cluster and one controller for all tests.
struct Surroundings : testing::Environment {
  void SetUp() override {
    Live::webhook_port = free_port();
    install(Live::webhook_port);
    const Finished loaded =
        run({"python3", environment("TAMP_E2E_LOAD"), "--nodes", "200", "--pods", "2000"});
    ASSERT_EQ(loaded.status, 0) << loaded.err;
    Live::admin = std::make_unique<Session>(environment("KUBECONFIG"));
    Live::start();
    Live::set_policy(kSpec);
    ASSERT_TRUE(wait_until(Duration::seconds(60), [] { return Live::program->ready(); }))
        << Live::program->log();
  }
  void TearDown() override {
    if (Live::program) {
      Live::program->signal(SIGTERM);
      EXPECT_EQ(Live::program->wait(), 0) << Live::program->log();
    }
    Live::program.reset();
    Live::admin.reset();
  }
};
const testing::Environment* const kSurroundings =
    testing::AddGlobalTestEnvironment(std::make_unique<Surroundings>().release());

// ---- reading

TEST_F(Live, APlanOfTheLiveClusterIsThePlanOfADump) {
  const std::string live = tamp(plan({}));
  const std::string every = tamp(plan({"--every"}));
  tamp({"snapshot", file("dump.json")});
  EXPECT_EQ(tamp(plan({"-f", file("dump.json")})), live);
  EXPECT_EQ(tamp(plan({"-f", file("dump.json"), "--every"})), every);
  EXPECT_EQ(text_at(parse(live).root(), {"cluster", "nodes"}), "200");
  const Json said = parse(live);
  const auto commands = said.root().get("commands").elements();
  EXPECT_FALSE(commands.begin() == commands.end()) << live;
}

TEST_F(Live, APlanOfTheLiveClusterIsThePlanOfWhatKubectlPrints) {
  const std::string kinds =
      "nodes,pods,namespaces,pdb,pv,pvc,storageclasses,csinodes,daemonsets,replicasets,"
      "replicationcontrollers,"
      "deployments,statefulsets,jobs,priorityclasses,nodepools.karpenter.sh,nodeclaims.karpenter.sh,"
      "temperpolicies.temper.codes";
  const std::string live = tamp(plan({"--every"}));
  std::ofstream(file("kubectl.json")) << kubectl({"get", kinds, "-A", "-o", "json"});
  EXPECT_EQ(tamp(plan({"-f", file("kubectl.json"), "--every"})), live);
}

TEST_F(Live, AMaskedDumpHasTheSamePlanUnderOtherNames) {
  const Json live = parse(tamp(plan({"--every"})));
  tamp({"snapshot", file("masked.json"), "--mask"});
  const Json masked = parse(tamp(plan({"-f", file("masked.json"), "--every"})));
  const auto reasons = [](const Json& json) {
    std::multiset<std::string> words;
    for (const Value node : json.root().get("nodes").elements()) words.insert(text_at(node, {"reason"}));
    return words;
  };
  const auto savings = [](const Json& json) {
    std::multiset<std::string> sums;
    for (const Value command : json.root().get("commands").elements())
      sums.insert(text_at(command, {"hourlySavings"}));
    return sums;
  };
  EXPECT_EQ(reasons(masked), reasons(live));
  EXPECT_EQ(savings(masked), savings(live));
  std::ifstream stream(file("masked.json"));
  std::stringstream text;
  text << stream.rdbuf();
  const Json nodes = parse(admin->list(net::kNodes).body);
  for (const Value node : nodes.root().get("items").elements())
    ASSERT_EQ(text.str().find(text_at(node, {"metadata", "name"})), std::string::npos)
        << "a node's name is in the masked dump";
}

TEST_F(Live, KubectlTampPlanWorks) {
  const std::string directory = tamp_program().substr(0, tamp_program().rfind('/'));
  const Finished finished =
      run({"env", "PATH=" + directory + ":" + environment("PATH"), "kubectl", "tamp", "plan"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_NE(finished.out.find("200 nodes"), std::string::npos) << finished.out;
}

TEST_F(Live, AnAccountWithoutRightsIsToldWhichOneIsMissing) {
  kubectl({"create", "serviceaccount", "nobody", "-n", "default"});
  const std::string kubeconfig = control("kubeconfig default nobody 600");
  const Finished finished = run({tamp_program(), "plan", "--kubeconfig", kubeconfig});
  EXPECT_EQ(finished.status, 1) << "reading failed, which is no mistake of usage";
  EXPECT_NE(finished.err.find("cannot list resource"), std::string::npos) << finished.err;
  kubectl({"delete", "serviceaccount", "nobody", "-n", "default"});
}

// ---- publishing, under the shipped rights with a service-account token

TEST_F(Live, ThePlanIsPublishedWithItsSavings) {
  ASSERT_TRUE(published()) << status() << program->log();
  const Json json = parse(status());
  const Value published_plan = json.root().get("status").get("plan");
  EXPECT_EQ(text_at(published_plan, {"planner"}), "Requests");
  EXPECT_GT(published_plan.get("hourlySavings").number().value_or(0), 0);
  EXPECT_EQ(text_at(json.root(), {"status", "summary", "nodes"}), "200");
  EXPECT_GT(program->metric("tamp_identified_savings_dollars_per_hour"), 0);
  EXPECT_EQ(program->metric("tamp_leader"), 1);
}

TEST_F(Live, ThePublishedPlanIsWhatTampPlanSays) {
  ASSERT_TRUE(published()) << program->log();
  const auto victims = [](Value commands) {
    std::set<std::string> names;
    for (const Value command : commands.elements())
      for (const Value node : command.get("nodes").elements()) names.insert(std::string(*node.string()));
    return names;
  };
  // Costs and limits change with the clock alone, so the two may meet only after the next pass.
  EXPECT_TRUE(wait_until(Duration::seconds(30), [&] {
    const Json said = parse(status());
    const Json asked =
        parse(tamp({"plan", "-o", "json", "--instance-types", environment("TAMP_E2E_INSTANCE_TYPES")}));
    return victims(said.root().get("status").get("plan").get("commands")) ==
           victims(asked.root().get("commands"));
  })) << status();
}

TEST_F(Live, NothingIsWrittenWhenNothingChanges) {
  ASSERT_TRUE(published()) << program->log();
  const auto version = [] { return text_at(parse(status()).root(), {"metadata", "resourceVersion"}); };
  std::string before;
  // Whatever earlier tests have set off comes to its end first.
  ASSERT_TRUE(wait_until(Duration::seconds(60), [&] {
    const std::string now = version();
    return std::exchange(before, now) == now &&
           !wait_until(Duration::seconds(7), [&] { return version() != now; });
  }));
  EXPECT_FALSE(wait_until(Duration::seconds(8), [&] { return version() != before; }));
}

TEST_F(Live, AHigherThresholdInANodePoolChangesThePlanWithinTenSecondsAndIsCounted) {
  ASSERT_TRUE(published()) << program->log();
  const std::string series = "karpenter_consolidation_threshold_blocked_total{nodepool=\"general\"}";
  const double before = std::max(0.0, program->metric(series));
  const std::string hash = published_hash();
  const auto set_threshold = [](const std::string& value) {
    for (const char* pool : {"general", "spot"}) {
      const net::Reply reply =
          admin->patch(ObjectKind::NodePool, "", pool, "", net::PatchType::Merge,
                       R"({"spec":{"disruption":{"consolidationSavingsThreshold":)" + value + "}}}");
      ASSERT_TRUE(reply.ok()) << reply.error->text();
    }
  };
  set_threshold("1000");
  EXPECT_TRUE(wait_until(Duration::seconds(10), [&] { return published_hash() != hash; })) << status();
  EXPECT_TRUE(wait_until(Duration::seconds(10), [&] { return program->metric(series) > before; }));
  EXPECT_NE(program->log().find("consolidation blocked by its savings threshold"), std::string::npos);
  set_threshold("null");
  EXPECT_TRUE(wait_until(Duration::seconds(15), [&] { return !published_hash().empty(); })) << status();
}

TEST_F(Live, WithoutMeasurementsPlannerSloPublishesNone) {
  std::string spec = kSpec;
  spec.replace(spec.find("Requests"), 8, "SLO");
  set_policy(spec);
  EXPECT_TRUE(wait_until(Duration::seconds(15), [] {
    return status().find("\"reason\":\"NotProven\"") != std::string::npos;
  })) << status();
  EXPECT_EQ(published_hash(), "");
  set_policy(kSpec);
  EXPECT_TRUE(published()) << status();
}

TEST_F(Live, NodesAreToldWhyTheyStay) {
  ASSERT_TRUE(published()) << program->log();
  const Json nodes = parse(admin->list(net::kNodes).body);
  const std::string name = text_at(*nodes.root().get("items").elements().begin(), {"metadata", "name"});
  kubectl({"annotate", "node", name, "temper.codes/pause=true", "--overwrite"});
  EXPECT_TRUE(wait_until(Duration::seconds(60), [&] {
    return kubectl({"describe", "node", name}).find("Paused: ") != std::string::npos;
  })) << kubectl({"describe", "node", name});
  kubectl({"annotate", "node", name, "temper.codes/pause-"});
}

TEST_F(Live, APolicyOfAnotherNameIsIgnoredAndToldSo) {
  ASSERT_TRUE(admin->apply(ObjectKind::TemperPolicy, "", "second", policy("second", "{}")).ok());
  EXPECT_TRUE(wait_until(Duration::seconds(15), [] {
    const net::Reply reply = admin->get(ObjectKind::TemperPolicy, "", "second");
    return reply.ok() && reply.body.find("\"type\":\"Ignored\"") != std::string::npos;
  }));
  admin->remove(ObjectKind::TemperPolicy, "", "second");
}

TEST_F(Live, KubectlReadsWell) {
  ASSERT_TRUE(published()) << program->log();
  const std::string table = kubectl({"get", "temperpolicy"});
  for (const char* column : {"NAME", "MODE", "PLANNER", "NODES", "READY"})
    EXPECT_NE(table.find(column), std::string::npos) << table;
  EXPECT_NE(kubectl({"explain", "temperpolicy.spec"}).find("consolidation"), std::string::npos);
  EXPECT_NE(kubectl({"explain", "temperpolicy.spec.disruption.consolidationSavingsThreshold"}).find("lpha"),
            std::string::npos);
  EXPECT_NE(kubectl({"describe", "temperpolicy", "default"}).find("Hourly Savings"), std::string::npos);
}

// ---- the webhook

struct Webhook : Live {
  // The answer of the API server to a policy of this spec; nothing is stored.
  static Finished dry_run(const std::string& name, const std::string& spec) {
    return run({"kubectl", "apply", "--server-side", "--force-conflicts", "--dry-run=server", "-f", "-"},
               policy(name, spec));
  }
  static void SetUpTestSuite() {
    ASSERT_TRUE(wait_until(Duration::seconds(60), [] {
      return dry_run("default", R"({"nodePools":[{"name":"no-such-*"}]})").err.find("Warning") !=
             std::string::npos;
    })) << program->log();
  }
};

TEST_F(Webhook, ACronThatNoParserReadsIsRefused) {
  const Finished answer = dry_run(
      "default", R"({"disruption":{"budgets":[{"nodes":"1","schedule":"61 * * * *","duration":"1h"}]}})");
  EXPECT_NE(answer.status, 0);
  EXPECT_NE(answer.err.find("schedule"), std::string::npos) << answer.err;
}

TEST_F(Webhook, TtlAndConsolidationExcludeEachOther) {
  const Finished answer = dry_run("default", R"({"ttlSecondsAfterEmpty":30})");
  EXPECT_NE(answer.status, 0);
  EXPECT_NE(answer.err.find("ttlSecondsAfterEmpty"), std::string::npos) << answer.err;
}

TEST_F(Webhook, AnOverrideForAPoolThatIsNotThereIsWarnedOf) {
  const Finished answer = dry_run("default", R"({"nodePools":[{"name":"no-such-*"}]})");
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_NE(answer.err.find("no-such-*"), std::string::npos) << answer.err;
}

TEST_F(Webhook, KarpenterConsolidatingTheSamePoolIsWarnedOf) {
  const auto set = [](const std::string& disruption) {
    ASSERT_TRUE(admin
                    ->patch(ObjectKind::NodePool, "", "general", "", net::PatchType::Merge,
                            R"({"spec":{"disruption":)" + disruption + "}}")
                    .ok());
  };
  set(R"({"consolidationPolicy":"WhenEmptyOrUnderutilized","consolidateAfter":"1h"})");
  EXPECT_TRUE(wait_until(Duration::seconds(15), [] {
    const Finished answer = dry_run("default", kSpec);
    return answer.err.find("general") != std::string::npos &&
           answer.err.find("WhenEmpty") != std::string::npos;
  })) << dry_run("default", kSpec).err;
  set(R"({"consolidationPolicy":"WhenEmpty","consolidateAfter":"Never"})");
}

TEST_F(Webhook, AnApprovalCarriesTheNameOfWhoGaveIt) {
  const std::string hash(64, 'a');
  const auto body = [&](const std::string& more) {
    return R"({"apiVersion":"temper.codes/v1alpha1","kind":"ConsolidationRun","metadata":{"name":"run-1"},"spec":{"planHash":")" +
           hash + "\"" + more + "}}";
  };
  const net::Reply forged =
      admin->create(net::kConsolidationRuns, "", body(R"(,"approvedBy":"somebody-else")"));
  ASSERT_FALSE(forged.ok());
  EXPECT_NE(forged.error->message.find("approvedBy"), std::string::npos) << forged.error->text();
  const net::Reply made = admin->create(net::kConsolidationRuns, "", body(""));
  ASSERT_TRUE(made.ok()) << made.error->text();
  EXPECT_NE(text_at(parse(made.body).root(), {"spec", "approvedBy"}), "");
  const net::Reply changed = admin->patch(net::kConsolidationRuns, "", "run-1", "", net::PatchType::Merge,
                                          R"({"spec":{"planHash":")" + std::string(64, 'b') + "\"}}");
  EXPECT_FALSE(changed.ok()) << "what was approved does not change";
  admin->remove(net::kConsolidationRuns, "", "run-1");
}

// ---- rights

TEST_F(Live, TheAdmissionPolicyRefusesAPodDeletionByTampsAccount) {
  kubectl({"create", "clusterrole", "too-much", "--verb=delete", "--resource=pods"});
  kubectl({"create", "clusterrolebinding", "too-much", "--clusterrole=too-much",
           "--serviceaccount=tamp-system:tamp-controller"});
  Session tamp_session(account_kubeconfig());
  net::ListOptions one;
  one.limit = 1;
  const Json pods = parse(admin->list(net::kPods, one).body);
  const Value pod = *pods.root().get("items").elements().begin();
  const net::Reply reply = tamp_session.remove(net::kPods, text_at(pod, {"metadata", "namespace"}),
                                               text_at(pod, {"metadata", "name"}));
  ASSERT_FALSE(reply.ok());
  EXPECT_EQ(reply.error->kind, ApiError::Kind::Forbidden) << reply.error->text();
  EXPECT_NE(reply.error->message.find("Tamp may evict pods"), std::string::npos) << reply.error->text();
  kubectl({"delete", "clusterrolebinding,clusterrole", "too-much"});
}

// (group, resource, verb)
using Right = std::tuple<std::string, std::string, std::string>;

std::set<Right> granted() {
  std::set<Right> rights;
  for (const std::vector<std::string>& role :
       {std::vector<std::string>{"get", "clusterrole", "tamp-controller", "-o", "json"},
        {"get", "role", "-n", "tamp-system", "tamp-controller", "-o", "json"},
        {"get", "role", "-n", "default", "tamp-controller-events", "-o", "json"}}) {
    const Json json = parse(kubectl(role));
    for (const Value rule : json.root().get("rules").elements())
      for (const Value group : rule.get("apiGroups").elements())
        for (const Value resource : rule.get("resources").elements())
          for (const Value verb : rule.get("verbs").elements())
            rights.emplace(*group.string(), *resource.string(), *verb.string());
  }
  return rights;
}

std::set<Right> used() {
  std::set<Right> rights;
  std::ifstream log(environment("TAMP_E2E_AUDIT_LOG"));
  for (std::string line; std::getline(log, line);) {
    if (line.find(kAccount) == std::string::npos) continue;
    const auto event = Json::parse(line);
    if (!event.ok() || text_at(event->root(), {"user", "username"}) != kAccount) continue;
    const Value object = event->root().get("objectRef");
    const std::string sub = text_at(object, {"subresource"});
    rights.emplace(text_at(object, {"apiGroup"}),
                   text_at(object, {"resource"}) + (sub.empty() ? "" : "/" + sub),
                   text_at(event->root(), {"verb"}));
  }
  return rights;
}

TEST_F(Live, NothingMoreIsPermittedThanUsed) {
  ASSERT_TRUE(published()) << program->log();
  // What is needed rarely: a certificate that is not fit is made anew, and a second life counts up events of the first.
  ASSERT_TRUE(wait_until(Duration::seconds(30), [] {
    return admin->get(net::kSecrets, "tamp-system", "tamp-webhook-certificate").ok();
  })) << program->log();
  kubectl({"patch", "secret", "-n", "tamp-system", "tamp-webhook-certificate", "--type", "merge", "-p",
           R"({"data":{"tls.crt":"","tls.key":""}})"});
  program->signal(SIGTERM);
  ASSERT_EQ(program->wait(), 0) << program->log();
  start();
  std::set<Right> idle;
  EXPECT_TRUE(wait_until(Duration::seconds(90), [&] {
    idle.clear();
    const std::set<Right> exercised = used();
    for (const Right& right : granted())
      if (!exercised.contains(right)) idle.insert(right);
    return idle.empty();
  }));
  for (const auto& [group, resource, verb] : idle)
    ADD_FAILURE() << "never needed: " << verb << " " << resource << (group.empty() ? "" : "." + group);
}

}  // namespace
}  // namespace tamp::e2e

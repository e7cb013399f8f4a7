#include <gtest/gtest.h>

#include "documents/dashboard_documents.h"
#include "proof/prove_testing.h"

namespace tamp::documents {
namespace {

using wire::Tree;

Tree parse(const std::string& json) {
  auto tree = wire::read_tree(json);
  EXPECT_TRUE(tree.ok()) << json;
  return tree ? *tree : Tree();
}

// Three measured nodes of which c can go (prove_testing.h).
struct Trial : testing::Test {
  Scene scene;
  Trial() {
    proof::Fleet fleet = proof::Consolidable::make();
    auto reading = std::make_shared<wire::Reading>();
    reading->cluster = fleet.cluster;
    scene.settings = fleet.settings;
    scene.observations = fleet.observations;
    scene.reading = std::move(reading);
    scene.now = fleet.now;
    scene.measuring = true;
    scene.requests_published = fleet.requests_published;
  }
  Tree ask(const std::string& body) {
    const auto change = read_what_if(body);
    EXPECT_TRUE(change.ok()) << body;
    return parse(what_if_document(scene, change ? *change : WhatIf{}, decided_document(scene)));
  }
};

TEST_F(Trial, NothingMovedIsThePlanAsItIs) {
  const Tree answer = ask("{}");
  ASSERT_EQ(answer.at({"before", "plan", "victims"}).size(), 1U);
  EXPECT_EQ(answer.at({"before", "plan", "victims"}).elements()[0].string(), "c");
  EXPECT_EQ(wire::to_json(answer["before"]), wire::to_json(answer["after"]));
}

TEST_F(Trial, EverySettingCanBeTheOneThatKeepsTheNode) {
  // Each by itself leaves no node that may go, and so no plan.
  for (const char* body :
       {R"({"consolidationPolicy":"WhenEmpty"})", R"({"consolidateAfter":"Never"})",
        R"({"consolidationSavingsThreshold":1000})", R"({"utilizationThreshold":0})",
        R"({"minNodeLifetime":"1000000h"})", R"({"minNodes":3})", R"({"protectSingleReplica":true})"}) {
    const Tree answer = ask(body);
    EXPECT_FALSE(answer.at({"before", "plan"}).is_null()) << body;
    EXPECT_TRUE(answer.at({"after", "plan"}).is_null()) << body;
    EXPECT_EQ(answer.at({"after", "victims"}).integer(), 0) << body;
  }
}

TEST_F(Trial, LimitsOfTheProofWithholdThePlanAndSayWhy) {
  for (const char* body : {R"({"cpuHeadroom":0.01})", R"({"memoryHeadroom":0.001})"}) {
    const Tree answer = ask(body);
    EXPECT_TRUE(answer.at({"after", "plan"}).is_null()) << body;
    EXPECT_GT(answer.at({"after", "victims"}).integer(), 0) << "on requests alone it could go: " << body;
    EXPECT_NE(answer.at({"after", "refused"}).string().find("predicted"), std::string_view::npos)
        << answer.at({"after", "refused"}).string();
  }
  for (Observation& seen : scene.observations)
    for (PodObservation& pod : seen.pods) pod.memory.some = proof::same(0.04);
  const Tree answer = ask(R"({"memoryPressure":0.03})");
  EXPECT_FALSE(answer.at({"before", "plan"}).is_null()) << answer.at({"before", "refused"}).string();
  EXPECT_TRUE(answer.at({"after", "plan"}).is_null());
}

TEST_F(Trial, PlannerRequestsAsksForNoProof) {
  scene.measuring = false;
  EXPECT_FALSE(ask(R"({"cpuHeadroom":0.01})").at({"after", "plan"}).is_null());
}

TEST_F(Trial, WhatASinglePoolSaysStaysInForce) {
  for (PoolSettings& pool : scene.settings.pools) pool.savings_threshold.source = SettingSource::PolicyPool;
  EXPECT_FALSE(ask(R"({"consolidationSavingsThreshold":1000})").at({"after", "plan"}).is_null());
}

TEST_F(Trial, TheYamlHasWhatWasMovedAndNothingElse) {
  const std::string before = wire::to_json(ask("{}")["before"]);
  const std::string yaml(
      ask(R"({"consolidateAfter":"10m","utilizationThreshold":0.5,"minNodes":2,"memoryHeadroom":0.7,"ioPressure":0.1})")
          ["yaml"]
              .string());
  EXPECT_NE(yaml.find("kubectl apply --server-side"), std::string::npos);
  const std::size_t spec = yaml.find("spec:");
  ASSERT_NE(spec, std::string::npos) << yaml;
  EXPECT_EQ(yaml.substr(spec),
            "spec:\n"
            "  disruption:\n"
            "    consolidateAfter: \"10m\"\n"
            "  guards:\n"
            "    headroom:\n"
            "      memory: 0.7\n"
            "    pressure:\n"
            "      io: 0.1\n"
            "  limits:\n"
            "    minNodes: 2\n"
            "  utilizationThreshold: 0.5\n");
  EXPECT_EQ(wire::to_json(ask("{}")["before"]), before) << "nothing is changed";
}

TEST(WhatIfBody, TakesKnownSettingsWithinTheirBounds) {
  const auto change = read_what_if(
      R"({"utilizationThreshold":0.5,"consolidateAfter":"10m","consolidationGracePeriod":"Never","minNodes":4})");
  ASSERT_TRUE(change.ok());
  EXPECT_DOUBLE_EQ(*change->utilization_threshold, 0.5);
  EXPECT_EQ(change->consolidate_after->value, Duration::minutes(10));
  EXPECT_FALSE(change->grace_period->value);
  EXPECT_EQ(change->min_nodes, 4);
  for (const char* wrong :
       {"[]", "{", R"({"utilizationThreshold":1.5})", R"({"utilizationThreshold":"1"})",
        R"({"consolidateAfter":"soon"})", R"({"consolidateAfter":"-1m"})", R"({"mode":"Act"})",
        R"({"consolidationPolicy":"Always"})", R"({"consolidationSavingsThreshold":-1})",
        R"({"minNodes":1.5})", R"({"minNodes":-1})", R"({"allowUnownedPods":1})", R"({"cpuHeadroom":2})",
        R"({"minNodeLifetime":"Never"})", R"({"ioPressure":null})"})
    EXPECT_FALSE(read_what_if(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace tamp::documents

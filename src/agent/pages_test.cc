#include "agent/pages.h"

#include <gtest/gtest.h>

#include "agent/tree_testing.h"
#include "wire/observation.h"

namespace tamp::agent {
namespace {

using testing::cpu_stat;
using testing::pod;
using testing::pressure;
using testing::TempTree;

class PagesTest : public ::testing::Test {
 protected:
  Pages start(std::vector<wire::NodePod> pods) {
    tree_.write("cgroup/podu/cpu.stat", cpu_stat(0));
    tree_.write("cgroup/podu/cpu.pressure", pressure(0));
    AgentOptions options;
    options.cgroup_root = tree_.path("cgroup");
    options.node = "node";
    auto agent = Agent::start(options, std::move(pods));
    if (!agent) throw std::runtime_error(agent.error().message);
    return {std::move(agent).value(), [this] { return now_; }};
  }
  void run(Pages& pages, int seconds) {
    for (int i = 0; i < seconds; ++i) {
      now_.monotonic = now_.monotonic + Duration::seconds(1);
      now_.wall = now_.wall + Duration::seconds(1);
      pages.tick();
    }
  }

  TempTree tree_;
  Moment now_{Time{Duration::hours(9).ns}, Time{Duration::hours(24).ns}};
};

TEST_F(PagesTest, ObserveIsTheDocument) {
  Pages pages = start({pod("a", "u", Tier::Critical)});
  run(pages, 61);
  const Page page = pages.answer("GET", "/observe");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.type, "application/json");
  const auto seen = wire::read_observation(page.body);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->node, "node");
  ASSERT_EQ(seen->pods.size(), 1u);
  EXPECT_EQ(seen->pods[0].cpu.some.s60, 0.0);
}

TEST_F(PagesTest, ADocumentIsMadeOncePerReading) {
  Pages pages = start({pod("a", "u")});
  run(pages, 1);
  const std::string first = pages.answer("GET", "/observe").body;
  now_.wall = now_.wall + Duration::seconds(100);
  EXPECT_EQ(pages.answer("GET", "/observe").body, first);
  run(pages, 1);
  EXPECT_NE(pages.answer("GET", "/observe").body, first);
}

TEST_F(PagesTest, MetricsLeaveOutWhatIsNotKnown) {
  Pages pages = start({pod("a", "u", Tier::Critical), pod("b", "v")});
  run(pages, 1);
  const std::string early = pages.answer("GET", "/metrics").body;
  EXPECT_NE(early.find("tamp_agent_tier_pods{tier=\"Critical\"} 1\n"), std::string::npos) << early;
  EXPECT_NE(early.find("tamp_agent_pods_not_found 1\n"), std::string::npos);
  EXPECT_EQ(early.find("tamp_agent_tier_cpu_usage_cores{tier=\"Critical\"}"), std::string::npos);
  run(pages, 60);
  const std::string later = pages.answer("GET", "/metrics").body;
  EXPECT_NE(later.find("tamp_agent_tier_cpu_usage_cores{tier=\"Critical\"} 0"), std::string::npos) << later;
  EXPECT_NE(later.find("tamp_agent_pod_cpu_pressure_ratio{namespace=\"ns\",pod=\"a\",tier=\"Critical\"} 0"),
            std::string::npos);
  EXPECT_EQ(later.find("pod=\"b\""), std::string::npos) << "b is not protected";
}

TEST_F(PagesTest, OtherPathsAndMethodsAreRefused) {
  Pages pages = start({});
  EXPECT_EQ(pages.answer("GET", "/").status, 404);
  EXPECT_EQ(pages.answer("POST", "/observe").status, 405);
  EXPECT_EQ(pages.answer("GET", "/healthz").status, 200);
}

TEST_F(PagesTest, NothingIsSaidBeforeThePodsAreKnown) {
  Pages pages = start({});
  pages.await_pods();
  run(pages, 1);
  EXPECT_EQ(pages.answer("GET", "/observe").status, 503) << "no pods is not the same as none";
  EXPECT_EQ(pages.answer("GET", "/readyz").status, 503);
  EXPECT_EQ(pages.answer("GET", "/healthz").status, 200);
  EXPECT_EQ(pages.answer("GET", "/metrics").status, 200);
  pages.follow({});
  EXPECT_EQ(pages.answer("GET", "/observe").status, 200);
  EXPECT_EQ(pages.answer("GET", "/readyz").status, 200);
}

TEST_F(PagesTest, MetricsTellHowItServes) {
  Pages pages = start({});
  const std::string text = pages
                               .answer("GET", "/metrics",
                                       {.refused = {{401, 3}, {503, 1}},
                                        .pods_age_seconds = 2.5,
                                        .annotation_writes = 7,
                                        .annotation_failures = 1})
                               .body;
  for (const char* line :
       {"tamp_agent_refused_total{code=\"401\"} 3\n", "tamp_agent_pod_list_age_seconds 2.5\n",
        "tamp_agent_annotation_writes_total{result=\"ok\"} 7\n",
        "tamp_agent_annotation_writes_total{result=\"failed\"} 1\n"})
    EXPECT_NE(text.find(line), std::string::npos) << text;
  EXPECT_EQ(pages.answer("GET", "/metrics").body.find("\ntamp_agent_pod_list_age_seconds "),
            std::string::npos);
}

TEST_F(PagesTest, PublishesWhatItsPodsRequest) {
  auto critical = pod("a", "u", Tier::Critical);
  critical.cpu_millis = 1500;
  Pages pages = start({critical, pod("b", "v")});
  RequestsByTier expected{};
  expected[0] = {.pods = 1, .cpu_millis = 1500};
  expected[2] = {.pods = 1};
  EXPECT_EQ(pages.requests(), expected);
}

TEST_F(PagesTest, FollowsOtherPods) {
  Pages pages = start({});
  pages.follow({pod("a", "u")});
  run(pages, 1);
  const auto seen = wire::read_observation(pages.answer("GET", "/observe").body);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->pods.size(), 1u);
}

}  // namespace
}  // namespace tamp::agent

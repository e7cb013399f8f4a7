#include "agent/pages.h"

#include <gtest/gtest.h>

#include "agent/tree_testing.h"
#include "codec/observation.h"

namespace tamp::agent {
namespace {

using testing::cpu_stat;
using testing::pod;
using testing::pressure;
using testing::TempTree;

class PagesTest : public ::testing::Test {
 protected:
  Pages start(std::vector<codec::NodePod> pods) {
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
  const auto seen = codec::read_observation(page.body);
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

TEST_F(PagesTest, FollowsOtherPods) {
  Pages pages = start({});
  pages.follow({pod("a", "u")});
  run(pages, 1);
  const auto seen = codec::read_observation(pages.answer("GET", "/observe").body);
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->pods.size(), 1u);
}

}  // namespace
}  // namespace tamp::agent

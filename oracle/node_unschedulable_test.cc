#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

TEST(NodeUnschedulable, CordonedNodeTakesNoPods) {
  ClusterBuilder c;
  c.node("a").cordoned();
  c.pod("p");
  EXPECT_EQ(refused_by(c.build(), "p", "a"), "NodeUnschedulable");
}

TEST(NodeUnschedulable, TolerationOfTheCordonTaintOpensTheNode) {
  ClusterBuilder c;
  c.node("a").cordoned();
  c.pod("p").tolerate_key(kUnschedulable);
  EXPECT_EQ(refused_by(c.build(), "p", "a"), "");
}

TEST(NodeUnschedulable, TolerationOfAnotherEffectDoesNot) {
  ClusterBuilder c;
  c.node("a").cordoned();
  c.pod("p").tolerate(kUnschedulable, "", TaintEffect::NoExecute);
  EXPECT_EQ(refused_by(c.build(), "p", "a"), "NodeUnschedulable");
}

TEST(NodeUnschedulable, TaintWithoutTheFieldIsTheTaintFiltersBusiness) {
  ClusterBuilder c;
  c.node("a").taint(kUnschedulable);
  c.pod("p");
  EXPECT_EQ(refused_by(c.build(), "p", "a"), "TaintToleration");
}

}  // namespace
}  // namespace tamp::world

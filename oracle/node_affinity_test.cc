#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

class NodeAffinity : public testing::Test {
 protected:
  NodeAffinity() {
    c.node("ssd").label("disk", "ssd").label("generation", "3");
    c.node("hdd").label("disk", "hdd").label("generation", "five");
    c.node("bare");
  }
  // Which of the three nodes take the pod.
  std::string open_nodes(PodBuilder&) {
    std::string open;
    Cluster cluster = c.build();
    for (const char* node : {"ssd", "hdd", "bare"}) {
      std::string refusal = refused_by(cluster, "p", node);
      if (refusal.empty()) open += (open.empty() ? "" : " ") + std::string(node);
      EXPECT_TRUE(refusal.empty() || refusal == "NodeAffinity") << refusal;
    }
    return open;
  }
  ClusterBuilder c;
};

TEST_F(NodeAffinity, SelectorAsksForTheVeryValue) {
  EXPECT_EQ(open_nodes(c.pod("p").node_selector("disk", "ssd")), "ssd");
}
TEST_F(NodeAffinity, InNeedsTheLabel) {
  EXPECT_EQ(open_nodes(c.pod("p").node_affinity("disk", SelectorOp::In, {"ssd", "hdd"})), "ssd hdd");
}
TEST_F(NodeAffinity, NotInHoldsWithoutTheLabel) {
  EXPECT_EQ(open_nodes(c.pod("p").node_affinity("disk", SelectorOp::NotIn, {"ssd"})), "hdd bare");
}
TEST_F(NodeAffinity, ExistsAndDoesNotExistLookAtTheKeyAlone) {
  EXPECT_EQ(open_nodes(c.pod("p").node_affinity("disk", SelectorOp::Exists)), "ssd hdd");
}
TEST_F(NodeAffinity, DoesNotExist) {
  EXPECT_EQ(open_nodes(c.pod("p").node_affinity("disk", SelectorOp::DoesNotExist)), "bare");
}
TEST_F(NodeAffinity, GtComparesIntegersAndAWordIsNone) {
  EXPECT_EQ(open_nodes(c.pod("p").node_affinity("generation", SelectorOp::Gt, {"2"})), "ssd");
}
TEST_F(NodeAffinity, GtIsStrict) {
  EXPECT_EQ(open_nodes(c.pod("p").node_affinity("generation", SelectorOp::Gt, {"3"})), "");
}
TEST_F(NodeAffinity, NumberBelowZeroIsNoLabelValueSoItsTermIsMalformed) {
  EXPECT_EQ(open_nodes(c.pod("p").node_affinity("generation", SelectorOp::Gt, {"-2"})), "");
}
TEST_F(NodeAffinity, LtComparesIntegers) {
  EXPECT_EQ(open_nodes(c.pod("p").node_affinity("generation", SelectorOp::Lt, {"4"})), "ssd");
}
TEST_F(NodeAffinity, MalformedTermMatchesNothingButItsNeighbourStillMay) {
  EXPECT_EQ(open_nodes(c.pod("p")
                           .node_affinity("generation", SelectorOp::Gt, {"two"})
                           .node_affinity("disk", SelectorOp::In, {"hdd"})),
            "hdd");
}
TEST_F(NodeAffinity, TermsAreAlternativesAndTheirExpressionsAreNot) {
  EXPECT_EQ(open_nodes(c.pod("p")
                           .node_affinity("disk", SelectorOp::Exists)
                           .and_node_affinity("generation", SelectorOp::In, {"five"})
                           .node_affinity("disk", SelectorOp::DoesNotExist)),
            "hdd bare");
}
TEST_F(NodeAffinity, SelectorAndAffinityMustBothHold) {
  EXPECT_EQ(
      open_nodes(c.pod("p").node_selector("disk", "ssd").node_affinity("disk", SelectorOp::In, {"hdd"})), "");
}
TEST_F(NodeAffinity, NoTermsAndEmptyTermsMatchNothing) {
  EXPECT_EQ(open_nodes(c.pod("p").node_affinity_of_no_terms()), "");
}
TEST_F(NodeAffinity, EmptyTermMatchesNothing) {
  auto& p = c.pod("p").node_affinity_of_no_terms();
  p.spec().node_affinity.emplace_back();
  EXPECT_EQ(open_nodes(p), "");
}
TEST_F(NodeAffinity, FieldsNameNodes) {
  EXPECT_EQ(open_nodes(c.pod("p").node_name_affinity(SelectorOp::In, {"hdd"})), "hdd");
}
TEST_F(NodeAffinity, FieldsExcludeNodes) {
  EXPECT_EQ(open_nodes(c.pod("p").node_name_affinity(SelectorOp::NotIn, {"hdd"})), "ssd bare");
}
TEST_F(NodeAffinity, ContradictoryNamesExcludeEveryNode) {
  auto& p = c.pod("p").node_name_affinity(SelectorOp::In, {"ssd"});
  auto& fields = p.spec().node_affinity.back().fields;
  fields.push_back(fields.front());
  fields.back().values = {c.word("hdd")};
  EXPECT_EQ(open_nodes(p), "");
}

TEST(NodeAffinityOrder, NodesExcludedByNameAreNotAskedAnythingElse) {
  ClusterBuilder c;
  c.node("a");
  c.node("b").cordoned();
  c.pod("p").node_name_affinity(SelectorOp::In, {"a"});
  EXPECT_EQ(refused_by(c.build(), "p", "b"), "NodeAffinity");
}

TEST(NodeAffinityOrder, OtherwiseACordonSpeaksFirst) {
  ClusterBuilder c;
  c.node("b").cordoned();
  c.pod("p").node_selector("disk", "ssd");
  EXPECT_EQ(refused_by(c.build(), "p", "b"), "NodeUnschedulable");
}

}  // namespace
}  // namespace tamp::world

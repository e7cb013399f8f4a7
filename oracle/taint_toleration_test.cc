#include "oracle/verdict_testing.h"

namespace tamp::world {
namespace {

using namespace tamp::test;

Cluster with_taint(TaintEffect effect, void (*tolerate)(ClusterBuilder&, PodBuilder&)) {
  ClusterBuilder c;
  c.node("a").taint("dedicated", "db", effect);
  tolerate(c, c.pod("p"));
  return c.build();
}

TEST(TaintToleration, NoScheduleAndNoExecuteKeepPodsAway) {
  auto nothing = [](ClusterBuilder&, PodBuilder&) {};
  EXPECT_EQ(refused_by(with_taint(TaintEffect::NoSchedule, nothing), "p", "a"), "TaintToleration");
  EXPECT_EQ(refused_by(with_taint(TaintEffect::NoExecute, nothing), "p", "a"), "TaintToleration");
}

TEST(TaintToleration, PreferNoScheduleIsOnlyAPreference) {
  EXPECT_EQ(
      refused_by(with_taint(TaintEffect::PreferNoSchedule, [](ClusterBuilder&, PodBuilder&) {}), "p", "a"),
      "");
}

TEST(TaintToleration, EqualComparesTheValue) {
  auto same = [](ClusterBuilder&, PodBuilder& p) { p.tolerate("dedicated", "db"); };
  auto other = [](ClusterBuilder&, PodBuilder& p) { p.tolerate("dedicated", "web"); };
  EXPECT_EQ(refused_by(with_taint(TaintEffect::NoSchedule, same), "p", "a"), "");
  EXPECT_EQ(refused_by(with_taint(TaintEffect::NoSchedule, other), "p", "a"), "TaintToleration");
}

TEST(TaintToleration, ExistsTakesAnyValueAndWithoutKeyAnyTaint) {
  auto by_key = [](ClusterBuilder&, PodBuilder& p) { p.tolerate_key("dedicated"); };
  auto by_other_key = [](ClusterBuilder&, PodBuilder& p) { p.tolerate_key("gpu"); };
  auto everything = [](ClusterBuilder&, PodBuilder& p) { p.tolerate_everything(); };
  EXPECT_EQ(refused_by(with_taint(TaintEffect::NoSchedule, by_key), "p", "a"), "");
  EXPECT_EQ(refused_by(with_taint(TaintEffect::NoSchedule, by_other_key), "p", "a"), "TaintToleration");
  EXPECT_EQ(refused_by(with_taint(TaintEffect::NoExecute, everything), "p", "a"), "");
}

TEST(TaintToleration, TolerationOfOneEffectSaysNothingAboutAnother) {
  auto no_execute = [](ClusterBuilder&, PodBuilder& p) {
    p.tolerate("dedicated", "db", TaintEffect::NoExecute);
  };
  EXPECT_EQ(refused_by(with_taint(TaintEffect::NoSchedule, no_execute), "p", "a"), "TaintToleration");
  EXPECT_EQ(refused_by(with_taint(TaintEffect::NoExecute, no_execute), "p", "a"), "");
}

TEST(TaintToleration, EqualWithoutKeyComparesValuesOfEveryKey) {
  auto value_only = [](ClusterBuilder& c, PodBuilder& p) {
    p.toleration({.key = c.word(""), .op = Toleration::Op::Equal, .value = c.word("db")});
  };
  EXPECT_EQ(refused_by(with_taint(TaintEffect::NoSchedule, value_only), "p", "a"), "");
}

TEST(TaintToleration, NumericOperatorsAreOffByDefault) {
  ClusterBuilder c;
  c.node("a").taint("level", "5");
  c.pod("p").toleration({.key = c.word("level"), .op = Toleration::Op::Gt, .value = c.word("3")});
  EXPECT_EQ(refused_by(c.build(), "p", "a"), "TaintToleration");
}

}  // namespace
}  // namespace tamp::world

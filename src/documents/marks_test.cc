#include "documents/marks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tamp::documents {
namespace {

using testing::ElementsAre;

wire::Tree node(const std::string& annotations = "{}", const std::string& spec = "{}",
                const std::string& labels = "{}") {
  auto tree = wire::read_tree(R"({"metadata":{"name":"a","uid":"u","resourceVersion":"7","annotations":)" +
                              annotations + R"(,"labels":)" + labels + R"(},"spec":)" + spec + "}");
  return std::move(*tree);
}
run::Mutation mutation(run::MutationKind kind, std::string uid = "u") {
  run::Mutation m;
  m.kind = kind;
  m.name = "a";
  m.uid = std::move(uid);
  return m;
}
// "add /spec/unschedulable true" without the two tests in front.
std::vector<std::string> edits(const Edit& edit) {
  std::vector<std::string> out;
  for (std::size_t i = 2; i < edit.operations.size(); ++i) {
    const PatchOperation& o = edit.operations[i];
    out.push_back(o.op + " " + o.path + (o.value.empty() ? "" : " " + o.value));
  }
  return out;
}
std::string annotation(const Note& note) {
  return wire::to_json(wire::Tree::object({{run::kNote, write_note(note)}}));
}

TEST(Marks, EveryPatchIsOfThisVeryNodeAsItWasRead) {
  const Edit edit = edit_node(node(), mutation(run::MutationKind::Cordon), "r");
  ASSERT_GE(edit.operations.size(), 2U);
  EXPECT_EQ(edit.operations[0], (PatchOperation{"test", "/metadata/uid", R"("u")"}));
  EXPECT_EQ(edit.operations[1], (PatchOperation{"test", "/metadata/resourceVersion", R"("7")"}));
}

TEST(Marks, AnotherNodeOfThatNameIsLeftAlone) {
  const Edit edit = edit_node(node(), mutation(run::MutationKind::Release, "v"), "r");
  EXPECT_EQ(edit.answer, Edit::Answer::OtherObject);
  EXPECT_TRUE(edit.operations.empty());
}

TEST(Marks, ProtectionAddsOnlyWhatIsMissing) {
  const Edit edit =
      edit_node(node(R"({"karpenter.sh/do-not-disrupt":"30m"})"), mutation(run::MutationKind::Protect), "r");
  EXPECT_THAT(
      edits(edit),
      ElementsAre(
          R"(add /metadata/annotations/cluster-autoscaler.kubernetes.io~1scale-down-disabled "true")",
          R"(add /metadata/annotations/autoscaling.cast.ai~1removal-disabled "true")",
          R"(add /metadata/annotations/temper.codes~1run "{\"added\":[\"autoscaling.cast.ai/removal-disabled\",)"
          R"(\"cluster-autoscaler.kubernetes.io/scale-down-disabled\"],\"runs\":[\"r\"]}")"));
  EXPECT_THAT(edit.added, ElementsAre("cluster-autoscaler.kubernetes.io/scale-down-disabled",
                                      "autoscaling.cast.ai/removal-disabled"));
}

TEST(Marks, ANodeWithoutAnnotationsGetsThem) {
  auto bare = wire::read_tree(R"({"metadata":{"uid":"u","resourceVersion":"7"}})");
  const Edit edit = edit_node(*bare, mutation(run::MutationKind::Protect), "r");
  EXPECT_EQ(edits(edit).front(), "add /metadata/annotations {}");
  const Edit cordon = edit_node(*bare, mutation(run::MutationKind::Cordon), "r");
  EXPECT_THAT(edits(cordon), testing::Contains("add /metadata/labels {}"));
}

TEST(Marks, CordonTakesTheNodeOutOfLoadBalancersToo) {
  const Edit edit = edit_node(node(), mutation(run::MutationKind::Cordon), "r");
  EXPECT_EQ(edits(edit)[0], "add /spec/unschedulable true");
  EXPECT_EQ(edits(edit)[1],
            R"(add /metadata/labels/node.kubernetes.io~1exclude-from-external-load-balancers "true")");
  EXPECT_THAT(edit.added, ElementsAre("cordon", "no-load-balancer"));
}

TEST(Marks, APersonsCordonIsNotOurs) {
  const Edit edit =
      edit_node(node("{}", R"({"unschedulable":true})"), mutation(run::MutationKind::Cordon), "r");
  EXPECT_THAT(edit.added, ElementsAre("no-load-balancer"));
  const wire::Tree later = node(annotation({{"r"}, {"no-load-balancer"}}), R"({"unschedulable":true})",
                                R"({"node.kubernetes.io/exclude-from-external-load-balancers":"true"})");
  EXPECT_THAT(edits(edit_node(later, mutation(run::MutationKind::Release), "r")),
              ElementsAre("remove /metadata/labels/node.kubernetes.io~1exclude-from-external-load-balancers",
                          "remove /metadata/annotations/temper.codes~1run"));
}

TEST(Marks, DoingItTwiceDoesNothingMore) {
  const wire::Tree marked =
      node(annotation({{"r"}, {"cordon", "no-load-balancer"}}), R"({"unschedulable":true})",
           R"({"node.kubernetes.io/exclude-from-external-load-balancers":"true"})");
  const Edit edit = edit_node(marked, mutation(run::MutationKind::Cordon), "r");
  EXPECT_EQ(edit.answer, Edit::Answer::NothingToDo);
  EXPECT_THAT(edit.added, ElementsAre("cordon", "no-load-balancer"));
}

TEST(Marks, TwoRunsShareASurvivorAndTheLastOneLetsGo) {
  const std::string key(run::kProtections[0]);
  auto held = wire::read_tree(R"({"metadata":{"uid":"u","resourceVersion":"7"}})");
  held->ensure({"metadata", "annotations"}).set(key, "true");
  held->ensure({"metadata", "annotations"}).set(run::kNote, write_note({{"r", "s"}, {key}}));
  const Edit first = edit_node(*held, mutation(run::MutationKind::Release), "r");
  EXPECT_THAT(
      edits(first),
      ElementsAre(
          R"(add /metadata/annotations/temper.codes~1run "{\"added\":[\"karpenter.sh/do-not-disrupt\"],\"runs\":[\"s\"]}")"));
  held->ensure({"metadata", "annotations"}).set(run::kNote, write_note({{"s"}, {key}}));
  EXPECT_EQ(edit_node(*held, mutation(run::MutationKind::Release), "r").answer, Edit::Answer::NothingToDo);
  EXPECT_THAT(edits(edit_node(*held, mutation(run::MutationKind::Release), "s")),
              ElementsAre("remove /metadata/annotations/karpenter.sh~1do-not-disrupt",
                          "remove /metadata/annotations/temper.codes~1run"));
}

TEST(Marks, WhatSomebodyChangedMeanwhileStays) {
  auto held = wire::read_tree(R"({"metadata":{"uid":"u","resourceVersion":"7"},"spec":{"taints":[
    {"key":"temper.codes/consolidating","effect":"NoSchedule","value":"theirs"}]}})");
  held->ensure({"metadata", "annotations"}).set(run::kProtections[0], "false");
  held->ensure({"metadata", "annotations"})
      .set(run::kNote, write_note({{"r"}, {"cordon", std::string(run::kProtections[0]), "taint"}}));
  EXPECT_THAT(edits(edit_node(*held, mutation(run::MutationKind::Release), "r")),
              ElementsAre("remove /metadata/annotations/temper.codes~1run"));
}

TEST(Marks, ANoteCannotMakeUsRemoveOtherAnnotations) {
  auto held = wire::read_tree(R"({"metadata":{"uid":"u","resourceVersion":"7"}})");
  held->ensure({"metadata", "annotations"}).set("important", "true");
  held->ensure({"metadata", "annotations"}).set(run::kNote, write_note({{"r"}, {"important"}}));
  EXPECT_THAT(edits(edit_node(*held, mutation(run::MutationKind::Release), "r")),
              ElementsAre("remove /metadata/annotations/temper.codes~1run"));
}

TEST(Marks, TheJournalRemembersWhereTheNoteWasRemoved) {
  const wire::Tree without = node("{}", R"({"unschedulable":true})");
  EXPECT_EQ(edit_node(without, mutation(run::MutationKind::Release), "r").answer, Edit::Answer::NothingToDo);
  EXPECT_THAT(edits(edit_node(without, mutation(run::MutationKind::Release), "r", {"cordon"})),
              ElementsAre("remove /spec/unschedulable"));
}

TEST(Marks, TheCordonGoesOnlyWhileTheTaintIsThere) {
  const std::string note = annotation({{"r"}, {"cordon", "taint"}});
  EXPECT_EQ(
      edit_node(node(note, R"({"unschedulable":true})"), mutation(run::MutationKind::Uncordon), "r").answer,
      Edit::Answer::NothingToDo);
  const wire::Tree tainted = node(
      note,
      R"({"unschedulable":true,"taints":[{"key":"x","effect":"NoSchedule"},{"key":"temper.codes/consolidating","effect":"NoSchedule"}]})");
  EXPECT_EQ(edits(edit_node(tainted, mutation(run::MutationKind::Uncordon), "r")).front(),
            "remove /spec/unschedulable");
  EXPECT_EQ(edits(edit_node(tainted, mutation(run::MutationKind::Release), "r"))[1], "remove /spec/taints/1");
}

TEST(Marks, TheTaintJoinsOthers) {
  EXPECT_EQ(edits(edit_node(node(), mutation(run::MutationKind::Taint), "r")).front(),
            R"(add /spec/taints [{"effect":"NoSchedule","key":"temper.codes/consolidating"}])");
  EXPECT_EQ(edits(edit_node(node("{}", R"({"taints":[]})"), mutation(run::MutationKind::Taint), "r")).front(),
            R"(add /spec/taints/- {"effect":"NoSchedule","key":"temper.codes/consolidating"})");
}

TEST(Marks, AClaimWhoseUidIsNotKnownIsOursByItsNote) {
  EXPECT_EQ(edit_node(node(), mutation(run::MutationKind::ReleaseClaim, ""), "r").answer,
            Edit::Answer::OtherObject);
  EXPECT_EQ(
      edit_node(node(annotation({{"r"}, {}})), mutation(run::MutationKind::ReleaseClaim, ""), "r").answer,
      Edit::Answer::Patch);
}

// An autoscaler also reads some of them as labels.
TEST(Marks, AProtectionThatIsALabelIsThereAlready) {
  const Edit edit = edit_node(node("{}", "{}", R"({"karpenter.sh/do-not-disrupt":"true"})"),
                              mutation(run::MutationKind::Protect), "r");
  EXPECT_THAT(edit.added, ElementsAre("cluster-autoscaler.kubernetes.io/scale-down-disabled",
                                      "autoscaling.cast.ai/removal-disabled"));
}

TEST(Marks, ANodeWithoutAnnotationsGetsThemOnce) {
  auto bare = wire::read_tree(R"({"metadata":{"uid":"u","resourceVersion":"7"}})");
  const std::vector<std::string> all = edits(edit_node(*bare, mutation(run::MutationKind::Protect), "r"));
  EXPECT_EQ(std::count(all.begin(), all.end(), "add /metadata/annotations {}"), 1);
  EXPECT_EQ(all.size(), 5U) << "the object, three protections and the note";
}

TEST(Marks, OnlyOurVeryTaintIsOurs) {
  for (const char* other : {R"({"key":"temper.codes/consolidating","effect":"NoExecute"})",
                            R"({"key":"x","effect":"NoSchedule"})"}) {
    const wire::Tree with_other = node("{}", std::string(R"({"taints":[)") + other + "]}");
    const Edit edit = edit_node(with_other, mutation(run::MutationKind::Taint), "r");
    EXPECT_THAT(edit.added, ElementsAre("taint")) << other;
    EXPECT_EQ(edits(edit).front(),
              R"(add /spec/taints/- {"effect":"NoSchedule","key":"temper.codes/consolidating"})");
  }
  const wire::Tree tainted =
      node("{}", R"({"taints":[{"key":"temper.codes/consolidating","effect":"NoSchedule"}]})");
  EXPECT_TRUE(edit_node(tainted, mutation(run::MutationKind::Taint), "r").added.empty());
}

TEST(Marks, ThatAreGoneAlreadyNeedNoRemoval) {
  const wire::Tree bare =
      node(annotation({{"r"}, {"cordon", "no-load-balancer", "taint", std::string(run::kProtections[1])}}));
  EXPECT_THAT(edits(edit_node(bare, mutation(run::MutationKind::Release), "r")),
              ElementsAre("remove /metadata/annotations/temper.codes~1run"));
  const wire::Tree theirs = node(annotation({{"r"}, {"no-load-balancer"}}), "{}",
                                 R"({"node.kubernetes.io/exclude-from-external-load-balancers":"theirs"})");
  EXPECT_THAT(edits(edit_node(theirs, mutation(run::MutationKind::Release), "r")),
              ElementsAre("remove /metadata/annotations/temper.codes~1run"));
}

TEST(Marks, LeavingKeepsTheCordon) {
  const wire::Tree cordoned =
      node(annotation({{"r"}, {"cordon", "no-load-balancer"}}), R"({"unschedulable":true})",
           R"({"node.kubernetes.io/exclude-from-external-load-balancers":"true"})");
  EXPECT_THAT(edits(edit_node(cordoned, mutation(run::MutationKind::Leave), "r")),
              ElementsAre("remove /metadata/labels/node.kubernetes.io~1exclude-from-external-load-balancers",
                          "remove /metadata/annotations/temper.codes~1run"));
}

TEST(Marks, APersonsCordonSurvivesTheTaint) {
  const wire::Tree tainted =
      node(annotation({{"r"}, {"taint"}}),
           R"({"unschedulable":true,"taints":[{"key":"temper.codes/consolidating","effect":"NoSchedule"}]})");
  EXPECT_EQ(edit_node(tainted, mutation(run::MutationKind::Uncordon), "r").answer, Edit::Answer::NothingToDo);
  // Somebody took the cordon off already: the note follows.
  const wire::Tree uncordoned =
      node(annotation({{"r"}, {"cordon", "taint"}}),
           R"({"taints":[{"key":"temper.codes/consolidating","effect":"NoSchedule"}]})");
  EXPECT_THAT(
      edits(edit_node(uncordoned, mutation(run::MutationKind::Uncordon), "r")),
      ElementsAre(
          R"(add /metadata/annotations/temper.codes~1run "{\"added\":[\"taint\"],\"runs\":[\"r\"]}")"));
}

// Once our name is in the note, the note is what counts.
TEST(Marks, TheJournalIsAskedOnlyWithoutANote) {
  const wire::Tree noted = node(annotation({{"r"}, {}}), R"({"unschedulable":true})");
  EXPECT_THAT(edits(edit_node(noted, mutation(run::MutationKind::Release), "r", {"cordon"})),
              ElementsAre("remove /metadata/annotations/temper.codes~1run"));
}

TEST(Marks, EvictionsAndClaimsAreNotMadeByPatches) {
  for (const run::MutationKind kind :
       {run::MutationKind::Evict, run::MutationKind::CreateClaim, run::MutationKind::DeleteClaim})
    EXPECT_EQ(edit_node(node(), mutation(kind), "r").answer, Edit::Answer::NothingToDo) << run::word(kind);
}

}  // namespace
}  // namespace tamp::documents

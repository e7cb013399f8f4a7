#include "wire/run_note.h"

#include <gtest/gtest.h>

#include "wire/snapshot.h"

namespace tamp::wire {
namespace {

TEST(RunNote, ReadsWhatItWrote) {
  const RunNote note{{"run-a", "run-b"}, {"cordon", "karpenter.sh/do-not-disrupt"}};
  EXPECT_EQ(write_run_note(note),
            R"({"added":["cordon","karpenter.sh/do-not-disrupt"],"runs":["run-a","run-b"]})");
  EXPECT_EQ(read_run_note(write_run_note(note)), note);
}

TEST(RunNote, SortsAndForgetsRepetitions) {
  EXPECT_EQ(read_run_note(R"({"runs":["b","a","b"],"added":[]})"), (RunNote{{"a", "b"}, {}}));
}

TEST(RunNote, ASpoiltNoteIsNone) {
  for (const char* text :
       {"", "true", "[]", "{}", R"({"runs":[]})", R"({"runs":"a"})", R"({"runs":[1]})",
        R"({"runs":["a"],"added":[""]})", R"({"runs":["a"],"added":{}})", R"({"runs":["a"]} x)"})
    EXPECT_EQ(read_run_note(text), std::nullopt) << text;
}

TEST(RunNote, ANodeKnowsWhatTampPutOnIt) {
  Inputs inputs;
  inputs.objects.push_back(
      {"nodes", R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"a","annotations":{
    "temper.codes/run":"{\"runs\":[\"r\"],\"added\":[\"cordon\",\"taint\",\"karpenter.sh/do-not-disrupt\"]}"}}})"});
  const auto reading = read_snapshot(inputs);
  ASSERT_TRUE(reading);
  const NodeMarks& marks = reading->cluster.nodes[0].marks;
  EXPECT_TRUE(marks.note.valid());
  EXPECT_TRUE(marks.has_own(OwnMark::Cordon));
  EXPECT_TRUE(marks.has_own(OwnMark::Taint));
  EXPECT_TRUE(marks.has_own(OwnMark::DoNotDisrupt));
  EXPECT_FALSE(marks.has_own(OwnMark::NoLoadBalancer));
}

}  // namespace
}  // namespace tamp::wire

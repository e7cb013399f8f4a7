// One change of the cluster, from reading the object to what the journal is told.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/hand.h"
#include "documents/marks.h"
#include "net/fake_loop_testing.h"
#include "net/scripted_transport_testing.h"

namespace tamp::controller {
namespace {

using run::Conclusion;
using run::MutationKind;
using run::MutationState;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Kind = net::ApiError::Kind;

// ---- what a refusal means

TEST(ConclusionOf, EachKindOfRefusal) {
  struct Case {
    Kind kind;
    bool maybe_done;
    MutationState state;
    const char* reason;
  };
  const Case cases[] = {
      {Kind::NotFound, false, MutationState::Failed, "Gone"},
      {Kind::Gone, false, MutationState::Failed, "Gone"},
      {Kind::Forbidden, false, MutationState::Failed, "Denied"},
      {Kind::Unauthorized, false, MutationState::Failed, "Denied"},
      {Kind::DisruptionBudget, false, MutationState::Blocked, "Budget"},
      {Kind::Throttled, false, MutationState::Blocked, "Throttled"},
      {Kind::Conflict, false, MutationState::Blocked, "Conflict"},
      {Kind::AlreadyExists, false, MutationState::Blocked, "Conflict"},
      {Kind::BadRequest, false, MutationState::Failed, "Invalid"},
      {Kind::Invalid, false, MutationState::Failed, "Invalid"},
      {Kind::Timeout, true, MutationState::Unclear, "Unreachable"},
      {Kind::Timeout, false, MutationState::Blocked, "Unreachable"},
      {Kind::Other, true, MutationState::Unclear, "Unreachable"},
      {Kind::Other, false, MutationState::Blocked, "Unreachable"},
  };
  for (const Case& c : cases) {
    const Conclusion out = conclusion_of({c.kind, 0, "", "why", {}, c.maybe_done, {}});
    EXPECT_EQ(out.state, c.state) << c.reason;
    EXPECT_EQ(out.reason, c.reason);
    EXPECT_THAT(out.message, HasSubstr("why"));
    EXPECT_EQ(out.retry_after.has_value(), c.state == MutationState::Blocked) << c.reason;
  }
}

TEST(ConclusionOf, WaitsAsLongAsTheServerAsksFor) {
  net::ApiError error{Kind::Throttled, 429, "", "", {}, false, {}};
  EXPECT_EQ(conclusion_of(error).retry_after, Duration::seconds(5));
  error.retry_after = Duration::seconds(30);
  EXPECT_EQ(conclusion_of(error).retry_after, Duration::seconds(30));
}

// ---- errands

struct ErrandTest : testing::Test {
  net::FakeLoop loop;
  net::ScriptedTransport transport{loop};
  net::Client client{loop, transport};
  run::Run run;
  run::Mutation mutation;
  // Answers by "GET path" and so on, first the ones that come first; the last one stays.
  std::map<std::string, std::vector<net::Exchange>> answers;
  std::vector<std::string> asked;

  ErrandTest() {
    run.name = "run-1";
    run.uid = "uid-run";
    mutation.uid = "u";
    mutation.name = "a";
    transport.on_send = [this](const net::Request& request) -> std::optional<net::Exchange> {
      static constexpr const char* kVerbs[] = {"GET", "POST", "PUT", "PATCH", "DELETE"};
      const std::string what = std::string(kVerbs[static_cast<std::size_t>(request.method)]) + " " +
                               request.target.substr(0, request.target.find('?'));
      asked.push_back(what);
      auto found = answers.find(what);
      if (found == answers.end()) return net::refuse(404, "NotFound");
      net::Exchange answer = found->second.front();
      if (found->second.size() > 1) found->second.erase(found->second.begin());
      return answer;
    };
  }
  Deed carry_out() {
    std::optional<Deed> deed;
    Errand errand(client, run, mutation, [&](Deed done) { deed = std::move(done); });
    EXPECT_FALSE(errand.sent());
    errand.begin();
    loop.advance(Duration::minutes(5));
    EXPECT_TRUE(deed.has_value());
    return deed.value_or(Deed{});
  }
  std::ptrdiff_t times(const std::string& what) { return std::count(asked.begin(), asked.end(), what); }
};

constexpr const char* kNode = "GET /api/v1/nodes/a";
constexpr const char* kPatch = "PATCH /api/v1/nodes/a";
net::Exchange node(const char* version, const char* uid = "u", const char* more = "") {
  return net::answer(
      200, fmt::format(R"({{"metadata":{{"name":"a","uid":"{}","resourceVersion":"{}"}},"spec":{{{}}}}})",
                       uid, version, more));
}

TEST_F(ErrandTest, MarksANodeOnTopOfWhatItHasRead) {
  mutation.kind = MutationKind::Cordon;
  answers[kNode] = {node("5")};
  answers[kPatch] = {node("6")};
  const Deed deed = carry_out();
  EXPECT_EQ(deed.conclusion.state, MutationState::Done);
  EXPECT_THAT(deed.conclusion.added, ElementsAre("cordon", "no-load-balancer"));
  EXPECT_EQ(deed.resource_version, "6") << "of the node after the write";
  EXPECT_FALSE(deed.fenced);
  EXPECT_THAT(asked, ElementsAre(kNode, kPatch));
}

TEST_F(ErrandTest, WritesNothingWhereNothingIsToBeDone) {
  mutation.kind = MutationKind::Release;
  answers[kNode] = {node("5")};
  const Deed deed = carry_out();
  EXPECT_EQ(deed.conclusion.state, MutationState::Done);
  EXPECT_EQ(deed.resource_version, "5");
  EXPECT_THAT(asked, ElementsAre(kNode));
}

TEST_F(ErrandTest, LeavesAnotherObjectOfThatNameAlone) {
  mutation.kind = MutationKind::Cordon;
  answers[kNode] = {node("5", "another")};
  EXPECT_EQ(carry_out().conclusion.reason, "OtherObject");
  EXPECT_THAT(asked, ElementsAre(kNode));
}

TEST_F(ErrandTest, ReadsAgainAfterAConflictAndNotForEver) {
  mutation.kind = MutationKind::Cordon;
  answers[kNode] = {node("5")};
  answers[kPatch] = {net::refuse(409, "Conflict"), net::refuse(409, "Conflict"), node("9")};
  EXPECT_EQ(carry_out().conclusion.state, MutationState::Done);
  EXPECT_EQ(times(kNode), 3);
  asked.clear();
  answers[kPatch] = {net::refuse(409, "Conflict")};
  const Deed deed = carry_out();
  EXPECT_EQ(deed.conclusion.state, MutationState::Blocked);
  EXPECT_EQ(deed.conclusion.reason, "Conflict");
  EXPECT_EQ(times(kPatch), 5);
}

TEST_F(ErrandTest, SaysWhyAWriteWasRefused) {
  mutation.kind = MutationKind::Cordon;
  answers[kNode] = {node("5")};
  answers[kPatch] = {net::refuse(403, "Forbidden", "no right")};
  const Deed deed = carry_out();
  EXPECT_EQ(deed.conclusion.state, MutationState::Failed);
  EXPECT_EQ(deed.conclusion.reason, "Denied");
  EXPECT_THAT(deed.conclusion.message, HasSubstr("no right"));
}

TEST_F(ErrandTest, WhatCannotBeReadIsTriedAgainLater) {
  mutation.kind = MutationKind::Cordon;
  answers[kNode] = {net::answer(200, "{")};
  EXPECT_EQ(carry_out().conclusion.state, MutationState::Blocked);
  EXPECT_EQ(times(kPatch), 0);
  answers.clear();
  EXPECT_EQ(carry_out().conclusion.reason, "Gone");
}

// The note on the node was removed by others; the journal remembers what earlier entries added there.
TEST_F(ErrandTest, TakesBackWhatTheJournalRemembers) {
  for (const char* mark : {"cordon", "cordon"}) {
    run::Mutation& m = run.journal.intend(MutationKind::Cordon, "", "a", "u", loop.now());
    m.added = {mark};
  }
  run.journal.intend(MutationKind::Cordon, "", "b", "u", loop.now()).added = {"taint"};
  run.journal.intend(MutationKind::Evict, "shop", "a", "u", loop.now()).added = {"taint"};
  mutation.kind = MutationKind::Release;
  answers[kNode] = {
      node("5", "u",
           R"("unschedulable":true,"taints":[{"key":"temper.codes/consolidating","effect":"NoSchedule"}])")};
  answers[kPatch] = {node("6")};
  EXPECT_EQ(carry_out().conclusion.state, MutationState::Done);
  const std::string& body = transport.sent.back().body;
  EXPECT_THAT(body, HasSubstr("/spec/unschedulable"));
  EXPECT_THAT(body, ::testing::Not(HasSubstr("taints"))) << "that is another object's";
}

// ---- evictions

constexpr const char* kPod = "GET /api/v1/namespaces/shop/pods/a";
constexpr const char* kEvict = "POST /api/v1/namespaces/shop/pods/a/eviction";
net::Exchange pod(const char* uid, const char* more = "") {
  return net::answer(
      200, fmt::format(R"({{"metadata":{{"name":"a","namespace":"shop","uid":"{}"{}}}}})", uid, more));
}

struct EvictionErrand : ErrandTest {
  EvictionErrand() {
    mutation.kind = MutationKind::Evict;
    mutation.ns = "shop";
    answers[kPod] = {pod("u")};
  }
};

TEST_F(EvictionErrand, EvictsThisVeryPod) {
  answers[kEvict] = {net::answer(201)};
  const Deed deed = carry_out();
  EXPECT_EQ(deed.conclusion.state, MutationState::Done);
  EXPECT_EQ(deed.resource_version, "");
  EXPECT_THAT(transport.sent.back().body, HasSubstr(R"("uid":"u")"));
}

TEST_F(EvictionErrand, HasNothingToDoWhereThePodLeaves) {
  answers[kPod] = {pod("u", R"(,"deletionTimestamp":"2026-11-15T00:00:00Z")")};
  EXPECT_EQ(carry_out().conclusion.state, MutationState::Done);
  EXPECT_EQ(times(kEvict), 0);
}

TEST_F(EvictionErrand, LeavesAnotherPodOfThatNameAlone) {
  answers[kPod] = {pod("another")};
  EXPECT_EQ(carry_out().conclusion.reason, "OtherObject");
  EXPECT_EQ(times(kEvict), 0);
}

TEST_F(EvictionErrand, OfAPodThatIsGoneIsDone) {
  answers[kEvict] = {net::refuse(404, "NotFound")};
  Deed deed = carry_out();
  EXPECT_EQ(deed.conclusion.state, MutationState::Done);
  EXPECT_EQ(deed.conclusion.reason, "Gone");
  answers.erase(kPod);
  deed = carry_out();
  EXPECT_EQ(deed.conclusion.state, MutationState::Done);
  EXPECT_EQ(deed.conclusion.reason, "Gone");
}

TEST_F(EvictionErrand, AfterAConflictThePodItselfTells) {
  answers[kPod] = {pod("u"), pod("another")};
  answers[kEvict] = {net::refuse(409, "Conflict")};
  EXPECT_EQ(carry_out().conclusion.reason, "OtherObject");
  EXPECT_EQ(times(kPod), 2);
}

TEST_F(EvictionErrand, ABudgetSaysWhenToAskAgain) {
  answers[kEvict] = {
      net::answer(429,
                  net::status_text(429, "TooManyRequests", "no",
                                   R"({"causes":[{"reason":"DisruptionBudget"}],"retryAfterSeconds":10})"),
                  Duration::seconds(10))};
  const Deed deed = carry_out();
  EXPECT_EQ(deed.conclusion.state, MutationState::Blocked);
  EXPECT_EQ(deed.conclusion.reason, "Budget");
}

TEST_F(EvictionErrand, IsRehearsedWithoutBeingDone) {
  const auto rehearse = [&](net::Exchange answer) {
    answers[kEvict] = {std::move(answer)};
    run::Departing move;
    move.ns = "shop";
    move.name = "a";
    move.uid = "u";
    std::optional<Conclusion> conclusion;
    Rehearsal rehearsal(client, move, [&](Conclusion c) { conclusion = std::move(c); });
    rehearsal.begin();
    loop.advance(Duration::minutes(5));
    EXPECT_THAT(transport.sent.back().body, HasSubstr(R"("dryRun":["All"])"));
    return conclusion.value_or(Conclusion{});
  };
  EXPECT_EQ(rehearse(net::answer(201)).state, MutationState::Done);
  EXPECT_EQ(rehearse(net::refuse(403, "Forbidden")).reason, "Denied");
  EXPECT_EQ(rehearse(net::refuse(409, "Conflict")).reason, "OtherObject");
  EXPECT_EQ(rehearse(net::refuse(409, "Conflict")).state, MutationState::Failed);
  EXPECT_EQ(rehearse(net::refuse(404, "NotFound")).reason, "Gone");
}

// ---- claims

constexpr const char* kPoolObject =
    R"({"metadata":{"name":"default","uid":"uid-pool"},"spec":{"template":{"spec":{
"nodeClassRef":{"group":"g","kind":"K","name":"n"},"requirements":[]}}}})";
constexpr const char* kPool = "GET /apis/karpenter.sh/v1/nodepools/default";
constexpr const char* kCreate = "POST /apis/karpenter.sh/v1/nodeclaims";
constexpr const char* kClaim = "GET /apis/karpenter.sh/v1/nodeclaims/a";

struct CreationErrand : ErrandTest {
  CreationErrand() {
    mutation.kind = MutationKind::CreateClaim;
    mutation.uid = "";
    run.claim = "a";
    run.replacement = proof::PlannedReplacement{"default", {"s"}, {"spot"}, {"z"}, {}};
    answers[kPool] = {net::answer(200, kPoolObject)};
  }
  static net::Exchange claim(const std::vector<std::string>& runs) {
    wire::Tree tree = wire::Tree::object();
    tree.ensure({"metadata", "uid"}) = "uid-claim";
    tree.ensure({"metadata", "annotations"}).set(run::kNote, documents::write_note({runs, {}}));
    return net::answer(201, wire::to_json(tree));
  }
};

TEST_F(CreationErrand, SaysTheUidOfWhatItMade) {
  answers[kCreate] = {claim({"run-1"})};
  const Deed deed = carry_out();
  EXPECT_EQ(deed.conclusion.state, MutationState::Done);
  EXPECT_EQ(deed.conclusion.uid, "uid-claim");
  EXPECT_EQ(deed.resource_version, "") << "only nodes are waited for";
  EXPECT_THAT(asked, ElementsAre(kPool, kCreate));
}

TEST_F(CreationErrand, FindsAgainWhatItMadeBefore) {
  answers[kCreate] = {net::refuse(409, "AlreadyExists")};
  answers[kClaim] = {claim({"another", "run-1"})};
  EXPECT_EQ(carry_out().conclusion.uid, "uid-claim");
  answers[kClaim] = {claim({"another"})};
  EXPECT_EQ(carry_out().conclusion.reason, "OtherObject");
  answers[kClaim] = {net::answer(200, R"({"metadata":{"uid":"x"}})")};
  EXPECT_EQ(carry_out().conclusion.reason, "OtherObject") << "without a note";
}

TEST_F(CreationErrand, NeedsAPoolAndAReplacement) {
  answers[kPool] = {net::answer(200, R"({"metadata":{"name":"default"}})")};
  EXPECT_EQ(carry_out().conclusion.reason, "Invalid");
  answers.erase(kPool);
  EXPECT_EQ(carry_out().conclusion.reason, "Gone");
  asked.clear();
  run.replacement.reset();
  EXPECT_EQ(carry_out().conclusion.reason, "Invalid");
  EXPECT_TRUE(asked.empty());
}

TEST_F(CreationErrand, AnAnswerThatCannotBeReadLeavesItUnclear) {
  answers[kCreate] = {net::answer(201, "{")};
  EXPECT_EQ(carry_out().conclusion.state, MutationState::Unclear);
}

TEST_F(ErrandTest, AClaimIsDeletedOnce) {
  mutation.kind = MutationKind::DeleteClaim;
  answers[kClaim] = {
      net::answer(200, R"({"metadata":{"name":"a","uid":"u","deletionTimestamp":"2026-11-15T00:00:00Z"}})")};
  EXPECT_EQ(carry_out().conclusion.state, MutationState::Done);
  EXPECT_THAT(asked, ElementsAre(kClaim)) << "somebody has deleted it";
  answers[kClaim] = {net::answer(200, R"({"metadata":{"name":"a","uid":"another"}})")};
  EXPECT_EQ(carry_out().conclusion.reason, "OtherObject");
  answers[kClaim] = {net::answer(200, R"({"metadata":{"name":"a","uid":"u"}})")};
  EXPECT_EQ(carry_out().conclusion.state, MutationState::Done) << "it was gone when it was to be deleted";
  answers["DELETE /apis/karpenter.sh/v1/nodeclaims/a"] = {net::refuse(403, "Forbidden")};
  EXPECT_EQ(carry_out().conclusion.reason, "Denied");
}

TEST_F(ErrandTest, AClaimIsReleasedAsANodeIs) {
  mutation.kind = MutationKind::ReleaseClaim;
  wire::Tree tree = wire::Tree::object();
  tree.ensure({"metadata", "uid"}) = "u";
  tree.ensure({"metadata", "resourceVersion"}) = "5";
  tree.ensure({"metadata", "annotations"}).set(run::kNote, documents::write_note({{"run-1"}, {}}));
  answers[kClaim] = {net::answer(200, wire::to_json(tree))};
  answers["PATCH /apis/karpenter.sh/v1/nodeclaims/a"] = {net::answer(200, wire::to_json(tree))};
  const Deed deed = carry_out();
  EXPECT_EQ(deed.conclusion.state, MutationState::Done);
  EXPECT_EQ(deed.resource_version, "");
}

}  // namespace
}  // namespace tamp::controller

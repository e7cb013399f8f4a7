// What a run writes down and reads back, and what came of each of its changes.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "documents/run_document.h"
#include "run/stage_for_test.h"
#include "run/turn.h"
#include "support/cluster_builder.h"
#include "wire/tree.h"

namespace tamp::run {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Time kNow = test::kNow;
constexpr Duration kInstant{1};  // the shortest time there is

Mutation entry(MutationKind kind, MutationState state, std::string name = "a") {
  Mutation m;
  m.kind = kind;
  m.state = state;
  m.name = std::move(name);
  return m;
}

// ---- what came of a change

// The state of an entry after such an answer.
MutationState concluded(MutationKind kind, const std::string& reason, const std::string& name = "a") {
  run::Run run;
  run.claim = "fresh";
  run.journal.intend(kind, "", name, "uid", kNow);
  conclude(run, 1, {MutationState::Failed, reason, "", "", {}, {}}, kNow);
  return run.journal.entries[0].state;
}

TEST(Conclusions, OfEachRefusal) {
  using enum MutationKind;
  using enum MutationState;
  for (const char* passing : {"Conflict", "Unreachable", "Throttled", "Budget"})
    for (const MutationKind kind :
         {Protect, Cordon, Evict, Taint, Uncordon, CreateClaim, DeleteClaim, Release})
      EXPECT_EQ(concluded(kind, passing), Blocked) << passing << " " << word(kind);
  EXPECT_EQ(concluded(Evict, "Gone"), Done);
  EXPECT_EQ(concluded(Evict, "OtherObject"), Failed);
  for (const MutationKind kind : {Protect, Cordon, Release, ReleaseClaim, Leave, DeleteClaim})
    for (const char* gone : {"Gone", "OtherObject"}) EXPECT_EQ(concluded(kind, gone), Failed) << word(kind);
  EXPECT_EQ(concluded(DeleteClaim, "InUse", "fresh"), Failed) << "the machine decides anew";
  for (const MutationKind kind : {Protect, Cordon, Evict, Taint, Uncordon, CreateClaim, DeleteClaim})
    EXPECT_EQ(concluded(kind, "Denied"), Failed) << word(kind);
  for (const MutationKind kind : {Release, ReleaseClaim, Leave})
    EXPECT_EQ(concluded(kind, "Denied"), Blocked) << word(kind) << ": taking back is never given up";
  EXPECT_EQ(concluded(DeleteClaim, "Denied", "fresh"), Blocked) << "so is an unused replacement";
}

TEST(Conclusions, AreWrittenDown) {
  run::Run run;
  run.journal.intend(MutationKind::Cordon, "", "a", "uid", kNow);
  Mutation& m = run.journal.entries[0];
  m.settled = kNow;
  const Time later = kNow + Duration::seconds(3);
  conclude(run, 1, {MutationState::Blocked, "Conflict", "changed meanwhile", "", {"cordon"}, {}}, later);
  EXPECT_EQ(m.state, MutationState::Blocked);
  EXPECT_EQ(m.attempts, 1U);
  EXPECT_EQ(m.tried, later);
  EXPECT_FALSE(m.settled);
  EXPECT_EQ(m.not_before, later + Duration::seconds(5));
  EXPECT_EQ(m.reason, "Conflict");
  EXPECT_EQ(m.message, "changed meanwhile");
  EXPECT_THAT(m.added, ElementsAre("cordon"));
  // The second try: longer, or as long as the server asks for if that is more; what was added is added once.
  conclude(
      run, 1,
      {MutationState::Blocked, "Throttled", "", "", {"cordon", "no-load-balancer"}, Duration::seconds(4)},
      later);
  EXPECT_EQ(m.not_before, later + Duration::seconds(10));
  EXPECT_THAT(m.added, ElementsAre("cordon", "no-load-balancer"));
  conclude(run, 1, {MutationState::Blocked, "Throttled", "", "", {}, Duration::seconds(70)}, later);
  EXPECT_EQ(m.not_before, later + Duration::seconds(70));
  conclude(run, 1, {MutationState::Done, "", "", "", {}, {}}, later);
  EXPECT_EQ(m.settled, later);
  EXPECT_FALSE(m.not_before);
  EXPECT_EQ(m.attempts, 4U);
}

TEST(Conclusions, WithoutAnAnswerNothingIsKnown) {
  for (const MutationState state : {MutationState::Unclear, MutationState::Intended}) {
    run::Run run;
    run.journal.intend(MutationKind::Evict, "default", "web", "uid", kNow);
    conclude(run, 1, {state, "", "", "", {}, {}}, kNow);
    EXPECT_EQ(run.journal.entries[0].state, MutationState::Unclear);
    EXPECT_EQ(run.journal.entries[0].not_before, kNow + Duration::seconds(5));
  }
}

TEST(Conclusions, OfWhatWasWithdrawnCountOnlyIfItWasDone) {
  run::Run run;
  run.journal.intend(MutationKind::Cordon, "", "a", "uid", kNow);
  run.journal.entries[0].state = MutationState::Failed;
  run.journal.entries[0].reason = "Withdrawn";
  const run::Run before = run;
  conclude(run, 1, {MutationState::Failed, "Denied", "", "", {}, {}}, kNow);
  conclude(run, 1, {MutationState::Blocked, "Conflict", "", "", {}, {}}, kNow);
  EXPECT_EQ(run, before);
  conclude(run, 1, {MutationState::Done, "", "", "", {"cordon"}, {}}, kNow);
  EXPECT_EQ(run.journal.entries[0].state, MutationState::Done);
  EXPECT_THAT(run.journal.entries[0].added, ElementsAre("cordon"));
}

TEST(Conclusions, LongMessagesAreCutBetweenCharacters) {
  const auto kept = [](std::string message) {
    run::Run run;
    run.journal.intend(MutationKind::Cordon, "", "a", "uid", kNow);
    conclude(run, 1, {MutationState::Blocked, "Conflict", std::move(message), "", {}, {}}, kNow);
    return run.journal.entries[0].message;
  };
  EXPECT_EQ(kept(std::string(200, 'm')), std::string(200, 'm'));
  EXPECT_EQ(kept(std::string(201, 'm')), std::string(200, 'm') + "…");
  EXPECT_EQ(kept(std::string(199, 'm') + "é!"), std::string(199, 'm') + "…") << "é has two bytes";
  EXPECT_EQ(kept(std::string(198, 'm') + "é!"), std::string(198, 'm') + "é…");
  std::string no_character;
  for (int i = 0; i < 300; ++i) no_character += "\x80";
  EXPECT_EQ(kept(no_character), "…");
}

TEST(Conclusions, AClaimThatWasMadeIsKnownByItsUid) {
  const auto made = [](MutationState state, const char* uid, MutationKind kind = MutationKind::CreateClaim) {
    run::Run run;
    run.journal.intend(kind, "", "fresh", "", kNow);
    conclude(run, 1, {state, "", "", uid, {}, {}}, kNow);
    return run.claim_uid + "/" + run.journal.entries[0].uid;
  };
  EXPECT_EQ(made(MutationState::Done, "u"), "u/u");
  EXPECT_EQ(made(MutationState::Done, ""), "/");
  EXPECT_EQ(made(MutationState::Unclear, "u"), "/");
  EXPECT_EQ(made(MutationState::Done, "u", MutationKind::Cordon), "/");
}

TEST(Conclusions, ACrashMakesOnlyOpenEntriesUnclear) {
  run::Run run;
  for (const MutationState s :
       {MutationState::Intended, MutationState::Done, MutationState::Blocked, MutationState::Failed}) {
    run.journal.intend(MutationKind::Cordon, "", "a", "uid", kNow).state = s;
  }
  resume(run);
  std::vector<MutationState> states;
  for (const Mutation& m : run.journal.entries) states.push_back(m.state);
  EXPECT_EQ(states, (std::vector{MutationState::Unclear, MutationState::Done, MutationState::Blocked,
                                 MutationState::Failed}));
}

// ---- the journal

TEST(JournalEntries, AreFoundByWhatTheyAreAbout) {
  Journal journal;
  for (int i = 0; i < 3; ++i) {
    journal.intend(MutationKind::Cordon, "", "a", fmt::format("uid-{}", i), kNow);
    journal.intend(MutationKind::Evict, "shop", "web", fmt::format("uid-pod-{}", i), kNow);
  }
  EXPECT_EQ(journal.entries.back().id, 6U);
  EXPECT_EQ(journal.last(MutationKind::Cordon, "", "a")->id, 5U) << "the newest";
  EXPECT_EQ(journal.last(MutationKind::Cordon, "", "b"), nullptr);
  EXPECT_EQ(journal.last(MutationKind::Cordon, "shop", "a"), nullptr);
  EXPECT_EQ(journal.last(MutationKind::Protect, "", "a"), nullptr);
  EXPECT_EQ(journal.last(MutationKind::Evict, "shop", "web")->id, 6U);
  EXPECT_EQ(journal.eviction_of("uid-pod-1")->id, 4U);
  EXPECT_EQ(journal.eviction_of("uid-1"), nullptr) << "that is a node's";
  const Journal& read_only = journal;
  EXPECT_EQ(read_only.last(MutationKind::Cordon, "", "a")->id, 5U);
  EXPECT_EQ(read_only.eviction_of("uid-pod-1")->id, 4U);
  EXPECT_EQ(journal.find(3)->id, 3U);
  journal.entries.erase(journal.entries.begin() + 2);
  EXPECT_EQ(journal.find(3), nullptr);
  EXPECT_EQ(journal.find(7), nullptr);
}

TEST(JournalEntries, StatesAreOpenOrOverOrNeither) {
  using enum MutationState;
  for (const auto& [state, open, over] : {std::tuple{Intended, true, false},
                                          {Unclear, false, false},
                                          {Done, false, true},
                                          {Blocked, false, false},
                                          {Failed, false, true}}) {
    EXPECT_EQ(entry(MutationKind::Cordon, state).open(), open) << word(state);
    EXPECT_EQ(entry(MutationKind::Cordon, state).over(), over) << word(state);
  }
}

TEST(JournalEntries, AreDueWhenTheirTimeHasCome) {
  using enum MutationState;
  for (const MutationState state : {Intended, Unclear, Done, Blocked, Failed}) {
    Mutation m = entry(MutationKind::Cordon, state);
    const bool waits = state == Unclear || state == Blocked;
    EXPECT_EQ(due(m, kNow), waits) << word(state);
    m.not_before = kNow + kInstant;
    EXPECT_FALSE(due(m, kNow)) << word(state);
    m.not_before = kNow;
    EXPECT_EQ(due(m, kNow), waits) << word(state);
  }
}

TEST(JournalEntries, ThatTakeBackAreKnown) {
  run::Run run;
  run.claim = "fresh";
  using enum MutationKind;
  for (const auto& [kind, name, takes] : {std::tuple{Release, "a", true},
                                          {ReleaseClaim, "fresh", true},
                                          {Leave, "a", true},
                                          {DeleteClaim, "fresh", true},
                                          {DeleteClaim, "victims", false},
                                          {Protect, "a", false},
                                          {Cordon, "a", false},
                                          {Evict, "a", false},
                                          {Taint, "a", false},
                                          {Uncordon, "a", false},
                                          {CreateClaim, "fresh", false}})
    EXPECT_EQ(takes_back(run, entry(kind, MutationState::Intended, name)), takes)
        << word(kind) << " " << name;
  EXPECT_TRUE(spared([] {
    Mutation m = entry(DeleteClaim, MutationState::Failed);
    m.reason = "InUse";
    return m;
  }()));
  EXPECT_FALSE(spared(entry(DeleteClaim, MutationState::Failed)));
  Mutation done = entry(DeleteClaim, MutationState::Done);
  done.reason = "InUse";
  EXPECT_FALSE(spared(done));
}

TEST(JournalEntries, NameTheNodesThatWereChanged) {
  run::Run run;
  EXPECT_FALSE(first_eviction(run));
  run.journal.intend(MutationKind::Protect, "", "a", "uid-a", kNow);
  run.journal.intend(MutationKind::Cordon, "", "b", "uid-b", kNow);
  run.journal.intend(MutationKind::Evict, "shop", "web", "uid-web", kNow + Duration::seconds(1));
  run.journal.intend(MutationKind::Evict, "shop", "api", "uid-api", kNow + Duration::seconds(2));
  run.journal.intend(MutationKind::Taint, "", "b", "uid-b", kNow);
  run.journal.intend(MutationKind::Taint, "", "c", "uid-c", kNow);
  run.journal.intend(MutationKind::Uncordon, "", "d", "uid-d", kNow);
  run.journal.intend(MutationKind::CreateClaim, "", "fresh", "", kNow);
  run.journal.intend(MutationKind::Release, "", "e", "uid-e", kNow);
  run.journal.intend(MutationKind::Protect, "", "a", "uid-another", kNow);
  EXPECT_EQ(changed_nodes(run),
            (Targets{{"a", "uid-a"}, {"b", "uid-b"}, {"c", "uid-c"}, {"d", "uid-d"}, {"a", "uid-another"}}));
  EXPECT_EQ(first_eviction(run), kNow + Duration::seconds(1));
}

// ---- one turn, on entries and on the cluster

struct Turning : testing::Test {
  Stage stage = two_nodes();
  Cluster cluster = stage.cluster();
  Settings settings;
  Observations observations;
  Step step;
  Sight sight{kNow, cluster, "", settings, stage.limits, observations, {}, {}, {}, true, true, false, {}, {}};
  Turn turn{step, sight};
};

TEST_F(Turning, SeesToAnEntryForEach) {
  const Targets nodes = {{"a", "uid-a"}, {"b", "uid-b"}};
  Standing standing = see_to(turn, MutationKind::Cordon, nodes);
  EXPECT_FALSE(standing.over);
  EXPECT_EQ(standing.failed, nullptr);
  ASSERT_EQ(step.run.journal.entries.size(), 2U);
  see_to(turn, MutationKind::Cordon, nodes);
  EXPECT_EQ(step.run.journal.entries.size(), 2U) << "once";
  step.run.journal.entries[0].state = MutationState::Done;
  EXPECT_FALSE(see_to(turn, MutationKind::Cordon, nodes).over);
  step.run.journal.entries[1].state = MutationState::Done;
  EXPECT_TRUE(see_to(turn, MutationKind::Cordon, nodes).over);
  step.run.journal.entries[1].state = MutationState::Failed;
  standing = see_to(turn, MutationKind::Cordon, nodes);
  EXPECT_TRUE(standing.over);
  EXPECT_EQ(standing.failed, &step.run.journal.entries[1]);
  step.run.journal.entries[0].state = MutationState::Failed;
  EXPECT_EQ(see_to(turn, MutationKind::Cordon, nodes).failed, &step.run.journal.entries[0]) << "the first";
  EXPECT_TRUE(see_to(turn, MutationKind::Cordon, {}).over) << "of none every one is over";
}

TEST_F(Turning, TriesAgainWhatIsDue) {
  see_to(turn, MutationKind::Cordon, {{"a", "uid-a"}});
  Mutation& m = step.run.journal.entries[0];
  m.state = MutationState::Blocked;
  m.not_before = kNow + kInstant;
  see_to(turn, MutationKind::Cordon, {{"a", "uid-a"}});
  EXPECT_EQ(m.state, MutationState::Blocked);
  m.not_before = kNow;
  see_to(turn, MutationKind::Cordon, {{"a", "uid-a"}});
  EXPECT_EQ(m.state, MutationState::Intended);
  EXPECT_FALSE(m.not_before);
}

TEST_F(Turning, ANewObjectOfThatNameIsAnotherTarget) {
  const auto entries_after = [&](const char* uid, MutationState state, const char* wanted) {
    step.run.journal.entries.clear();
    step.run.journal.intend(MutationKind::Release, "", "a", uid, kNow).state = state;
    see_to(turn, MutationKind::Release, {{"a", wanted}});
    return step.run.journal.entries.size();
  };
  EXPECT_EQ(entries_after("uid-a", MutationState::Done, "uid-other"), 2U);
  EXPECT_EQ(entries_after("uid-a", MutationState::Done, "uid-a"), 1U);
  EXPECT_EQ(entries_after("uid-a", MutationState::Intended, "uid-other"), 1U) << "first that one";
  EXPECT_EQ(entries_after("", MutationState::Done, "uid-a"), 1U) << "it had no uid yet";
}

TEST_F(Turning, FindsObjectsByNameAndUid) {
  EXPECT_NE(find_node(cluster, "a", "uid-a"), nullptr);
  EXPECT_EQ(find_node(cluster, "a", "uid-b"), nullptr);
  EXPECT_EQ(find_node(cluster, "z", "uid-z"), nullptr);
  for (const char* name : {"claim-a", "claim-b"}) {
    EXPECT_NE(find_claim(cluster, name, fmt::format("uid-{}", name)), nullptr);
    EXPECT_NE(find_claim(cluster, name, ""), nullptr) << "its uid is not known yet";
    EXPECT_EQ(find_claim(cluster, name, "uid-other"), nullptr);
  }
  for (const char* name : {"", "claim", "claim-aa", "claim-z"})
    EXPECT_EQ(find_claim(cluster, name, ""), nullptr) << name;
  Departing move;
  move.ns = "default";
  move.name = "batch-b";
  move.uid = "uid-batch-b-2";
  EXPECT_NE(find_pod(cluster, move), nullptr);
  move.uid = "uid-other";
  EXPECT_EQ(find_pod(cluster, move), nullptr);
  move.name = "nobody";
  EXPECT_EQ(find_pod(cluster, move), nullptr);
}

TEST_F(Turning, ANodeGoesWhenItOrItsClaimIsDeleted) {
  const auto is_going = [&] {
    const Cluster c = stage.cluster();
    return going(c, c.nodes[c.find_node("b").index()]);
  };
  EXPECT_FALSE(is_going());
  stage.claims().at("claim-b").ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(kNow);
  EXPECT_TRUE(is_going());
  stage.claims().erase("claim-b");
  EXPECT_FALSE(is_going());
  stage.node("b").ensure({"metadata", "deletionTimestamp"}) = format_rfc3339(kNow);
  EXPECT_TRUE(is_going());
}

TEST_F(Turning, GivingUpWithdrawsWhatWasNotDone) {
  step.run.phase = Phase::Draining;
  step.run.claim = "fresh";
  using enum MutationState;
  const std::pair<MutationKind, MutationState> entries[] = {
      {MutationKind::Protect, Done},         {MutationKind::Cordon, Intended},
      {MutationKind::Evict, Blocked},        {MutationKind::Taint, Unclear},
      {MutationKind::Evict, Failed},         {MutationKind::Release, Blocked},
      {MutationKind::ReleaseClaim, Intended}};
  for (const auto& [kind, state] : entries) {
    Mutation& m = step.run.journal.intend(kind, "", "a", "uid-a", kNow);
    m.state = state;
    m.not_before = kNow;
  }
  give_up(turn, "Drifted", "why");
  std::vector<std::string> reasons;
  for (const Mutation& m : step.run.journal.entries) reasons.push_back(m.reason);
  EXPECT_THAT(reasons, ElementsAre("", "Withdrawn", "Withdrawn", "Withdrawn", "", "", ""));
  EXPECT_EQ(step.run.journal.entries[1].state, Failed);
  EXPECT_EQ(step.run.journal.entries[1].settled, kNow);
  EXPECT_FALSE(step.run.journal.entries[1].not_before);
  EXPECT_EQ(step.run.phase, Phase::Aborting);
  EXPECT_EQ(step.run.reason, "Drifted");
  EXPECT_EQ(step.run.message, "why");
}

// ---- what a run brought

struct Ending : Turning {
  Outcome finish_with(const std::vector<bool>& reaped, Phase end = Phase::Succeeded) {
    step.run.phase = end == Phase::Succeeded ? Phase::AwaitingReap : Phase::Aborting;
    step.run.victims.clear();
    for (const bool r : reaped) {
      step.run.victims.push_back({"n", "u", "", "", false, r});
    }
    step.run.outcome = {10, 10, Money::from_dollars(1), {}, 0};
    step.run.late_watch_until.reset();
    finish(turn, end, "Completed", "done");
    return step.run.outcome;
  }
};

TEST_F(Ending, CountsNodesAndSavings) {
  EXPECT_EQ(finish_with({true, true}), (Outcome{10, 8, Money::from_dollars(1), Money::from_dollars(1), 0}));
  EXPECT_EQ(step.run.late_watch_until, kNow + stage.limits.after_reap);
  EXPECT_EQ(finish_with({true, false}), (Outcome{10, 9, Money::from_dollars(1), Money{}, 0}))
      << "what a part of the victims brings is not known";
  EXPECT_FALSE(step.run.late_watch_until);
  EXPECT_EQ(finish_with({}), (Outcome{10, 10, Money::from_dollars(1), Money{}, 0}));
  EXPECT_EQ(finish_with({true}, Phase::RolledBack).nodes_after, 9);
  EXPECT_FALSE(step.run.late_watch_until) << "only after a success";
}

TEST_F(Ending, CountsAReplacementThatStays) {
  step.run.claim = "fresh";
  EXPECT_EQ(finish_with({true}).nodes_after, 9);
  step.run.claim_node = "new";
  EXPECT_EQ(finish_with({true}).nodes_after, 10);
  Mutation& deletion = step.run.journal.intend(MutationKind::DeleteClaim, "", "fresh", "u", kNow);
  deletion.state = MutationState::Done;
  EXPECT_EQ(finish_with({true}).nodes_after, 9);
  deletion.state = MutationState::Failed;
  deletion.reason = "InUse";
  EXPECT_EQ(finish_with({true}).nodes_after, 10) << "it was spared";
}

TEST_F(Ending, CountsEvictionsThatHappened) {
  using enum MutationState;
  for (const MutationState state : {Done, Done, Failed, Blocked})
    step.run.journal.intend(MutationKind::Evict, "default", "p", "u", kNow).state = state;
  step.run.journal.intend(MutationKind::Cordon, "", "p", "u", kNow).state = Done;
  step.run.journal.entries[1].reason = "Gone";
  EXPECT_EQ(finish_with({true}).evictions, 1) << "one had gone by itself";
}

TEST_F(Ending, ForgetsWhatItsGuardsWaitedFor) {
  step.run.guards.pending["default/x"] = kNow;
  step.run.guards.unreadable_since = kNow;
  step.run.guards.distrusted_since = kNow;
  finish_with({true});
  EXPECT_TRUE(step.run.guards.pending.empty());
  EXPECT_FALSE(step.run.guards.unreadable_since);
  EXPECT_FALSE(step.run.guards.distrusted_since);
}

// An abort changes nothing once every node is gone, and is not heard twice.
TEST(AbortRequest, IsHeardWhileThereIsSomethingToSave) {
  Stage stage = three_nodes();
  stage.reaps_tainted = false;
  stage.approve({"b", "c"});
  ASSERT_TRUE(stage.play_until(Phase::AwaitingReap));
  stage.run.abort_requested = true;
  const auto phase_with = [&](bool first, bool second) {
    Stage copy = stage;
    copy.run.victims[0].reaped = first;
    copy.run.victims[1].reaped = second;
    return copy.look().run.phase;
  };
  EXPECT_EQ(phase_with(true, false), Phase::Aborting);
  EXPECT_NE(phase_with(true, true), Phase::Aborting);
  stage.run.victims.clear();
  EXPECT_EQ(stage.look().run.phase, Phase::Aborting);
}

TEST(AbortRequest, IsNotHeardAfterTheEnd) {
  Stage stage = two_nodes();
  stage.approve({"b"});
  ASSERT_TRUE(stage.play());
  stage.run.abort_requested = true;
  EXPECT_EQ(stage.look().run.phase, Phase::Succeeded);
  Stage aborted = two_nodes();
  aborted.approve({"b"});
  ASSERT_TRUE(aborted.play_until(Phase::Draining));
  aborted.run.abort_requested = true;
  aborted.refusals["b"] = {MutationState::Blocked, "Conflict", "", "", {}, {}};
  ASSERT_TRUE(aborted.play_until(Phase::Aborting));
  const std::size_t phases = aborted.run.phases.size();
  for (int i = 0; i < 3; ++i) aborted.turn();
  EXPECT_EQ(aborted.run.phases.size(), phases);
}

// ---- phases

TEST(PhaseClasses, OverTouchedAndWaiting) {
  for (std::size_t i = 0; i < kPhases; ++i) {
    const Phase p = static_cast<Phase>(i);
    EXPECT_EQ(over(p), p == Phase::Succeeded || p == Phase::RolledBack) << word(p);
    EXPECT_EQ(touched(p), p != Phase::Approved && p != Phase::Validating) << word(p);
    EXPECT_EQ(waits_for_reap(p), p == Phase::AwaitingReap || p == Phase::Escalated) << word(p);
  }
}

// ---- the document

// A run in which every field says something.
run::Run full_run() {
  run::Run run;
  run.name = "r";
  run.uid = "u";
  run.plan_hash = "h";
  run.approved_by = "ada";
  run.source = "dashboard";
  run.approved_at = kNow;
  run.phase = Phase::Draining;
  run.reason = "Why";
  run.message = "where it stands";
  run.phases = {{Phase::Approved, kNow, ""}, {Phase::Draining, kNow + Duration{1}, "because"}};
  run.plan_structure = "structure";
  run.plan_expires = kNow + Duration::minutes(30);
  run.pressure_guards = false;
  run.victims = {{"c", "uid-c", "claim-c", "uid-claim-c", true, true}};
  run.survivors = {{"a", "uid-a"}};
  run.replacement = proof::PlannedReplacement{"pool", {"s"}, {"spot"}, {"zone"}, Money::from_dollars(0.5)};
  run.claim = "claim";
  run.claim_uid = "uid-claim";
  run.claim_node = "new";
  Departing d{
      "ns", "pod", "uid-pod", Tier::High, "c", "a", "owner", true, 3, kNow, kNow + Duration::seconds(1)};
  run.moves = {d};
  Mutation m;
  m.id = 7;
  m.kind = MutationKind::Evict;
  m.ns = "ns";
  m.name = "pod";
  m.uid = "uid-pod";
  m.state = MutationState::Blocked;
  m.attempts = 2;
  m.intended = m.tried.emplace(kNow);
  m.settled = kNow + Duration::seconds(2);
  m.not_before = kNow + Duration::seconds(3);
  m.added = {"cordon"};
  m.reason = "Budget";
  m.message = "none left";
  run.journal.entries = {m};
  run.guards.baseline["a"] = {0.1, 0.2, 0.3};
  run.guards.before = {0.01, 0, 0};
  run.guards.during = {0, 0.02, 0};
  run.guards.after = {0, 0, 0.03};
  run.guards.application = {1.0, 2.0, 3.0};
  run.guards.last_eviction = kNow;
  run.guards.unreadable_since = kNow;
  run.guards.distrusted_since = kNow;
  run.guards.pending["ns/waiting"] = kNow;
  run.guards.tripped = "pressure";
  run.guards.late_trip = "late";
  run.outcome = {3, 2, Money::from_dollars(1), Money::from_dollars(2), 4};
  run.late_watch_until = kNow;
  run.audit_head = "head";
  return run;
}

std::string object_of(const run::Run& run) {
  return fmt::format(R"({{"metadata":{{"name":"{}","uid":"{}","creationTimestamp":"{}"}},)"
                     R"("spec":{{"planHash":"{}","approvedBy":"{}","source":"{}"}},"status":{}}})",
                     run.name, run.uid, format_rfc3339(run.approved_at), run.plan_hash, run.approved_by,
                     run.source, documents::write_status(run));
}

TEST(RunRoundTrip, KeepsEveryField) {
  const run::Run run = full_run();
  const auto back = documents::read_run(object_of(run));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, run);
}

TEST(RunRoundTrip, KeepsWhatIsAbsentAbsent) {
  run::Run run;
  run.name = "r";
  run.approved_at = kNow;
  run.phases = {{Phase::Approved, kNow, ""}};
  const std::string status = documents::write_status(run);
  const auto back = documents::read_run(object_of(run));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, run);
  for (const char* word :
       {"null", "false", "startedAt", "completedAt", "planExpires", "requestsOnly", "baseline", "before",
        "application", "pending", "replacement", "mutations", "\"reason\""})
    EXPECT_THAT(status, testing::Not(HasSubstr(word)));
}

TEST(RunRoundTrip, TimesKeepTheirFractions) {
  for (const std::int64_t ns : {0, 1, 999'999'999, 120'000'000}) {
    run::Run run = full_run();
    run.phases[1].at = kNow + Duration{ns};
    EXPECT_EQ(documents::read_run(object_of(run))->phases[1].at, kNow + Duration{ns}) << ns;
  }
  run::Run run = full_run();
  run.phases[1].at = kNow + Duration{5};
  EXPECT_THAT(documents::write_status(run), HasSubstr(R"("at":"2026-11-15T00:00:00.000000005Z")"));
  run.late_watch_until = Time{-1};  // before 1970: the fraction counts forward all the same
  EXPECT_THAT(documents::write_status(run),
              HasSubstr(R"("lateWatchUntil":"1969-12-31T23:59:59.999999999Z")"));
}

TEST(RunRoundTrip, PeopleSeeWhenItBeganAndEnded) {
  run::Run run = full_run();
  EXPECT_THAT(documents::write_status(run), HasSubstr(R"("startedAt":"2026-11-15T00:00:00.000000001Z")"));
  EXPECT_THAT(documents::write_status(run), testing::Not(HasSubstr("completedAt")));
  run.phases.push_back({Phase::RolledBack, kNow + Duration::seconds(9), ""});
  run.phase = Phase::RolledBack;
  EXPECT_THAT(documents::write_status(run), HasSubstr(R"("completedAt":"2026-11-15T00:00:09Z")"));
  run.phases = {{Phase::RolledBack, kNow, ""}};
  EXPECT_THAT(documents::write_status(run), testing::Not(HasSubstr("startedAt")));
}

// What is wrong with the document of full_run() when something in it was changed. "" if it can be read.
std::string problem_when(const std::function<void(wire::Tree&)>& change) {
  wire::Tree tree = *wire::read_tree(object_of(full_run()));
  change(tree);
  const auto run = documents::read_run(wire::to_json(tree));
  return run ? "" : run.error().message;
}

TEST(RunDocumentProblems, NameTheFieldAndWhatIsWrong) {
  using wire::Tree;
  const auto status = [](Tree& t) -> Tree& { return t.ensure("status"); };
  const auto journal = [&](Tree& t) -> Tree& { return status(t).ensure("journal"); };
  const auto first = [&](Tree& t, const char* list) -> Tree& {
    return journal(t).ensure(list).elements()[0];
  };
  EXPECT_EQ(problem_when([](Tree&) {}), "");
  struct Case {
    const char* message;
    std::function<void(Tree&)> change;
  };
  const Case cases[] = {
      {"reason: must be a string", [&](Tree& t) { status(t).set("reason", std::int64_t{5}); }},
      {"planHash: must be a string", [&](Tree& t) { t.ensure("spec").set("planHash", true); }},
      {"at: must be a time", [&](Tree& t) { first(t, "phases").set("at", "yesterday"); }},
      {"at: is missing", [&](Tree& t) { first(t, "phases").erase("at"); }},
      {"wasCordoned: must be true or false", [&](Tree& t) { first(t, "victims").set("wasCordoned", "yes"); }},
      {"readyBefore: must be a whole number", [&](Tree& t) { first(t, "moves").set("readyBefore", "3"); }},
      {"added: must be a list of strings",
       [&](Tree& t) { first(t, "mutations").ensure("added").append(std::int64_t{1}); }},
      {"added: must be a list", [&](Tree& t) { first(t, "mutations").set("added", "cordon"); }},
      {"moves: must be a list", [&](Tree& t) { journal(t).set("moves", "none"); }},
      {"guards: must be an object", [&](Tree& t) { journal(t).set("guards", "none"); }},
      {"replacement: must be an object", [&](Tree& t) { journal(t).set("replacement", "none"); }},
      {"version: is not known", [&](Tree& t) { journal(t).set("version", std::int64_t{2}); }},
      {"tier: is a word that is not known", [&](Tree& t) { first(t, "moves").set("tier", "Royal"); }},
      {"id: must not be 0", [&](Tree& t) { first(t, "mutations").set("id", std::int64_t{0}); }},
      {"id: is out of range", [&](Tree& t) { first(t, "mutations").set("id", std::int64_t{-1}); }},
      {"attempts: is out of range",
       [&](Tree& t) { first(t, "mutations").set("attempts", std::int64_t{1'000'000'001}); }},
      {"journal: is missing", [&](Tree& t) { status(t).erase("journal"); }},
      {"journal: is missing", [&](Tree& t) { status(t).set("journal", "none"); }},
      {"phases: are missing", [&](Tree& t) { journal(t).erase("phases"); }},
      {"phase: is not the newest of the journal", [&](Tree& t) { status(t).set("phase", "Settling"); }},
      {"mutations: must be in order of their ids",
       [&](Tree& t) { journal(t).ensure("mutations").append(Tree(first(t, "mutations"))); }},
  };
  for (const Case& c : cases)
    EXPECT_EQ(problem_when(c.change), std::string("ConsolidationRun r: ") + c.message);
  EXPECT_EQ(problem_when([](Tree& t) { t.ensure("metadata").erase("name"); }), "metadata.name: is missing");
}

TEST(RunDocumentProblems, TheFirstOfTwoIsTold) {
  EXPECT_EQ(problem_when([](wire::Tree& t) {
              t.ensure("spec").set("planHash", true);
              t.ensure("status").set("reason", true);
            }),
            "ConsolidationRun r: planHash: must be a string");
}

TEST(RunDocumentProblems, LargeNumbersMayBe) {
  EXPECT_EQ(problem_when([](wire::Tree& t) {
              wire::Tree& m = t.ensure({"status", "journal", "mutations"}).elements()[0];
              m.set("attempts", std::int64_t{1'000'000'000});
              m.set("id", std::int64_t{1});
            }),
            "");
}

// An approval that nobody has looked at has no status, or one without a journal.
TEST(RunDocumentProblems, AnApprovalNeedsNoJournal) {
  EXPECT_EQ(problem_when([](wire::Tree& t) { t.set("status", wire::Tree::object({{"phase", "Approved"}})); }),
            "");
  EXPECT_EQ(problem_when([](wire::Tree& t) {
              t.set("status", wire::Tree::object({{"phase", "Approved"}, {"journal", "none"}}));
            }),
            "ConsolidationRun r: journal: is missing");
}

TEST(RunDefaults, AreThoseOfAnApproval) {
  const run::Run run;
  EXPECT_EQ(run.phase, Phase::Approved);
  EXPECT_FALSE(run.abort_requested);
  EXPECT_TRUE(run.pressure_guards);
  EXPECT_FALSE(Victim{}.was_cordoned);
  EXPECT_FALSE(Victim{}.reaped);
  EXPECT_FALSE(Departing{}.foreign_owner);
  EXPECT_TRUE(Standing{}.over);
  const Desk desk;
  EXPECT_TRUE(desk.acts && desk.automatic && desk.pressure_guards && !desk.paused);
  EXPECT_TRUE(Desk::Other{}.used);
}

// ---- approval

struct Desks : testing::Test {
  Stage stage = two_nodes();
  proof::ConsolidationPlan plan = stage.plan({"b"});
  Desk desk;
  Desks() { desk.plan = &plan; }
  run::Run taken() {
    run::Run run = stage.run;
    take_in(run, desk, stage.cluster(), documents::status_bytes, stage.now);
    return run;
  }
};

TEST_F(Desks, OfTwoApprovalsTheEarlierGoesFirst) {
  const auto refused_for = [&](Time created, const char* name) {
    Desk::Other other;
    other.name = name;
    other.plan_hash = "other";
    other.created = created;
    desk.others = {other};
    return taken().reason == "AnotherRun";
  };
  const Time ours = stage.run.approved_at;
  EXPECT_TRUE(refused_for(ours - Duration::seconds(1), "z"));
  EXPECT_FALSE(refused_for(ours + Duration::seconds(1), "a"));
  EXPECT_TRUE(refused_for(ours, "a")) << "by name in the same second; ours is run-1";
  EXPECT_FALSE(refused_for(ours, "z"));
  EXPECT_FALSE(refused_for(ours - Duration::seconds(1), "run-1")) << "that is this very run";
}

TEST_F(Desks, ThisVeryRunUsedItsPlan) {
  Desk::Other self;
  self.name = stage.run.name;
  self.plan_hash = plan.hash;
  desk.others = {self};
  EXPECT_EQ(taken().phase, Phase::Validating);
}

TEST_F(Desks, ARunThatWaitsForItsReapHoldsItsNodesOnly) {
  Desk::Other other;
  other.name = "run-0";
  other.phase = Phase::AwaitingReap;
  const auto refused_with = [&](std::vector<std::string> victims, std::vector<std::string> survivors) {
    other.victims = std::move(victims);
    other.survivors = std::move(survivors);
    desk.others = {other};
    return taken().message;
  };
  constexpr auto kHeld = "run run-0 still holds one of the nodes";
  EXPECT_EQ(refused_with({"b"}, {}), kHeld);
  EXPECT_EQ(refused_with({}, {"x", "b"}), kHeld);
  EXPECT_EQ(refused_with({"a"}, {}), kHeld);
  EXPECT_EQ(taken().phase, Phase::RolledBack);
  refused_with({"x"}, {"a", "y"});
  EXPECT_EQ(taken().phase, Phase::Validating);
  desk.plan = nullptr;
  refused_with({"b"}, {});
  EXPECT_EQ(taken().reason, "StalePlan");
  EXPECT_EQ(taken().message, "no plan is published now");
}

TEST_F(Desks, APlanIsGoodUntilItsLastMoment) {
  stage.now = plan.expires - kInstant;
  EXPECT_EQ(taken().phase, Phase::Validating);
}

TEST_F(Desks, AReplacementIsOfAPoolThatKarpenterRuns) {
  plan.replacements = {{"default", {"m5.large"}, {}, {}, {}}};
  const auto taken_with = [&](auto change) {
    Cluster cluster = stage.cluster();
    change(cluster.pools[cluster.find_pool("default").index()]);
    run::Run run = stage.run;
    take_in(run, desk, cluster, documents::status_bytes, stage.now);
    return run.reason;
  };
  EXPECT_EQ(taken_with([](NodePool&) {}), "");
  EXPECT_EQ(taken_with([](NodePool& p) { p.has_object = false; }), "NoKarpenter");
  EXPECT_EQ(taken_with([](NodePool& p) { p.kind = PoolKind::NodeGroup; }), "NoKarpenter");
}

TEST_F(Desks, ThePlanIsCopied) {
  stage.node("b").ensure({"spec", "unschedulable"}) = true;
  stage.claims().erase("claim-a");
  plan.structure = "structure";
  plan.replacements = {{std::string(60, 'p'), {"m5.large"}, {}, {}, {}}};
  plan.replacements.clear();
  desk.pressure_guards = false;
  const run::Run run = taken();
  EXPECT_THAT(run.victims, ElementsAre(Victim{"b", "uid-b", "claim-b", "uid-claim-b", true, false}));
  EXPECT_EQ(run.plan_structure, "structure");
  EXPECT_EQ(run.plan_expires, plan.expires);
  EXPECT_FALSE(run.pressure_guards);
  EXPECT_FALSE(run.replacement);
  EXPECT_EQ(run.claim, "");
  EXPECT_EQ(run.outcome.nodes_before, 2);
  EXPECT_EQ(run.outcome.predicted_savings, plan.hourly_savings);
  ASSERT_EQ(run.moves.size(), 2U);
  EXPECT_EQ(run.moves[0].owner_uid, "uid-set-batch");
  EXPECT_FALSE(run.moves[0].foreign_owner);
}

TEST_F(Desks, AControllerOfAKindThatIsNotWatchedIsForeign) {
  stage.pod("batch-b").ensure({"metadata", "ownerReferences"}).elements()[0].set("kind", "Rollout");
  stage.pod("store-b").ensure({"metadata", "ownerReferences"}).elements()[0].set("controller", false);
  const run::Run run = taken();
  ASSERT_EQ(run.moves.size(), 2U);
  EXPECT_TRUE(run.moves[0].foreign_owner);
  EXPECT_EQ(run.moves[0].owner_uid, "uid-set-batch");
  EXPECT_FALSE(run.moves[1].foreign_owner);
  EXPECT_EQ(run.moves[1].owner_uid, "") << "its owner is not its controller";
}

TEST_F(Desks, TheClaimsNameFitsAndIsTheSameWhoeverAsks) {
  stage.run.uid = "uid-1";
  plan.replacements = {{"default", {"m5.large"}, {}, {}, {}}};
  const std::string name = taken().claim;
  EXPECT_EQ(name.size(), std::string("default-").size() + 10);
  EXPECT_EQ(taken().claim, name);
  stage.run.uid = "uid-2";
  EXPECT_NE(taken().claim, name);
}

// A status of at most 256 KiB, to the end. Each pod, victim and survivor will need entries in the journal.
TEST_F(Desks, WhatNoStatusCouldHoldIsTooLarge) {
  const auto fits = [&](std::size_t pods, std::size_t name, std::size_t nodes) {
    Stage large;
    large.add_node("a");
    large.add_node("b");
    for (std::size_t i = 1; i < nodes; ++i) large.add_node(fmt::format("n{:0{}}", i, name));
    proof::ConsolidationPlan p = large.plan({"b"});
    for (std::size_t i = 0; i < pods; ++i)
      p.moves.push_back(
          {std::string(name, 'n'), std::string(name, 'p'), std::string(name, 'u'), Tier::Normal, "b", "a"});
    run::Run run = large.run;
    Desk d;
    d.plan = &p;
    take_in(run, d, large.cluster(), documents::status_bytes, large.now);
    return run.phase == Phase::Validating;
  };
  // 224 KiB: a pod takes about 550 bytes of the journal and 100 of the plan, and its names twice.
  EXPECT_TRUE(fits(300, 10, 2));
  EXPECT_FALSE(fits(350, 10, 2));
  EXPECT_TRUE(fits(110, 200, 2));
  EXPECT_FALSE(fits(130, 200, 2));
  EXPECT_FALSE(fits(300, 10, 52)) << "fifty survivors take two entries each";
}

}  // namespace
}  // namespace tamp::run

// Random clusters, random faults at random times. While they last, no rule is broken; when they stop, every run ends and leaves
// nothing behind.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "documents/marks.h"
#include "run/stage_for_test.h"

namespace tamp::run {
namespace {

constexpr std::int32_t kPriorities[] = {1'000'000, 100'000, 0, -50, -1000};

int dice(int sides) { return *rc::gen::inRange(0, sides); }

Stage random_stage() {
  Stage stage;
  stage.limits.settle = Duration::seconds(10);
  stage.limits.escalate_after = Duration::seconds(40);
  stage.limits.give_up_after = Duration::minutes(5);
  stage.limits.ready_patience = Duration::minutes(3);
  stage.reap_delay = Duration::seconds(20);
  stage.reaps_cordoned = dice(2) == 0;
  const int nodes = 2 + dice(3);
  for (int i = 0; i < nodes; ++i) stage.add_node(fmt::format("n{}", i));
  const int pods = dice(7);
  for (int i = 0; i < pods; ++i) {
    const std::string app = fmt::format("app{}", dice(4));
    const std::int32_t priority = kPriorities[dice(5)];
    stage.add_pod({fmt::format("p{}", i), fmt::format("n{}", dice(nodes)), dice(8) == 0 ? "" : app,
                   priority == 0 ? std::nullopt : std::optional(priority), 10});
  }
  return stage;
}

struct Human {
  std::set<std::string> cordoned;  // by a person: they stay so
};

void misfortune(Stage& stage, Human& human) {
  const auto some_node = [&]() -> std::string {
    std::vector<std::string> names;
    for (const Victim& v : stage.run.victims) names.push_back(v.node);
    for (const Survivor& s : stage.run.survivors) names.push_back(s.node);
    std::erase_if(names, [&](const std::string& n) { return !stage.has_node(n); });
    return names.empty() ? "" : names[static_cast<std::size_t>(dice(static_cast<int>(names.size())))];
  };
  switch (dice(16)) {
    case 0:
      stage.schedules = !stage.schedules;
      break;
    case 1:
      stage.becomes_ready = !stage.becomes_ready;
      break;
    case 2:
      stage.stops = !stage.stops;
      break;
    case 3:
      stage.measures = !stage.measures;
      break;
    case 4:
      stage.pressure = dice(2) == 0 ? 0.0 : 0.5;
      break;
    case 5:
      stage.distrust = dice(2) == 0 ? "" : "a watch is broken";
      break;
    case 6:
      stage.paused = !stage.paused;
      break;
    case 7:
      stage.crash();
      break;
    case 8:
      if (dice(4) == 0) stage.run.abort_requested = true;
      break;
    case 9:
      if (const std::string n = some_node(); !n.empty() && dice(3) == 0) stage.remove_node(n);
      break;
    case 10:
      if (const std::string n = some_node(); !n.empty()) {
        const char* reasons[] = {"Conflict", "Unreachable", "Denied", "Throttled"};
        stage.refusals[n] = {MutationState::Failed, reasons[dice(4)], "", "", {}, {}};
      }
      break;
    case 11:
      for (const Departing& m : stage.run.moves)
        if (dice(3) == 0) stage.refusals[m.name] = {MutationState::Blocked, "Budget", "", "", {}, {}};
      break;
    case 12:
      stage.refusals.clear();
      break;
    case 13:  // somebody takes a protection off
      if (const std::string n = some_node(); !n.empty() && dice(2) == 0)
        stage.node(n).ensure({"metadata", "annotations"}).erase(kProtections[dice(3)]);
      break;
    case 14:  // somebody uncordons
      if (const std::string n = some_node(); !n.empty() && dice(2) == 0 && !human.cordoned.contains(n))
        stage.node(n).ensure("spec").erase("unschedulable");
      break;
    case 15:
      for (const Mutation& m : stage.run.journal.entries)
        if (dice(3) == 0) stage.unanswered.insert(m.id + 1);
      break;
    default:
      break;
  }
}

void heal(Stage& stage) {
  stage.schedules = stage.becomes_ready = stage.stops = stage.measures = true;
  stage.pressure = 0;
  stage.distrust.clear();
  stage.paused = false;
  stage.refusals.clear();
  stage.unanswered.clear();
}

// Every pod of a less important tier has left, and its controller is whole.
void check_order(const Run& run) {
  for (const Mutation& m : run.journal.entries) {
    if (m.kind != MutationKind::Evict || !m.open()) continue;
    const auto leaving =
        std::find_if(run.moves.begin(), run.moves.end(), [&](const Departing& d) { return d.uid == m.uid; });
    RC_ASSERT(leaving != run.moves.end());
    for (const Departing& d : run.moves) {
      if (d.tier > leaving->tier) RC_ASSERT(d.left.has_value() && d.replaced.has_value());
      if (d.uid != m.uid && d.left && !d.replaced)
        RC_ASSERT(d.owner_uid != leaving->owner_uid || d.owner_uid.empty());
    }
  }
}

TEST(Property, EveryRunEndsAndLeavesNothing) {
  rc::check([] {
    Stage stage = random_stage();
    Human human;
    const int cordoned = dice(6);
    if (stage.has_node(fmt::format("n{}", cordoned))) {
      human.cordoned.insert(fmt::format("n{}", cordoned));
      stage.node(fmt::format("n{}", cordoned)).ensure({"spec", "unschedulable"}) = true;
    }
    stage.approve({"n0"}, dice(4) == 0);
    const int turns = 10 + dice(40);
    for (int i = 0; i < turns && !over(stage.run.phase); ++i) {
      if (dice(3) == 0) misfortune(stage, human);
      const bool tripped = !stage.run.guards.tripped.empty();
      const std::size_t evicted = stage.evicted().size();
      stage.turn(Duration::seconds(5 + dice(10)));
      check_order(stage.run);
      if (tripped) RC_ASSERT(stage.evicted().size() == evicted);
    }
    heal(stage);
    RC_ASSERT(stage.play(Duration::hours(1)));
    for (const char* name : {"n0", "n1", "n2", "n3"}) {
      if (!stage.has_node(name)) continue;
      RC_ASSERT(!stage.annotated(name, kNote));
      for (const std::string_view key : kProtections) RC_ASSERT(!stage.annotated(name, key));
      RC_ASSERT(stage.schedulable(name) == !human.cordoned.contains(name));
    }
    if (stage.has_claim(stage.run.claim))
      RC_ASSERT(!stage.claims().at(stage.run.claim).at({"metadata", "annotations"}).has(kNote));
    RC_TAG(stage.run.reason);
  });
}

}  // namespace
}  // namespace tamp::run

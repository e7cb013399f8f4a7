// The plan's name, and how long a plan stays the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "proof/prove_testing.h"

namespace tamp::proof {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;

using Change = std::function<void(Fleet&)>;

ConsolidationPlan plan_of(const Fleet& fleet) {
  const situation::Context c = fleet.context();
  const NodeId victim = fleet.cluster.find_node("c");
  search::PlanOptions every;
  every.every = true;
  const search::Plan plan = search::make_plan(c, every);
  for (const price::Command& command : plan.commands)
    if (command.nodes == std::vector{victim}) return prove(fleet.evidence(c), {{victim}, &command, ""}).plan;
  return prove(fleet.evidence(c), {{victim}, nullptr, "none"}).plan;
}

Pod& pod(Fleet& fleet, std::string_view name) {
  return fleet.cluster.pods[fleet.cluster.find_pod("default", name).index()];
}
Node& node(Fleet& fleet, std::string_view name) {
  return fleet.cluster.nodes[fleet.cluster.find_node(name).index()];
}

TEST(PlanHash, ChangesWithEveryStructuralInput) {
  const std::string before = plan_of(Consolidable::make()).structure;
  const std::pair<const char*, Change> changes[] = {
      {"uid of a pod", [](Fleet& f) { pod(f, "memcached").uid = f.cluster.symbols.intern("other"); }},
      {"priority", [](Fleet& f) { pod(f, "filler-a").priority = 7; }},
      {"a mark of a pod", [](Fleet& f) { pod(f, "filler-b").deletion_cost = f.cluster.symbols.intern("5"); }},
      {"uid of a node", [](Fleet& f) { node(f, "a").uid = f.cluster.symbols.intern("other"); }},
      {"a label",
       [](Fleet& f) {
         const Symbol key = f.cluster.symbols.intern("x");
         node(f, "b").labels.set(key, f.cluster.symbols.intern("y"));
       }},
      {"capacity", [](Fleet& f) { node(f, "a").allocatable.set(kMemory, 15 * test::kGi); }},
      {"price", [](Fleet& f) { node(f, "c").price_override = Money::from_dollars(0.2); }},
      {"tiers", [](Fleet& f) { f.settings.tiers.critical = 2'000'000; }},
      {"guards", [](Fleet& f) { f.settings.guards.cpu_headroom = 0.7; }},
      {"guards of the run", [](Fleet& f) { f.settings.guards.run.settle = Duration::minutes(9); }},
      {"reap", [](Fleet& f) { f.settings.reap.give_up_after = Duration::minutes(9); }},
      {"policy", [](Fleet& f) { f.settings.min_nodes.value = 1; }},
      {"pool", [](Fleet& f) { f.settings.pools[0].savings_threshold.value = 0.001; }},
  };
  for (const auto& [what, change] : changes) {
    Fleet fleet = Consolidable::make();
    change(fleet);
    const ConsolidationPlan after = plan_of(fleet);
    EXPECT_NE(after.structure, before) << what;
    EXPECT_NE(after.hash, plan_of(Consolidable::make()).hash) << what;
  }
}

TEST(PlanHash, CoversWhatADisruptionBudgetSays) {
  const auto structure = [](std::optional<IntOrPercent> least, std::optional<IntOrPercent> most) {
    test::ClusterBuilder b;
    describe_fleet(b);
    auto& budget = b.pdb("filler").selects("app", "filler-c").allows(1).budget();
    budget.min_available = least;
    budget.max_unavailable = most;
    return plan_of(Fleet(b)).structure;
  };
  const IntOrPercent one{false, 1}, two{false, 2}, two_percent{true, 2};
  const std::vector<std::string> all = {structure({}, {}),          structure(one, {}), structure(two, {}),
                                        structure(two_percent, {}), structure({}, one), structure({}, two)};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all[i], all[j]) << i << " " << j;
  EXPECT_EQ(structure(one, two), structure(one, two));
}

TEST(PlanHash, CoversTheSelectorsOfPodsAndTheirAbsence) {
  const auto structure = [](std::optional<LabelSelector> selector, std::optional<LabelSelector> namespaces) {
    test::ClusterBuilder b;
    describe_fleet(b);
    PodAffinityTerm term;
    term.topology_key = b.word(test::kHostname);
    const auto translate = [&](const std::optional<LabelSelector>& s) -> std::optional<LabelSelector> {
      if (!s) return std::nullopt;
      return s->requirements.empty() ? LabelSelector{} : b.selector("x", "y");
    };
    term.selector = translate(selector);
    term.namespace_selector = translate(namespaces);
    b.pod("chooser").on("a").cpu(1).memory_mi(1).anti_affinity(term);
    return plan_of(Fleet(b)).structure;
  };
  const LabelSelector everything, some{{SelectorRequirement{}}};
  const std::vector<std::string> all = {structure({}, {}), structure(everything, {}), structure(some, {}),
                                        structure({}, everything), structure({}, some)};
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(all[i], all[j]) << i << " " << j;
}

TEST(PlanHash, DoesNotDependOnTheOrderOfObjects) {
  test::ClusterBuilder b;
  // The same objects and words, met in another order.
  b.word("zebra");
  for (const char* name : {"c", "b", "a"})
    b.pod(std::string("background-") + name).on(name).memory_mi(128).priority(-1000);
  b.pods(2, "filler-c").on("c").cpu(200).memory_mi(256);
  b.pod("filler-b").on("b").cpu(400).memory_mi(512);
  b.pod("filler-a").on("a").cpu(400).memory_mi(512);
  b.pod("memtier").on("b").cpu(500).memory_mi(512).priority(100'000);
  b.pod("memcached").on("a").cpu(1000).memory_gi(2).priority(1'000'000);
  for (const char* name : {"c", "b", "a"})
    b.node(name).cpu(4000).memory_gi(16).node().price_override = Money::from_dollars(0.134);
  b.pool("default");
  EXPECT_EQ(plan_of(Fleet(b)).hash, plan_of(Consolidable::make()).hash);
}

TEST(PlanHash, CoversTheMeasurementsButTheStructureDoesNot) {
  Fleet fleet = Consolidable::make();
  const ConsolidationPlan before = plan_of(fleet);
  fleet.measured("memcached").cpu_usage.s60 = 0.51;
  const ConsolidationPlan after = plan_of(fleet);
  EXPECT_NE(after.hash, before.hash);
  EXPECT_EQ(after.structure, before.structure);
}

TEST(PublishedPlan, StaysWhileOnlyMeasurementsMove) {
  Fleet fleet = Consolidable::make();
  const ConsolidationPlan published = *fleet.propose().plan;
  fleet.measured("memcached").cpu_usage.s60 = 0.51;
  fleet.now = fleet.now + Duration::seconds(20);
  const Proposal again = fleet.propose(&published);
  ASSERT_TRUE(again.plan.has_value());
  EXPECT_EQ(again.plan->hash, published.hash);
  EXPECT_EQ(again.plan->created, published.created);
}

TEST(PublishedPlan, GivesWayWhenItExpiresOrItsStructureChanges) {
  Fleet fleet = Consolidable::make();
  const ConsolidationPlan published = *fleet.propose().plan;
  fleet.now = published.expires;
  for (Observation& o : fleet.observations) o.at = fleet.now;
  const Proposal later = fleet.propose(&published);
  ASSERT_TRUE(later.plan.has_value());
  EXPECT_NE(later.plan->hash, published.hash);
  EXPECT_EQ(later.plan->structure, published.structure);
}

// A new leader knows of it what the status says.
TEST(PublishedPlan, IsTakenOverByANewLeader) {
  Fleet fleet = Consolidable::make();
  const ConsolidationPlan first = *fleet.propose().plan;
  fleet.measured("memcached").cpu_usage.s60 = 0.51;
  fleet.now = fleet.now + Duration::seconds(20);
  const ConsolidationPlan found =
      published_plan(first.hash, first.structure, first.victims, first.created, first.expires);
  const Proposal again = fleet.propose(&found);
  ASSERT_TRUE(again.plan.has_value());
  EXPECT_EQ(again.plan->hash, first.hash);
  EXPECT_EQ(again.plan->created, first.created);
  EXPECT_EQ(again.plan->moves, first.moves);
  EXPECT_EQ(again.plan->method, "single");
  EXPECT_FALSE(again.plan->parts.empty());

  pod(fleet, "filler-a").priority = 7;
  EXPECT_THAT(fleet.revalidate(found).drifted, ElementsAre("the structure changed"));
  EXPECT_NE(fleet.propose(&found).plan->hash, first.hash);
}

TEST(PlannerRequests, AsksForNoMeasurementAndSaysSo) {
  Fleet fleet = Consolidable::make();
  fleet.observations.clear();
  EXPECT_FALSE(fleet.propose().plan.has_value());
  fleet.measured_ = false;
  const Proposal proposal = fleet.propose();
  ASSERT_TRUE(proposal.plan.has_value());
  EXPECT_EQ(proposal.plan->planner, "Requests");
  EXPECT_THAT(proposal.plan->victims, ElementsAre("c"));
  for (const Check& check : proposal.plan->checks)
    if (check.name == "measurements" || check.name == "protected-pressure" ||
        check.name == "predicted-usage") {
      EXPECT_EQ(check.message(), "off: planner Requests decides on requests alone");
    }
  fleet.now = fleet.now + Duration::minutes(5);
  EXPECT_EQ(fleet.propose(&*proposal.plan).plan->created, proposal.plan->created);
}

TEST(PlannerRequests, ShowsWhatItDecidedAlsoWhereACheckFails) {
  Fleet fleet = Consolidable::make();
  fleet.measured_ = false;
  fleet.settings.guards.survive_one_more =
      true;  // two nodes are left, and one of them cannot hold everything
  fleet.settings.guards.reserved_cores = 4;
  const Proposal proposal = fleet.propose();
  EXPECT_FALSE(proposal.plan.has_value());
  ASSERT_TRUE(proposal.unproven.has_value());
  EXPECT_FALSE(proposal.unproven->holds());
  EXPECT_EQ(proposal.refusals.size(), 1u) << "the moves that were decided, and no others";
}

TEST(Revalidation, NamesWhatDrifted) {
  Fleet fleet = Consolidable::make();
  const ConsolidationPlan plan = *fleet.propose().plan;
  EXPECT_TRUE(fleet.revalidate(plan).holds);

  pod(fleet, "filler-a").priority = 7;
  const Revalidation drifted = fleet.revalidate(plan);
  EXPECT_FALSE(drifted.holds);
  EXPECT_THAT(drifted.drifted, ElementsAre("pod default/filler-a changed"));
  EXPECT_TRUE(drifted.failed.empty());
}

TEST(Revalidation, RunsTheChecksOnFreshMeasurements) {
  Fleet fleet = Consolidable::make();
  const ConsolidationPlan plan = *fleet.propose().plan;
  fleet.measured("memcached").cpu_corrected = same(0.5);
  const Revalidation answer = fleet.revalidate(plan);
  EXPECT_FALSE(answer.holds);
  EXPECT_TRUE(answer.drifted.empty());
  ASSERT_EQ(answer.failed.size(), 1u);
  EXPECT_EQ(answer.failed[0].name, "protected-pressure");
}

TEST(Revalidation, OfAVictimThatIsGoneSaysSo) {
  Fleet fleet = Consolidable::make();
  ConsolidationPlan plan = *fleet.propose().plan;
  plan.victims = {"z"};
  EXPECT_THAT(fleet.revalidate(plan).drifted, Contains("victim z is gone"));
}

// Its pods leave anyway then; their room and their disks must not be counted twice.
TEST(Revalidation, OfAVictimThatSomebodyElseRemovesFails) {
  test::ClusterBuilder b;
  describe_fleet(b);
  for (const char* node : {"a", "b", "c"})
    b.pod(std::string("disk-") + node).on(node).cpu(50).memory_mi(64).disk("kubernetes.io/gce-pd", node);
  Fleet fleet(b);
  fleet.settings.guards.survive_one_more = true;
  const auto proposal = fleet.propose();
  ASSERT_TRUE(proposal.plan.has_value()) << fleet.refusals("c");
  EXPECT_TRUE(fleet.revalidate(*proposal.plan).holds);
  const std::string& victim = proposal.plan->victims.front();
  fleet.cluster.nodes[fleet.cluster.find_node(victim).index()].deleted = test::kNow;
  const Revalidation answer = fleet.revalidate(*proposal.plan);
  EXPECT_FALSE(answer.holds);
  const auto is_blockers = [](const Check& check) { return check.name == "blockers"; };
  const auto blockers = std::find_if(answer.failed.begin(), answer.failed.end(), is_blockers);
  ASSERT_NE(blockers, answer.failed.end());
  EXPECT_THAT(blockers->message(), testing::HasSubstr(victim + ": Deleting"));
}

// A large machine, half empty, whose pods go to two of eight cores.
TEST(PlanHash, CoversEveryReplacement) {
  test::ClusterBuilder b;
  b.pool("default").budget("100%").savings_threshold(0);
  b.pool("default").requirement(test::kCapacityType, SelectorOp::In, {"on-demand"});
  b.type("xl").cpu(32'000).memory_gi(128).price(2.00);
  b.type("m").cpu(8000).memory_gi(32).price(0.40);
  b.node("c").type("xl");
  b.pods(14, "web").on("c").cpu(1000).memory_mi(512);
  Fleet fleet(b);
  fleet.settings.max_replacements.value = 2;
  const situation::Context c = fleet.context();
  const NodeId victim = fleet.cluster.find_node("c");
  const search::Plan decided = search::make_plan(c, {});
  ASSERT_EQ(decided.commands.size(), 1U);
  const price::Command& command = decided.commands.front();
  ASSERT_EQ(command.replacements.size(), 2U);

  const ConsolidationPlan plan = prove(fleet.evidence(c), {{victim}, &command, ""}).plan;
  EXPECT_EQ(plan.replacements.size(), 2U);
  for (const char* alias : {"replacement", "replacement-2"}) {
    EXPECT_EQ(std::count_if(plan.moves.begin(), plan.moves.end(),
                            [&](const PlannedMove& m) { return m.to == alias; }),
              7)
        << alias;
    EXPECT_EQ(std::count_if(plan.predicted.begin(), plan.predicted.end(),
                            [&](const PredictedNode& n) { return n.node == alias && n.pods == 7; }),
              1)
        << alias;
  }
  for (std::size_t i : {0U, 1U}) {
    price::Command other = command;
    other.replacements[i].price += Money{1};
    const ConsolidationPlan after = prove(fleet.evidence(c), {{victim}, &other, ""}).plan;
    EXPECT_NE(after.structure, plan.structure) << i;
    EXPECT_NE(after.hash, plan.hash) << i;
  }
}

}  // namespace
}  // namespace tamp::proof

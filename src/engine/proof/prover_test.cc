// A plan as people and runs read it; which moves are tried; and how long a plan holds.
#include "proof/prover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proof/prove_testing.h"

namespace tamp::proof {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// ---- what a plan says

TEST(Plan, SaysWhereEachPodGoes) {
  const Fleet fleet = Consolidable::make();
  const HandmadeMove move(fleet, {"c"}, {{"filler-c-0", "a"}, {"filler-c-1", "b"}, {"background-c", "b"}});
  const ConsolidationPlan plan =
      prove(fleet.evidence(move.context), {move.command.nodes, &move.command, ""}).plan;
  const auto uid = [&](std::string_view pod) {
    return std::string(
        fleet.cluster.text(fleet.cluster.pods[fleet.cluster.find_pod("default", pod).index()].uid));
  };
  EXPECT_THAT(
      plan.moves,
      ElementsAre(PlannedMove{"default", "background-c", uid("background-c"), Tier::Background, "c", "b"},
                  PlannedMove{"default", "filler-c-0", uid("filler-c-0"), Tier::Normal, "c", "a"},
                  PlannedMove{"default", "filler-c-1", uid("filler-c-1"), Tier::Normal, "c", "b"}));
  EXPECT_EQ(plan.planner, "SLO");
  EXPECT_THAT(plan.victims, ElementsAre("c"));
  EXPECT_THAT(plan.survivors, ElementsAre("a", "b"));
}

TEST(Plan, OfAPodWithoutAPlaceNamesNone) {
  const Fleet fleet = Consolidable::make();
  const HandmadeMove move(fleet, {"c"}, {{"filler-c-0", "a"}});
  const Proof proof = prove(fleet.evidence(move.context), {move.command.nodes, &move.command, ""});
  for (const PlannedMove& m : proof.plan.moves) EXPECT_EQ(m.to, m.name == "filler-c-0" ? "a" : "") << m.name;
  EXPECT_FALSE(proof.holds);
}

TEST(Plan, DescribesItsReplacementAndItsPrice) {
  test::ClusterBuilder b;
  b.pool("default").budget("100%").savings_threshold(0);
  b.type("s").cpu(4000).memory_gi(16).price(0.20).spot_price(0.10);
  b.type("l").cpu(16'000).memory_gi(64).price(0.80);
  b.node("c").type("l");
  b.pod("web").on("c").cpu(1000).memory_mi(512);
  const Fleet fleet(b);
  const situation::Context context = fleet.context();
  price::Command command;
  command.method = price::Method::Single;
  command.nodes = {fleet.cluster.find_node("c")};
  command.moves = {{fleet.cluster.find_pod("default", "web"), command.nodes.front(), NodeId()}};
  command.savings = Money::from_dollars(0.6);
  command.disruption_cost = 1.5;
  command.required_savings = Money::from_dollars(0.015);
  price::Replacement r;
  r.pool = fleet.cluster.find_pool("default");
  for (std::size_t t = 0; t < fleet.cluster.catalogue->types.size(); ++t)
    if (fleet.cluster.text(fleet.cluster.catalogue->types[t].name) == "s") r.types = {TypeId(t)};
  r.capacity_types = {fleet.cluster.known.on_demand, fleet.cluster.known.spot};
  r.zones = {fleet.cluster.symbols.find("test-zone-a")};
  r.price = Money::from_dollars(0.2);
  command.replacements = {r};
  const ConsolidationPlan plan = prove(fleet.evidence(context), {command.nodes, &command, ""}).plan;
  EXPECT_THAT(plan.replacements,
              ElementsAre(PlannedReplacement{
                  "default", {"s"}, {"on-demand", "spot"}, {"test-zone-a"}, Money::from_dollars(0.2)}));
  EXPECT_EQ(plan.moves.at(0).to, "replacement");
  EXPECT_TRUE(plan.survivors.empty()) << "it does not exist yet";
  EXPECT_EQ(plan.hourly_savings, Money::from_dollars(0.6));
  EXPECT_EQ(plan.method, "single");
  EXPECT_EQ(plan.disruption_cost, 1.5);
  EXPECT_EQ(plan.required_savings, Money::from_dollars(0.015));
}

TEST(Plan, IsGoodForAsLongAsThePolicySays) {
  Fleet fleet = Consolidable::make();
  fleet.settings.guards.plan_expiry = Duration::minutes(7);
  const ConsolidationPlan plan = *fleet.propose().plan;
  EXPECT_EQ(plan.created, fleet.now);
  EXPECT_EQ(plan.expires, fleet.now + Duration::minutes(7));
}

// ---- which moves are tried

TEST(Proposal, TriesEachNodeByItselfWhereTheDecisionIsRefused) {
  // The decision takes b and c together; b's protected pod suffers, and c may go alone.
  Fleet fleet = Consolidable::make();
  fleet.measured("memtier").cpu_corrected = same(0.0);
  const situation::Context context = fleet.context();
  search::Plan decision;
  price::Command both;
  both.nodes = {fleet.cluster.find_node("c"), fleet.cluster.find_node("b")};
  decision.commands = {both};
  const Proposal proposal = proof::propose(fleet.evidence(context), decision);
  ASSERT_FALSE(proposal.refusals.empty());
  EXPECT_THAT(proposal.refusals[0].victims, ElementsAre("b", "c")) << "in name order";
  ASSERT_TRUE(proposal.plan.has_value());
  EXPECT_THAT(proposal.plan->victims, ElementsAre("c"));
  EXPECT_FALSE(proposal.unproven.has_value());
}

TEST(Proposal, TriesNoMoveTwice) {
  Fleet fleet = Consolidable::make();
  fleet.observations.clear();
  const situation::Context context = fleet.context();
  search::Plan decision;
  price::Command command;
  command.nodes = {fleet.cluster.find_node("c")};
  decision.commands = {command, command};
  const Proposal proposal = proof::propose(fleet.evidence(context), decision);
  std::vector<std::string> tried;
  for (const Refusal& r : proposal.refusals) tried.push_back(r.victims.at(0));
  std::sort(tried.begin(), tried.end());
  EXPECT_EQ(std::adjacent_find(tried.begin(), tried.end()), tried.end());
  EXPECT_THAT(tried, Contains("c"));
}

TEST(Proposal, LooksAtSixteenMovesAtMost) {
  test::ClusterBuilder b;
  b.pool("default").budget("100%");
  for (int i = 0; i < 20; ++i) {
    const std::string name = "n" + std::to_string(100 + i);
    b.node(name).cpu(4000).memory_gi(16).node().price_override = Money::from_dollars(1);
    b.pod("web-" + name).on(name).cpu(100).memory_mi(64);
  }
  Fleet fleet(b);
  fleet.observations.clear();
  const Proposal proposal = fleet.propose();
  EXPECT_FALSE(proposal.plan.has_value());
  EXPECT_EQ(proposal.refusals.size(), kMostTries);
}

TEST(Proposal, SaysWhyAPodHasNoPlace) {
  // b's pod is too large for a and c: no command takes b, but its refusal is told.
  test::ClusterBuilder b;
  describe_fleet(b);
  b.pod("resident-c").on("c").cpu(1000).memory_mi(64);
  b.pod("big").on("b").cpu(2900).memory_mi(64);
  Fleet fleet(b);
  fleet.observations.clear();
  const Proposal proposal = fleet.propose();
  const auto of_b = std::find_if(proposal.refusals.begin(), proposal.refusals.end(),
                                 [](const Refusal& r) { return r.victims == std::vector<std::string>{"b"}; });
  ASSERT_NE(of_b, proposal.refusals.end());
  const auto placement = std::find_if(of_b->checks.begin(), of_b->checks.end(),
                                      [](const Check& c) { return c.name == "placement"; });
  EXPECT_FALSE(placement->passed);
  EXPECT_THAT(placement->message(), HasSubstr("default/big"));
}

TEST(Proposal, PassesOverNodesThatAGateHolds) {
  test::ClusterBuilder b;
  describe_fleet(b);
  b.node("b").do_not_disrupt();
  Fleet fleet(b);
  fleet.observations.clear();
  for (const Refusal& r : fleet.propose().refusals) EXPECT_THAT(r.victims, ::testing::Not(Contains("b")));
}

TEST(PlannerRequests, LeavesAtTheFirstMoveThatWasDecided) {
  Fleet fleet = Consolidable::make();
  fleet.measured_ = false;
  fleet.settings.guards.reserved_cores = 4;
  const situation::Context context = fleet.context();
  search::Plan decision;
  for (const char* node : {"c", "b"}) {
    price::Command command;
    command.nodes = {fleet.cluster.find_node(node)};
    decision.commands.push_back(command);
  }
  const Proposal proposal = proof::propose(fleet.evidence(context), decision);
  EXPECT_EQ(proposal.refusals.size(), 2U);
  ASSERT_TRUE(proposal.unproven.has_value());
  EXPECT_THAT(proposal.unproven->victims, ElementsAre("c"));
}

// ---- a published plan

TEST(PublishedPlan, ThatFailsFreshChecksGivesWay) {
  Fleet fleet = Consolidable::make();
  const ConsolidationPlan published = *fleet.propose().plan;
  fleet.measured("memcached").cpu_corrected = same(0.5);
  EXPECT_FALSE(fleet.propose(&published).plan.has_value());
}

TEST(PublishedPlan, OfNoNodesIsNone) {
  Fleet fleet = Consolidable::make();
  const ConsolidationPlan nothing = published_plan("hash", "", {}, fleet.now, fleet.now + Duration::hours(1));
  const Proposal proposal = fleet.propose(&nothing);
  ASSERT_TRUE(proposal.plan.has_value());
  EXPECT_THAT(proposal.plan->victims, ElementsAre("c"));
  EXPECT_NE(proposal.plan->hash, "hash");
}

TEST(PublishedPlan, IsKeptWholeByWhoeverMadeIt) {
  Fleet fleet = Consolidable::make();
  ConsolidationPlan published = *fleet.propose().plan;
  published.method = "as it was published";
  fleet.now = fleet.now + Duration::seconds(20);
  EXPECT_EQ(fleet.propose(&published).plan->method, "as it was published");
}

// The same plan, found anew by the ordinary way, keeps its name and times. It was refused when it was renewed,
// since its structure is not known.
TEST(PublishedPlan, ThatIsFoundAgainKeepsItsTimesUntilItExpires) {
  Fleet fleet = Consolidable::make();
  const ConsolidationPlan first = *fleet.propose().plan;
  ConsolidationPlan unknown = first;
  unknown.structure = "of an earlier version";
  unknown.parts.clear();
  unknown.created = fleet.now - Duration::minutes(10);
  unknown.expires = fleet.now + Duration::seconds(1);
  const Proposal again = fleet.propose(&unknown);
  ASSERT_TRUE(again.plan.has_value());
  EXPECT_EQ(again.plan->hash, first.hash);
  EXPECT_EQ(again.plan->created, unknown.created);
  EXPECT_EQ(again.plan->expires, unknown.expires);
  unknown.expires = fleet.now;
  EXPECT_EQ(fleet.propose(&unknown).plan->created, fleet.now) << "it has expired";
  unknown.expires = fleet.now + Duration::seconds(1);
  unknown.hash = "another";
  EXPECT_EQ(fleet.propose(&unknown).plan->created, fleet.now) << "it is another plan";
}

// ---- revalidation

Node& node(Fleet& fleet, std::string_view name) {
  return fleet.cluster.nodes[fleet.cluster.find_node(name).index()];
}

TEST(Revalidation, ExpiresInTheMomentThatThePlanNames) {
  Fleet fleet = Consolidable::make();
  ConsolidationPlan plan = *fleet.propose().plan;
  plan.expires = fleet.now + Duration{1};
  EXPECT_TRUE(fleet.revalidate(plan).holds);
  plan.expires = fleet.now;
  const Revalidation answer = fleet.revalidate(plan);
  EXPECT_FALSE(answer.holds);
  EXPECT_THAT(answer.drifted, ElementsAre("the plan expired at 2026-11-15T00:00:00Z"));
}

TEST(Revalidation, NamesWhatCameWentAndChanged) {
  Fleet fleet = Consolidable::make();
  const ConsolidationPlan plan = *fleet.propose().plan;
  node(fleet, "a").uid = fleet.cluster.symbols.intern("other");
  fleet.cluster.pods[fleet.cluster.find_pod("default", "filler-b").index()].name =
      fleet.cluster.symbols.intern("filler-z");
  const Revalidation answer = fleet.revalidate(plan);
  EXPECT_FALSE(answer.holds);
  EXPECT_THAT(answer.drifted, ElementsAre("pod default/filler-b is gone", "survivor a changed",
                                          "pod default/filler-z is new"));
}

TEST(Revalidation, OfAPlanWithoutPartsKnowsOnlyThatItDrifted) {
  Fleet fleet = Consolidable::make();
  const ConsolidationPlan plan = *fleet.propose().plan;
  const ConsolidationPlan found =
      published_plan(plan.hash, plan.structure, plan.victims, plan.created, plan.expires);
  EXPECT_TRUE(fleet.revalidate(found).holds);
  EXPECT_THAT(fleet.revalidate(found).drifted, ElementsAre());
  node(fleet, "a").uid = fleet.cluster.symbols.intern("other");
  EXPECT_THAT(fleet.revalidate(found).drifted, ElementsAre("the structure changed"));
}

TEST(Revalidation, NamesTheVictimsThatAreGoneAndNoOthers) {
  Fleet fleet = Consolidable::make();
  ConsolidationPlan plan = *fleet.propose().plan;
  plan.victims = {"c", "y", "z"};
  const Revalidation answer = fleet.revalidate(plan);
  EXPECT_FALSE(answer.holds);
  EXPECT_THAT(answer.drifted, ElementsAre("victim y is gone", "victim z is gone"));
}

TEST(Revalidation, OfSeveralNodesLooksForPlacesForAllOfThem) {
  test::ClusterBuilder b;
  b.pool("default").budget("100%");
  for (const char* name : {"a", "b", "c"}) {
    b.node(name).cpu(4000).memory_gi(16).node().price_override = Money::from_dollars(0.134);
    b.pod(std::string("web-") + name).on(name).cpu(100).memory_mi(64);
  }
  const Fleet fleet(b);
  const ConsolidationPlan plan = *fleet.propose().plan;
  ASSERT_EQ(plan.victims.size(), 2U);
  EXPECT_EQ(plan.method, "multi");
  EXPECT_TRUE(fleet.revalidate(plan).holds);
  const ConsolidationPlan found =
      published_plan(plan.hash, plan.structure, plan.victims, plan.created, plan.expires);
  EXPECT_EQ(fleet.propose(&found).plan->method, "multi");
  ConsolidationPlan one = found;
  one.victims.pop_back();
  EXPECT_FALSE(fleet.revalidate(one).holds) << "another plan than that of its structure";
}

// A new leader proves a plan of empty nodes again: what it saves is what the nodes cost.
TEST(Revalidation, OfEmptyNodesNeedsNoPlacement) {
  const auto renewed = [](bool priced) {
    test::ClusterBuilder b;
    b.pool("default").budget("100%").savings_threshold(0);
    for (const char* name : {"a", "b", "c"}) b.node(name).cpu(4000).memory_gi(16);
    b.pod("web").on("a").cpu(3900).memory_mi(64);
    b.node("b").node().price_override = Money::from_dollars(0.25);
    if (priced) b.node("c").node().price_override = Money::from_dollars(0.5);
    Fleet fleet(b);
    const situation::Context context = fleet.context();
    price::Command command;
    command.method = price::Method::Empty;
    command.nodes = {fleet.cluster.find_node("b"), fleet.cluster.find_node("c")};
    const ConsolidationPlan plan = prove(fleet.evidence(context), {command.nodes, &command, ""}).plan;
    EXPECT_TRUE(plan.holds());
    EXPECT_TRUE(fleet.revalidate(plan).holds);
    const ConsolidationPlan found =
        published_plan(plan.hash, plan.structure, plan.victims, plan.created, plan.expires);
    return *fleet.propose(&found).plan;
  };
  const ConsolidationPlan known = renewed(true);
  EXPECT_EQ(known.method, "empty");
  EXPECT_THAT(known.victims, ElementsAre("b", "c"));
  EXPECT_EQ(known.hourly_savings, Money::from_dollars(0.75));
  EXPECT_TRUE(known.savings_known);
  const ConsolidationPlan unknown = renewed(false);
  EXPECT_EQ(unknown.hourly_savings, Money::from_dollars(0.25));
  EXPECT_FALSE(unknown.savings_known) << "c has no price";
}

TEST(Revalidation, OfOneEmptyNodeAndOneWithPodsLooksForAPlace) {
  test::ClusterBuilder b;
  b.pool("default").budget("100%").savings_threshold(0);
  for (const char* name : {"a", "b", "c"})
    b.node(name).cpu(4000).memory_gi(16).node().price_override = Money::from_dollars(0.25);
  b.pod("full").on("a").cpu(4000).memory_mi(64);
  b.pod("web").on("b").cpu(100).memory_mi(64);
  const Fleet fleet(b);
  const ConsolidationPlan plan = published_plan("hash", "structure", {"b", "c"}, fleet.now, fleet.now);
  const Revalidation answer = fleet.revalidate(plan);
  EXPECT_THAT(answer.failed, Contains(::testing::Field(&Check::name, "placement")));
}

// ---- the parts of the structure

TEST(Structure, IsMadeOfNamedPartsInOrder) {
  test::ClusterBuilder b;
  describe_fleet(b);
  b.pdb("filler").selects("app", "filler-c").allows(2);
  b.pdb("elsewhere").selects("app", "memtier").allows(2);
  Fleet fleet(b);
  AutoscalerStatus status{{{"group-a", 1, 2, 2}, {"group-b", {}, 2, 2}}};
  fleet.autoscaler = &status;
  const HandmadeMove move(fleet, {"c"}, {{"filler-c-0", "a"}, {"filler-c-1", "b"}, {"background-c", "b"}});
  std::vector<std::string> parts;
  for (const Part& part :
       prove(fleet.evidence(move.context), {move.command.nodes, &move.command, ""}).plan.parts)
    parts.push_back(part.what);
  EXPECT_THAT(
      parts,
      ElementsAre("autoscaler group group-a", "autoscaler group group-b", "disruption budget default/filler",
                  "pod default/background-a", "pod default/background-b", "pod default/background-c",
                  "pod default/filler-a", "pod default/filler-b", "pod default/filler-c-0",
                  "pod default/filler-c-1", "pod default/memcached", "pod default/memtier", "policy",
                  "pool default", "price of c", "survivor a", "survivor b", "victim c"));
}

}  // namespace
}  // namespace tamp::proof

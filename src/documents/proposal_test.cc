#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/json_writer.h"
#include "documents/proposal_fields.h"
#include "explain/proposal_page.h"

namespace tamp::documents {
namespace {

using ::testing::HasSubstr;

proof::Proposal refused() {
  proof::Proposal proposal;
  proposal.refusals.push_back(
      {{"c"},
       {{"measurements", true, "6 pods", ""}, {"critical-whole-core", false, "predicted 3 cores > 1", "a"}}});
  return proposal;
}

proof::Proposal proven() {
  proof::Proposal proposal;
  proposal.plan.emplace();
  proposal.plan->hash = "abc";
  proposal.plan->victims = {"c"};
  proposal.plan->survivors = {"a", "b"};
  proposal.plan->hourly_savings = Money::from_dollars(0.1);
  proposal.plan->moves = {{"shop", "web", "u1", Tier::High, "c", "a"}};
  proposal.plan->checks = {{"measurements", true, "6 pods", ""}};
  return proposal;
}

std::string json(const proof::Proposal& proposal) {
  JsonWriter w;
  w.begin_object();
  write_proposal(w, proposal);
  w.end_object();
  return w.take();
}

TEST(Proposal, ARefusalReadsWithTheNameOfItsCheck) {
  EXPECT_EQ(
      json(refused()),
      R"({"plan":null,"refusals":[{"victims":["c"],"checks":[)"
      R"({"name":"measurements","passed":true,"message":"6 pods"},)"
      R"({"name":"critical-whole-core","passed":false,"message":"critical-whole-core: predicted 3 cores > 1","subject":"a"}]}]})");
}

TEST(Proposal, APlanHasItsHashAndSavings) {
  const std::string text = json(proven());
  EXPECT_THAT(text, HasSubstr(R"("hash":"abc")"));
  EXPECT_THAT(text, HasSubstr(R"("victims":["c"],"survivors":["a","b"],"replacement":null)"));
  EXPECT_THAT(text, HasSubstr(R"("tier":"High","from":"c","to":"a")"));
  EXPECT_THAT(text, HasSubstr(R"("hourlySavings":0.1,"monthlySavings":73)"));
  EXPECT_THAT(text, HasSubstr(R"("refusals":[])"));
}

TEST(Proposal, ThePageShowsEveryCheck) {
  EXPECT_THAT(explain::proposal_page(proven(), {}), HasSubstr("PROVEN PLAN abc"));
  EXPECT_THAT(explain::proposal_page(refused(), {}), HasSubstr("NO PLAN IS PROVEN"));
  EXPECT_THAT(explain::proposal_page(refused(), {}),
              HasSubstr("failed  critical-whole-core  predicted 3 cores > 1"));
  EXPECT_THAT(explain::proposal_page({}, {}), HasSubstr("there was no move to prove"));
}

}  // namespace
}  // namespace tamp::documents

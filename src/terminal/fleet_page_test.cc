#include "terminal/fleet_page.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tamp::terminal {
namespace {

const explain::Style kPlain{.color = false, .width = 100};

FleetPage three_nodes() {
  FleetPage page;
  page.title = "three nodes";
  page.now = Time{1'794'733'200'000'000'000};
  page.speed = 10;
  for (int i = 1; i <= 3; ++i)
    page.nodes.push_back({"n" + std::to_string(i), "pool", "e2-standard-4", Money::from_dollars(0.134), 0.5,
                          0.25, 4, i == 3 ? FleetNode::State::Planned : FleetNode::State::Ready});
  page.pods = 12;
  return page;
}

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(FleetPage, ShowsCostNodesAndPlan) {
  FleetPage page = three_nodes();
  page.plan_hash = "0123456789ab";
  page.plan = {"delete n3, saves $0.134/h"};
  page.reasons = {"2 nodes stay: NoPlace"};
  page.news = {{page.now, explain::Ink::Plain, "hello"}};
  const std::string text = fleet_page(page, kPlain, 40);
  for (const char* part : {"three nodes", "$0.402/h", "3 nodes", "12 pods", "n1", "50%", "25%", "could go",
                           "plan 0123456789ab", "delete n3, saves $0.134/h", "NoPlace", "hello"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(FleetPage, ShowsARunInPlaceOfThePlan) {
  FleetPage page = three_nodes();
  page.runs = {{"run-0", "RolledBack", "AbortRequested", 1, 3, true}, {"run-1", "Draining", "", 1, 3, false}};
  const std::string text = fleet_page(page, kPlain, 40);
  EXPECT_NE(text.find("run-1: Draining, 1 of 3 pods have left"), std::string::npos) << text;
  EXPECT_EQ(text.find("run-0"), std::string::npos) << "that one is over";
  EXPECT_EQ(text.find("nothing is worth moving"), std::string::npos) << text;
  EXPECT_EQ(run_news(page.runs[0]), "run-0: RolledBack (AbortRequested), 1 of 3 pods have left");
}

TEST(FleetPage, SaysHowMuchLessItCostsThanAtTheStart) {
  FleetPage page = three_nodes();
  page.cost_at_start = Money::from_dollars(0.804);
  EXPECT_NE(fleet_page(page, kPlain, 40).find("50% below the start"), std::string::npos);
}

TEST(FleetPage, NeverTakesMoreRowsThanThereAre) {
  FleetPage page = three_nodes();
  for (int i = 0; i < 500; ++i) {
    page.nodes.push_back(
        {"m" + std::to_string(i), "pool-" + std::to_string(i % 3), "t", {}, 0.3, 0.3, 1, {}});
    page.news.push_back({page.now, explain::Ink::Plain, "something"});
  }
  page.try_these = {"kubectl get nodes"};
  for (std::size_t rows : {24U, 30U, 60U}) EXPECT_LE(lines_of(fleet_page(page, kPlain, rows)), rows);
}

TEST(FleetPage, ForeignNamesCannotDriveTheTerminal) {
  FleetPage page = three_nodes();
  page.nodes[0].name = "evil\x1b[2J";
  page.news = {{page.now, explain::Ink::Plain, "also\x1b[2J"}};
  EXPECT_EQ(fleet_page(page, kPlain, 40).find('\x1b'), std::string::npos);
}

TEST(FleetPage, WhatIsPendingIsCounted) {
  FleetPage page = three_nodes();
  page.pending = 2;
  EXPECT_NE(fleet_line(page, kPlain).find("2 pending"), std::string::npos);
}

}  // namespace
}  // namespace tamp::terminal

#include "fit/topology_counts.h"

#include <gtest/gtest.h>

#include <limits>

#include "fit/index.h"
#include "support/cluster_builder.h"

namespace tamp::fit {
namespace {

using test::ClusterBuilder;
using test::kHostname;
using test::kZone;
using Existence = TopologyCounts::Existence;

// The one spread group of pods "web" over a key.
GroupId spread_group(const Index& index) {
  for (std::size_t g = 0; g < index.topology().groups().size(); ++g)
    if (index.topology().groups()[g].kind == Group::Kind::Spread) return GroupId(g);
  return {};
}

TEST(TopologyCounts, CountsWhatIsBound) {
  ClusterBuilder c;
  c.node("a").zone("z1");
  c.node("b").zone("z2");
  c.pods(3, "web").on("a").spread(kZone, "app", "web");
  c.pods(1, "web").on("b").spread(kZone, "app", "web");
  c.pod("done").on("b").label("app", "web").phase(PodPhase::Succeeded);
  c.pod("going").on("b").label("app", "web").terminating();
  Cluster cluster = c.build();
  Index index(cluster, Options{});
  const TopologyCounts& counts = index.initial_counts();
  GroupId g = spread_group(index);
  EXPECT_EQ(counts.total(g), 4) << "neither the finished nor the terminating pod counts for spread";
  EXPECT_EQ(counts.least(g, Existence::WithGhosts), 1);
}

TEST(TopologyCounts, AnEmptyDomainIsTheLeast) {
  ClusterBuilder c;
  c.node("a").zone("z1");
  c.node("b").zone("z2");
  c.pods(3, "web").on("a").spread(kZone, "app", "web");
  Cluster cluster = c.build();
  Index index(cluster, Options{});
  TopologyCounts counts = index.initial_counts();
  GroupId g = spread_group(index);
  EXPECT_EQ(counts.least(g, Existence::WithGhosts), 0);
  SiteId b = index.site_of(cluster.find_node("b"));
  counts.change_presence(b, -1);
  EXPECT_EQ(counts.least(g, Existence::WithGhosts), 0) << "as a ghost it is still there";
  EXPECT_EQ(counts.least(g, Existence::GhostsGone), 3) << "gone, it is no domain any more";
  counts.change_presence(b, +1);
  EXPECT_EQ(counts.least(g, Existence::GhostsGone), 0);
}

TEST(TopologyCounts, FewerDomainsThanMinDomainsMeansZero) {
  ClusterBuilder c;
  c.node("a").zone("z1");
  auto constraint = c.constraint(c.selector("app", "web"), kZone, 1);
  constraint.min_domains = 2;
  c.pods(3, "web").on("a").spread(constraint);
  Cluster cluster = c.build();
  Index index(cluster, Options{});
  EXPECT_EQ(index.initial_counts().least(spread_group(index), Existence::WithGhosts), 0);
}

// The same question asked of many host names takes the histogram instead of the loop; the answers must not differ.
TEST(TopologyCounts, ManyDomainsGiveTheSameAnswersAsFew) {
  for (int hosts : {10, 200}) {
    ClusterBuilder c;
    for (int i = 0; i < hosts; ++i) {
      std::string name = "n" + std::to_string(i);
      c.node(name);
      c.pods(static_cast<std::size_t>(1 + i % 3), "web").on(name).spread(kHostname, "app", "web");
    }
    Cluster cluster = c.build();
    Index index(cluster, Options{});
    TopologyCounts counts = index.initial_counts();
    GroupId g = spread_group(index);
    EXPECT_EQ(counts.least(g, Existence::WithGhosts), 1) << hosts;
    DomainId first =
        index.topology().domain(index.topology().group(g).key, index.site_of(cluster.find_node("n0")));
    counts.add(g, first, -1);
    EXPECT_EQ(counts.least(g, Existence::WithGhosts), 0) << hosts;
    counts.add(g, first, +1);
    EXPECT_EQ(counts.least(g, Existence::WithGhosts), 1) << hosts;
  }
}

}  // namespace
}  // namespace tamp::fit

// A store that is kept current by lists and events, in whatever order, always shows what a snapshot of the same objects
// would. Seeds are fixed; a failure names the one that failed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <tuple>

#include "fuzz/check_cluster.h"
#include "property/cluster_objects.h"
#include "store/store.h"
#include "support/random_cluster.h"
#include "wire/reading_for_test.h"

namespace tamp::test {
namespace {

using store::ClusterStore;
using wire::ObjectKind;

// What an API server would hold, and the ways in which a client hears of it.
class Server {
 public:
  explicit Server(std::uint64_t seed) : random_(seed) {
    RandomShape shape;
    shape.min_nodes = 3;
    shape.unmanaged = shape.uninitialized = 0.2;
    // Three clusters with the same few names: what exists under a name changes from one to the other.
    for (std::uint64_t i = 0; i < 3; ++i)
      for (ObjectText& object : objects_of(random_cluster(3 * seed + i, shape))) {
        if (i == 0) objects_[key_of(object)] = object.json;
        stock_.push_back(std::move(object));
      }
    for (const auto& kind : wire::kinds()) relist(kind.id);
  }

  void step() {
    const ObjectText& chosen = stock_[random_() % stock_.size()];
    const auto kind = wire::kinds()[random_() % wire::kObjectKinds].id;
    switch (random_() % 12) {
      case 0:
        relist(kind);
        break;
      case 1:
        give_up_a_list(kind);
        break;
      case 2:
        store.compact();
        break;
      case 3:
        break_object(chosen);
        break;
      case 4:
      case 5:
      case 6:
        if (const auto it = objects_.find(key_of(chosen)); it != objects_.end()) {
          send(chosen.kind, "DELETED", it->second);
          objects_.erase(it);
        }
        unreadable_.erase(key_of(chosen));
        break;
      default:
        send(chosen.kind, objects_.contains(key_of(chosen)) ? "MODIFIED" : "ADDED", chosen.json);
        objects_[key_of(chosen)] = chosen.json;
        unreadable_.erase(key_of(chosen));
    }
  }

  // The objects that can be read, in an order of their own each time.
  std::string snapshot() {
    std::vector<std::string_view> texts;
    for (const auto& [key, text] : objects_)
      if (!unreadable_.contains(key)) texts.push_back(text);
    std::shuffle(texts.begin(), texts.end(), random_);
    return fmt::format(R"({{"apiVersion":"v1","kind":"List","items":[{}]}})", fmt::join(texts, ","));
  }
  std::size_t unreadable() const { return unreadable_.size(); }

  ClusterStore store;

 private:
  using Key = std::tuple<ObjectKind, std::string, std::string>;
  static Key key_of(const ObjectText& object) { return {object.kind, object.ns, object.name}; }

  void send(ObjectKind kind, const char* type, const std::string& json) {
    const auto event = store.apply_event(kind, fmt::format(R"({{"type":"{}","object":{}}})", type, json));
    ASSERT_TRUE(event.ok()) << event.error().message;
    EXPECT_EQ(event->resource_version, "7");
  }

  void break_object(const ObjectText& object) {
    const wire::KindInfo& kind = wire::info(object.kind);
    const std::string json = fmt::format(
        R"({{"metadata":{{"name":"{}","namespace":"{}","resourceVersion":"7"}},"spec":7,"value":{{}},
                         "provisioner":8,"metadata":{{"name":"{}","namespace":"{}","resourceVersion":"7","labels":9,
                         "annotations":10}}}})",
        object.name, object.ns, object.name, object.ns);
    ASSERT_EQ(kind.id, object.kind);
    send(object.kind, "MODIFIED", json);
    objects_[key_of(object)] = json;
    unreadable_[key_of(object)] = true;
  }

  // Some pages of a list of this kind, all if `most` is large.
  void pages(ObjectKind kind, std::size_t most) {
    store.begin_list(kind);
    std::vector<std::string_view> texts;
    for (const auto& [key, text] : objects_)
      if (std::get<0>(key) == kind) texts.push_back(text);
    const std::size_t size = 1 + random_() % 5;
    for (std::size_t at = 0, page = 0; page == 0 || (at < texts.size() && page < most); ++page) {
      std::vector<std::string_view> items(
          texts.begin() + static_cast<std::ptrdiff_t>(at),
          texts.begin() + static_cast<std::ptrdiff_t>(std::min(at + size, texts.size())));
      at += items.size();
      const auto result = store.add_page(
          kind,
          fmt::format(
              R"({{"kind":"{}List","metadata":{{"resourceVersion":"7","continue":"{}"}},"items":[{}]}})",
              wire::info(kind).kind, at < texts.size() ? "on" : "", fmt::join(items, ",")));
      ASSERT_TRUE(result.ok()) << result.error().message;
      EXPECT_EQ(result->continue_token.empty(), at == texts.size());
    }
  }
  void relist(ObjectKind kind) {
    pages(kind, 1000);
    store.end_list(kind);
  }
  void give_up_a_list(ObjectKind kind) { pages(kind, random_() % 3); }

  std::mt19937_64 random_;
  std::vector<ObjectText> stock_;
  std::map<Key, std::string> objects_;
  std::map<Key, bool> unreadable_;
};

TEST(StoreProperty, ShowsWhatASnapshotWould) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Server server(seed);
    for (int round = 0; round < 12; ++round) {
      const auto view = server.store.view();
      const auto snapshot = wire::testing::read(server.snapshot());
      ASSERT_EQ(wire::testing::dump(view.cluster), wire::testing::dump(snapshot.cluster)) << round;
      ASSERT_EQ(testing::check_cluster(view.cluster), "");
      EXPECT_EQ(view.warnings.size(), snapshot.warnings.size());
      EXPECT_EQ(server.store.unreadable().size(), server.unreadable());
      for (int i = 0; i < 15; ++i) server.step();
    }
  }
}

TEST(StoreProperty, TwoViewsOfOneGenerationAreEqual) {
  for (std::uint64_t seed = 21; seed <= 26; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    Server server(seed);
    std::map<std::uint64_t, std::string> shown;
    for (int i = 0; i < 150; ++i) {
      const auto [it, fresh] = shown.try_emplace(server.store.generation());
      const std::string dump = wire::testing::dump(server.store.view().cluster);
      if (fresh) it->second = dump;
      ASSERT_EQ(it->second, dump) << "step " << i;
      server.step();
    }
    EXPECT_LT(shown.size(), 150u) << "some steps changed nothing";
  }
}

// The writer itself: what it writes is what the cluster was.
TEST(ClusterObjects, ReadBackAsTheSameCluster) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Cluster cluster = random_cluster(seed);
    std::vector<std::string> texts;
    for (const ObjectText& object : objects_of(cluster)) texts.push_back(object.json);
    const Cluster again =
        wire::testing::read(fmt::format(R"({{"kind":"List","items":[{}]}})", fmt::join(texts, ","))).cluster;
    ASSERT_EQ(again.pods.size(), cluster.pods.size()) << seed;
    ASSERT_EQ(again.pod_specs.size(), cluster.pod_specs.size()) << seed;
    for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
      EXPECT_EQ(again.pods[i].node, cluster.pods[i].node) << seed;
      EXPECT_EQ(again.pods[i].spec, cluster.pods[i].spec) << seed;
      EXPECT_EQ(again.pods[i].volumes.size(), cluster.pods[i].volumes.size()) << seed;
    }
  }
}

}  // namespace
}  // namespace tamp::test

#include "sim/controllers/scale_down_order.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <map>
#include <string_view>
#include <tuple>

#include "sim/controllers/pod_facts.h"

namespace tamp::world {
namespace {

// Smaller goes first. Each field compares as the rules above say; ages are the powers of two of nanoseconds, so that pods of
// about one age are chosen by uid, which spreads the choice over zones.
struct Rank {
  bool assigned;
  int phase;
  bool ready;
  std::int64_t cost;
  std::int64_t fewer_siblings;  // negated count
  int ready_for;
  std::int64_t fewer_restarts;  // negated count
  int age;
  std::string_view uid;
  auto key() const {
    return std::tie(assigned, phase, ready, cost, fewer_siblings, ready_for, fewer_restarts, age, uid);
  }
};

int power_of_two(Duration age) {
  return age.ns <= 0 ? -1 : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(age.ns))) - 1;
}

std::int64_t deletion_cost(const api::Object& pod) {
  const std::string_view text = annotation_of(pod, "controller.kubernetes.io/pod-deletion-cost");
  std::int64_t cost = 0;
  std::from_chars(text.data(), text.data() + text.size(), cost);
  return cost;
}

std::int64_t most_restarts(const api::Object& pod) {
  std::int64_t most = 0;
  for (const auto& container : pod.status()["containerStatuses"].elements())
    most = std::max(most, container["restartCount"].integer());
  return most;
}

}  // namespace

std::vector<api::ObjectPtr> first_to_go(std::vector<api::ObjectPtr> pods,
                                        const std::vector<api::ObjectPtr>& related, std::size_t count,
                                        Time now) {
  if (count >= pods.size()) return pods;
  std::map<std::string_view, std::int64_t> on_node;
  for (const auto& pod : related)
    if (is_active(*pod)) ++on_node[node_of(*pod)];
  std::vector<std::pair<Rank, std::size_t>> ranks;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const api::Object& pod = *pods[i];
    const std::string_view phase = phase_of(pod);
    const auto created = time_of(pod.metadata()["creationTimestamp"]);
    const auto since = ready_since(pod);
    ranks.push_back({Rank{.assigned = !node_of(pod).empty(),
                          .phase = phase == "Pending"   ? 0
                                   : phase == "Unknown" ? 1
                                                        : 2,
                          .ready = is_ready(pod),
                          .cost = deletion_cost(pod),
                          .fewer_siblings = -on_node[node_of(pod)],
                          .ready_for = since ? power_of_two(now - *since) : -1,
                          .fewer_restarts = -most_restarts(pod),
                          .age = created ? power_of_two(now - *created) : -1,
                          .uid = pod.uid()},
                     i});
  }
  std::sort(ranks.begin(), ranks.end(),
            [](const auto& a, const auto& b) { return a.first.key() < b.first.key(); });
  std::vector<api::ObjectPtr> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(pods[ranks[i].second]);
  return chosen;
}

}  // namespace tamp::world

#include <array>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "core/json_writer.h"
#include "documents/dashboard_documents.h"
#include "documents/explain_document.h"
#include "documents/usage.h"
#include "explain/tier_counts.h"
#include "explain/words.h"
#include "wire/tree.h"

namespace tamp::documents {
namespace {

constexpr double kMilli = 1000;
// Use is rounded, so that noise alone makes no new document.
constexpr double kCoreSteps = 100;
constexpr double kMemoryStep = 16.0 * 1024 * 1024;

// Words by number, in the order of their first use.
class Words {
 public:
  std::int64_t number(std::string_view word) {
    const auto [it, fresh] =
        numbers_.try_emplace(std::string(word), static_cast<std::int64_t>(words_.size()));
    if (fresh) words_.emplace_back(word);
    return it->second;
  }
  void write(JsonWriter& w, std::string_view key) const {
    w.key(key).begin_array();
    for (const std::string& word : words_) w.string(word);
    w.end_array();
  }

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;  // look-up only
  std::vector<std::string> words_;
};

// Which part nodes play: in the run that is at work, else in the plan.
class Parts {
 public:
  explicit Parts(const Look& look) {
    if (const run::Run* run = active_run(look)) {
      for (const run::Survivor& survivor : run->survivors) parts_[survivor.node] = "survivor";
      if (!run->claim_node.empty()) parts_[run->claim_node] = "replacement";
      for (const run::Victim& victim : run->victims) parts_[victim.node] = "victim";
    } else if (look.scene->plan) {
      for (const std::string& node : look.scene->plan->survivors) parts_[node] = "survivor";
      for (const std::string& node : look.scene->plan->victims) parts_[node] = "victim";
    }
  }
  std::string_view state(const Cluster& cluster, const Node& node) const {
    if (node.deleted) return "leaving";
    if (!node.ready.is_true()) return "unready";
    const auto part = parts_.find(cluster.text(node.name));
    if (part != parts_.end()) return part->second;
    return node.unschedulable ? "cordoned" : "steady";
  }

 private:
  std::map<std::string, std::string_view, std::less<>> parts_;
};

// What a pass says of a node it says of that node alone: it could go. In the plan is what the plan removes.
class Verdicts {
 public:
  explicit Verdicts(const Scene& scene) {
    if (scene.plan) victims_.insert(scene.plan->victims.begin(), scene.plan->victims.end());
  }
  std::string_view word(std::string_view node, std::string_view alone) const {
    const std::string_view planned = explain::name(search::Verdict::Command);
    if (victims_.contains(node)) return planned;
    return alone == planned ? explain::name(search::Verdict::Eligible) : alone;
  }

 private:
  std::set<std::string, std::less<>> victims_;
};

struct Held {
  std::int64_t cpu = 0, memory = 0;  // milli-cores, bytes
  std::array<std::int64_t, kTiers> pods = {};
};

Held held_by_pods(const Cluster& cluster, const Node& node, const TierFloors& floors) {
  Held held;
  for (const PodId id : node.pods) {
    const Pod& pod = cluster.pods[id.index()];
    if (pod.terminal()) continue;
    const PodSpec& spec = cluster.spec(pod);
    held.cpu += spec.requests.get(kCpu);
    held.memory += spec.requests.get(kMemory);
    ++held.pods[static_cast<std::size_t>(tier_of(pod, spec, floors))];
  }
  return held;
}

template <typename Each>
void column(JsonWriter& w, std::string_view key, const Cluster& cluster, const Each& each) {
  w.key(key).begin_array();
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) each(i, cluster.nodes[i]);
  w.end_array();
}

void number_or_null(JsonWriter& w, const std::optional<double>& value) {
  if (value)
    w.number(*value);
  else
    w.null();
}

}  // namespace

std::string nodes_document(const Look& look) {
  const Scene& scene = *look.scene;
  const Cluster& cluster = scene.cluster();
  const Parts parts(look);
  std::vector<Held> held;
  std::vector<Usage> used(cluster.nodes.size());
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    held.push_back(held_by_pods(cluster, cluster.nodes[i], scene.settings.tiers));
    if (const Observation* seen = find_observation(scene.observations, cluster.text(cluster.nodes[i].name)))
      used[i] = usage_of(*seen);
    if (used[i].cores) used[i].cores = std::round(*used[i].cores * kCoreSteps) / kCoreSteps;
    if (used[i].memory) used[i].memory = std::round(*used[i].memory / kMemoryStep) * kMemoryStep;
  }
  Words pools, types, reasons;
  JsonWriter w;
  w.begin_object();
  column(w, "names", cluster, [&](std::size_t, const Node& node) { w.string(cluster.text(node.name)); });
  column(w, "pool", cluster, [&](std::size_t, const Node& node) {
    const PoolId pool = pool_of(cluster, node);
    w.integer(pools.number(pool.valid() ? cluster.text(cluster.pools[pool.index()].name) : ""));
  });
  column(w, "type", cluster, [&](std::size_t, const Node& node) {
    w.integer(types.number(cluster.text(node.labels.get(cluster.known.instance_type))));
  });
  column(w, "spot", cluster, [&](std::size_t, const Node& node) {
    w.boolean(capacity_type_of(cluster, node) == cluster.known.spot);
  });
  column(w, "price", cluster, [&](std::size_t i, const Node&) {
    number_or_null(w, scene.prices[i] ? std::optional(scene.prices[i]->dollars()) : std::nullopt);
  });
  column(w, "state", cluster, [&](std::size_t, const Node& node) { w.string(parts.state(cluster, node)); });
  const Verdicts verdicts(scene);
  column(w, "verdict", cluster, [&](std::size_t i, const Node& node) {
    w.string(verdicts.word(cluster.text(node.name), explain::name(scene.verdicts[i].verdict)));
  });
  column(w, "reason", cluster, [&](std::size_t i, const Node&) {
    w.integer(reasons.number(gates::name(scene.verdicts[i].reason)));
  });
  column(w, "cpu", cluster, [&](std::size_t, const Node& node) {
    w.number(static_cast<double>(node.allocatable.get(kCpu)) / kMilli);
  });
  column(w, "cpuRequested", cluster,
         [&](std::size_t i, const Node&) { w.number(static_cast<double>(held[i].cpu) / kMilli); });
  column(w, "cpuUsed", cluster, [&](std::size_t i, const Node&) { number_or_null(w, used[i].cores); });
  column(w, "memory", cluster,
         [&](std::size_t, const Node& node) { w.integer(node.allocatable.get(kMemory)); });
  column(w, "memoryRequested", cluster, [&](std::size_t i, const Node&) { w.integer(held[i].memory); });
  column(w, "memoryUsed", cluster, [&](std::size_t i, const Node&) { number_or_null(w, used[i].memory); });
  column(w, "pods", cluster, [&](std::size_t i, const Node&) {
    w.begin_array();
    for (const Tier tier : kAllTiers) w.integer(held[i].pods[static_cast<std::size_t>(tier)]);
    w.end_array();
  });
  pools.write(w, "pools");
  types.write(w, "types");
  reasons.write(w, "reasons");
  w.end_object();
  return w.take();
}

std::optional<std::string> node_document(const Look& look, std::string_view name) {
  const Scene& scene = *look.scene;
  const Cluster& cluster = scene.cluster();
  const NodeId id = cluster.find_node(name);
  if (!id.valid()) return std::nullopt;
  const explain::Explanation explanation = explain::explain_node(scene.context(), id);
  auto tree =
      wire::read_tree(documents::explain_json({cluster, explanation, scene.now, scene.settings.tiers}));
  if (!tree) return std::nullopt;
  wire::Tree pods = wire::Tree::array();
  for (const PodId pod_id : cluster.nodes[id.index()].pods) {
    const Pod& pod = cluster.pods[pod_id.index()];
    if (pod.terminal()) continue;
    const PodSpec& spec = cluster.spec(pod);
    pods.append(wire::Tree::object({{"namespace", cluster.text(pod.ns)},
                                    {"name", cluster.text(pod.name)},
                                    {"tier", word(tier_of(pod, spec, scene.settings.tiers))},
                                    {"cpuMillis", spec.requests.get(kCpu)},
                                    {"memoryBytes", spec.requests.get(kMemory)}}));
  }
  tree->set("verdict", Verdicts(scene).word(name, (*tree)["verdict"].string()));
  tree->set("pods", std::move(pods));
  return wire::to_json(*tree);
}

}  // namespace tamp::documents

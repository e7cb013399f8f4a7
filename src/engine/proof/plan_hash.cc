#include "proof/plan_hash.h"

#include <algorithm>

#include "core/json_writer.h"
#include "core/sha256.h"
#include "gates/eviction_limits.h"
#include "proof/canonical.h"
#include "situation/node_price.h"

namespace tamp::proof {
namespace {

class Parts {
 public:
  explicit Parts(const Motion& motion) : motion_(motion), cluster_(motion.cluster()) {}

  std::vector<Part> take() {
    nodes();
    budgets();
    pools();
    add("policy", canonical_policy(motion_.evidence.context.settings));
    prices();
    autoscaler();
    std::ranges::sort(parts_, {}, &Part::what);
    parts_.erase(std::unique(parts_.begin(), parts_.end()), parts_.end());
    return std::move(parts_);
  }

 private:
  void add(std::string what, const std::string& bytes) {
    parts_.push_back({std::move(what), sha256_hex(bytes)});
  }

  void node(NodeId id, std::string_view role) {
    const Node& n = cluster_.nodes[id.index()];
    add(std::string(role) + " " + std::string(cluster_.text(n.name)), canonical_node(cluster_, n));
    for (const PodId p : live_pods(cluster_, id))
      add("pod " + motion_.pod_name(p), canonical_pod(cluster_, motion_.pod(p)));
  }
  void nodes() {
    for (const NodeId v : motion_.intent.victims) node(v, "victim");
    for (const Survivor& s : motion_.survivors)
      if (s.node.valid()) node(s.node, "survivor");
  }
  void budgets() {
    const gates::EvictionLimits limits(cluster_);
    for (const PodId p : motion_.moved)
      for (const std::uint32_t b : limits.over(motion_.pod(p))) {
        const PodDisruptionBudget& budget = cluster_.budgets[b];
        add("disruption budget " + std::string(cluster_.text(budget.ns)) + "/" +
                std::string(cluster_.text(budget.name)),
            canonical_budget(cluster_, budget));
      }
  }
  void pools() {
    for (const NodeId v : motion_.intent.victims) {
      const PoolId id = pool_of(cluster_, cluster_.nodes[v.index()]);
      if (!id.valid()) continue;
      const NodePool& pool = cluster_.pools[id.index()];
      add("pool " + std::string(cluster_.text(pool.name)),
          canonical_pool(cluster_, pool, motion_.evidence.context.settings.pools[id.index()]));
    }
  }
  void autoscaler() {
    if (motion_.evidence.autoscaler == nullptr) return;
    // Targets move by themselves; the limits are what a plan depends on.
    for (const AutoscalerGroup& group : motion_.evidence.autoscaler->groups)
      add("autoscaler group " + group.name, group.min ? std::to_string(*group.min) : "unknown");
  }
  void prices() {
    const situation::TypeIndex types = situation::index_types(cluster_);
    for (const NodeId v : motion_.intent.victims) {
      const Node& n = cluster_.nodes[v.index()];
      const auto price = situation::price_node(motion_.evidence.context, types, n).price;
      add("price of " + std::string(cluster_.text(n.name)), price ? std::to_string(price->nanos) : "unknown");
    }
    const price::Command* command = motion_.intent.command;
    for (std::size_t i = 0; command != nullptr && i < command->replacements.size(); ++i)
      replacement(command->replacements[i], price::replacement_alias(i));
  }
  void replacement(const price::Replacement& r, std::string alias) {
    JsonWriter w;
    w.begin_object()
        .field("pool", cluster_.text(cluster_.pools[r.pool.index()].name))
        .field("price", r.price.nanos);
    w.key("types").begin_array();
    for (const TypeId t : r.types) w.string(cluster_.text(cluster_.catalogue->types[t.index()].name));
    w.end_array().key("capacityTypes").begin_array();
    for (const Symbol s : r.capacity_types) w.string(cluster_.text(s));
    w.end_array().key("zones").begin_array();
    for (const Symbol s : r.zones) w.string(cluster_.text(s));
    w.end_array().end_object();
    add(std::move(alias), w.take());
  }

  const Motion& motion_;
  const Cluster& cluster_;
  std::vector<Part> parts_;
};

}  // namespace

std::vector<Part> structural_parts(const Motion& motion) { return Parts(motion).take(); }

std::string structural_digest(const std::vector<Part>& parts) {
  JsonWriter w;
  w.begin_object();
  for (const Part& part : parts) w.field(part.what, part.digest);
  w.end_object();
  return sha256_hex(w.text());
}

std::string plan_hash(const Motion& motion, const std::string& structure) {
  std::vector<NodeId> nodes = motion.intent.victims;
  for (const Survivor& s : motion.survivors)
    if (s.node.valid()) nodes.push_back(s.node);
  JsonWriter w;
  w.begin_object()
      .field("version", 1)
      .field("structure", structure)
      .field("planner", motion.evidence.measured ? "SLO" : "Requests")
      .key("measurements")
      .begin_array();
  for (const NodeId id : nodes) {
    const Observation* seen = motion.observed(id);
    seen != nullptr ? w.raw(canonical_observation(*seen)) : w.null();
  }
  w.end_array().end_object();
  return sha256_hex(w.text());
}

}  // namespace tamp::proof

#include "replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "search/carry_out.h"
#include "search/plan.h"
#include "situation/resolve_settings.h"

namespace tamp::replay {
namespace {

using price::Command;

constexpr std::int64_t kSampled = 10;
constexpr std::int64_t kHour = 60;  // minutes
// carry_out() makes nodes that have been there for a day; these are to be new.
constexpr Duration kSettled = Duration::hours(24);
// What Karpenter's "Consolidation Grace Period" example asks for.
constexpr Duration kGrace = Duration::minutes(30);
// A TemperPolicy's defaults.
constexpr Limits kLimits{100, Duration::hours(1)};

class Day {
 public:
  Day(const Stage& stage, const Rules& rules, Time begin)
      : stage_(stage),
        rules_(rules),
        begin_(begin),
        cluster_(stage.cluster),
        last_serial_(stage.replicas.size()) {
    outcome_.name = rules.name;
  }

  Outcome run(const Workload& workload) {
    std::size_t next = 0;
    for (minute_ = 0; minute_ < workload.minutes; ++minute_) {
      for (; next < workload.changes.size() && workload.changes[next].minute <= minute_; ++next)
        change(workload.changes[next]);
      place_pending();
      if (rules_.consolidate) consolidate();
      account();
    }
    std::sort(lifetimes_.begin(), lifetimes_.end());
    if (!lifetimes_.empty()) outcome_.median_lifetime = lifetimes_[lifetimes_.size() / 2];
    return std::move(outcome_);
  }

 private:
  Time now() const { return begin_ + Duration::minutes(minute_); }
  // No controller runs in a replay.
  situation::Context context() const { return {cluster_, rules_.settings, now(), last_deleted_, NodeId()}; }

  // --- the workload

  void change(const Change& c) {
    const Symbol owner = stage_.replicas[c.deployment].owner_name;
    std::vector<std::pair<std::string, std::size_t>> own;  // newest last: names count up
    for (std::size_t i = 0; i < cluster_.pods.size(); ++i)
      if (cluster_.pods[i].owner_name == owner) own.emplace_back(cluster_.text(cluster_.pods[i].name), i);
    std::sort(own.begin(), own.end());
    const auto wanted = static_cast<std::size_t>(c.replicas);
    const std::size_t stay = c.rollout ? 0 : std::min(wanted, own.size());
    std::vector<bool> goes(cluster_.pods.size());
    for (std::size_t i = stay; i < own.size(); ++i) {
      const Pod& pod = cluster_.pods[own[i].second];
      goes[own[i].second] = true;
      touch(pod.node);
    }
    std::vector<Pod> pods;
    for (std::size_t i = 0; i < cluster_.pods.size(); ++i)
      if (!goes[i]) pods.push_back(std::move(cluster_.pods[i]));
    for (std::size_t i = stay; i < wanted; ++i) {
      Pod pod = stage_.replicas[c.deployment];
      const std::string name =
          fmt::format("{}-{:08}", stage_.cluster.text(pod.owner_name), ++last_serial_[c.deployment]);
      pod.name = pod.uid = cluster_.symbols.intern(name);
      pod.created = now();
      pod.node = NodeId();
      pods.push_back(std::move(pod));
    }
    cluster_.pods = std::move(pods);
    settle();
  }

  // --- the scheduler and the autoscaler

  void place_pending() {
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < cluster_.pods.size(); ++i)
      if (!cluster_.pods[i].bound()) waiting.push_back(i);
    std::stable_sort(waiting.begin(), waiting.end(), [&](std::size_t a, std::size_t b) {
      return cpu(cluster_.pods[a]) > cpu(cluster_.pods[b]);
    });
    std::vector<std::size_t> homeless;
    for (std::size_t i : waiting) {
      const NodeId node = roomiest(cluster_.pods[i]);
      if (node.valid())
        bind(cluster_.pods[i], node);
      else
        homeless.push_back(i);
    }
    settle();
    while (!homeless.empty() && launch(homeless)) {
      homeless.clear();
      for (std::size_t i = 0; i < cluster_.pods.size(); ++i)
        if (!cluster_.pods[i].bound()) homeless.push_back(i);
    }
  }

  NodeId roomiest(const Pod& pod) const {
    NodeId best;
    double most = -1;
    for (std::size_t n = 0; n < cluster_.nodes.size(); ++n) {
      const Node& node = cluster_.nodes[n];
      std::int64_t free_cpu = node.allocatable.get(kCpu), free_memory = node.allocatable.get(kMemory);
      std::int64_t free_pods = node.allocatable.get(kPods);
      for (const Pod& other : cluster_.pods)
        if (other.node == NodeId(n)) {
          free_cpu -= cpu(other);
          free_memory -= memory(other);
          --free_pods;
        }
      if (free_cpu < cpu(pod) || free_memory < memory(pod) || free_pods < 1) continue;
      const double share =
          static_cast<double>(free_cpu) / static_cast<double>(node.allocatable.get(kCpu)) +
          static_cast<double>(free_memory) / static_cast<double>(node.allocatable.get(kMemory));
      if (share > most) {
        most = share;
        best = NodeId(n);
      }
    }
    return best;
  }

  // One machine: of those that hold most of what waits, the cheapest.
  bool launch(const std::vector<std::size_t>& homeless) {
    const auto& types = cluster_.catalogue->types;
    std::size_t best_type = types.size(), best_held = 0;
    const Offering* best = nullptr;
    for (std::size_t t = 0; t < types.size(); ++t) {
      const Offering* cheapest = nullptr;
      for (const Offering& o : types[t].offerings)
        if (o.available && (cheapest == nullptr || o.dollars < cheapest->dollars)) cheapest = &o;
      if (cheapest == nullptr) continue;
      const std::size_t held = holds(types[t], homeless).size();
      if (held > best_held || (held == best_held && held > 0 && cheapest->dollars < best->dollars)) {
        best_type = t;
        best_held = held;
        best = cheapest;
      }
    }
    if (best == nullptr || best_held == 0) return false;
    Command command;
    command.replacements = {
        {PoolId(0), {TypeId(best_type)}, {best->capacity_type}, {best->zone}, best->price}};
    for (std::size_t i : holds(types[best_type], homeless)) {
      command.moves.push_back({PodId(i), NodeId(), NodeId()});
      cluster_.pods[i].started = cluster_.pods[i].scheduled = now();
    }
    search::carry_out(cluster_, command, now() + kSettled, ++made_);
    born_[search::replacement_name(made_)] = {minute_, false};
    return true;
  }

  std::vector<std::size_t> holds(const InstanceType& type, const std::vector<std::size_t>& pods) const {
    std::int64_t free_cpu = type.allocatable.get(kCpu), free_memory = type.allocatable.get(kMemory);
    std::vector<std::size_t> held;
    for (std::size_t i : pods)
      if (cpu(cluster_.pods[i]) <= free_cpu && memory(cluster_.pods[i]) <= free_memory) {
        free_cpu -= cpu(cluster_.pods[i]);
        free_memory -= memory(cluster_.pods[i]);
        held.push_back(i);
      }
    return held;
  }

  // --- consolidation

  void consolidate() {
    search::PlanOptions options;
    options.rest = false;
    const search::Plan plan = search::make_plan(context(), options);
    if (plan.commands.empty() || beyond_limits(plan.commands.front())) return;
    const Command& command = plan.commands.front();
    std::vector<std::string> moved;
    for (const price::Move& m : command.moves) {
      Pod& pod = cluster_.pods[m.pod.index()];
      if (m.from.valid()) moved.emplace_back(cluster_.text(pod.name));
      pod.started = pod.scheduled = now();
      touch(m.to);
    }
    for (NodeId n : command.nodes) removed(n);
    search::carry_out(cluster_, command, now() + kSettled, made_ + 1);
    for (std::size_t i = 0; i < command.replacements.size(); ++i) {
      ++outcome_.nodes_bought;
      born_[search::replacement_name(++made_)] = {minute_, true};
    }
    last_deleted_ = now();
    for (const std::string& pod : moved) evicted(pod);
  }

  bool beyond_limits(const Command& command) const {
    if (!rules_.limits) return false;
    std::size_t count = 0;
    for (const price::Move& m : command.moves) {
      if (!m.from.valid()) continue;
      ++count;
      const auto record = evictions_.find(std::string(cluster_.text(cluster_.pods[m.pod.index()].name)));
      if (record != evictions_.end() &&
          Duration::minutes(minute_ - record->second.back()) < rules_.limits->pod_cooldown)
        return true;
    }
    return count > 0 && since(all_evictions_, kHour) + count > rules_.limits->evictions_per_hour;
  }

  void removed(NodeId n) {
    const Birth birth = born_[std::string(cluster_.text(cluster_.nodes[n.index()].name))];
    const std::int64_t age = minute_ - birth.minute;
    lifetimes_.push_back(age);
    ++outcome_.nodes_removed;
    const auto& pods = cluster_.nodes[n.index()].pods;
    if (std::none_of(pods.begin(), pods.end(),
                     [&](PodId p) { return gates::reschedulable(cluster_.pods[p.index()]); }))
      return;
    ++outcome_.nodes_disrupted;
    if (birth.bought && age < kHour) ++outcome_.bought_and_disrupted;
    disrupted_.push_back(minute_);
    outcome_.most_disrupted_in_half_an_hour =
        std::max(outcome_.most_disrupted_in_half_an_hour, since(disrupted_, kHour / 2));
  }

  void evicted(const std::string& pod) {
    std::vector<std::int64_t>& own = evictions_[pod];
    if (since(own, kHour) > 0) ++outcome_.again;
    own.push_back(minute_);
    all_evictions_.push_back(minute_);
    ++outcome_.evictions;
    outcome_.most_evictions = std::max(outcome_.most_evictions, own.size());
    outcome_.most_evictions_in_an_hour = std::max(outcome_.most_evictions_in_an_hour, since(own, kHour));
  }

  // --- bookkeeping

  std::int64_t cpu(const Pod& pod) const { return cluster_.spec(pod).requests.get(kCpu); }
  std::int64_t memory(const Pod& pod) const { return cluster_.spec(pod).requests.get(kMemory); }

  void bind(Pod& pod, NodeId node) {
    pod.node = node;
    pod.started = pod.scheduled = now();
    touch(node);
  }

  void touch(NodeId node) {
    if (!node.valid()) return;
    if (const ClaimId claim = cluster_.nodes[node.index()].claim; claim.valid())
      cluster_.claims[claim.index()].last_pod_event = now();
  }

  // Pods in order of their names, and every node with the list of its own.
  void settle() {
    std::sort(cluster_.pods.begin(), cluster_.pods.end(),
              [&](const Pod& a, const Pod& b) { return cluster_.text(a.name) < cluster_.text(b.name); });
    for (Node& node : cluster_.nodes) node.pods.clear();
    for (std::size_t i = 0; i < cluster_.pods.size(); ++i)
      if (const NodeId n = cluster_.pods[i].node; n.valid())
        cluster_.nodes[n.index()].pods.push_back(PodId(i));
  }

  void account() {
    double dollars = 0;
    for (const gates::Candidate& c : gates::assess_nodes(context())) dollars += c.dollars;
    outcome_.dollars += dollars / 60;
    if (minute_ % kSampled == 0)
      outcome_.samples.push_back({minute_, cluster_.nodes.size(), cluster_.pods.size(), dollars});
  }

  // How many of the minutes, which are in order, lie within the last `length`.
  std::size_t since(const std::vector<std::int64_t>& minutes, std::int64_t length) const {
    return static_cast<std::size_t>(minutes.end() -
                                    std::upper_bound(minutes.begin(), minutes.end(), minute_ - length));
  }

  struct Birth {
    std::int64_t minute = 0;
    bool bought = false;  // by consolidation
  };

  const Stage& stage_;
  const Rules& rules_;
  Time begin_;
  Cluster cluster_;
  std::vector<std::uint64_t> last_serial_;  // by deployment
  std::int64_t minute_ = 0;
  std::size_t made_ = 0;
  std::optional<Time> last_deleted_;
  std::map<std::string, Birth> born_;                           // by node
  std::map<std::string, std::vector<std::int64_t>> evictions_;  // by pod: minutes
  std::vector<std::int64_t> all_evictions_, disrupted_, lifetimes_;
  Outcome outcome_;
};

// The old rules, decided by Tamp's own search: every gate of the designs is off.
Settings ungated(const Cluster& cluster) {
  Settings s = situation::resolve_settings(cluster, {});
  s.utilization_threshold.value = 1;
  s.min_node_lifetime.value = Duration{0};
  for (PoolSettings& pool : s.pools) pool.savings_threshold.value = 0;
  return s;
}

}  // namespace

Outcome replay(const Stage& stage, const Workload& workload, const Rules& rules, Time begin) {
  return Day(stage, rules, begin).run(workload);
}

bool Outcome::cascade() const {
  return most_disrupted_in_half_an_hour >= kCascadingNodes || most_evictions_in_an_hour >= kCascadingRestarts;
}

std::vector<Rules> rules_to_compare(const Cluster& cluster) {
  FlagSettings compat;
  compat.karpenter_compat = true;
  const Settings defaults = situation::resolve_settings(cluster, {});
  Settings savings = ungated(cluster), utilization = ungated(cluster), grace = ungated(cluster),
           all = defaults;
  for (std::size_t i = 0; i < savings.pools.size(); ++i)
    savings.pools[i].savings_threshold = defaults.pools[i].savings_threshold;
  utilization.utilization_threshold.value = defaults.utilization_threshold.value;
  for (PoolSettings& pool : grace.pools) pool.grace_period.value = DurationOrNever{kGrace};
  for (PoolSettings& pool : all.pools) pool.grace_period.value = DurationOrNever{kGrace};
  return {{"no consolidation", defaults, false},
          {"old rules (Karpenter's)", situation::resolve_settings(cluster, compat)},
          {"savings threshold alone", savings},
          {"utilization threshold alone", utilization},
          {"grace period of 30m alone", grace},
          {"all three", all},
          {"the defaults", defaults, true, kLimits}};
}

std::vector<Rules> rules_of_a_sweep(const Cluster& cluster, const std::vector<double>& thresholds) {
  std::vector<Rules> list = {{"no consolidation", situation::resolve_settings(cluster, {}), false}};
  for (double threshold : thresholds) {
    Settings s = situation::resolve_settings(cluster, {});
    for (PoolSettings& pool : s.pools) pool.savings_threshold.value = threshold;
    list.push_back({fmt::format("{:g}", threshold), s, true, kLimits});
  }
  return list;
}

}  // namespace tamp::replay

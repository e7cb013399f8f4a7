#include "search/carry_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "fit/profile.h"
#include "fit/sites.h"

namespace tamp::search {
namespace {

// Longer than any setting asks a node to be left alone.
constexpr Duration kSettled = Duration::hours(24);

const Offering& cheapest_offering(const InstanceType& type, const price::Replacement& replacement) {
  const Offering* best = nullptr;
  const auto allows = [](const std::vector<Symbol>& list, Symbol value) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  for (const Offering& o : type.offerings)
    if (o.available && allows(replacement.zones, o.zone) &&
        allows(replacement.capacity_types, o.capacity_type) && (best == nullptr || o.dollars < best->dollars))
      best = &o;
  assert(best != nullptr);  // describe() takes zones and capacity types from offerings
  return *best;
}

struct Launched {
  Node node;
  NodeClaim claim;
};

Launched launch(Cluster& cluster, const price::Replacement& replacement, Time now, std::size_t serial) {
  const NodePool& pool = cluster.pools[replacement.pool.index()];
  const InstanceType& type = cluster.catalogue->types[replacement.types.front().index()];
  const Offering& offering = cheapest_offering(type, replacement);
  const WellKnown& known = cluster.known;
  const Symbol name = cluster.symbols.intern(replacement_name(serial));

  LabelSet labels = pool.template_labels;
  const auto settle = [&](const SelectorRequirement& r) {
    if (r.op == SelectorOp::In && r.values.size() == 1) labels.set(r.key, r.values.front());
  };
  for (const PoolRequirement& r : pool.requirements) settle(r.requirement);
  for (const SelectorRequirement& r : type.requirements) settle(r);
  for (const SelectorRequirement& r : offering.requirements) settle(r);
  labels.set(known.nodepool, pool.name);
  if (pool.node_class_label.valid()) labels.set(pool.node_class_label, pool.node_class_name);
  labels.set(known.registered, known.true_);
  labels.set(known.initialized, known.true_);
  labels.set(known.hostname, name);

  const Condition settled{ConditionStatus::True, now - kSettled};
  Launched made;
  made.node.name = made.node.uid = made.node.provider_id = name;
  made.node.labels = labels;
  made.node.taints = pool.taints;
  made.node.capacity = type.capacity;
  made.node.allocatable = type.allocatable;
  made.node.ready = settled;
  made.node.created = now - kSettled;
  made.claim.name = made.claim.uid = made.claim.provider_id = made.claim.node_name = name;
  made.claim.labels = labels;
  made.claim.taints = pool.taints;
  made.claim.capacity = type.capacity;
  made.claim.allocatable = type.allocatable;
  made.claim.registered = made.claim.initialized = made.claim.consolidatable = settled;
  made.claim.created = now - kSettled;
  return made;
}

std::vector<Pod> daemon_pods(Cluster& cluster, const Node& node) {
  fit::Site site;
  site.name = node.name;
  site.labels = &node.labels;
  site.taints = node.taints;
  std::vector<Pod> pods;
  for (const DaemonSet& set : cluster.daemon_sets) {
    const PodSpec& spec = cluster.pod_specs[set.spec.index()];
    const fit::Profile profile{
        spec.node_selector, spec.has_node_affinity, spec.node_affinity, {}, spec.tolerations};
    if (fit::Judge(cluster, fit::Dialect::Kubernetes, profile)(site) != fit::StaticVerdict::Fits) continue;
    Pod pod;
    pod.ns = set.ns;
    pod.name = cluster.symbols.intern(fmt::format("{}-{}", cluster.text(set.name), cluster.text(node.name)));
    pod.uid = pod.name;
    pod.spec = set.spec;
    pod.labels = set.labels;
    pod.owner_kind = OwnerKind::DaemonSet;
    pod.has_controller = true;
    pod.owner_name = set.name;
    pod.owner_uid = set.uid;
    pod.created = pod.started = pod.scheduled = node.created;
    pods.push_back(std::move(pod));
  }
  return pods;
}

template <typename T>
auto by_name(const Cluster& cluster) {
  return [&cluster](const T& a, const T& b) { return cluster.text(a.name) < cluster.text(b.name); };
}

// `places` are those of the ones that were inserted before, and of this one.
template <typename T, typename Before>
void insert_by_name(std::vector<T>& list, const T& one, std::vector<std::size_t>& places, Before before) {
  const auto at = std::upper_bound(list.begin(), list.end(), one, before);
  const auto place = static_cast<std::size_t>(at - list.begin());
  for (std::size_t& other : places) other += other >= place ? 1 : 0;
  places.push_back(place);
  list.insert(at, one);
}

// The new ids of those that stay, beside the fresh ones.
template <typename Id>
std::vector<Id> renumbered(const std::vector<bool>& gone, const std::vector<std::size_t>& fresh) {
  std::vector<Id> map(gone.size());
  std::size_t next = 0;
  const auto taken = [&] { return std::find(fresh.begin(), fresh.end(), next) != fresh.end(); };
  for (std::size_t i = 0; i < gone.size(); ++i)
    if (!gone[i]) {
      while (taken()) ++next;
      map[i] = Id(next++);
    }
  return map;
}

// By the old id.
struct Leaving {
  std::vector<bool> nodes, claims;
};

Leaving leaving_with(const Cluster& cluster, const price::Command& command) {
  Leaving leaving{std::vector<bool>(cluster.nodes.size()), std::vector<bool>(cluster.claims.size())};
  for (NodeId n : command.nodes) {
    leaving.nodes[n.index()] = true;
    if (ClaimId c = cluster.nodes[n.index()].claim; c.valid()) leaving.claims[c.index()] = true;
  }
  return leaving;
}

std::vector<Launched> launch_all(Cluster& cluster, const std::vector<price::Replacement>& replacements,
                                 Time now, std::size_t serial) {
  std::vector<Launched> made;
  made.reserve(replacements.size());
  for (const price::Replacement& r : replacements)
    made.push_back(launch(cluster, r, now, serial + made.size()));
  return made;
}

template <typename T>
std::vector<T> take_staying(std::vector<T>& all, const std::vector<bool>& leaving) {
  std::vector<T> staying;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!leaving[i]) staying.push_back(std::move(all[i]));
  return staying;
}

// Where nodes and claims are afterwards.
struct Places {
  std::vector<NodeId> node_of;                     // by the old id; invalid for one that left
  std::vector<ClaimId> claim_of;                   // likewise
  std::vector<std::size_t> new_nodes, new_claims;  // by the number of the replacement
};

// Nodes and claims stay in name order, with the new ones among them. They still refer to each other by their
// old ids.
Places exchange_nodes(Cluster& cluster, const Leaving& leaving, const std::vector<Launched>& made) {
  Places places;
  std::vector<Node> nodes = take_staying(cluster.nodes, leaving.nodes);
  std::vector<NodeClaim> claims = take_staying(cluster.claims, leaving.claims);
  for (const Launched& one : made) {
    insert_by_name(nodes, one.node, places.new_nodes, by_name<Node>(cluster));
    insert_by_name(claims, one.claim, places.new_claims, by_name<NodeClaim>(cluster));
  }
  places.node_of = renumbered<NodeId>(leaving.nodes, places.new_nodes);
  places.claim_of = renumbered<ClaimId>(leaving.claims, places.new_claims);
  cluster.nodes = std::move(nodes);
  cluster.claims = std::move(claims);
  return places;
}

// Pods that move, and those that stay where they are; the others leave with their nodes.
std::vector<Pod> take_pods(Cluster& cluster, const std::vector<price::Move>& moves, const Leaving& leaving,
                           const Places& places) {
  std::vector<NodeId> to(cluster.pods.size());
  std::vector<bool> moved(cluster.pods.size());
  for (const price::Move& m : moves) {
    if (m.pod.index() >= cluster.pods.size()) continue;  // one that its controller has yet to make
    moved[m.pod.index()] = true;
    to[m.pod.index()] = m.to.valid() ? places.node_of[m.to.index()] : NodeId(places.new_nodes[m.replacement]);
  }
  std::vector<Pod> pods;
  pods.reserve(cluster.pods.size());
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    Pod& pod = cluster.pods[i];
    if (moved[i])
      pod.node = to[i];
    else if (pod.bound() && leaving.nodes[pod.node.index()])
      continue;
    else if (pod.bound())
      pod.node = places.node_of[pod.node.index()];
    pods.push_back(std::move(pod));
  }
  return pods;
}

// Pods stay in the order of namespace and name.
void add_daemon_pods(Cluster& cluster, const std::vector<Launched>& made, const Places& places) {
  if (made.empty()) return;
  for (std::size_t i = 0; i < made.size(); ++i)
    for (Pod& pod : daemon_pods(cluster, made[i].node)) {
      pod.node = NodeId(places.new_nodes[i]);
      cluster.pods.push_back(std::move(pod));
    }
  std::sort(cluster.pods.begin(), cluster.pods.end(), [&](const Pod& a, const Pod& b) {
    return std::pair(cluster.text(a.ns), cluster.text(a.name)) <
           std::pair(cluster.text(b.ns), cluster.text(b.name));
  });
}

// Nodes, claims and pods refer to each other by their new ids.
void join(Cluster& cluster, const Places& places) {
  for (Node& node : cluster.nodes) {
    node.pods.clear();
    if (node.claim.valid()) node.claim = places.claim_of[node.claim.index()];
  }
  for (NodeClaim& claim : cluster.claims)
    if (claim.node.valid()) claim.node = places.node_of[claim.node.index()];
  for (std::size_t i = 0; i < places.new_nodes.size(); ++i) {
    cluster.nodes[places.new_nodes[i]].claim = ClaimId(places.new_claims[i]);
    cluster.claims[places.new_claims[i]].node = NodeId(places.new_nodes[i]);
  }
  for (std::size_t i = 0; i < cluster.pods.size(); ++i)
    if (NodeId n = cluster.pods[i].node; n.valid()) cluster.nodes[n.index()].pods.push_back(PodId(i));
}

}  // namespace

std::string replacement_name(std::size_t serial) { return fmt::format("tamp-new-{:05}", serial); }

void carry_out(Cluster& cluster, const price::Command& command, Time now, std::size_t serial) {
  const Leaving leaving = leaving_with(cluster, command);
  const std::vector<Launched> made = launch_all(cluster, command.replacements, now, serial);
  const Places places = exchange_nodes(cluster, leaving, made);
  cluster.pods = take_pods(cluster, command.moves, leaving, places);
  add_daemon_pods(cluster, made, places);
  join(cluster, places);
}

}  // namespace tamp::search

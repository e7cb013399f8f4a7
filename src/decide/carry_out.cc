#include "decide/carry_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "schedule/profile.h"
#include "schedule/sites.h"

namespace tamp::decide {
namespace {

// Longer than any setting asks a node to be left alone.
constexpr Duration kSettled = Duration::hours(24);

const Offering& cheapest_offering(const InstanceType& type, const Replacement& replacement) {
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

Launched launch(Cluster& cluster, const Replacement& replacement, Time now, std::size_t serial) {
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
  schedule::Site site;
  site.name = node.name;
  site.labels = node.labels;
  site.taints = node.taints;
  std::vector<Pod> pods;
  for (const DaemonSet& set : cluster.daemon_sets) {
    const PodSpec& spec = cluster.pod_specs[set.spec.index()];
    const schedule::Profile profile{
        spec.node_selector, spec.has_node_affinity, spec.node_affinity, {}, spec.tolerations};
    if (schedule::judge(cluster, schedule::Dialect::Kubernetes, profile, site) !=
        schedule::StaticVerdict::Fits)
      continue;
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

}  // namespace

std::string replacement_name(std::size_t serial) { return fmt::format("tamp-new-{:05}", serial); }

void carry_out(Cluster& cluster, const Command& command, Time now, std::size_t serial) {
  std::vector<bool> goes(cluster.nodes.size()), claim_goes(cluster.claims.size());
  for (NodeId n : command.nodes) {
    goes[n.index()] = true;
    if (ClaimId c = cluster.nodes[n.index()].claim; c.valid()) claim_goes[c.index()] = true;
  }
  std::optional<Launched> made;
  if (command.replacement) made = launch(cluster, *command.replacement, now, serial);

  // Where everything will be: nodes and claims stay in name order, with the new ones among them.
  std::vector<Node> nodes;
  std::vector<NodeClaim> claims;
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
    if (!goes[i]) nodes.push_back(std::move(cluster.nodes[i]));
  for (std::size_t i = 0; i < cluster.claims.size(); ++i)
    if (!claim_goes[i]) claims.push_back(std::move(cluster.claims[i]));
  std::size_t new_node = nodes.size(), new_claim = claims.size();
  if (made) {
    const auto node_at = std::upper_bound(nodes.begin(), nodes.end(), made->node, by_name<Node>(cluster));
    const auto claim_at =
        std::upper_bound(claims.begin(), claims.end(), made->claim, by_name<NodeClaim>(cluster));
    new_node = static_cast<std::size_t>(node_at - nodes.begin());
    new_claim = static_cast<std::size_t>(claim_at - claims.begin());
    nodes.insert(node_at, made->node);
    claims.insert(claim_at, made->claim);
  }
  const auto renumbered = [](const std::vector<bool>& gone, std::size_t fresh, auto id) {
    std::vector<decltype(id)> map(gone.size());
    std::size_t next = 0;
    for (std::size_t i = 0; i < gone.size(); ++i)
      if (!gone[i]) {
        if (next == fresh) ++next;
        map[i] = decltype(id)(next++);
      }
    return map;
  };
  const bool is_new = made.has_value();
  const auto node_of = renumbered(goes, is_new ? new_node : goes.size() + 1, NodeId());
  const auto claim_of = renumbered(claim_goes, is_new ? new_claim : claim_goes.size() + 1, ClaimId());

  std::vector<NodeId> to(cluster.pods.size());
  std::vector<bool> moves(cluster.pods.size());
  for (const Move& m : command.moves) {
    if (m.pod.index() >= cluster.pods.size()) continue;  // one that its controller has yet to make
    moves[m.pod.index()] = true;
    to[m.pod.index()] = m.to.valid() ? node_of[m.to.index()] : NodeId(new_node);
  }
  std::vector<Pod> pods;
  pods.reserve(cluster.pods.size());
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    Pod& pod = cluster.pods[i];
    if (moves[i])
      pod.node = to[i];
    else if (pod.bound() && goes[pod.node.index()])
      continue;
    else if (pod.bound())
      pod.node = node_of[pod.node.index()];
    pods.push_back(std::move(pod));
  }
  if (made) {
    for (Pod& pod : daemon_pods(cluster, made->node)) {
      pod.node = NodeId(new_node);
      pods.push_back(std::move(pod));
    }
    std::sort(pods.begin(), pods.end(), [&](const Pod& a, const Pod& b) {
      return std::pair(cluster.text(a.ns), cluster.text(a.name)) <
             std::pair(cluster.text(b.ns), cluster.text(b.name));
    });
  }

  cluster.nodes = std::move(nodes);
  cluster.claims = std::move(claims);
  cluster.pods = std::move(pods);
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    Node& node = cluster.nodes[i];
    node.pods.clear();
    if (is_new && i == new_node)
      node.claim = ClaimId(new_claim);
    else if (node.claim.valid())
      node.claim = claim_of[node.claim.index()];
  }
  for (std::size_t i = 0; i < cluster.claims.size(); ++i) {
    NodeClaim& claim = cluster.claims[i];
    if (is_new && i == new_claim)
      claim.node = NodeId(new_node);
    else if (claim.node.valid())
      claim.node = node_of[claim.node.index()];
  }
  for (std::size_t i = 0; i < cluster.pods.size(); ++i)
    if (NodeId n = cluster.pods[i].node; n.valid()) cluster.nodes[n.index()].pods.push_back(PodId(i));
}

}  // namespace tamp::decide

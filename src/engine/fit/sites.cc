#include "fit/sites.h"

#include <algorithm>
#include <string_view>

#include "core/number.h"

namespace tamp::fit {
namespace {

// Taints that a node carries only until it is initialized; Karpenter looks through them while it waits.
bool ephemeral(const Cluster& c, const Taint& t) {
  std::string_view key = c.text(t.key);
  bool no_schedule = t.effect == TaintEffect::NoSchedule;
  if (key == "node.kubernetes.io/not-ready") return t.effect != TaintEffect::PreferNoSchedule;
  if (key == "node.kubernetes.io/unreachable") return no_schedule;
  if (key == "node.cloudprovider.kubernetes.io/uninitialized") return no_schedule;
  if (key == "karpenter.sh/unregistered") return t.effect == TaintEffect::NoExecute;
  return key.starts_with("readiness.k8s.io/");
}

bool going(const Cluster& c, const Node& n) {
  if (!n.claim.valid()) return n.deleted.has_value();
  const NodeClaim& claim = c.claims[n.claim.index()];
  return claim.deleted.has_value() || claim.instance_terminating.is_true();
}

// The labels with old keys read as the new ones, and with a host name. Most nodes have no need of that: then they are their own.
const LabelSet* canonical_labels(const Cluster& c, const LabelSet& labels, Symbol hostname, Sites& sites) {
  const Symbol name = labels.get(c.known.hostname);
  const bool named = name.valid() && name != c.known.empty;
  if (named &&
      std::ranges::none_of(labels, [&](const auto& l) { return canonical_key(c, l.first) != l.first; }))
    return &labels;
  LabelSet& out = sites.rewritten.emplace_back();
  for (auto [k, v] : labels)
    if (canonical_key(c, k) != k) out.set(canonical_key(c, k), v);
  for (auto [k, v] : labels)
    if (canonical_key(c, k) == k) out.set(k, v);
  if (!named) out.set(c.known.hostname, hostname);
  return &out;
}

Site site_of_node(const Cluster& c, NodeId id, const Options& options, Sites& sites) {
  const Node& n = c.nodes[id.index()];
  Site s;
  s.node = id;
  s.claim = n.claim;
  s.name = n.name;
  s.labels = &n.labels;
  s.taints = n.taints;
  s.unschedulable = n.unschedulable;
  s.leaving = going(c, n) || (options.dialect == Dialect::Kubernetes && n.deleted.has_value());
  if (!options.closed.empty()) s.closed = options.closed[id.index()];
  if (n.claim.valid()) s.initialized = n.labels.get(c.known.initialized) == c.known.true_;
  if (options.dialect == Dialect::Kubernetes) return s;

  if (n.claim.valid()) {
    const NodeClaim& claim = c.claims[n.claim.index()];
    bool registered = n.labels.get(c.known.registered) == c.known.true_;
    if (!registered) {
      s.name = claim.name;
      s.labels = &claim.labels;
      s.taints = claim.taints;
    }
    if (!s.initialized)
      std::erase_if(s.taints, [&](const Taint& t) {
        return ephemeral(c, t) ||
               std::any_of(claim.startup_taints.begin(), claim.startup_taints.end(),
                           [&](const Taint& x) { return x.key == t.key && x.effect == t.effect; });
      });
  }
  s.labels = canonical_labels(c, *s.labels, s.name, sites);
  return s;
}

Site site_of_claim(const Cluster& c, ClaimId id, Sites& sites) {
  const NodeClaim& claim = c.claims[id.index()];
  Site s;
  s.claim = id;
  s.name = claim.name;
  s.labels = canonical_labels(c, claim.labels, claim.name, sites);
  s.taints = claim.taints;
  std::erase_if(s.taints, [&](const Taint& t) { return ephemeral(c, t); });
  s.initialized = false;
  s.leaving = claim.deleted.has_value() || claim.instance_terminating.is_true();
  return s;
}

// The share of a node's cpu and memory that is asked for, in thousandths: fuller nodes are tried first, so that the
// simulation packs instead of spreading.
std::int64_t fullness(const Cluster& c, NodeId id) {
  const Node& n = c.nodes[id.index()];
  std::int64_t cpu = 0, memory = 0;
  for (PodId p : n.pods) {
    const Pod& pod = c.pods[p.index()];
    if (pod.terminal()) continue;
    cpu += c.spec(pod).requests.get(kCpu);
    memory += c.spec(pod).requests.get(kMemory) >> 10;
  }
  auto share = [](std::int64_t used, std::int64_t of) { return of > 0 ? used * 1000 / of : 1000; };
  return share(cpu, n.allocatable.get(kCpu)) + share(memory, n.allocatable.get(kMemory) >> 10);
}

}  // namespace

Symbol canonical_key(const Cluster& cluster, Symbol key) {
  const WellKnown& known = cluster.known;
  if (key == known.old_zone) return known.zone;
  if (key == known.old_region) return known.region;
  if (key == known.old_arch) return known.arch;
  if (key == known.old_os) return known.os;
  if (key == known.old_instance_type) return known.instance_type;
  return key;
}

bool tolerates(const std::vector<Toleration>& tolerations, const Taint& taint, const Cluster& cluster,
               Dialect dialect) {
  auto is_empty = [&](Symbol s) { return !s.valid() || s == cluster.known.empty; };
  auto number = [&](Symbol s) { return read_number<std::int64_t>(cluster.text(s)); };
  return std::any_of(tolerations.begin(), tolerations.end(), [&](const Toleration& t) {
    if (!t.any_effect && t.effect != taint.effect) return false;
    if (!is_empty(t.key) && t.key != taint.key) return false;
    switch (t.op) {
      case Toleration::Op::Exists:
        return true;
      case Toleration::Op::Equal:
        return (is_empty(t.value) && is_empty(taint.value)) || t.value == taint.value;
      case Toleration::Op::Lt:
      case Toleration::Op::Gt: {
        if (dialect == Dialect::Kubernetes) return false;
        auto mine = number(t.value), theirs = number(taint.value);
        if (!mine || !theirs) return false;
        return t.op == Toleration::Op::Lt ? *theirs < *mine : *theirs > *mine;
      }
    }
    return false;
  });
}

Sites make_sites(const Cluster& cluster, const Options& options) {
  Sites sites;
  sites.list.reserve(cluster.nodes.size());
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i)
    sites.list.push_back(site_of_node(cluster, NodeId(i), options, sites));
  if (options.dialect == Dialect::Karpenter)
    for (std::size_t i = 0; i < cluster.claims.size(); ++i)
      if (!cluster.claims[i].node.valid() && cluster.claims[i].provider_id.valid() &&
          cluster.claims[i].provider_id != cluster.known.empty)
        sites.list.push_back(site_of_claim(cluster, ClaimId(i), sites));

  if (options.dialect == Dialect::Karpenter) {
    const auto tried_first = [&](const Site& a, const Site& b) {
      if (a.initialized != b.initialized) return a.initialized;
      return cluster.text(a.name) < cluster.text(b.name);
    };
    // As they are where all nodes are initialized and registered.
    if (!std::ranges::is_sorted(sites.list, tried_first)) std::ranges::stable_sort(sites.list, tried_first);
    std::vector<TrialKey> keys(sites.list.size());
    for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = {0, i};
    sites.order = SiteOrder(std::move(keys));
  } else {
    std::vector<TrialKey> keys(cluster.nodes.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = trial_key(cluster, NodeId(i));
    std::sort(sites.list.begin(), sites.list.end(),
              [&](const Site& a, const Site& b) { return keys[a.node.index()] < keys[b.node.index()]; });
    std::sort(keys.begin(), keys.end());
    sites.order = SiteOrder(std::move(keys));
  }
  sites.of_node.resize(cluster.nodes.size());
  for (std::size_t i = 0; i < sites.list.size(); ++i)
    if (sites.list[i].node.valid()) sites.of_node[sites.list[i].node.index()] = SiteId(i);
  return sites;
}

TrialKey trial_key(const Cluster& cluster, NodeId node) {
  return {-fullness(cluster, node), static_cast<std::uint32_t>(node.index())};
}

}  // namespace tamp::fit

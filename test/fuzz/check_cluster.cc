#include "fuzz/check_cluster.h"

#include <algorithm>

namespace tamp::testing {
namespace {

template <typename T, typename Key>
bool strictly_sorted(const std::vector<T>& things, Key key) {
  return std::adjacent_find(things.begin(), things.end(),
                            [&](const T& a, const T& b) { return !(key(a) < key(b)); }) == things.end();
}

class Checker {
 public:
  explicit Checker(const Cluster& cluster) : c_(cluster) {}

  std::string run() {
    check_order();
    for (std::size_t i = 0; i < c_.pods.size(); ++i) check_pod(PodId(i));
    for (std::size_t i = 0; i < c_.nodes.size(); ++i) check_node(NodeId(i));
    for (std::size_t i = 0; i < c_.claims.size(); ++i) {
      const NodeClaim& claim = c_.claims[i];
      if (claim.node)
        require(c_.nodes.at(claim.node.index()).claim == ClaimId(i), "a claim's node has another claim");
    }
    for (const DaemonSet& set : c_.daemon_sets)
      require(set.spec.index() < c_.pod_specs.size(), "a DaemonSet's spec is out of range");
    for (const Workload& w : c_.workloads)
      require(!w.template_spec || w.template_spec->index() < c_.pod_specs.size(),
              "a template is out of range");
    require(c_.bindings.empty(), "bindings are left after finish()");
    return std::move(problem_);
  }

 private:
  void require(bool holds, const char* problem) {
    if (!holds && problem_.empty()) problem_ = problem;
  }
  std::string_view text(Symbol s) {
    require(!s.valid() || s.index() < c_.symbols.size(), "a symbol is out of range");
    return s.valid() && s.index() >= c_.symbols.size() ? std::string_view() : c_.text(s);
  }

  void check_order() {
    require(strictly_sorted(c_.nodes, [&](const Node& n) { return text(n.name); }), "nodes are not in order");
    require(strictly_sorted(c_.claims, [&](const NodeClaim& n) { return text(n.name); }),
            "claims are not in order");
    require(strictly_sorted(c_.pools, [&](const NodePool& p) { return std::pair(text(p.name), p.kind); }),
            "pools are not in order");
    require(strictly_sorted(c_.pods, [&](const Pod& p) { return std::pair(text(p.ns), text(p.name)); }),
            "pods are not in order");
  }

  void check_pod(PodId id) {
    const Pod& pod = c_.pods[id.index()];
    require(!text(pod.name).empty(), "a pod has no name");
    require(pod.spec.index() < c_.pod_specs.size(), "a pod's spec is out of range");
    require(pod.labels.index() < c_.label_sets.size(), "a pod's labels are out of range");
    require(c_.find_pod(text(pod.ns), text(pod.name)) == id, "a pod is not found by its name");
    if (problem_.empty()) {
      const PodSpec& spec = c_.spec(pod);
      require(spec.requests.get(kPods) == 1, "a pod does not count as one");
      for (const auto& a : spec.requests) {
        require(a.amount >= 0, "a request is negative");
        require(a.id.index() < c_.resource_names.size(), "a resource is out of range");
      }
    }
    if (!pod.node) return;
    const auto& pods = c_.nodes.at(pod.node.index()).pods;
    require(std::binary_search(pods.begin(), pods.end(), id), "a pod's node does not know it");
  }

  void check_node(NodeId id) {
    const Node& node = c_.nodes[id.index()];
    require(!text(node.name).empty(), "a node has no name");
    require(c_.find_node(text(node.name)) == id, "a node is not found by its name");
    require(strictly_sorted(node.pods, [](PodId p) { return p; }), "a node's pods are not in order");
    for (const PodId pod : node.pods)
      require(c_.pods.at(pod.index()).node == id, "a node's pod is bound elsewhere");
    if (node.claim) require(c_.claims.at(node.claim.index()).node == id, "a node's claim has another node");
    const PoolId pool = pool_of(c_, node);
    require(!pool || pool.index() < c_.pools.size(), "a node's pool is out of range");
    for (const auto& [key, value] : node.labels) {
      text(key);
      text(value);
    }
  }

  const Cluster& c_;
  std::string problem_;
};

}  // namespace

std::string check_cluster(const Cluster& cluster) { return Checker(cluster).run(); }

}  // namespace tamp::testing

#include "oracle/placement.h"

#include <algorithm>
#include <utility>

#include "oracle/storage.h"

namespace tamp::world {

Placement::Placement(const Cluster& cluster)
    : volumes(cluster.volumes),
      claims(cluster.volume_claims),
      cluster_(&cluster),
      nodes_(cluster.nodes),
      present_(cluster.nodes.size(), true),
      ghost_(cluster.nodes.size(), false),
      pods_(cluster.nodes.size()),
      where_(cluster.pods.size()),
      moved_(cluster.pods.size(), false) {
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    const Pod& pod = cluster.pods[i];
    if (!pod.bound() || pod.terminal()) continue;
    where_[i] = ref(pod.node);
    pods_[pod.node.index()].emplace_back(i);
  }
}

NodeRef Placement::add_node(Node node) {
  nodes_.push_back(std::move(node));
  present_.push_back(true);
  ghost_.push_back(false);
  pods_.emplace_back();
  return NodeRef(nodes_.size() - 1);
}

void Placement::make_ghost(NodeRef node) {
  for (PodId pod : pods_on(node)) evict(pod);
  ghost_[node.index()] = true;
  nodes_[node.index()].taints.push_back(
      {cluster_->known.disrupted_taint, cluster_->known.empty, TaintEffect::NoSchedule});
}

void Placement::remove_node(NodeRef node) {
  for (PodId pod : pods_on(node)) evict(pod);
  present_[node.index()] = false;
}

void Placement::evict(PodId pod) {
  lift(pod);
  moved_[pod.index()] = true;
}

void Placement::place(PodId pod, NodeRef node) {
  evict(pod);
  bind_volumes(*this, pod, node);
  set_down(pod, node);
}

void Placement::resize_pods(std::size_t count) {
  where_.resize(count);
  moved_.resize(count, false);
}

void Placement::replace_node(NodeRef node, Node version) {
  nodes_[node.index()] = std::move(version);
  present_[node.index()] = true;
  ghost_[node.index()] = false;
}

void Placement::lift(PodId pod) {
  if (where(pod).valid()) std::erase(pods_[where(pod).index()], pod);
  where_[pod.index()] = {};
}

void Placement::set_down(PodId pod, NodeRef node) {
  lift(pod);
  where_[pod.index()] = node;
  auto& pods = pods_[node.index()];
  pods.insert(std::lower_bound(pods.begin(), pods.end(), pod), pod);
}

std::vector<NodeRef> Placement::nodes() const {
  std::vector<NodeRef> all;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    if (present_[i]) all.emplace_back(i);
  return all;
}

std::vector<PodId> Placement::pods_on(NodeRef node, PodId except) const {
  std::vector<PodId> found = pods_[node.index()];
  std::erase(found, except);
  return found;
}

}  // namespace tamp::world

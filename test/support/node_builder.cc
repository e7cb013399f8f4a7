#include "support/node_builder.h"

#include <algorithm>
#include <string>
#include <utility>

namespace tamp::test {

NodeBuilder::NodeBuilder(Cluster& cluster, std::string_view name) : cluster_(&cluster) {
  node_.name = word(name);
  node_.uid = word("uid-node-" + std::string(name));
  node_.provider_id = word("kwok://" + std::string(name));
  node_.ready = {ConditionStatus::True, kCreated};
  node_.created = kCreated;
  claim_.name = node_.name;
  claim_.uid = word("uid-claim-" + std::string(name));
  claim_.created = kCreated;
  claim_.registered = claim_.initialized = claim_.consolidatable = {ConditionStatus::True, kCreated};
  label(kHostname, name).label(kArch, "amd64").label(kOs, "linux").zone("test-zone-a");
  capacity_type("on-demand").pool("default");
  label("karpenter.sh/registered", "true").label("karpenter.sh/initialized", "true");
}

NodeBuilder& NodeBuilder::pool(std::string_view name) { return label(kNodePool, name); }
NodeBuilder& NodeBuilder::label(std::string_view key, std::string_view value) {
  set_label(*cluster_, node_.labels, key, value);
  return *this;
}
NodeBuilder& NodeBuilder::unlabel(std::string_view key) {
  std::vector<std::pair<Symbol, Symbol>> kept;
  for (const auto& [k, v] : node_.labels)
    if (cluster_->text(k) != key) kept.emplace_back(k, v);
  node_.labels = LabelSet(std::move(kept));
  return *this;
}
NodeBuilder& NodeBuilder::taint(std::string_view key, std::string_view value, TaintEffect effect) {
  node_.taints.push_back({word(key), word(value), effect});
  return *this;
}
NodeBuilder& NodeBuilder::cordoned() {
  node_.unschedulable = true;
  return taint(kUnschedulable);
}
NodeBuilder& NodeBuilder::room(ResourceId id, std::int64_t amount) {
  room_.set(id, amount);
  return *this;
}
NodeBuilder& NodeBuilder::resource(std::string_view name, std::int64_t amount) {
  return room(cluster_->resource(name), amount);
}
NodeBuilder& NodeBuilder::not_ready() {
  node_.ready = {ConditionStatus::False, kCreated};
  return *this;
}
NodeBuilder& NodeBuilder::created(Time t) {
  node_.created = claim_.created = t;
  return *this;
}
NodeBuilder& NodeBuilder::deleting(Time since) {
  node_.deleted = claim_.deleted = since;
  return *this;
}
NodeBuilder& NodeBuilder::do_not_disrupt(std::string_view value) {
  node_.marks.do_not_disrupt = word(value);
  return *this;
}
NodeBuilder& NodeBuilder::do_not_evict(std::string_view value) {
  node_.marks.do_not_evict = word(value);
  return *this;
}
NodeBuilder& NodeBuilder::scale_down_disabled(std::string_view value) {
  node_.marks.scale_down_disabled = word(value);
  return *this;
}
NodeBuilder& NodeBuilder::removal_disabled(std::string_view value) {
  node_.marks.removal_disabled = word(value);
  return *this;
}
NodeBuilder& NodeBuilder::paused(std::string_view value) {
  node_.marks.pause = word(value);
  return *this;
}
NodeBuilder& NodeBuilder::unmanaged() {
  managed_ = false;
  return unlabel(kNodePool).unlabel("karpenter.sh/registered").unlabel("karpenter.sh/initialized");
}
NodeBuilder& NodeBuilder::node_group(std::string_view name) {
  return unmanaged().label("eks.amazonaws.com/nodegroup", name);
}
NodeBuilder& NodeBuilder::uninitialized() {
  claim_.initialized = {ConditionStatus::False, kCreated};
  claim_.consolidatable = {};
  return unlabel("karpenter.sh/initialized");
}
NodeBuilder& NodeBuilder::initialized(Time since) {
  claim_.initialized = {ConditionStatus::True, since};
  return *this;
}
NodeBuilder& NodeBuilder::not_consolidatable() {
  claim_.consolidatable = {};
  return *this;
}
NodeBuilder& NodeBuilder::consolidatable(Time since) {
  claim_.consolidatable = {ConditionStatus::True, since};
  return *this;
}
NodeBuilder& NodeBuilder::drifted(Time since) {
  claim_.drifted = {ConditionStatus::True, since};
  return *this;
}
NodeBuilder& NodeBuilder::last_pod_event(Time t) {
  claim_.last_pod_event = t;
  return *this;
}
NodeBuilder& NodeBuilder::expire_after(Duration d) {
  claim_.expire_after = d;
  return *this;
}

void NodeBuilder::build_into(Cluster& cluster) const {
  Node node = node_;
  node.allocatable.set(kCpu, 4000);
  node.allocatable.set(kMemory, 16 * kGi);
  node.allocatable.set(kPods, 110);
  node.capacity = node.allocatable;
  if (cluster.catalogue) {
    const auto& types = cluster.catalogue->types;
    auto type = std::find_if(types.begin(), types.end(), [&](const InstanceType& t) {
      return t.name == node.labels.get(cluster.known.instance_type);
    });
    if (type != types.end()) {
      node.allocatable = type->allocatable;
      node.capacity = type->capacity;
      // A launched node carries every label on which its type leaves no choice.
      for (const auto& r : type->requirements)
        if (r.op == SelectorOp::In && r.values.size() == 1 && r.key != cluster.known.zone &&
            r.key != cluster.known.capacity_type)
          node.labels.set(r.key, r.values.front());
    }
  }
  for (const auto& [id, amount] : room_) {
    node.allocatable.set(id, amount);
    node.capacity.set(id, amount);
  }
  if (managed_) {
    NodeClaim claim = claim_;
    claim.provider_id = node.provider_id;
    claim.node_name = node.name;
    claim.labels = node.labels;
    claim.capacity = node.capacity;
    claim.allocatable = node.allocatable;
    cluster.claims.push_back(std::move(claim));
  }
  cluster.nodes.push_back(std::move(node));
}

}  // namespace tamp::test

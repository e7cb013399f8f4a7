// Builds a node and its NodeClaim. Unless told otherwise a node is ready, initialized and consolidatable since
// kCreated, belongs to the NodePool "default", is on-demand linux/amd64 in test-zone-a, and has the size of its
// instance type, or 4 cores, 16Gi and 110 pods where the type is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/cluster.h"
#include "support/words.h"

namespace tamp::test {

class NodeBuilder {
 public:
  NodeBuilder(Cluster& cluster, std::string_view name);

  NodeBuilder& pool(std::string_view name);
  NodeBuilder& type(std::string_view name) { return label(kInstanceType, name); }
  NodeBuilder& zone(std::string_view name) { return label(kZone, name); }
  NodeBuilder& capacity_type(std::string_view name) { return label(kCapacityType, name); }
  NodeBuilder& spot() { return capacity_type("spot"); }
  NodeBuilder& label(std::string_view key, std::string_view value);
  NodeBuilder& unlabel(std::string_view key);
  NodeBuilder& taint(std::string_view key, std::string_view value = "",
                     TaintEffect effect = TaintEffect::NoSchedule);
  NodeBuilder& cordoned();  // the field, and the taint that the controller adds

  // Allocatable (and capacity) as given, in place of the instance type's.
  NodeBuilder& cpu(std::int64_t milli) { return room(kCpu, milli); }
  NodeBuilder& memory_mi(std::int64_t mi) { return room(kMemory, mi * kMi); }
  NodeBuilder& memory_gi(std::int64_t gi) { return room(kMemory, gi * kGi); }
  NodeBuilder& max_pods(std::int64_t n) { return room(kPods, n); }
  NodeBuilder& resource(std::string_view name, std::int64_t amount);

  NodeBuilder& not_ready();
  NodeBuilder& created(Time t);
  NodeBuilder& deleting(Time since = kNow);  // node and claim
  NodeBuilder& do_not_disrupt(std::string_view value = "true");
  NodeBuilder& do_not_evict(std::string_view value = "true");
  NodeBuilder& scale_down_disabled(std::string_view value = "true");
  NodeBuilder& removal_disabled(std::string_view value = "true");
  NodeBuilder& paused(std::string_view value = "true");

  NodeBuilder& unmanaged();                        // no NodeClaim and no pool
  NodeBuilder& node_group(std::string_view name);  // an EKS node group instead of a NodePool
  NodeBuilder& uninitialized();
  NodeBuilder& initialized(Time since);
  NodeBuilder& not_consolidatable();
  NodeBuilder& consolidatable(Time since);
  NodeBuilder& drifted(Time since = kNow);
  NodeBuilder& last_pod_event(Time t);
  NodeBuilder& expire_after(Duration d);

  // For what has no word above.
  Node& node() { return node_; }
  NodeClaim& claim() { return claim_; }

  bool managed() const { return managed_; }
  Symbol pool() const { return node_.labels.get(cluster_->known.nodepool); }
  void build_into(Cluster& cluster) const;

 private:
  Symbol word(std::string_view text) { return cluster_->symbols.intern(text); }
  NodeBuilder& room(ResourceId id, std::int64_t amount);

  Cluster* cluster_;
  Node node_;
  NodeClaim claim_;
  ResourceList room_;
  bool managed_ = true;
};

}  // namespace tamp::test

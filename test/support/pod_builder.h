// Builds pods: one, or a group of equal replicas. Unless told otherwise a pod is running, carries the label
// app=<name> and is controlled by a ReplicaSet of its own name, so that a consolidation may move it; without on() it
// is pending and was found unschedulable.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "core/cluster.h"
#include "support/words.h"

namespace tamp::test {

using Values = std::initializer_list<std::string_view>;

SelectorRequirement make_requirement(Cluster& cluster, std::string_view key, SelectorOp op, Values values);
LabelSelector make_selector(Cluster& cluster, std::string_view key, std::string_view value);

class PodBuilder {
 public:
  PodBuilder(Cluster& cluster, std::string_view name, std::size_t first, std::size_t count, bool numbered);

  // Where and who.
  PodBuilder& on(std::string_view node);
  PodBuilder& pending() { return on(""); }
  PodBuilder& ns(std::string_view name);
  PodBuilder& uid(std::string_view uid);
  PodBuilder& label(std::string_view key, std::string_view value);
  PodBuilder& unlabelled();
  PodBuilder& owner(OwnerKind kind, std::string_view name);  // as controller
  PodBuilder& bare();                                        // no owner at all
  PodBuilder& mirror();                                      // a static pod of its node
  PodBuilder& nominated(std::string_view node);
  PodBuilder& phase(PodPhase phase);
  PodBuilder& not_ready();
  PodBuilder& crash_looping(std::int64_t restarts = 3);
  PodBuilder& terminating(Time since = kNow);
  PodBuilder& created(Time t);
  PodBuilder& started(Time t);
  PodBuilder& scheduled(Time t);
  PodBuilder& finished(Time t);
  PodBuilder& priority(std::int32_t value);
  PodBuilder& priority_class(std::string_view name);
  PodBuilder& do_not_disrupt(std::string_view value = "true");
  PodBuilder& do_not_evict(std::string_view value = "true");
  PodBuilder& safe_to_evict(std::string_view value);
  PodBuilder& safe_local_volumes(std::string_view value);
  PodBuilder& deletion_cost(std::string_view value);

  // What it asks for.
  PodBuilder& cpu(std::int64_t milli) { return request(kCpu, milli); }
  PodBuilder& memory_mi(std::int64_t mi) { return request(kMemory, mi * kMi); }
  PodBuilder& memory_gi(std::int64_t gi) { return request(kMemory, gi * kGi); }
  PodBuilder& request(std::string_view resource, std::int64_t amount);
  PodBuilder& node_selector(std::string_view key, std::string_view value);
  // Each call is one more term of the OR; and_node_affinity() adds to the last term.
  PodBuilder& node_affinity(std::string_view key, SelectorOp op, Values values = {});
  PodBuilder& and_node_affinity(std::string_view key, SelectorOp op, Values values = {});
  PodBuilder& node_name_affinity(SelectorOp op, Values names);  // a matchFields term
  PodBuilder& node_affinity_of_no_terms();
  PodBuilder& prefer_nodes(std::int32_t weight, std::string_view key, SelectorOp op, Values values = {});
  PodBuilder& affinity(std::string_view key, std::string_view value, std::string_view topology);
  PodBuilder& affinity(PodAffinityTerm term);
  PodBuilder& anti_affinity(std::string_view key, std::string_view value, std::string_view topology);
  PodBuilder& anti_affinity(PodAffinityTerm term);
  PodBuilder& prefer_affinity(std::int32_t weight, PodAffinityTerm term);
  PodBuilder& prefer_anti_affinity(std::int32_t weight, PodAffinityTerm term);
  PodBuilder& spread(std::string_view topology, std::string_view key, std::string_view value,
                     std::int32_t max_skew = 1);
  PodBuilder& spread(SpreadConstraint constraint);
  PodBuilder& tolerate(std::string_view key, std::string_view value = "");  // Equal, every effect
  PodBuilder& tolerate(std::string_view key, std::string_view value, TaintEffect effect);
  PodBuilder& tolerate_key(std::string_view key);  // Exists, every effect
  PodBuilder& tolerate_everything();
  PodBuilder& toleration(Toleration toleration);
  PodBuilder& host_port(std::int32_t port, std::string_view protocol = "TCP",
                        std::string_view ip = "0.0.0.0");
  PodBuilder& sidecar_host_port(std::int32_t port, std::string_view protocol = "TCP",
                                std::string_view ip = "0.0.0.0");
  PodBuilder& resource_claims();
  PodBuilder& gated();

  // Volumes.
  PodBuilder& claim(std::string_view pvc);             // shared by all pods of the group
  PodBuilder& claim_of_its_own(std::string_view pvc);  // "<pvc>-<pod>", as a StatefulSet's template makes
  PodBuilder& ephemeral(std::string_view volume);      // claim "<pod>-<volume>"
  PodBuilder& inline_csi(std::string_view driver);
  PodBuilder& empty_dir();
  PodBuilder& memory_dir();
  PodBuilder& host_path();
  PodBuilder& disk(std::string_view plugin, std::string_view id, bool read_only = false);
  PodBuilder& disk_in_csi(std::string_view plugin, std::string_view id, std::string_view driver);
  PodBuilder& rbd(std::string_view pool_and_image, Values monitors, bool read_only = false);

  // For what has no word above.
  Pod& pod() { return pod_; }
  PodSpec& spec() { return spec_; }

  // Adds the pods (or, for a DaemonSet's template, the DaemonSet and its pods) to `cluster`.
  void build_into(Cluster& cluster) const;
  // A single pod like this one, under another name.
  PodBuilder renamed(std::string_view name) const;
  // Turns the builder into that of a DaemonSet: on() then adds one pod on each node named.
  PodBuilder& as_daemon_set();

 private:
  struct Mount {
    PodVolume volume;
    bool per_pod = false;
  };

  Symbol word(std::string_view text) { return cluster_->symbols.intern(text); }
  PodBuilder& request(ResourceId id, std::int64_t amount);
  PodAffinityTerm term(std::string_view key, std::string_view value, std::string_view topology);
  PodVolume& add_volume(PodVolume::Kind kind, bool per_pod = false);
  void add_pod(Cluster& cluster, std::string_view name, Symbol node, PodSpec spec) const;

  Cluster* cluster_;
  std::string name_;
  std::size_t first_;
  std::size_t count_;
  bool numbered_;
  bool daemon_set_ = false;
  bool uid_given_ = false;
  bool phase_given_ = false;
  std::vector<Symbol> nodes_;
  Pod pod_;
  PodSpec spec_;
  LabelSet labels_;
  std::vector<Mount> mounts_;
};

}  // namespace tamp::test

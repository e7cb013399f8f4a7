#include "support/storage_builder.h"

#include <algorithm>
#include <string>

namespace tamp::test {
namespace {

std::vector<Symbol> sorted_words(Cluster& cluster, Values texts) {
  std::vector<Symbol> words;
  for (auto t : texts) words.push_back(cluster.symbols.intern(t));
  std::sort(words.begin(), words.end());
  return words;
}

}  // namespace

PvBuilder::PvBuilder(Cluster& cluster, std::string_view name) : cluster_(&cluster) {
  pv_.name = word(name);
  pv_.storage_class = word("");
  capacity_gi(10).access({"ReadWriteOnce"}).mode("Filesystem").phase("Available");
}
PvBuilder& PvBuilder::label(std::string_view key, std::string_view value) {
  set_label(*cluster_, pv_.labels, key, value);
  return *this;
}
PvBuilder& PvBuilder::only_on(std::string_view key, Values values) {
  pv_.has_node_affinity = true;
  pv_.node_affinity.push_back({{make_requirement(*cluster_, key, SelectorOp::In, values)}, {}});
  return *this;
}
PvBuilder& PvBuilder::and_on(std::string_view key, Values values) {
  pv_.node_affinity.back().expressions.push_back(make_requirement(*cluster_, key, SelectorOp::In, values));
  return *this;
}
PvBuilder& PvBuilder::csi(std::string_view driver, std::string_view handle) {
  pv_.csi_driver = word(driver);
  pv_.csi_handle = handle.empty() ? pv_.name : word(handle);
  return *this;
}
PvBuilder& PvBuilder::in_tree(std::string_view plugin, std::string_view driver) {
  pv_.in_tree_plugin = word(plugin);
  return csi(driver);
}
PvBuilder& PvBuilder::csi_only_on(std::string_view key, Values values) {
  pv_.has_csi_node_affinity = true;
  pv_.csi_node_affinity.push_back({{make_requirement(*cluster_, key, SelectorOp::In, values)}, {}});
  return *this;
}
PvBuilder& PvBuilder::local() {
  pv_.local_or_host_path = true;
  return *this;
}
PvBuilder& PvBuilder::cls(std::string_view name) {
  pv_.storage_class = word(name);
  return *this;
}
PvBuilder& PvBuilder::capacity_gi(std::int64_t gi) {
  pv_.capacity_bytes = gi * kGi;
  return *this;
}
PvBuilder& PvBuilder::access(Values modes) {
  pv_.access_modes = sorted_words(*cluster_, modes);
  return *this;
}
PvBuilder& PvBuilder::mode(std::string_view volume_mode) {
  pv_.volume_mode = word(volume_mode);
  return *this;
}
PvBuilder& PvBuilder::phase(std::string_view phase) {
  pv_.phase = word(phase);
  return *this;
}
PvBuilder& PvBuilder::claimed_by(std::string_view ns, std::string_view claim, std::string_view uid) {
  pv_.claim_ns = word(ns);
  pv_.claim_name = word(claim);
  if (!uid.empty()) pv_.claim_uid = word(uid);
  return *this;
}
PvBuilder& PvBuilder::deleting() {
  pv_.deleting = true;
  return *this;
}

PvcBuilder::PvcBuilder(Cluster& cluster, std::string_view name) : cluster_(&cluster) {
  pvc_.name = word(name);
  pvc_.uid = word("uid-pvc-" + std::string(name));
  pvc_.phase = word("Pending");
  ns("default").access({"ReadWriteOnce"}).mode("Filesystem").request_gi(1);
}
PvcBuilder& PvcBuilder::ns(std::string_view name) {
  pvc_.ns = word(name);
  return *this;
}
PvcBuilder& PvcBuilder::uid(std::string_view uid) {
  pvc_.uid = word(uid);
  return *this;
}
PvcBuilder& PvcBuilder::cls(std::string_view name) {
  pvc_.storage_class = word(name);
  return *this;
}
PvcBuilder& PvcBuilder::bound_to(std::string_view pv) {
  pvc_.bind_completed = true;
  pvc_.phase = word("Bound");
  return prebound_to(pv);
}
PvcBuilder& PvcBuilder::prebound_to(std::string_view pv) {
  pvc_.volume_name = word(pv);
  return *this;
}
PvcBuilder& PvcBuilder::lost(std::string_view pv) {
  bound_to(pv);
  pvc_.phase = word("Lost");
  return *this;
}
PvcBuilder& PvcBuilder::access(Values modes) {
  pvc_.access_modes = sorted_words(*cluster_, modes);
  return *this;
}
PvcBuilder& PvcBuilder::mode(std::string_view volume_mode) {
  pvc_.volume_mode = word(volume_mode);
  return *this;
}
PvcBuilder& PvcBuilder::request_gi(std::int64_t gi) {
  pvc_.request_bytes = gi * kGi;
  return *this;
}
PvcBuilder& PvcBuilder::selects(std::string_view key, std::string_view value) {
  pvc_.selector = make_selector(*cluster_, key, value);
  return *this;
}
PvcBuilder& PvcBuilder::selected_node(std::string_view node) {
  pvc_.selected_node = word(node);
  return *this;
}
PvcBuilder& PvcBuilder::owned_by(std::string_view pod_uid) {
  pvc_.owner_uid = word(pod_uid);
  return *this;
}
PvcBuilder& PvcBuilder::deleting() {
  pvc_.deleting = true;
  return *this;
}

StorageClassBuilder::StorageClassBuilder(Cluster& cluster, std::string_view name,
                                         std::string_view provisioner)
    : cluster_(&cluster) {
  class_.name = cluster.symbols.intern(name);
  class_.provisioner = class_.csi_provisioner = cluster.symbols.intern(provisioner);
}
StorageClassBuilder& StorageClassBuilder::wait() {
  class_.wait_for_first_consumer = true;
  return *this;
}
StorageClassBuilder& StorageClassBuilder::topology(std::string_view key, Values values) {
  class_.allowed_topologies.emplace_back();
  return and_topology(key, values);
}
StorageClassBuilder& StorageClassBuilder::and_topology(std::string_view key, Values values) {
  class_.allowed_topologies.back().expressions.push_back(
      make_requirement(*cluster_, key, SelectorOp::In, values));
  return *this;
}
StorageClassBuilder& StorageClassBuilder::in_tree(std::string_view csi_name) {
  class_.csi_provisioner = cluster_->symbols.intern(csi_name);
  return *this;
}

CsiNodeBuilder::CsiNodeBuilder(Cluster& cluster, std::string_view node) : cluster_(&cluster) {
  csi_node_.node_name = cluster.symbols.intern(node);
}
CsiNodeBuilder& CsiNodeBuilder::driver(std::string_view name) {
  csi_node_.drivers.push_back({cluster_->symbols.intern(name), {}});
  return *this;
}
CsiNodeBuilder& CsiNodeBuilder::limit(std::string_view driver, std::int64_t count) {
  csi_node_.drivers.push_back({cluster_->symbols.intern(driver), count});
  return *this;
}
CsiNodeBuilder& CsiNodeBuilder::migrated(std::string_view plugin) {
  csi_node_.migrated_plugins.push_back(cluster_->symbols.intern(plugin));
  return *this;
}
void CsiNodeBuilder::build_into(Cluster& cluster) const {
  CsiNode made = csi_node_;
  std::sort(made.migrated_plugins.begin(), made.migrated_plugins.end());
  cluster.csi_nodes.push_back(std::move(made));
}

}  // namespace tamp::test

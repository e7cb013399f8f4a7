// Builds persistent volumes, claims, storage classes and CSINodes.
#pragma once

#include <cstdint>
#include <string_view>

#include "support/pod_builder.h"

namespace tamp::test {

// A volume of 10Gi, ReadWriteOnce, Filesystem, available and of no class, unless told otherwise.
class PvBuilder {
 public:
  PvBuilder(Cluster& cluster, std::string_view name);

  PvBuilder& label(std::string_view key, std::string_view value);
  // Each call is one more term of the OR; and_on() adds to the last term.
  PvBuilder& only_on(std::string_view key, Values values);
  PvBuilder& and_on(std::string_view key, Values values);
  PvBuilder& csi(std::string_view driver, std::string_view handle = "");  // handle: the volume's name
  // A source that moved to CSI; node affinity after the translation by csi_only_on().
  PvBuilder& in_tree(std::string_view plugin, std::string_view driver);
  PvBuilder& csi_only_on(std::string_view key, Values values);
  PvBuilder& local();
  PvBuilder& cls(std::string_view name);
  PvBuilder& capacity_gi(std::int64_t gi);
  PvBuilder& access(Values modes);
  PvBuilder& mode(std::string_view volume_mode);
  PvBuilder& phase(std::string_view phase);
  PvBuilder& claimed_by(std::string_view ns, std::string_view claim, std::string_view uid = "");
  PvBuilder& deleting();

  PersistentVolume& pv() { return pv_; }
  void build_into(Cluster& cluster) const { cluster.volumes.push_back(pv_); }

 private:
  Symbol word(std::string_view text) { return cluster_->symbols.intern(text); }
  Cluster* cluster_;
  PersistentVolume pv_;
};

// A claim for 1Gi, ReadWriteOnce, Filesystem, pending and without class, unless told otherwise.
class PvcBuilder {
 public:
  PvcBuilder(Cluster& cluster, std::string_view name);

  PvcBuilder& ns(std::string_view name);
  PvcBuilder& uid(std::string_view uid);
  PvcBuilder& cls(std::string_view name);
  PvcBuilder& bound_to(std::string_view pv);     // fully: volumeName, bind-completed and phase
  PvcBuilder& prebound_to(std::string_view pv);  // volumeName alone
  PvcBuilder& lost(std::string_view pv);
  PvcBuilder& access(Values modes);
  PvcBuilder& mode(std::string_view volume_mode);
  PvcBuilder& request_gi(std::int64_t gi);
  PvcBuilder& selects(std::string_view key, std::string_view value);
  PvcBuilder& selected_node(std::string_view node);
  PvcBuilder& owned_by(std::string_view pod_uid);
  PvcBuilder& deleting();

  PersistentVolumeClaim& pvc() { return pvc_; }
  void build_into(Cluster& cluster) const { cluster.volume_claims.push_back(pvc_); }

 private:
  Symbol word(std::string_view text) { return cluster_->symbols.intern(text); }
  Cluster* cluster_;
  PersistentVolumeClaim pvc_;
};

// Immediate binding and no topology, unless told otherwise.
class StorageClassBuilder {
 public:
  StorageClassBuilder(Cluster& cluster, std::string_view name, std::string_view provisioner);

  StorageClassBuilder& wait();  // WaitForFirstConsumer
  // Each call is one more term of the OR; and_topology() adds to the last term.
  StorageClassBuilder& topology(std::string_view key, Values values);
  StorageClassBuilder& and_topology(std::string_view key, Values values);
  StorageClassBuilder& in_tree(std::string_view csi_name);  // the provisioner moved to CSI under this name

  StorageClass& storage_class() { return class_; }
  void build_into(Cluster& cluster) const { cluster.storage_classes.push_back(class_); }

 private:
  Cluster* cluster_;
  StorageClass class_;
};

class CsiNodeBuilder {
 public:
  CsiNodeBuilder(Cluster& cluster, std::string_view node);

  CsiNodeBuilder& driver(std::string_view name);  // without a limit
  CsiNodeBuilder& limit(std::string_view driver, std::int64_t count);
  CsiNodeBuilder& migrated(std::string_view plugin);

  void build_into(Cluster& cluster) const;

 private:
  Cluster* cluster_;
  CsiNode csi_node_;
};

}  // namespace tamp::test

#include <gtest/gtest.h>

#include "wire/reading_for_test.h"

namespace tamp::wire {
namespace {

using testing::read;

struct StorageTest : ::testing::Test {
  Reading reading;
  const PersistentVolume& volume(const std::string& spec, const std::string& metadata = "") {
    reading = read("{apiVersion: v1, kind: PersistentVolume, metadata: {name: v, " + metadata +
                   "}, spec: " + spec + "}");
    if (reading.cluster.volumes.empty()) reading.cluster.volumes.emplace_back();
    return reading.cluster.volumes[0];
  }
  std::string_view text(Symbol s) { return reading.cluster.text(s); }
  // "key:value,value" for each expression of the first term of the translated affinity.
  std::string translated(const PersistentVolume& v) {
    std::string out;
    if (v.csi_node_affinity.empty()) return out;
    for (const auto& r : v.csi_node_affinity[0].expressions) {
      out += std::string(text(r.key)) + ":";
      for (const Symbol s : r.values) out += std::string(text(s)) + ",";
      out += " ";
    }
    return out;
  }
};

TEST_F(StorageTest, ACsiVolume) {
  const PersistentVolume& v = volume(
      "{capacity: {storage: 1Gi}, accessModes: [ReadWriteOncePod], storageClassName: fast, claimRef: "
      "{namespace: a, name: "
      "b, uid: c}, csi: {driver: d, volumeHandle: h}, nodeAffinity: {required: {nodeSelectorTerms: "
      "[{matchExpressions: "
      "[{key: z, operator: In, values: [q]}]}]}}}");
  EXPECT_EQ(v.capacity_bytes, 1 << 30);
  EXPECT_EQ(text(v.csi_driver), "d");
  EXPECT_EQ(text(v.csi_handle), "h");
  EXPECT_FALSE(v.in_tree_plugin.valid());
  EXPECT_TRUE(v.has_node_affinity);
  EXPECT_EQ(v.node_affinity.size(), 1u);
  EXPECT_EQ(text(v.storage_class), "fast");
  EXPECT_EQ(text(v.claim_uid), "c");
  EXPECT_EQ(text(v.volume_mode), "Filesystem");
  EXPECT_FALSE(v.local_or_host_path);
}

TEST_F(StorageTest, LocalVolumes) {
  EXPECT_TRUE(volume("{local: {path: /x}}").local_or_host_path);
  EXPECT_TRUE(volume("{hostPath: {path: /x}}").local_or_host_path);
}

TEST_F(StorageTest, AnEbsDiskMovesToItsDriver) {
  const PersistentVolume& v = volume(
      "{awsElasticBlockStore: {volumeID: 'aws://us-east-1a/vol-1'}, nodeAffinity: {required: "
      "{nodeSelectorTerms: "
      "[{matchExpressions: [{key: topology.kubernetes.io/zone, operator: In, values: [us-east-1a]}]}]}}}");
  EXPECT_EQ(text(v.in_tree_plugin), "kubernetes.io/aws-ebs");
  EXPECT_EQ(text(v.csi_driver), "ebs.csi.aws.com");
  EXPECT_EQ(text(v.csi_handle), "vol-1");
  EXPECT_TRUE(v.has_csi_node_affinity);
  EXPECT_EQ(translated(v), "topology.ebs.csi.aws.com/zone:us-east-1a, ");
  EXPECT_EQ(text(v.node_affinity[0].expressions[0].key), "topology.kubernetes.io/zone");
}

TEST_F(StorageTest, ZonesMayComeFromLabelsOnly) {
  const PersistentVolume& v =
      volume("{gcePersistentDisk: {pdName: d}}",
             "labels: {failure-domain.beta.kubernetes.io/zone: us-central1-a__us-central1-b}");
  EXPECT_EQ(text(v.csi_handle), "projects/UNSPECIFIED/regions/us-central1/disks/d");
  EXPECT_FALSE(v.has_node_affinity);
  EXPECT_TRUE(v.has_csi_node_affinity);
  EXPECT_EQ(translated(v), "topology.gke.io/zone:us-central1-a,us-central1-b, ");
}

TEST_F(StorageTest, AZonalDiskNamesItsZone) {
  EXPECT_EQ(
      text(volume("{gcePersistentDisk: {pdName: d}}", "labels: {topology.kubernetes.io/zone: us-central1-a}")
               .csi_handle),
      "projects/UNSPECIFIED/zones/us-central1-a/disks/d");
}

TEST_F(StorageTest, OtherInTreeSources) {
  EXPECT_EQ(text(volume("{azureDisk: {diskName: a, diskURI: /sub/x}}").csi_handle), "/sub/x");
  EXPECT_FALSE(volume("{azureDisk: {diskName: a, diskURI: /sub/x, kind: Dedicated}}").csi_handle.valid());
  EXPECT_EQ(
      text(
          volume(
              "{azureFile: {secretName: azure-storage-account-acc-secret, shareName: s, secretNamespace: k}}")
              .csi_handle),
      "#acc#s#v#k");
  EXPECT_EQ(text(volume("{cinder: {volumeID: c}}").csi_driver), "cinder.csi.openstack.org");
  EXPECT_EQ(text(volume("{portworxVolume: {volumeID: c}}").csi_driver), "pxd.portworx.com");
  EXPECT_EQ(
      translated(volume("{vsphereVolume: {volumePath: p}}",
                        "labels: {topology.kubernetes.io/zone: z1, topology.kubernetes.io/region: r1}")),
      "topology.csi.vmware.com/zone:z1, topology.csi.vmware.com/region:r1, ");
}

TEST_F(StorageTest, AClaim) {
  reading = read(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, uid: u, annotations: "
      "{pv.kubernetes.io/bind-completed: 'yes', volume.kubernetes.io/selected-node: a}, ownerReferences: "
      "[{apiVersion: v1, "
      "kind: Pod, name: p, uid: pu, controller: true}]}, spec: {storageClassName: '', volumeName: v, "
      "accessModes: "
      "[ReadWriteOnce], resources: {requests: {storage: 5Gi}}, selector: {matchLabels: {a: b}}}, status: "
      "{phase: Bound}}");
  const PersistentVolumeClaim& c = reading.cluster.volume_claims.at(0);
  EXPECT_TRUE(c.bind_completed);
  EXPECT_EQ(text(c.selected_node), "a");
  EXPECT_TRUE(c.storage_class.valid());
  EXPECT_EQ(text(c.storage_class), "");
  EXPECT_EQ(c.request_bytes, std::int64_t{5} << 30);
  EXPECT_EQ(text(c.owner_uid), "pu");
  EXPECT_EQ(text(c.phase), "Bound");
  EXPECT_TRUE(c.selector.has_value());
}

TEST_F(StorageTest, AttributesClasses) {
  EXPECT_EQ(text(volume("{volumeAttributesClassName: gold}").attributes_class), "gold");
  EXPECT_FALSE(volume("{}").attributes_class.valid());
  reading = read(
      "{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {volumeAttributesClassName: "
      "gold}}");
  EXPECT_EQ(text(reading.cluster.volume_claims.at(0).attributes_class), "gold");
}

TEST_F(StorageTest, TheOldAnnotationStillNamesTheClass) {
  const std::string old = "annotations: {volume.beta.kubernetes.io/storage-class: slow}";
  EXPECT_EQ(text(volume("{storageClassName: fast}", old).storage_class), "slow");
  reading = read("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c, " + old +
                 "}, spec: {storageClassName: fast}}");
  EXPECT_EQ(text(reading.cluster.volume_claims.at(0).storage_class), "slow");
}

TEST_F(StorageTest, AClaimWithoutAClassHasNone) {
  reading = read("{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: c}, spec: {}}");
  EXPECT_FALSE(reading.cluster.volume_claims.at(0).storage_class.valid());
}

TEST_F(StorageTest, Classes) {
  reading = read(
      "{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, "
      "provisioner: kubernetes.io/gce-pd, volumeBindingMode: WaitForFirstConsumer, "
      "allowedTopologies: [{matchLabelExpressions: [{key: z, values: [a, b]}]}]}");
  const StorageClass& s = reading.cluster.storage_classes.at(0);
  EXPECT_EQ(text(s.provisioner), "kubernetes.io/gce-pd");
  EXPECT_EQ(text(s.csi_provisioner), "pd.csi.storage.gke.io");
  EXPECT_TRUE(s.wait_for_first_consumer);
  EXPECT_EQ(s.allowed_topologies.at(0).expressions.at(0).values.size(), 2u);
  EXPECT_EQ(testing::error_of("{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: s}, "
                              "volumeBindingMode: Later}"),
            "file: StorageClass s: volumeBindingMode: is \"Later\", must be one of Immediate, "
            "WaitForFirstConsumer");
}

TEST_F(StorageTest, CsiNodes) {
  reading = read(
      "{apiVersion: storage.k8s.io/v1, kind: CSINode, metadata: {name: a, annotations: "
      "{storage.alpha.kubernetes.io/migrated-plugins: 'kubernetes.io/aws-ebs,kubernetes.io/cinder'}}, spec: "
      "{drivers: "
      "[{name: d, allocatable: {count: 25}}, {name: e}]}}");
  const CsiNode& n = reading.cluster.csi_nodes.at(0);
  EXPECT_EQ(n.drivers.at(0).limit, 25);
  EXPECT_EQ(n.drivers.at(1).limit, std::nullopt);
  EXPECT_EQ(n.migrated_plugins.size(), 2u);
}

}  // namespace
}  // namespace tamp::wire

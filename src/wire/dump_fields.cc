#include "wire/dump_fields.h"

#include <array>
#include <initializer_list>

namespace tamp::wire {
namespace {

using enum Treatment;

DumpField inner(std::string name, std::vector<DumpField> children) {
  return {std::move(name), Inner, std::move(children)};
}
DumpField leaf(std::string name, Treatment treatment) { return {std::move(name), treatment, {}}; }
DumpField& with(DumpField& field, Treatment treatment, std::initializer_list<const char*> names) {
  for (const char* name : names) field.children.push_back(leaf(name, treatment));
  return field;
}
// A field with plain children, which are kept.
DumpField kept(std::string name, std::initializer_list<const char*> names) {
  DumpField field = inner(std::move(name), {});
  return with(field, Keep, names);
}

DumpField label_selector(std::string name) {
  DumpField expressions = inner("matchExpressions", {leaf("values", Value)});
  with(expressions, Keep, {"key", "operator"});
  return inner(std::move(name), {leaf("matchLabels", Labels), std::move(expressions)});
}

DumpField node_term(std::string name) {
  DumpField expressions = inner("matchExpressions", {leaf("values", Value)});
  with(expressions, Keep, {"key", "operator"});
  DumpField fields = inner("matchFields", {leaf("values", Name)});
  with(fields, Keep, {"key", "operator"});
  return inner(std::move(name), {std::move(expressions), std::move(fields)});
}

DumpField pod_term(std::string name) {
  DumpField term = inner(std::move(name), {label_selector("labelSelector"),
                                           label_selector("namespaceSelector"), leaf("namespaces", Name)});
  return with(term, Keep, {"topologyKey", "matchLabelKeys", "mismatchLabelKeys"});
}

DumpField pod_affinity(std::string name) {
  DumpField weighted = inner("preferredDuringSchedulingIgnoredDuringExecution",
                             {pod_term("podAffinityTerm"), leaf("weight", Keep)});
  return inner(std::move(name),
               {pod_term("requiredDuringSchedulingIgnoredDuringExecution"), std::move(weighted)});
}

DumpField affinity() {
  DumpField required =
      inner("requiredDuringSchedulingIgnoredDuringExecution", {node_term("nodeSelectorTerms")});
  DumpField preferred = inner("preferredDuringSchedulingIgnoredDuringExecution",
                              {node_term("preference"), leaf("weight", Keep)});
  return inner("affinity", {inner("nodeAffinity", {std::move(required), std::move(preferred)}),
                            pod_affinity("podAffinity"), pod_affinity("podAntiAffinity")});
}

DumpField taints(std::string name) {
  DumpField field = inner(std::move(name), {leaf("value", Value)});
  return with(field, Keep, {"key", "operator", "effect"});
}

// Sources of volumes that a pod and a PersistentVolume write alike.
void add_disks(DumpField& volume) {
  const auto disk = [&](const char* source, std::initializer_list<const char*> paths,
                        std::initializer_list<const char*> names = {}) {
    DumpField field = inner(source, {leaf("readOnly", Keep)});
    with(field, Path, paths);
    volume.children.push_back(with(field, Name, names));
  };
  disk("awsElasticBlockStore", {"volumeID"});
  disk("gcePersistentDisk", {"pdName"});
  disk("azureDisk", {"diskURI"});
  with(volume.children.back(), Keep, {"kind"});
  disk("azureFile", {}, {"shareName", "secretName", "secretNamespace"});
  disk("cinder", {"volumeID"});
  disk("vsphereVolume", {"volumePath"});
  disk("portworxVolume", {"volumeID"});
  disk("iscsi", {}, {"iqn"});
  disk("rbd", {}, {"pool", "image", "monitors"});
}

DumpField containers(std::string name) {
  return inner(std::move(name),
               {leaf("name", Name), leaf("restartPolicy", Keep), kept("resources", {"requests", "limits"}),
                kept("ports", {"hostPort", "containerPort", "hostIP", "protocol"})});
}

DumpField pod_spec() {
  DumpField spec = inner(
      "spec", {leaf("nodeName", Name), leaf("priorityClassName", Word), leaf("nodeSelector", Labels),
               affinity(), taints("tolerations"), containers("containers"), containers("initContainers")});
  with(spec, Keep, {"priority", "hostNetwork", "overhead"});
  spec.children.push_back(kept("resources", {"requests", "limits"}));
  DumpField spread = inner("topologySpreadConstraints", {label_selector("labelSelector")});
  spec.children.push_back(with(spread, Keep,
                               {"topologyKey", "maxSkew", "minDomains", "whenUnsatisfiable",
                                "nodeAffinityPolicy", "nodeTaintsPolicy", "matchLabelKeys"}));
  DumpField volumes =
      inner("volumes", {leaf("name", Name), leaf("ephemeral", Empty), leaf("hostPath", Empty),
                        kept("emptyDir", {"medium"}),
                        inner("persistentVolumeClaim", {leaf("claimName", Name), leaf("readOnly", Keep)}),
                        inner("csi", {leaf("driver", Word), leaf("readOnly", Keep)})});
  add_disks(volumes);
  spec.children.push_back(std::move(volumes));
  return with(spec, Empty, {"resourceClaims", "schedulingGates"});
}

DumpField pod_template() {
  return inner("template", {inner("metadata", {leaf("labels", Labels)}), pod_spec()});
}

DumpField conditions() { return kept("conditions", {"type", "status", "reason", "lastTransitionTime"}); }

DumpField metadata(Treatment name, std::initializer_list<const char*> annotations = {}) {
  DumpField field = inner("metadata", {leaf("name", name), leaf("namespace", Name)});
  with(field, Keep, {"uid", "creationTimestamp", "deletionTimestamp"});
  DumpField owners = inner("ownerReferences", {leaf("name", Name)});
  field.children.push_back(with(owners, Keep, {"apiVersion", "kind", "uid", "controller"}));
  if (annotations.size() > 0) field.children.push_back(kept("annotations", annotations));
  return field;
}
DumpField& annotations(DumpField& metadata) { return metadata.children.back(); }

DumpField pod() {
  DumpField meta = metadata(
      Name, {"kubernetes.io/config.mirror", "karpenter.sh/do-not-disrupt", "karpenter.sh/do-not-evict",
             "cluster-autoscaler.kubernetes.io/safe-to-evict", "controller.kubernetes.io/pod-deletion-cost"});
  with(annotations(meta), Path, {"cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes"});
  with(meta, Labels, {"labels"});
  DumpField status = inner("status", {leaf("nominatedNodeName", Name), conditions()});
  with(status, Keep, {"phase", "startTime", "allocatedResources"});
  status.children.push_back(kept("resources", {"requests"}));
  for (const char* list : {"containerStatuses", "initContainerStatuses"})
    status.children.push_back(
        inner(list, {leaf("name", Name), kept("resources", {"requests"}), leaf("allocatedResources", Keep),
                     leaf("restartCount", Keep),
                     inner("state", {kept("terminated", {"finishedAt"}), kept("waiting", {"reason"})})}));
  return inner("", {std::move(meta), pod_spec(), std::move(status)});
}

DumpField machine_metadata() {
  DumpField meta = metadata(
      Name, {"karpenter.sh/do-not-disrupt", "karpenter.sh/do-not-evict",
             "cluster-autoscaler.kubernetes.io/scale-down-disabled", "autoscaling.cast.ai/removal-disabled",
             "temper.codes/pause", "temper.codes/requests", "temper.codes/run"});
  return with(meta, NodeLabels, {"labels"});
}

DumpField node() {
  DumpField spec = inner("spec", {leaf("providerID", Path), taints("taints"), leaf("unschedulable", Keep)});
  DumpField status = inner("status", {conditions()});
  with(status, Keep, {"capacity", "allocatable"});
  return inner("", {machine_metadata(), std::move(spec), std::move(status)});
}

DumpField node_claim() {
  DumpField spec = inner("spec", {taints("taints"), taints("startupTaints")});
  with(spec, Keep, {"expireAfter", "terminationGracePeriod"});
  DumpField status = inner("status", {leaf("providerID", Path), leaf("nodeName", Name), conditions()});
  with(status, Keep, {"capacity", "allocatable", "lastPodEventTime"});
  return inner("", {machine_metadata(), std::move(spec), std::move(status)});
}

DumpField node_pool() {
  DumpField machine =
      inner("spec", {taints("taints"), taints("startupTaints"), leaf("requirements", Requirement)});
  DumpField node_class = inner("nodeClassRef", {});
  machine.children.push_back(with(node_class, Word, {"group", "kind", "name"}));
  DumpField spec = inner(
      "spec", {inner("template", {inner("metadata", {leaf("labels", NodeLabels)}), std::move(machine)})});
  with(spec, Keep, {"weight", "replicas", "limits", "disruption"});
  return inner("", {metadata(Word), std::move(spec), inner("status", {conditions()})});
}

DumpField labelled(Treatment labels) {
  DumpField meta = metadata(Name);
  with(meta, labels, {"labels"});
  return inner("", {std::move(meta)});
}

DumpField disruption_budget() {
  DumpField spec = inner("spec", {label_selector("selector")});
  with(spec, Keep, {"minAvailable", "maxUnavailable", "unhealthyPodEvictionPolicy"});
  return inner("", {metadata(Name), std::move(spec), kept("status", {"disruptionsAllowed"})});
}

DumpField workload() {
  DumpField spec = inner("spec", {pod_template()});
  with(spec, Keep, {"replicas", "parallelism"});
  return inner("", {metadata(Name), std::move(spec),
                    kept("status", {"readyReplicas", "replicas", "ready", "active"})});
}

DumpField volume() {
  DumpField meta = metadata(Name, {""});
  annotations(meta).children = {leaf("volume.beta.kubernetes.io/storage-class", Word),
                                leaf("kubernetes.io/azure-file-resource-group", Name)};
  with(meta, NodeLabels, {"labels"});
  DumpField spec =
      inner("spec", {inner("nodeAffinity", {inner("required", {node_term("nodeSelectorTerms")})}),
                     inner("csi", {leaf("driver", Word), leaf("volumeHandle", Path)}),
                     inner("claimRef", {leaf("namespace", Name), leaf("name", Name), leaf("uid", Keep)})});
  with(spec, Empty, {"local", "hostPath"});
  with(spec, Word, {"storageClassName", "volumeAttributesClassName"});
  with(spec, Keep, {"capacity", "accessModes", "volumeMode"});
  add_disks(spec);
  return inner("", {std::move(meta), std::move(spec), kept("status", {"phase"})});
}

DumpField volume_claim() {
  DumpField meta = metadata(Name, {"pv.kubernetes.io/bind-completed"});
  annotations(meta).children.push_back(leaf("volume.kubernetes.io/selected-node", Name));
  annotations(meta).children.push_back(leaf("volume.beta.kubernetes.io/storage-class", Word));
  DumpField spec =
      inner("spec", {leaf("volumeName", Name), label_selector("selector"), kept("resources", {"requests"})});
  with(spec, Word, {"storageClassName", "volumeAttributesClassName"});
  with(spec, Keep, {"accessModes", "volumeMode"});
  return inner("", {std::move(meta), std::move(spec), kept("status", {"phase"})});
}

DumpField storage_class() {
  DumpField meta = metadata(Word, {"storageclass.kubernetes.io/is-default-class",
                                   "storageclass.beta.kubernetes.io/is-default-class"});
  return inner("", {std::move(meta), leaf("provisioner", Word), leaf("volumeBindingMode", Keep),
                    inner("allowedTopologies", {leaf("matchLabelExpressions", Requirement)})});
}

DumpField csi_node() {
  DumpField drivers = inner("drivers", {leaf("name", Word), leaf("allocatable", Keep)});
  return inner("", {metadata(Name, {"storage.alpha.kubernetes.io/migrated-plugins"}),
                    inner("spec", {std::move(drivers)})});
}

DumpField priority_class() {
  return inner("", {metadata(Word), leaf("value", Keep), leaf("globalDefault", Keep)});
}

DumpField policy() { return inner("", {metadata(Word, {"temper.codes/pause"}), leaf("spec", Keep)}); }

std::array<DumpField, kObjectKinds> all_kinds() {
  std::array<DumpField, kObjectKinds> fields;
  const auto set = [&](ObjectKind kind, DumpField of) {
    fields[static_cast<std::size_t>(kind)] = std::move(of);
  };
  set(ObjectKind::Pod, pod());
  set(ObjectKind::Node, node());
  set(ObjectKind::NodeClaim, node_claim());
  set(ObjectKind::NodePool, node_pool());
  set(ObjectKind::Namespace, labelled(Labels));
  set(ObjectKind::PodDisruptionBudget, disruption_budget());
  for (const ObjectKind kind : {ObjectKind::DaemonSet, ObjectKind::Deployment, ObjectKind::ReplicaSet,
                                ObjectKind::ReplicationController, ObjectKind::StatefulSet, ObjectKind::Job})
    set(kind, workload());
  set(ObjectKind::PersistentVolume, volume());
  set(ObjectKind::PersistentVolumeClaim, volume_claim());
  set(ObjectKind::StorageClass, storage_class());
  set(ObjectKind::CsiNode, csi_node());
  set(ObjectKind::PriorityClass, priority_class());
  set(ObjectKind::TemperPolicy, policy());
  return fields;
}

}  // namespace

const DumpField& dump_fields(ObjectKind kind) {
  static const std::array<DumpField, kObjectKinds> fields = all_kinds();
  return fields[static_cast<std::size_t>(kind)];
}

bool holds_words(std::string_view key) {
  if (key == "kubernetes.io/hostname") return false;
  const std::string_view domain = key.substr(0, key.find('/'));
  if (domain.size() == key.size()) return false;
  for (const std::string_view known : {"kubernetes.io", "k8s.io", "karpenter.sh", "k8s.aws", "amazonaws.com",
                                       "ebs.csi.aws.com", "google.com", "gke.io", "azure.com"})
    if (domain.ends_with(known)) return true;
  return false;
}

}  // namespace tamp::wire

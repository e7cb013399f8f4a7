#include "wire/storage.h"

#include <algorithm>

#include "wire/in_tree.h"
#include "wire/metadata.h"
#include "wire/selector.h"

namespace tamp::wire {
namespace {

constexpr Words<bool> kBindingModes[] = {{"Immediate", false}, {"WaitForFirstConsumer", true}};
constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";

std::int64_t decode_storage(Decoder& d, Value amounts) {
  const auto quantity = d.quantity(amounts, "storage");
  if (quantity && quantity->negative()) d.fail(amounts.get("storage"), "must not be negative");
  return quantity ? quantity->units() : 0;
}

Symbol decode_volume_mode(Decoder& d, Value spec) {
  const std::string_view mode = d.text(spec, "volumeMode");
  return d.intern(mode.empty() ? "Filesystem" : mode);
}

// The annotation came before the field and still wins over it.
Symbol decode_class_name(Decoder& d, Value metadata, Value spec) {
  const Symbol annotated = d.symbol(d.object(metadata, "annotations"), kClassAnnotation);
  return annotated.valid() ? annotated : d.symbol(spec, "storageClassName");
}

}  // namespace

void decode_volume(Decoder& d, Symbol name) {
  const Value metadata = d.object(d.root(), "metadata");
  const Value spec = d.object(d.root(), "spec");
  PersistentVolume volume;
  volume.name = name;
  volume.labels = d.labels(metadata, "labels");
  volume.deleting = metadata.get("deletionTimestamp").present();
  const Value required = d.object(d.object(spec, "nodeAffinity"), "required");
  volume.has_node_affinity = required.present();
  volume.node_affinity = decode_node_selector_terms(d, required, "nodeSelectorTerms");
  volume.local_or_host_path = spec.get("local").present() || spec.get("hostPath").present();
  volume.storage_class = decode_class_name(d, metadata, spec);
  volume.capacity_bytes = decode_storage(d, d.object(spec, "capacity"));
  volume.access_modes = d.symbols(spec, "accessModes");
  volume.volume_mode = decode_volume_mode(d, spec);
  volume.attributes_class = d.symbol(spec, "volumeAttributesClassName");
  const Value claim = d.object(spec, "claimRef");
  volume.claim_ns = d.symbol(claim, "namespace");
  volume.claim_name = d.symbol(claim, "name");
  volume.claim_uid = d.symbol(claim, "uid");
  volume.phase = d.symbol(d.object(d.root(), "status"), "phase");
  if (const Value csi = d.object(spec, "csi"); csi.present()) {
    volume.csi_driver = d.symbol(csi, "driver");
    volume.csi_handle = d.symbol(csi, "volumeHandle");
  } else if (const InTreePlugin* plugin = find_in_tree_source(spec)) {
    translate_volume(d, *plugin, d.object(spec, plugin->source), d.object(metadata, "annotations"), volume);
  }
  d.cluster().volumes.push_back(std::move(volume));
}

void decode_volume_claim(Decoder& d, Symbol ns, Symbol name) {
  const Value metadata = d.object(d.root(), "metadata");
  const Value spec = d.object(d.root(), "spec");
  const Value annotations = d.object(metadata, "annotations");
  PersistentVolumeClaim claim;
  claim.ns = ns;
  claim.name = name;
  claim.uid = d.symbol(metadata, "uid");
  claim.owner_uid = decode_controller_uid(d, metadata);
  claim.deleting = metadata.get("deletionTimestamp").present();
  claim.bind_completed = annotations.get("pv.kubernetes.io/bind-completed").present();
  claim.selected_node = d.symbol(annotations, "volume.kubernetes.io/selected-node");
  claim.storage_class = decode_class_name(d, metadata, spec);
  claim.volume_name = d.symbol(spec, "volumeName");
  claim.access_modes = d.symbols(spec, "accessModes");
  claim.volume_mode = decode_volume_mode(d, spec);
  claim.attributes_class = d.symbol(spec, "volumeAttributesClassName");
  claim.selector = decode_label_selector(d, spec, "selector");
  claim.request_bytes = decode_storage(d, d.object(d.object(spec, "resources"), "requests"));
  claim.phase = d.symbol(d.object(d.root(), "status"), "phase");
  d.cluster().volume_claims.push_back(std::move(claim));
}

void decode_storage_class(Decoder& d, Symbol name) {
  StorageClass storage;
  storage.name = name;
  storage.provisioner = d.intern(d.text(d.root(), "provisioner"));
  const InTreePlugin* plugin = find_in_tree_provisioner(d.text(d.root(), "provisioner"));
  storage.csi_provisioner = plugin ? d.intern(plugin->driver) : storage.provisioner;
  storage.wait_for_first_consumer = d.word<bool>(d.root(), "volumeBindingMode", kBindingModes, false);
  for (const Value item : d.objects(d.root(), "allowedTopologies")) {
    TopologyTerm term;
    for (const Value expression : d.objects(item, "matchLabelExpressions"))
      term.expressions.push_back(
          {d.intern(d.text(expression, "key")), SelectorOp::In, d.symbols(expression, "values")});
    storage.allowed_topologies.push_back(std::move(term));
  }
  d.cluster().storage_classes.push_back(std::move(storage));
}

void decode_csi_node(Decoder& d, Symbol name) {
  const Value annotations = d.object(d.object(d.root(), "metadata"), "annotations");
  CsiNode node;
  node.node_name = name;
  for (const Value item : d.objects(d.object(d.root(), "spec"), "drivers")) {
    CsiDriver driver;
    driver.name = d.intern(d.text(item, "name"));
    driver.limit = d.integer(d.object(item, "allocatable"), "count", 0);
    node.drivers.push_back(driver);
  }
  std::string_view plugins = d.text(annotations, "storage.alpha.kubernetes.io/migrated-plugins");
  while (!plugins.empty()) {
    const auto comma = std::min(plugins.find(','), plugins.size());
    if (comma > 0) node.migrated_plugins.push_back(d.intern(plugins.substr(0, comma)));
    plugins.remove_prefix(std::min(comma + 1, plugins.size()));
  }
  std::sort(node.migrated_plugins.begin(), node.migrated_plugins.end());
  d.cluster().csi_nodes.push_back(std::move(node));
}

}  // namespace tamp::wire

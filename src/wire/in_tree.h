// Volume plugins that once lived in Kubernetes itself and moved out to CSI drivers: what they were called, what they
// are called now, and how their volumes and zones translate. The rules are those of k8s.io/csi-translation-lib.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/storage.h"
#include "wire/decoder.h"

namespace tamp::wire {

struct InTreePlugin {
  std::string_view source;      // the field in a volume: "awsElasticBlockStore"
  std::string_view plugin;      // "kubernetes.io/aws-ebs"
  std::string_view driver;      // "ebs.csi.aws.com"
  std::string_view disk_field;  // what names the disk within the source: "volumeID"
  std::string_view zone_label;  // the driver's own label for a zone; "" if zones are not translated
};

// nullptr if there is no such plugin.
const InTreePlugin* find_in_tree_source(Value volume);
const InTreePlugin* find_in_tree_provisioner(std::string_view plugin);

// The CSI volume handle of a disk named straight in a pod; nothing if it cannot be translated.
std::optional<std::string> inline_handle(const InTreePlugin& plugin, Value source);

// Fills in csi_driver, csi_handle, in_tree_plugin and csi_node_affinity. REQUIRES: labels, claim and node affinity of
// the volume have been read.
void translate_volume(Decoder& d, const InTreePlugin& plugin, Value source, Value annotations,
                      PersistentVolume& volume);

}  // namespace tamp::wire

#include "wire/in_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "core/ascii.h"

namespace tamp::wire {
namespace {

constexpr std::array<InTreePlugin, 7> kPlugins = {{
    {"awsElasticBlockStore", "kubernetes.io/aws-ebs", "ebs.csi.aws.com", "volumeID",
     "topology.ebs.csi.aws.com/zone"},
    {"gcePersistentDisk", "kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "pdName", "topology.gke.io/zone"},
    {"azureDisk", "kubernetes.io/azure-disk", "disk.csi.azure.com", "diskURI", ""},
    {"azureFile", "kubernetes.io/azure-file", "file.csi.azure.com", "shareName", ""},
    {"cinder", "kubernetes.io/cinder", "cinder.csi.openstack.org", "volumeID",
     "topology.cinder.csi.openstack.org/zone"},
    {"vsphereVolume", "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "volumePath",
     "topology.csi.vmware.com/zone"},
    {"portworxVolume", "kubernetes.io/portworx-volume", "pxd.portworx.com", "volumeID", ""},
}};

constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";
constexpr std::string_view kVsphereRegion = "topology.csi.vmware.com/region";

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

// "aws://zone/vol-123" names vol-123; anything that does not look like a URL is the id itself.
std::optional<std::string> ebs_handle(std::string_view id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return std::string(id);
  id.remove_prefix(kScheme.size());
  const auto slash = id.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  id.remove_prefix(slash);
  while (id.starts_with('/')) id.remove_prefix(1);
  while (id.ends_with('/')) id.remove_suffix(1);
  if (!id.starts_with("vol-") || id.find('/') != std::string_view::npos) return std::nullopt;
  return std::string(id);
}

std::optional<std::string> region_of_zones(const std::vector<std::string>& zones) {
  std::optional<std::string> region;
  for (const std::string& zone : zones) {
    const auto parts = split(zone, "-");
    if (parts.size() != 3) return std::nullopt;
    std::string found = parts[0] + "-" + parts[1];
    if (region && *region != found) return std::nullopt;
    region = std::move(found);
  }
  return region;
}

std::string gce_zonal_handle(std::string_view zone, std::string_view disk) {
  return fmt::format("projects/UNSPECIFIED/zones/{}/disks/{}", zone, disk);
}

std::optional<std::string> gce_handle(Decoder& d, const PersistentVolume& volume, std::string_view disk) {
  std::string_view label = d.cluster().text(volume.labels.get(d.intern(kBetaZone)));
  if (label.empty()) label = d.cluster().text(volume.labels.get(d.cluster().known.zone));
  const auto zones = split(label, "__");
  if (zones.size() == 1) return gce_zonal_handle(zones[0].empty() ? "UNSPECIFIED" : zones[0], disk);
  const auto region = region_of_zones(zones);
  if (!region) return std::nullopt;
  return fmt::format("projects/UNSPECIFIED/regions/{}/disks/{}", *region, disk);
}

std::string azure_account(std::string_view secret) {
  constexpr std::string_view kPrefix = "azure-storage-account-", kSuffix = "-secret";
  if (secret.size() > kPrefix.size() + kSuffix.size() && secret.starts_with(kPrefix) &&
      secret.ends_with(kSuffix))
    secret = secret.substr(kPrefix.size(), secret.size() - kPrefix.size() - kSuffix.size());
  return std::string(secret);
}

std::optional<std::string> azure_file_handle(Decoder& d, Value source, Value annotations,
                                             const PersistentVolume& volume) {
  std::string_view ns = d.text(source, "secretNamespace");
  if (ns.empty()) ns = d.cluster().text(volume.claim_ns);
  if (ns.empty()) return std::nullopt;
  return fmt::format("{}#{}#{}#{}#{}", d.text(annotations, "kubernetes.io/azure-file-resource-group"),
                     azure_account(d.text(source, "secretName")), d.text(source, "shareName"),
                     d.cluster().text(volume.name), ns);
}

bool is_unmanaged_azure_disk(const InTreePlugin& plugin, Value source) {
  if (plugin.source != "azureDisk") return false;
  return lower(source.get("kind").string().value_or("Managed")) != "managed";
}

std::optional<std::string> volume_handle(Decoder& d, const InTreePlugin& plugin, Value source,
                                         Value annotations, const PersistentVolume& volume) {
  if (plugin.source == "gcePersistentDisk") return gce_handle(d, volume, d.text(source, plugin.disk_field));
  if (plugin.source == "azureFile") return azure_file_handle(d, source, annotations, volume);
  return inline_handle(plugin, source);
}

bool names_key(const std::vector<NodeSelectorTerm>& terms, Symbol key) {
  for (const auto& term : terms)
    for (const auto& r : term.expressions)
      if (r.key == key) return true;
  return false;
}

bool has_values(const std::vector<NodeSelectorTerm>& terms, Symbol key) {
  for (const auto& term : terms)
    for (const auto& r : term.expressions)
      if (r.key == key && !r.values.empty()) return true;
  return false;
}

void rename_key(std::vector<NodeSelectorTerm>& terms, Symbol from, Symbol to) {
  for (auto& term : terms)
    for (auto& r : term.expressions)
      if (r.key == from) r.key = to;
}

// Moves one topology key to the driver's own: in the affinity if it is there, else from the volume's label.
void move_topology(Decoder& d, PersistentVolume& volume, Symbol from, std::string_view to,
                   std::string_view label_separator) {
  const Symbol target = d.intern(to);
  if (has_values(volume.csi_node_affinity, from)) return rename_key(volume.csi_node_affinity, from, target);
  const std::string_view label = d.cluster().text(volume.labels.get(from));
  SelectorRequirement requirement{target, SelectorOp::In, {}};
  for (const std::string& zone :
       label_separator.empty() ? std::vector<std::string>{std::string(label)} : split(label, label_separator))
    if (!zone.empty()) requirement.values.push_back(d.intern(zone));
  if (requirement.values.empty()) return;
  std::sort(requirement.values.begin(), requirement.values.end());
  requirement.values.erase(std::unique(requirement.values.begin(), requirement.values.end()),
                           requirement.values.end());
  volume.has_csi_node_affinity = true;
  if (volume.csi_node_affinity.empty()) volume.csi_node_affinity.emplace_back();
  for (auto& term : volume.csi_node_affinity) term.expressions.push_back(requirement);
}

void translate_topology(Decoder& d, const InTreePlugin& plugin, PersistentVolume& volume) {
  volume.has_csi_node_affinity = volume.has_node_affinity;
  volume.csi_node_affinity = volume.node_affinity;
  if (plugin.zone_label.empty()) return;

  const WellKnown& known = d.cluster().known;
  const Symbol beta_zone = d.intern(kBetaZone), beta_region = d.intern(kBetaRegion);
  const bool beta = !names_key(volume.node_affinity, known.zone) &&
                    (names_key(volume.node_affinity, beta_zone) ||
                     (!volume.labels.has(known.zone) && volume.labels.has(beta_zone)));
  const bool vsphere = plugin.source == "vsphereVolume";
  move_topology(d, volume, beta ? beta_zone : known.zone, plugin.zone_label, vsphere ? "" : "__");
  if (vsphere)
    move_topology(d, volume, beta ? beta_region : known.region, kVsphereRegion, "");
  else if (beta)
    rename_key(volume.csi_node_affinity, beta_region, known.region);
}

}  // namespace

const InTreePlugin* find_in_tree_source(Value volume) {
  for (const InTreePlugin& plugin : kPlugins)
    if (volume.get(plugin.source).present()) return &plugin;
  return nullptr;
}

const InTreePlugin* find_in_tree_provisioner(std::string_view plugin) {
  for (const InTreePlugin& candidate : kPlugins)
    if (candidate.plugin == plugin) return &candidate;
  return nullptr;
}

std::optional<std::string> inline_handle(const InTreePlugin& plugin, Value source) {
  if (is_unmanaged_azure_disk(plugin, source)) return std::nullopt;
  const std::string_view disk = source.get(plugin.disk_field).string().value_or("");
  if (plugin.source == "awsElasticBlockStore") return ebs_handle(disk);
  if (plugin.source == "gcePersistentDisk") return gce_zonal_handle("UNSPECIFIED", disk);
  return std::string(disk);
}

void translate_volume(Decoder& d, const InTreePlugin& plugin, Value source, Value annotations,
                      PersistentVolume& volume) {
  volume.in_tree_plugin = d.intern(plugin.plugin);
  volume.csi_driver = d.intern(plugin.driver);
  if (const auto handle = volume_handle(d, plugin, source, annotations, volume))
    volume.csi_handle = d.intern(*handle);
  translate_topology(d, plugin, volume);
}

}  // namespace tamp::wire

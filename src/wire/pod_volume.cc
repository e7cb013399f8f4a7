#include "wire/pod_volume.h"

#include <fmt/format.h>

#include "wire/in_tree.h"

namespace tamp::wire {
namespace {

// In-tree disks that never moved to CSI; two pods may not share one on a node.
bool decode_legacy_disk(Decoder& d, Value item, PodVolume& volume) {
  if (const Value iscsi = d.object(item, "iscsi"); iscsi.present()) {
    volume.plugin = d.intern("kubernetes.io/iscsi");
    volume.disk = d.symbol(iscsi, "iqn");
    volume.read_only = d.flag(iscsi, "readOnly");
    return true;
  }
  if (const Value rbd = d.object(item, "rbd"); rbd.present()) {
    const std::string_view pool = d.text(rbd, "pool");
    volume.plugin = d.intern("kubernetes.io/rbd");
    volume.disk = d.intern(fmt::format("{}/{}", pool.empty() ? "rbd" : pool, d.text(rbd, "image")));
    volume.monitors = d.symbols(rbd, "monitors");
    volume.read_only = d.flag(rbd, "readOnly");
    return true;
  }
  return false;
}

bool decode_disk(Decoder& d, Value item, PodVolume& volume) {
  volume.kind = PodVolume::Kind::Disk;
  const InTreePlugin* plugin = find_in_tree_source(item);
  if (!plugin) return decode_legacy_disk(d, item, volume);
  // Shares and vSphere disks straight in a pod count for no attach limit and conflict with nobody.
  if (plugin->source == "azureFile" || plugin->source == "vsphereVolume") return false;
  const Value source = d.object(item, plugin->source);
  volume.plugin = d.intern(plugin->plugin);
  volume.driver = d.intern(plugin->driver);
  volume.disk = d.symbol(source, plugin->disk_field);
  volume.read_only = d.flag(source, "readOnly");
  if (const auto handle = inline_handle(*plugin, source)) volume.handle = d.intern(*handle);
  return true;
}

// False if the volume is of no interest.
bool decode_volume(Decoder& d, Value item, Symbol pod_name, PodVolume& volume) {
  if (const Value claim = d.object(item, "persistentVolumeClaim"); claim.present()) {
    volume.kind = PodVolume::Kind::Claim;
    volume.claim = d.symbol(claim, "claimName");
    volume.read_only = d.flag(claim, "readOnly");
    if (!volume.claim.valid()) d.fail(claim, "is missing", "claimName");
  } else if (d.object(item, "ephemeral").present()) {
    volume.kind = PodVolume::Kind::Ephemeral;
    volume.claim = d.intern(fmt::format("{}-{}", d.cluster().text(pod_name), d.text(item, "name")));
  } else if (const Value directory = d.object(item, "emptyDir"); directory.present()) {
    volume.kind =
        d.text(directory, "medium") == "Memory" ? PodVolume::Kind::MemoryEmptyDir : PodVolume::Kind::EmptyDir;
  } else if (d.object(item, "hostPath").present()) {
    volume.kind = PodVolume::Kind::HostPath;
  } else if (const Value csi = d.object(item, "csi"); csi.present()) {
    volume.kind = PodVolume::Kind::InlineCsi;
    volume.driver = d.symbol(csi, "driver");
    volume.read_only = d.flag(csi, "readOnly");
  } else {
    return decode_disk(d, item, volume);
  }
  return true;
}

}  // namespace

std::vector<PodVolume> decode_pod_volumes(Decoder& d, Value spec, Symbol pod_name) {
  std::vector<PodVolume> volumes;
  for (const Value item : d.objects(spec, "volumes")) {
    PodVolume volume;
    if (!decode_volume(d, item, pod_name, volume)) continue;
    volume.name = d.symbol(item, "name");
    volumes.push_back(std::move(volume));
  }
  return volumes;
}

}  // namespace tamp::wire

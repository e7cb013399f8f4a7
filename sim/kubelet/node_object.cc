#include "sim/kubelet/node_object.h"

#include <fmt/format.h>

#include "sim/api/server.h"

namespace tamp::world {
namespace {

using wire::Tree;

std::string cpu_text(std::int64_t millis) {
  return millis % 1000 == 0 ? fmt::format("{}", millis / 1000) : fmt::format("{}m", millis);
}
std::string kibibytes(std::int64_t bytes) {
  return bytes % 1024 == 0 ? fmt::format("{}Ki", bytes / 1024) : fmt::format("{}", bytes);
}

// FNV-1a: the same on every machine.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2166136261u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

std::string address_of(const NodeShape& shape) {
  if (!shape.internal_ip.empty()) return shape.internal_ip;
  const std::uint32_t hash = hash_of(shape.name);
  return fmt::format("10.0.{}.{}", (hash >> 8) & 255, 1 + hash % 254);
}

Tree resources(const NodeShape& shape, bool allocatable) {
  const std::int64_t cpu = shape.cpu_millis - (allocatable ? shape.overhead_cpu_millis : 0);
  const std::int64_t memory = shape.memory_bytes - (allocatable ? shape.overhead_memory_bytes : 0);
  Tree list = Tree::object({{"cpu", cpu_text(cpu)},
                            {"memory", kibibytes(memory)},
                            {"pods", fmt::format("{}", shape.pods)},
                            {"ephemeral-storage", kibibytes(shape.ephemeral_bytes)}});
  for (const auto& [name, amount] : shape.extended) list.set(name, amount);
  return list;
}

Tree condition(std::string_view type, bool holds, std::string_view reason, std::string_view message,
               Time now) {
  return Tree::object({{"type", type},
                       {"status", holds ? "True" : "False"},
                       {"reason", reason},
                       {"message", message},
                       {"lastHeartbeatTime", api::format_time(now)},
                       {"lastTransitionTime", api::format_time(now)}});
}

Tree conditions(bool ready, Time now) {
  Tree list = Tree::array();
  list.append(condition("MemoryPressure", false, "KubeletHasSufficientMemory",
                        "kubelet has sufficient memory available", now));
  list.append(
      condition("DiskPressure", false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure", now));
  list.append(condition("PIDPressure", false, "KubeletHasSufficientPID",
                        "kubelet has sufficient PID available", now));
  list.append(ready
                  ? condition("Ready", true, "KubeletReady", "kubelet is posting ready status", now)
                  : condition("Ready", false, "KubeletNotReady", "container runtime network not ready", now));
  return list;
}

Tree labels(const NodeShape& shape) {
  Tree all = Tree::object({{"kubernetes.io/hostname", shape.name},
                           {"kubernetes.io/arch", shape.arch},
                           {"kubernetes.io/os", shape.os},
                           {"beta.kubernetes.io/arch", shape.arch},
                           {"beta.kubernetes.io/os", shape.os}});
  if (!shape.instance_type.empty()) all.set("node.kubernetes.io/instance-type", shape.instance_type);
  if (!shape.zone.empty()) {
    all.set("topology.kubernetes.io/zone", shape.zone);
    std::string region = shape.region;
    if (region.empty()) {
      const auto dash = shape.zone.rfind('-');
      region = dash == std::string::npos ? shape.zone : shape.zone.substr(0, dash);
    }
    all.set("topology.kubernetes.io/region", region);
  }
  if (!shape.capacity_type.empty()) all.set("karpenter.sh/capacity-type", shape.capacity_type);
  if (!shape.pool.empty()) all.set("karpenter.sh/nodepool", shape.pool);
  for (const auto& label : shape.labels.members()) all.set(label.key, label.value);
  return all;
}

}  // namespace

Tree make_node(const NodeShape& shape, Time now) {
  Tree node = Tree::object({{"apiVersion", "v1"}, {"kind", "Node"}});
  Tree& metadata = node.set("metadata", Tree::object({{"name", shape.name}, {"labels", labels(shape)}}));
  metadata.set("annotations",
               Tree::object({{"volumes.kubernetes.io/controller-managed-attach-detach", "true"}}));
  for (const auto& annotation : shape.annotations.members())
    metadata.ensure("annotations").set(annotation.key, annotation.value);

  Tree& spec = node.set("spec", Tree::object());
  spec.set("providerID", shape.provider_id.empty() ? fmt::format("sim://{}/{}", shape.zone, shape.name)
                                                   : shape.provider_id);
  if (!shape.taints.empty()) spec.set("taints", shape.taints);

  Tree& status = node.set("status", Tree::object());
  status.set("capacity", resources(shape, false));
  status.set("allocatable", resources(shape, true));
  status.set("conditions", conditions(shape.ready, now));
  Tree& addresses = status.set("addresses", Tree::array());
  addresses.append(Tree::object({{"type", "InternalIP"}, {"address", address_of(shape)}}));
  addresses.append(Tree::object({{"type", "Hostname"}, {"address", shape.name}}));
  status.set("daemonEndpoints", Tree::object({{"kubeletEndpoint", Tree::object({{"Port", 10250}})}}));
  const std::uint32_t hash = hash_of(shape.name);
  const auto id = [&](std::uint32_t salt) {
    return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:08x}{:04x}", hash, salt & 0xffff, hash & 0xfff,
                       salt & 0xfff, hash * 2654435761u, hash & 0xffff);
  };
  status.set("nodeInfo", Tree::object({{"architecture", shape.arch},
                                       {"operatingSystem", shape.os},
                                       {"bootID", id(1)},
                                       {"machineID", fmt::format("{:032x}", hash)},
                                       {"systemUUID", id(2)},
                                       {"kernelVersion", "6.12.0-sim"},
                                       {"osImage", "Simulated Linux"},
                                       {"containerRuntimeVersion", "containerd://2.1.0"},
                                       {"kubeletVersion", "v1.36.3"},
                                       {"kubeProxyVersion", ""}}));
  return node;
}

}  // namespace tamp::world

#include "wire/node_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "wire/cgroup_names.h"
#include "wire/decoder.h"
#include "wire/documents.h"
#include "wire/pod_requests.h"

namespace tamp::wire {
namespace {

// Names the cgroup of a static pod. Its mirror in the API server has both annotations and a uid that the node never saw.
constexpr std::string_view kConfigHash = "kubernetes.io/config.hash";
constexpr std::string_view kConfigMirror = "kubernetes.io/config.mirror";
// Classes that every cluster has, for manifests into which no API server wrote the priority.
constexpr std::int32_t kSystemCritical = 2'000'000'000;

std::optional<std::int32_t> priority_of(Decoder& d, Value spec) {
  const auto priority = d.integer32(spec, "priority");
  const std::string_view name = d.text(spec, "priorityClassName");
  if (!priority && (name == "system-node-critical" || name == "system-cluster-critical"))
    return kSystemCritical;
  // The API server writes 0 into a pod that names no class.
  if (name.empty() && priority == 0) return std::nullopt;
  return priority;
}

bool is_elsewhere(std::string_view phase, std::string_view node) {
  return phase == "Succeeded" || phase == "Failed" || (node.empty() && phase == "Pending");
}

class PodListReader {
 public:
  explicit PodListReader(const TierFloors& floors) : floors_(floors) {}

  Status read(Value value, int level) {
    if (!value.is_object()) return Error{"is not a Kubernetes object"};
    const Value items = value.get("items");
    if (!items.present()) {
      // The items of a list of one kind need not say what they are.
      const auto kind = value.get("kind").string().value_or(level > 0 ? "Pod" : "");
      return kind == "Pod" ? read_pod(value)
                           : Error{fmt::format("kind: is \"{}\", must be Pod or a list of Pods", kind)};
    }
    if (!items.is_array()) return Error{"items: must be a list"};
    if (level > 0) return Error{"items: lists within lists"};
    std::size_t index = 0;
    for (const Value item : items.elements()) {
      const std::size_t at = index++;
      if (auto status = read(item, level + 1); !status)
        return std::move(status).error().with(fmt::format("items[{}]", at));
    }
    return success();
  }

  std::vector<NodePod> take() {
    const auto key = [](const NodePod& p) { return std::tie(p.ns, p.name, p.uid); };
    std::sort(pods_.begin(), pods_.end(),
              [&](const NodePod& a, const NodePod& b) { return key(a) < key(b); });
    return std::move(pods_);
  }

 private:
  Status read_pod(Value value) {
    TAMP_TRY(std::optional<NodePod> pod, decode_node_pod(scratch_, value, floors_));
    if (pod) pods_.push_back(std::move(*pod));
    return success();
  }

  TierFloors floors_;
  Cluster scratch_;
  std::vector<NodePod> pods_;
};

}  // namespace

Result<std::optional<NodePod>> decode_node_pod(Cluster& scratch, Value value, const TierFloors& floors) {
  Decoder d(scratch, value);
  const Value metadata = d.object(value, "metadata");
  const Value annotations = d.object(metadata, "annotations");
  const Value spec = d.object(value, "spec");
  const Value status = d.object(value, "status");
  NodePod pod;
  pod.ns = d.text(metadata, "namespace");
  pod.name = d.text(metadata, "name");
  pod.uid = d.text(metadata, "uid");
  pod.node = d.text(spec, "nodeName");
  if (pod.ns.empty()) pod.ns = "default";
  if (pod.name.empty()) d.fail(metadata, "is missing", "name");
  if (pod.uid.empty()) d.fail(metadata, "is missing", "uid");
  std::string_view cgroup = d.text(annotations, kConfigHash);
  if (cgroup.empty()) cgroup = d.text(annotations, kConfigMirror);
  pod.cgroup = cgroup_uid(cgroup.empty() ? pod.uid : cgroup);
  const ResourceList requests = decode_requests(d, spec, status).held;
  pod.cpu_millis = requests.get(kCpu);
  pod.memory_bytes = requests.get(kMemory);
  pod.tier = tier_of(priority_of(d, spec), pod.cpu_millis == 0 && pod.memory_bytes == 0, floors);
  const std::string_view phase = d.text(status, "phase");
  if (d.failed()) return d.error().with(fmt::format("Pod {}/{}", pod.ns, pod.name));
  if (is_elsewhere(phase, pod.node)) return std::optional<NodePod>();
  return std::optional(std::move(pod));
}

Result<std::vector<NodePod>> read_node_pods(const Input& input, const TierFloors& floors) {
  auto documents = parse_documents(input.bytes);
  if (!documents) return std::move(documents).error().with(input.name);
  PodListReader reader(floors);
  for (const Json& document : *documents)
    if (auto status = reader.read(document.root(), 0); !status)
      return std::move(status).error().with(input.name);
  return reader.take();
}

}  // namespace tamp::wire

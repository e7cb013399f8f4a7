#include "codec/snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "codec/catalogue.h"
#include "codec/decoder.h"
#include "codec/documents.h"
#include "codec/node.h"
#include "codec/pod.h"
#include "codec/policy.h"
#include "codec/pool.h"
#include "codec/prices.h"
#include "codec/storage.h"
#include "codec/workload.h"

namespace tamp::codec {
namespace {

struct Kind {
  std::string_view name;
  std::string_view group;
  bool namespaced = false;
  void (*decode)(Decoder& d, Symbol ns, Symbol name) = nullptr;  // none: a TemperPolicy, see below
};

template <void (*Decode)(Decoder&, Symbol)>
void cluster_scoped(Decoder& d, Symbol, Symbol name) {
  Decode(d, name);
}

template <WorkloadKind Controller>
void controller(Decoder& d, Symbol ns, Symbol name) {
  decode_workload(d, ns, name, Controller);
}

constexpr std::array<Kind, 18> kKinds = {{
    {"Pod", "", true, decode_pod},
    {"Node", "", false, cluster_scoped<decode_node>},
    {"NodeClaim", "karpenter.sh", false, cluster_scoped<decode_node_claim>},
    {"NodePool", "karpenter.sh", false, cluster_scoped<decode_node_pool>},
    {"Namespace", "", false, cluster_scoped<decode_namespace>},
    {"PodDisruptionBudget", "policy", true, decode_disruption_budget},
    {"DaemonSet", "apps", true, decode_daemon_set},
    {"Deployment", "apps", true, controller<WorkloadKind::Deployment>},
    {"ReplicaSet", "apps", true, controller<WorkloadKind::ReplicaSet>},
    {"ReplicationController", "", true, controller<WorkloadKind::ReplicationController>},
    {"StatefulSet", "apps", true, controller<WorkloadKind::StatefulSet>},
    {"Job", "batch", true, controller<WorkloadKind::Job>},
    {"PersistentVolume", "", false, cluster_scoped<decode_volume>},
    {"PersistentVolumeClaim", "", true, decode_volume_claim},
    {"StorageClass", "storage.k8s.io", false, cluster_scoped<decode_storage_class>},
    {"CSINode", "storage.k8s.io", false, cluster_scoped<decode_csi_node>},
    {"PriorityClass", "scheduling.k8s.io", false, cluster_scoped<decode_priority_class>},
    {"TemperPolicy", "temper.codes", false, nullptr},
}};

// The kind, if this group and version of it is one that Tamp reads. An object without apiVersion is taken at its word.
const Kind* find_kind(std::string_view name, std::string_view api_version) {
  const auto slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  for (const Kind& kind : kKinds) {
    if (kind.name != name) continue;
    if (!api_version.empty() && kind.group != group) return nullptr;
    if (group == "karpenter.sh" && api_version != "karpenter.sh/v1") return nullptr;
    return &kind;
  }
  return nullptr;
}

// What an item of a list is, if it does not say so itself: the API server prints it only once, on the list.
struct Inherited {
  std::string_view kind, api_version;
};

class SnapshotReader {
 public:
  Status read(const Input& input, bool policy_only) {
    file_ = input.name;
    files_.push_back(file_);
    auto documents = parse_documents(input.bytes);
    if (!documents) return std::move(documents).error().with(file_);
    for (const Json& document : *documents) {
      auto status = read_value(document.root(), {}, "", 0, policy_only);
      if (!status) return std::move(status).error().with(file_);
    }
    return success();
  }

  Cluster& cluster() { return reading_.cluster; }
  std::vector<std::string>& warnings() { return reading_.warnings; }

  Reading finish() {
    resolve_priorities();
    drop_dangling();
    cluster().finish();
    return std::move(reading_);
  }

 private:
  // An object, or a list of them. `place` says where in the file it is, for objects without a name.
  Status read_value(Value value, Inherited inherited, const std::string& place, int level, bool policy_only) {
    if (!value.is_object())
      return Error{place.empty() ? "is not a Kubernetes object" : place + ": is not a Kubernetes object"};
    const auto own_kind = value.get("kind").string();
    const std::string_view kind = own_kind.value_or(inherited.kind);
    const std::string_view api_version = value.get("apiVersion").string().value_or(inherited.api_version);
    if (kind.empty())
      return Error{(place.empty() ? "" : place + ": ") + "kind: is missing; is this a Kubernetes object?"};
    if (kind.ends_with("List") && value.get("items").kind() != Value::Kind::Absent)
      return read_list(value, kind, api_version, place, level, policy_only);

    const Kind* known = find_kind(kind, api_version);
    if (!known || (policy_only && known->decode)) {
      if (policy_only) return Error{fmt::format("{} is not a TemperPolicy", kind)};
      ++reading_.ignored[std::string(kind)];
      return success();
    }
    return read_object(value, *known, place, policy_only);
  }

  Status read_list(Value list, std::string_view kind, std::string_view api_version, const std::string& place,
                   int level, bool policy_only) {
    if (level > 2) return Error{place + ": lists within lists"};
    const Value items = list.get("items");
    if (!items.is_array()) return Error{(place.empty() ? "" : place + ".") + "items: must be a list"};
    Inherited inherited;
    if (kind != "List") inherited = {kind.substr(0, kind.size() - 4), api_version};
    std::size_t index = 0;
    for (const Value item : items.elements()) {
      const std::string item_place = fmt::format("{}items[{}]", place.empty() ? "" : place + ".", index++);
      TAMP_CHECK(read_value(item, inherited, item_place, level + 1, policy_only));
    }
    return success();
  }

  Status read_object(Value value, const Kind& kind, const std::string& place, bool policy_only) {
    Decoder d(cluster(), value);
    const Value metadata = d.object(value, "metadata");
    const std::string_view name = d.text(metadata, "name");
    std::string_view ns = d.text(metadata, "namespace");
    if (ns.empty()) ns = "default";
    if (name.empty()) d.fail(value, "is missing", "metadata.name");
    const auto title = [&] {
      if (name.empty()) return fmt::format("{} {}", kind.name, place);
      return kind.namespaced ? fmt::format("{} {}/{}", kind.name, ns, name)
                             : fmt::format("{} {}", kind.name, name);
    };
    if (d.failed()) return d.error().with(title());

    const Symbol ns_symbol = kind.namespaced ? d.intern(ns) : Symbol();
    const Symbol name_symbol = d.intern(name);
    if (auto status = claim_name(kind, ns_symbol, name_symbol, policy_only); !status)
      return std::move(status).error().with(title());
    if (kind.decode)
      kind.decode(d, ns_symbol, name_symbol);
    else
      read_policy(d, name, policy_only);
    if (d.failed()) return d.error().with(title());
    for (const std::string& warning : d.take_warnings())
      warnings().push_back(fmt::format("{}: {}: {}", file_, title(), warning));
    return success();
  }

  // Two objects of one name are two readings of one object, or a mistake: either way the snapshot cannot be trusted.
  Status claim_name(const Kind& kind, Symbol ns, Symbol name, bool policy_only) {
    if (policy_only) return success();
    const std::uint64_t key = std::uint64_t{ns.value} << 32 | name.value;
    auto& seen = seen_[static_cast<std::size_t>(&kind - kKinds.data())];
    const auto [it, fresh] = seen.emplace(key, static_cast<std::uint32_t>(files_.size() - 1));
    if (fresh) return success();
    return Error{fmt::format("metadata.name: there is already a {} of this name in {}", kind.name,
                             files_[it->second] == file_ ? "this file" : files_[it->second])};
  }

  // A policy given by itself replaces those among the objects; of these only the one named default counts.
  void read_policy(Decoder& d, std::string_view name, bool policy_only) {
    TemperPolicy policy = decode_policy(d, name);
    if (policy_only && policy_given_) d.fail(d.root(), "there is more than one TemperPolicy");
    if (!policy_only && name != "default") d.warn(d.root(), "is ignored: only the one named default counts");
    if (!policy_only && (policy_given_ || name != "default")) return;
    policy_given_ |= policy_only;
    cluster().policy = std::move(policy);
  }

  // Admission stores the number in the pod; only pods that never passed it have the name alone.
  void resolve_priorities() {
    std::unordered_map<Symbol, std::int32_t> values;
    values.emplace(cluster().symbols.intern("system-cluster-critical"), 2'000'000'000);
    values.emplace(cluster().symbols.intern("system-node-critical"), 2'000'001'000);
    for (const PriorityClass& c : cluster().priority_classes) values[c.name] = c.value;
    for (Pod& pod : cluster().pods) {
      if (pod.priority || !pod.priority_class.valid()) continue;
      if (const auto it = values.find(pod.priority_class); it != values.end()) pod.priority = it->second;
    }
  }

  // A pod on a node that is not there runs nowhere, and Kubernetes will soon delete it: it takes no part.
  void drop_dangling() {
    std::unordered_map<Symbol, bool> nodes;
    for (const Node& node : cluster().nodes) nodes.emplace(node.name, true);
    std::map<std::string_view, std::vector<std::uint32_t>>
        lost;  // by node name, so that warnings have an order
    for (const auto& [pod, node] : cluster().bindings)
      if (!nodes.contains(node)) lost[cluster().text(node)].push_back(pod);
    if (lost.empty()) return;

    std::vector<bool> drop(cluster().pods.size());
    for (const auto& [node, pods] : lost) {
      std::string first;
      for (const std::uint32_t pod : pods) {
        drop[pod] = true;
        const Pod& p = cluster().pods[pod];
        std::string title = fmt::format("{}/{}", cluster().text(p.ns), cluster().text(p.name));
        if (first.empty() || title < first) first = std::move(title);
      }
      const std::string more = pods.size() > 1 ? fmt::format(" and {} more", pods.size() - 1) : "";
      warnings().push_back(
          fmt::format("Pod {}{}: spec.nodeName: there is no node \"{}\"; left out, as pods on a missing node "
                      "are soon deleted",
                      first, more, node));
    }
    std::vector<std::uint32_t> moved_to(cluster().pods.size());
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < drop.size(); ++i) {
      moved_to[i] = kept;
      if (drop[i]) continue;
      if (kept != i) cluster().pods[kept] = std::move(cluster().pods[i]);
      ++kept;
    }
    cluster().pods.resize(kept);
    std::erase_if(cluster().bindings, [&](const auto& binding) { return drop[binding.first]; });
    for (auto& [pod, node] : cluster().bindings) pod = moved_to[pod];
  }

  Reading reading_;
  std::string file_;
  std::vector<std::string> files_;
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, kKinds.size()>
      seen_;  // name -> index into files_
  bool policy_given_ = false;
};

}  // namespace

Result<Reading> read_snapshot(const Inputs& inputs) {
  SnapshotReader reader;
  if (inputs.policy) TAMP_CHECK(reader.read(*inputs.policy, true));
  for (const Input& input : inputs.objects) TAMP_CHECK(reader.read(input, false));
  if (inputs.instance_types) TAMP_CHECK(read_catalogue(reader.cluster(), *inputs.instance_types));
  Reading reading = reader.finish();
  if (inputs.prices) TAMP_CHECK(apply_prices(reading.cluster, *inputs.prices, reading.warnings));
  return reading;
}

}  // namespace tamp::codec

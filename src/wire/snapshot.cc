#include "wire/snapshot.h"
#include "wire/autoscaler_status.h"

#include <fmt/format.h>

#include <array>
#include <unordered_map>

#include "wire/catalogue.h"
#include "wire/decoder.h"
#include "wire/documents.h"
#include "wire/finishing.h"
#include "wire/object.h"
#include "wire/policy.h"
#include "wire/prices.h"

namespace tamp::wire {
namespace {

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
    finish_reading(reading_);
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

    const KindInfo* known = find_kind(kind, api_version);
    if (!known || (policy_only && known->id != ObjectKind::TemperPolicy)) {
      if (policy_only) return Error{fmt::format("{} is not a TemperPolicy", kind)};
      if (kind == "ConfigMap")
        if (auto status = read_autoscaler_config_map(value)) {
          reading_.autoscaler = std::move(status);
          return success();
        }
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

  Status read_object(Value value, const KindInfo& kind, const std::string& place, bool policy_only) {
    Decoder d(cluster(), value);
    const ObjectName found = decode_name(d, kind);
    const auto title = [&] {
      return found.name.empty() ? fmt::format("{} {}", kind.kind, place)
                                : title_of(kind, found.ns, found.name);
    };
    if (d.failed()) return d.error().with(title());

    const Symbol ns = kind.namespaced ? d.intern(found.ns) : Symbol();
    const Symbol name = d.intern(found.name);
    if (auto status = claim_name(kind, ns, name, policy_only); !status)
      return std::move(status).error().with(title());
    if (kind.id != ObjectKind::TemperPolicy)
      decode_object(d, kind.id, ns, name);
    else
      read_policy(d, found.name, policy_only);
    if (d.failed()) return d.error().with(title());
    for (const std::string& warning : d.take_warnings())
      warnings().push_back(fmt::format("{}: {}: {}", file_, title(), warning));
    return success();
  }

  // Two objects of one name are two readings of one object, or a mistake: either way the snapshot cannot be trusted.
  Status claim_name(const KindInfo& kind, Symbol ns, Symbol name, bool policy_only) {
    if (policy_only) return success();
    const std::uint64_t key = std::uint64_t{ns.value} << 32 | name.value;
    auto& seen = seen_[static_cast<std::size_t>(kind.id)];
    const auto [it, fresh] = seen.emplace(key, static_cast<std::uint32_t>(files_.size() - 1));
    if (fresh) return success();
    return Error{fmt::format("metadata.name: there is already a {} of this name in {}", kind.kind,
                             files_[it->second] == file_ ? "this file" : files_[it->second])};
  }

  // A policy given by itself replaces those among the objects.
  void read_policy(Decoder& d, std::string_view name, bool policy_only) {
    TemperPolicy policy = policy_only ? decode_policy(d, name) : decode_cluster_policy(d, name);
    if (policy_only && policy_given_) d.fail(d.root(), "there is more than one TemperPolicy");
    if (!policy_only && (policy_given_ || name != kPolicyName)) return;
    policy_given_ |= policy_only;
    cluster().policy = std::move(policy);
  }

  Reading reading_;
  std::string file_;
  std::vector<std::string> files_;
  std::array<std::unordered_map<std::uint64_t, std::uint32_t>, kObjectKinds>
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

}  // namespace tamp::wire

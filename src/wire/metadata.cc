#include "wire/metadata.h"

#include <array>

namespace tamp::wire {
namespace {

constexpr Words<ConditionStatus> kStatuses[] = {{"True", ConditionStatus::True},
                                                {"False", ConditionStatus::False},
                                                {"Unknown", ConditionStatus::Unknown}};

// Kinds of the same name in other groups are other controllers.
OwnerKind owner_kind(std::string_view api_version, std::string_view kind) {
  struct Known {
    std::string_view group, kind;
    OwnerKind owner;
  };
  static constexpr std::array<Known, 6> kKnown = {
      {{"apps", "ReplicaSet", OwnerKind::ReplicaSet},
       {"apps", "DaemonSet", OwnerKind::DaemonSet},
       {"apps", "StatefulSet", OwnerKind::StatefulSet},
       {"batch", "Job", OwnerKind::Job},
       {"", "ReplicationController", OwnerKind::ReplicationController},
       {"", "Node", OwnerKind::Node}}};
  const auto slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
  for (const Known& known : kKnown)
    if (known.kind == kind && known.group == group) return known.owner;
  return OwnerKind::Other;
}

}  // namespace

Owner decode_owner(Decoder& d, Value metadata) {
  Owner chosen;
  int best = 0;
  for (const Value reference : d.objects(metadata, "ownerReferences")) {
    Owner owner;
    owner.kind = owner_kind(d.text(reference, "apiVersion"), d.text(reference, "kind"));
    owner.controller = d.flag(reference, "controller");
    const bool stays = owner.kind == OwnerKind::DaemonSet || owner.kind == OwnerKind::Node;
    const int rank = stays ? 3 : owner.controller ? 2 : 1;
    chosen.controller |= owner.controller;
    if (rank <= best) continue;
    best = rank;
    chosen.kind = owner.kind;
    chosen.name = d.symbol(reference, "name");
    chosen.uid = d.symbol(reference, "uid");
  }
  return chosen;
}

Symbol decode_controller_uid(Decoder& d, Value metadata) {
  for (const Value reference : d.objects(metadata, "ownerReferences"))
    if (d.flag(reference, "controller")) return d.symbol(reference, "uid");
  return Symbol();
}

Condition decode_condition(Decoder& d, Value status, std::string_view type) {
  Condition condition;
  for (const Value item : d.objects(status, "conditions")) {
    if (item.get("type").string() != type) continue;
    condition.status = d.word<ConditionStatus>(item, "status", kStatuses, ConditionStatus::Unknown);
    condition.since = d.time(item, "lastTransitionTime");
  }
  return condition;
}

}  // namespace tamp::wire

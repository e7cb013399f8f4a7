// One Kubernetes object, whether it comes from a file or from the API server: which kind it is, what messages call it, and
// which decoder reads it.
#pragma once

#include <string>
#include <string_view>

#include "core/policy.h"
#include "wire/decoder.h"
#include "wire/kinds.h"

namespace tamp::wire {

// The kind, if this group and version of it is one that Tamp reads. An object without apiVersion is taken at its word.
const KindInfo* find_kind(std::string_view kind, std::string_view api_version);

// "Pod default/web-1", "Node a"
std::string title_of(const KindInfo& kind, std::string_view ns, std::string_view name);

struct ObjectName {
  std::string_view ns;  // "default" where a namespaced object has none; empty for kinds without namespaces
  std::string_view name;
};

// Fails where the object has no name.
ObjectName decode_name(Decoder& d, const KindInfo& kind);

// Adds the object to the cluster. After a failure at most one object was added, and must be taken out again.
// REQUIRES: not a TemperPolicy.
void decode_object(Decoder& d, ObjectKind kind, Symbol ns, Symbol name);

// Of the TemperPolicies in a cluster one counts; the others are read all the same, and warned of.
inline constexpr std::string_view kPolicyName = "default";
TemperPolicy decode_cluster_policy(Decoder& d, std::string_view name);

}  // namespace tamp::wire

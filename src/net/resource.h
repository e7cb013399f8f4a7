// Where objects live: paths and queries of the API server.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/kinds.h"

namespace tamp::net {

// The texts live as long as the program.
struct ResourceType {
  std::string_view group;  // "" is the core group
  std::string_view version;
  std::string_view plural;
  bool namespaced = false;

  constexpr ResourceType(std::string_view g, std::string_view v, std::string_view p, bool n)
      : group(g), version(v), plural(p), namespaced(n) {}
  ResourceType(const wire::KindInfo& kind)
      : group(kind.group), version(kind.version), plural(kind.plural), namespaced(kind.namespaced) {}
  ResourceType(wire::ObjectKind kind) : ResourceType(wire::info(kind)) {}

  bool operator==(const ResourceType&) const = default;
};

// What is written or asked, not watched.
inline constexpr ResourceType kPods{"", "v1", "pods", true};
inline constexpr ResourceType kNodes{"", "v1", "nodes", false};
inline constexpr ResourceType kNamespaces{"", "v1", "namespaces", false};
inline constexpr ResourceType kEvents{"", "v1", "events", true};
inline constexpr ResourceType kConfigMaps{"", "v1", "configmaps", true};
inline constexpr ResourceType kSecrets{"", "v1", "secrets", true};
inline constexpr ResourceType kLeases{"coordination.k8s.io", "v1", "leases", true};
inline constexpr ResourceType kWebhookConfigurations{"admissionregistration.k8s.io", "v1",
                                                     "validatingwebhookconfigurations", false};
inline constexpr ResourceType kTemperPolicies{"temper.codes", "v1alpha1", "temperpolicies", false};
inline constexpr ResourceType kConsolidationRuns{"temper.codes", "v1alpha1", "consolidationruns", false};
inline constexpr ResourceType kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews", false};
inline constexpr ResourceType kSubjectAccessReviews{"authorization.k8s.io", "v1", "subjectaccessreviews",
                                                    false};

// "/apis/policy/v1/namespaces/shop/poddisruptionbudgets". An empty namespace means all of them. For a type without
// namespaces it is ignored.
std::string collection_path(const ResourceType& type, std::string_view ns = {});
// "/api/v1/namespaces/shop/pods/web-1", with the subresource behind it if there is one.
std::string object_path(const ResourceType& type, std::string_view ns, std::string_view name,
                        std::string_view subresource = {});

// "?limit=500&continue=abc%3D": in the order given, values escaped, empty ones left out; "" if nothing is left.
using Query = std::vector<std::pair<std::string_view, std::string>>;
std::string query_text(const Query& query);

// Percent-encoded: everything but letters, digits and -._~
std::string escape(std::string_view text);

}  // namespace tamp::net

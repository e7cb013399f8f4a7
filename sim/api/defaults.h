// What an object becomes on its way from the wire to the store before any rule judges it: the values that the API server
// fills in where the writer left a field out, and what its admission plugins add, with the plugins that are on by default.
//
// The order of the real server, which callers keep:
//   create: wrong_type -> conform (typed.h) -> set_defaults -> admit_create -> (metadata: namespace, name, uid, creationTimestamp)
//           -> prepare_for_create -> validate_create -> validating admission -> store
//   update: the same with admit_update, prepare_for_update and validate_update; a patch is applied to the stored object first.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sim/api/object.h"

namespace tamp::world::api {

// Of a pod whose status is written: its one address of old stands for the list, and the list's first for it.
void set_own_addresses(Tree& pod);

// Fields of versions and kinds that are not known are left as they are. REQUIRES: an object whose types are right.
void set_defaults(ResourceId resource, Tree& object);

// What admission needs to know of the rest of the cluster.
struct Lookup {
  // nullptr if there is none. `ns` is empty for cluster-scoped resources.
  std::function<const Tree*(ResourceId, std::string_view ns, std::string_view name)> get;
  // Every object of the resource, in the order of namespace and name.
  std::function<void(ResourceId, const std::function<void(const Tree&)>& see)> each;
  // Of [0, bound); for generated names of volumes.
  std::function<std::uint64_t(std::uint64_t bound)> choose;
};

// Why admission refuses: the parts of a metav1.Status.
struct Refusal {
  int code = 403;
  std::string reason;  // "Forbidden"
  std::string message;
  std::string cause = {};  // the message of details.causes[0]; empty: no causes
};

// The mutating plugins: ServiceAccount, TaintNodesByCondition, Priority, DefaultTolerationSeconds,
// RuntimeClass, DefaultStorageClass, StorageObjectInUseProtection. REQUIRES: metadata.namespace is set.
std::optional<Refusal> admit_create(ResourceId resource, Tree& object, const Lookup& lookup);
std::optional<Refusal> admit_update(ResourceId resource, const Tree& old, Tree& updated,
                                    std::string_view subresource);

// The validating plugins, for what is valid in itself: Priority, PersistentVolumeClaimResize. `old` is
// nullptr for a creation.
std::optional<Refusal> admit_valid(ResourceId resource, const Tree* old, const Tree& object,
                                   const Lookup& lookup, std::string_view subresource);

// A pod that gets a node takes its zone and region as labels, over its own.
void copy_topology_labels(const Tree& node, Tree& pod);

}  // namespace tamp::world::api

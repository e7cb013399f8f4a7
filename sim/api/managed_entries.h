// metadata.managedFields as data: one entry for each manager, operation, version and subresource.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "core/time.h"
#include "sim/api/field_set.h"

namespace tamp::world::api {

struct ManagedEntry {
  std::string manager, api_version, subresource = {};
  bool applied = false;  // operation Apply; otherwise Update
  std::optional<Time> time = {};
  FieldSet fields = {};

  // One applier has one entry, whatever version it uses.
  bool same_owner(const ManagedEntry& other) const {
    return manager == other.manager && subresource == other.subresource && applied == other.applied &&
           (applied || api_version == other.api_version);
  }
};

using ManagedEntries = std::vector<ManagedEntry>;

Result<ManagedEntries> read_entries(const Tree& managed_fields);
// In the order of API servers: operation, time, manager, version, subresource.
Tree to_tree(ManagedEntries entries);

ManagedEntry* find_owner(ManagedEntries& entries, const ManagedEntry& like);

// At most ten entries of updates are kept: the oldest of a version become one, of "ancient-changes".
void cap_updates(ManagedEntries& entries);

}  // namespace tamp::world::api

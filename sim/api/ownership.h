// What updates and applies share: how a change of the object moves fields between managers.
#pragma once

#include "sim/api/managed_entries.h"
#include "sim/api/structured.h"

namespace tamp::world::api {

// What the server sets itself for this kind and subresource: a request that names it does not own it.
FieldSet fields_of_server(const Schema& schema, std::string_view subresource);

// Entries of a group that the object is not of own nothing that anybody could name.
void drop_foreign(ManagedEntries& entries, std::string_view api_version);

// Without the fields that identify an object or that only the server writes.
FieldSet without_identity(const FieldSet& fields);

// All others than `entries[owner]` lose what the change took from them; entries with nothing left go.
struct Loss {
  std::size_t entry;
  FieldSet fields;
};
std::vector<Loss> losses(const ManagedEntries& entries, const Comparison& change, const ManagedEntry* owner);
void settle(ManagedEntries& entries, const Comparison& change, const ManagedEntry* owner);

// Adds what an update changed to its manager's entry.
void record_update(const Tree& before, const Tree& after, ManagedEntries& entries, ManagedEntry entry,
                   const Schema& schema);

}  // namespace tamp::world::api

#include "sim/api/scale_ownership.h"

#include "sim/api/managed_entries.h"

namespace tamp::world::api {
namespace {

bool has(const FieldSet& fields, const std::vector<std::string>& path) {
  const FieldSet* level = &fields;
  const FieldSet::Node* node = nullptr;
  for (const std::string& name : path) {
    node = level->find(PathElement::field(name));
    if (node == nullptr) return false;
    level = &node->below;
  }
  return node != nullptr && node->member;
}

FieldSet only(const std::vector<std::string>& path) {
  FieldSet set;
  FieldSet* level = &set;
  FieldSet::Node* node = nullptr;
  for (const std::string& name : path) {
    node = &level->ensure(PathElement::field(name));
    level = &node->below;
  }
  if (node != nullptr) node->member = true;
  return set;
}

ApplyOutcome conflict_with(const std::vector<const ManagedEntry*>& others) {
  ApplyOutcome outcome;
  outcome.code = 409;
  outcome.reason = "Conflict";
  outcome.message = "Apply failed with " + std::to_string(others.size()) +
                    (others.size() == 1 ? " conflict" : " conflicts") + ": .spec.replicas";
  for (const ManagedEntry* other : others)
    outcome.causes.push_back({"FieldManagerConflict",
                              "conflict with \"" + other->manager + "\" using autoscaling/v1",
                              ".spec.replicas"});
  return outcome;
}

}  // namespace

std::optional<ApplyOutcome> own_scale(Tree& object, const ScaleWrite& write) {
  auto read = read_entries(object["metadata"]["managedFields"]);
  if (!read) return {};
  const FieldSet number = only(write.path);
  ManagedEntry writer{.manager = write.manager.empty() ? "unknown" : write.manager,
                      .api_version = write.api_version,
                      .subresource = "scale",
                      .applied = write.applied};
  std::vector<const ManagedEntry*> owners, others;
  for (const ManagedEntry& entry : *read) {
    if (!has(entry.fields, write.path)) continue;
    owners.push_back(&entry);
    if (!entry.same_owner(writer)) others.push_back(&entry);
  }
  if (write.applied && write.changed && !write.force && !others.empty()) return conflict_with(others);

  ManagedEntries entries, moved;
  bool held = false;  // does the writer's own entry stay?
  for (ManagedEntry& entry : *read) {
    if (!has(entry.fields, write.path)) {
      entries.push_back(std::move(entry));
      continue;
    }
    const bool own = entry.same_owner(writer);
    const bool keeps = !write.changed || (own && !write.to_none);
    if (keeps && entry.applied) {
      held |= own;
      entries.push_back(std::move(entry));
      continue;
    }
    if (keeps && !own) {
      ManagedEntry apart = entry;
      apart.fields = number;
      apart.time.reset();
      moved.push_back(std::move(apart));
    }
    const bool was_own_update = own && !write.changed;
    entry.fields = entry.fields.without(number);
    if (was_own_update) {
      held = true;
      ManagedEntry again = writer;
      again.fields = number;
      moved.push_back(std::move(again));
    }
    if (!entry.fields.empty()) entries.push_back(std::move(entry));
  }
  // Nobody is kept for a number that nobody held, unless it is applied.
  const bool takes = write.applied || (write.changed && !write.to_none && !owners.empty());
  if (takes && !held) {
    writer.fields = number;
    moved.push_back(std::move(writer));
  }
  for (ManagedEntry& entry : moved) entries.push_back(std::move(entry));
  if (entries.empty())
    object.ensure("metadata").erase("managedFields");
  else
    object.ensure("metadata").set("managedFields", to_tree(std::move(entries)));
  return {};
}

}  // namespace tamp::world::api

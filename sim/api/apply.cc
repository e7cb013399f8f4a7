// Server-side apply. The applied object is what its manager wants of the fields that it names, and nothing else.
#include <algorithm>
#include <map>
#include <utility>

#include "sim/api/managed_fields.h"
#include "sim/api/ownership.h"
#include "sim/api/zero_object.h"

namespace tamp::world::api {
namespace {

constexpr std::string_view kLastApplied = "kubectl.kubernetes.io/last-applied-configuration";

ApplyOutcome refused(int code, std::string reason, std::string message) {
  ApplyOutcome outcome;
  outcome.code = code;
  outcome.reason = std::move(reason);
  outcome.message = std::move(message);
  return outcome;
}

std::string object_text(const Tree& object) {
  const Tree& metadata = object["metadata"];
  return std::string(metadata["namespace"].string()) + "/" + std::string(metadata["name"].string()) + "; " +
         group_version_kind(object);
}

std::string manager_text(const ManagedEntry& entry) {
  std::string text = wire::to_json(Tree(entry.manager));
  if (!entry.subresource.empty()) text += " with subresource " + wire::to_json(Tree(entry.subresource));
  if (!entry.applied) text += " using " + entry.api_version;
  return text;
}

struct Conflict {
  std::string manager, field;
};

ApplyOutcome conflict_outcome(const std::vector<Conflict>& conflicts) {
  ApplyOutcome outcome = refused(409, "Conflict", "");
  for (const Conflict& conflict : conflicts)
    outcome.causes.push_back({"FieldManagerConflict", "conflict with " + conflict.manager, conflict.field});
  if (conflicts.size() == 1) {
    outcome.message =
        "Apply failed with 1 conflict: conflict with " + conflicts[0].manager + ": " + conflicts[0].field;
    return outcome;
  }
  std::map<std::string, std::string> fields;
  for (const Conflict& conflict : conflicts) fields[conflict.manager] += "\n- " + conflict.field;
  outcome.message = "Apply failed with " + std::to_string(conflicts.size()) + " conflicts: ";
  bool first = true;
  for (const auto& [manager, list] : fields) {
    outcome.message.append(first ? "conflicts with " : "\nconflicts with ")
        .append(manager)
        .append(":")
        .append(list);
    first = false;
  }
  return outcome;
}

struct Application {
  const Tree& live;  // without managedFields
  const Tree& applied;
  const Schema& schema;
  ManagedEntry entry;      // the applier's, with the fields that it names now
  ManagedEntries entries;  // before; afterwards after
  Tree result = {};
  Tree shadow = {};  // the result with nulls where pruning left nothing: that is no removal of those fields

  // Removes what the manager named the last time, no longer names, and nobody else has.
  void prune(const ManagedEntry& last) {
    const Tree merged = result;
    const FieldSet before = last.fields.with_named_fields(schema);
    FieldSet owned = entry.fields;
    for (const ManagedEntry& other : entries)
      if (!other.same_owner(entry)) owned = owned.united(other.fields);
    const FieldSet all = field_set_of(merged, schema).with_named_fields(schema);
    auto removed_from = [&](const Tree& pruned) {
      return all.without(field_set_of(pruned, schema).with_named_fields(schema));
    };
    // What is emptied on the way still counts as there: somebody may own its presence.
    Tree pruned = without_paths(merged, before, schema, Emptied::BecomeNull);
    pruned = without_paths(merged, removed_from(pruned).without(owned.with_named_fields(schema)), schema,
                           Emptied::BecomeNull);
    const FieldSet unwanted = removed_from(pruned).intersected(before);
    shadow = without_paths(merged, unwanted, schema, Emptied::BecomeNull);
    result = without_paths(merged, unwanted, schema, Emptied::Go);
    // Go reads null as nothing. Of a custom kind only metadata is read by Go: elsewhere the null stays, for validation to find.
    if (!schema.name.empty()) return;
    Tree metadata = std::as_const(result)["metadata"];
    result = shadow;
    result.set("metadata", std::move(metadata));
  }

  // Conflicts that are not forced; if there are none, `entries` and `result` are done.
  std::vector<Conflict> run(bool force) {
    result = shadow = merge(live, applied, schema);
    const FieldSet ignored = fields_of_server(schema, entry.subresource);
    entry.fields = field_set_of(applied, schema).without_subtrees(ignored);
    if (const ManagedEntry* last = find_owner(entries, entry); last && !last->fields.empty()) prune(*last);

    Comparison change = compare(live, shadow, schema);
    for (FieldSet* set : {&change.removed, &change.modified, &change.added})
      *set = set->without_subtrees(ignored);
    if (!force) {
      std::vector<Conflict> conflicts;
      for (const Loss& loss : losses(entries, change, &entry))
        for (std::string& path : loss.fields.paths())
          conflicts.push_back({manager_text(entries[loss.entry]), std::move(path)});
      if (!conflicts.empty()) return conflicts;
    }
    std::erase_if(entries, [&](const ManagedEntry& other) { return other.same_owner(entry); });
    settle(entries, change, &entry);
    return {};
  }
};

// What an object that was applied by older kubectls says about itself is no conflict with kubectl: it takes those fields over.
FieldSet fields_of_last_applied(const Tree& live, std::string_view api_version, const Schema& schema) {
  auto last = wire::read_tree(std::string(live["metadata"]["annotations"][kLastApplied].string()));
  if (!last || (*last)["apiVersion"].string() != api_version || !type_errors(*last, schema).empty())
    return {};
  Comparison change = compare(*last, live, schema);
  return field_set_of(*last, schema).without(change.modified).without(change.added).without(change.removed);
}

std::vector<Conflict> real_conflicts(std::vector<Conflict> conflicts, const FieldSet& allowed) {
  const std::vector<std::string> paths = allowed.paths();
  std::erase_if(conflicts, [&](const Conflict& conflict) {
    return std::find(paths.begin(), paths.end(), conflict.field) != paths.end();
  });
  return conflicts;
}

void refresh_last_applied(Tree& object, Tree applied) {
  if (object["metadata"]["annotations"][kLastApplied].string().empty()) return;
  if (Tree* metadata = applied.find("metadata"))
    if (Tree* annotations = metadata->find("annotations")) {
      annotations->erase(kLastApplied);
      if (annotations->empty()) metadata->erase("annotations");
    }
  object.ensure({"metadata", "annotations"}).set(kLastApplied, wire::to_json(applied) + "\n");
}

}  // namespace

std::string group_version_kind(const Tree& object) {
  std::string version(object["apiVersion"].string());
  if (version.find('/') == version.npos) version = "/" + version;
  return version + ", Kind=" + std::string(object["kind"].string());
}

ApplyOutcome server_side_apply(const Tree* live, const Tree& applied, std::string_view manager, bool force,
                               std::string_view subresource, std::string_view api_version, Time now,
                               const Schema* known) {
  const Schema& schema = known ? *known : any_schema();
  if (applied["apiVersion"].string() != api_version)
    return refused(400, "BadRequest", "invalid object type: " + group_version_kind(applied));
  if (applied["metadata"]["managedFields"].is_array())
    return refused(400, "BadRequest", "metadata.managedFields must be nil");
  if (auto errors = type_errors(applied, schema); !errors.empty())
    return refused(500, "",
                   "failed to create typed patch object (" + object_text(applied) + "): " + joined(errors));
  if (const Tree& metadata = applied["metadata"]; !metadata.is_null() && !metadata.is_object())
    return refused(
        500, "",
        "failed to create typed patch object (" + object_text(applied) + "): .metadata: expected map");

  Tree old = live ? *live : Tree::object({{"apiVersion", applied["apiVersion"]}, {"kind", applied["kind"]}});
  auto entries = read_entries(old["metadata"]["managedFields"]);
  if (!entries) return refused(500, "", "failed to decode managed fields: " + entries.error().message);
  drop_foreign(*entries, api_version);
  if (Tree* metadata = old.find("metadata")) metadata->erase("managedFields");
  ManagedEntry entry{.manager = manager.empty() ? "unknown" : std::string(manager),
                     .api_version = std::string(api_version),
                     .subresource = std::string(subresource),
                     .applied = true};
  // An object that nobody tracked: all its fields get one owner, so that an apply cannot take them silently.
  if (entries->empty() && live) {
    ManagedEntry first = entry;
    first.manager = "before-first-apply";
    first.applied = false;
    first.time = now;
    record_update(zero_object(schema), old, *entries, first, schema);
  }
  std::optional<Time> last_time;
  if (const ManagedEntry* last = find_owner(*entries, entry)) last_time = last->time;

  Application application{
      .live = old, .applied = applied, .schema = schema, .entry = entry, .entries = *entries};
  std::vector<Conflict> conflicts = application.run(force);
  if (!conflicts.empty() && manager == "kubectl") {
    conflicts = real_conflicts(std::move(conflicts), fields_of_last_applied(old, api_version, schema));
    if (conflicts.empty()) conflicts = application.run(true);
  }
  if (!conflicts.empty()) return conflict_outcome(conflicts);

  ApplyOutcome outcome;
  bool changed = !(application.shadow == old);
  outcome.result = std::move(application.result);
  if (manager == "kubectl") refresh_last_applied(outcome.result, applied);
  ManagedEntry& mine = application.entry;
  mine.fields = without_identity(mine.fields);
  mine.time = changed ? std::optional(now) : last_time;
  if (!mine.fields.empty()) application.entries.push_back(mine);
  if (application.entries.empty())
    outcome.result.ensure("metadata").erase("managedFields");
  else
    outcome.result.ensure("metadata").set("managedFields", to_tree(std::move(application.entries)));
  return outcome;
}

}  // namespace tamp::world::api

#include "sim/api/managed_fields.h"

#include <algorithm>

#include "sim/api/ownership.h"
#include "sim/api/zero_object.h"

namespace tamp::world::api {
namespace {

constexpr std::size_t kLongestManager = 128;

void merge_into(FieldSet& set, std::initializer_list<std::string_view> path) {
  set = set.united(FieldSet::of(path));
}

FieldSet of_paths(std::initializer_list<std::initializer_list<std::string_view>> paths) {
  FieldSet set;
  for (auto path : paths) merge_into(set, path);
  return set;
}

FieldSet filtered(const FieldSet& fields, const FieldSet& ignored) {
  return ignored.empty() ? fields : fields.without_subtrees(ignored);
}

// An empty list, which custom objects lose before anybody sees it, or one entry with nothing in it.
bool is_reset(const Tree& managed_fields, const Schema& schema) {
  if (!managed_fields.is_array()) return false;
  return (managed_fields.empty() && !schema.name.empty()) ||
         (managed_fields.size() == 1 && managed_fields.elements().front().is_object() &&
          managed_fields.elements().front().empty());
}

// What the list of the request says, or else that of the stored object.
ManagedEntries entries_to_start_from(const Tree* before, const Tree& after, std::string_view subresource,
                                     const Schema& schema) {
  const Tree& sent = after["metadata"]["managedFields"];
  if (subresource.empty()) {
    if (is_reset(sent, schema)) return {};
    if (auto entries = read_entries(sent); entries.ok() && !entries->empty()) return std::move(*entries);
  }
  if (!before) return {};
  auto entries = read_entries((*before)["metadata"]["managedFields"]);
  return entries.ok() ? std::move(*entries) : ManagedEntries();
}

}  // namespace

void drop_foreign(ManagedEntries& entries, std::string_view api_version) {
  const auto group = [](std::string_view version) {
    const std::size_t slash = version.find('/');
    return slash == std::string_view::npos ? std::string_view() : version.substr(0, slash);
  };
  const std::string_view own = group(api_version);
  std::erase_if(entries, [&](const ManagedEntry& entry) { return group(entry.api_version) != own; });
}

FieldSet fields_of_server(const Schema& schema, std::string_view subresource) {
  if (subresource.empty()) return schema.status_apart ? FieldSet::of({"status"}) : FieldSet();
  if (subresource != "status") return {};
  std::string_view kind = schema.name;
  kind = kind.substr(kind.rfind('.') + 1);
  if (kind == "Pod")
    return of_paths({{"spec"}, {"metadata", "deletionTimestamp"}, {"metadata", "ownerReferences"}});
  if (kind == "Deployment") return of_paths({{"spec"}, {"metadata", "labels"}});
  if (kind.empty() || kind == "ValidatingAdmissionPolicy") return of_paths({{"spec"}, {"metadata"}});
  return FieldSet::of({"spec"});
}

FieldSet without_identity(const FieldSet& fields) {
  static const FieldSet identity = of_paths({{"apiVersion"},
                                             {"kind"},
                                             {"metadata"},
                                             {"metadata", "name"},
                                             {"metadata", "namespace"},
                                             {"metadata", "creationTimestamp"},
                                             {"metadata", "selfLink"},
                                             {"metadata", "uid"},
                                             {"metadata", "clusterName"},
                                             {"metadata", "generation"},
                                             {"metadata", "managedFields"},
                                             {"metadata", "resourceVersion"}});
  return fields.without(identity);
}

std::vector<Loss> losses(const ManagedEntries& entries, const Comparison& change, const ManagedEntry* owner) {
  std::vector<Loss> out;
  const FieldSet written = change.modified.united(change.added);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (owner && entries[i].same_owner(*owner)) continue;
    FieldSet lost = entries[i].fields.intersected(written);
    if (!lost.empty()) out.push_back({i, std::move(lost)});
  }
  return out;
}

void settle(ManagedEntries& entries, const Comparison& change, const ManagedEntry* owner) {
  for (Loss& loss : losses(entries, change, owner))
    entries[loss.entry].fields = entries[loss.entry].fields.without(loss.fields);
  for (ManagedEntry& entry : entries)
    if (!owner || !entry.same_owner(*owner)) entry.fields = entry.fields.without(change.removed);
  std::erase_if(entries, [](const ManagedEntry& entry) { return entry.fields.empty(); });
}

void record_update(const Tree& before, const Tree& after, ManagedEntries& entries, ManagedEntry entry,
                   const Schema& schema) {
  Comparison change = compare(before, after, schema);
  const FieldSet ignored = fields_of_server(schema, entry.subresource);
  for (FieldSet* set : {&change.removed, &change.modified, &change.added}) *set = filtered(*set, ignored);
  settle(entries, change, nullptr);
  entry.fields = without_identity(change.modified.united(change.added));
  if (!entry.fields.empty()) {
    if (ManagedEntry* there = find_owner(entries, entry)) {
      there->fields = there->fields.united(entry.fields);
      if (entry.time) there->time = entry.time;
    } else {
      entries.push_back(std::move(entry));
    }
  }
  cap_updates(entries);
}

void track_update(const Tree* before, Tree& after, std::string_view manager, std::string_view subresource,
                  std::string_view api_version, Time now, const Schema* schema) {
  const Schema& known = schema ? *schema : any_schema();
  ManagedEntries entries = entries_to_start_from(before, after, subresource, known);
  drop_foreign(entries, api_version);
  if (Tree* metadata = after.find("metadata")) metadata->erase("managedFields");
  if (entries.empty() && before) return;
  // Versions of the object, without the list itself.
  Tree old = before ? *before : zero_object(known);
  if (Tree* metadata = old.find("metadata")) metadata->erase("managedFields");
  ManagedEntry entry{.manager = manager.empty() ? "unknown" : std::string(manager),
                     .api_version = std::string(api_version),
                     .subresource = std::string(subresource),
                     .time = now};
  record_update(old, after, entries, std::move(entry), known);
  if (!entries.empty()) after.ensure("metadata").set("managedFields", to_tree(std::move(entries)));
}

std::string manager_of_user_agent(std::string_view user_agent) {
  std::string out;
  for (char c : user_agent.substr(0, user_agent.find('/')))
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f && out.size() < kLongestManager) out += c;
  return out;
}

}  // namespace tamp::world::api

#include "sim/api/managed_entries.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tamp::world::api {
namespace {

constexpr std::size_t kMostUpdates = 10;

std::int64_t seconds(const ManagedEntry& entry) { return entry.time ? entry.time->unix_seconds() : 0; }

Result<ManagedEntry> read_entry(const Tree& tree, std::size_t index) {
  std::string_view operation = tree["operation"].string(), type = tree["fieldsType"].string();
  if (operation != "Apply" && operation != "Update") return Error{"operation must be `Apply` or `Update`"};
  if (tree["apiVersion"].string().empty()) return Error{"apiVersion must not be empty"};
  if (type.empty()) return Error{"missing fieldsType in managed fields entry " + std::to_string(index)};
  if (type != "FieldsV1")
    return Error{"invalid fieldsType \"" + std::string(type) + "\" in managed fields entry " +
                 std::to_string(index)};
  ManagedEntry entry{.manager = std::string(tree["manager"].string()),
                     .api_version = std::string(tree["apiVersion"].string()),
                     .subresource = std::string(tree["subresource"].string()),
                     .applied = operation == "Apply"};
  if (auto time = parse_rfc3339(tree["time"].string())) entry.time = *time;
  TAMP_TRY(entry.fields, FieldSet::read(tree["fieldsV1"]));
  return entry;
}

// The order of identifiers that API servers give entries: JSON objects with the members manager, operation, apiVersion.
auto identity(const ManagedEntry& entry) {
  return std::tie(entry.manager, entry.api_version, entry.subresource);
}

}  // namespace

Result<ManagedEntries> read_entries(const Tree& managed_fields) {
  ManagedEntries entries;
  for (const Tree& tree : managed_fields.elements()) {
    TAMP_TRY(ManagedEntry entry, read_entry(tree, entries.size()));
    if (ManagedEntry* there = find_owner(entries, entry))
      *there = std::move(entry);
    else
      entries.push_back(std::move(entry));
  }
  return entries;
}

Tree to_tree(ManagedEntries entries) {
  std::sort(entries.begin(), entries.end(), [](const ManagedEntry& a, const ManagedEntry& b) {
    return std::tuple(!a.applied, seconds(a), identity(a)) < std::tuple(!b.applied, seconds(b), identity(b));
  });
  Tree out = Tree::array();
  for (const ManagedEntry& entry : entries) {
    Tree& tree = out.append(Tree::object({{"apiVersion", entry.api_version},
                                          {"fieldsType", "FieldsV1"},
                                          {"fieldsV1", entry.fields.to_tree()},
                                          {"operation", entry.applied ? "Apply" : "Update"}}));
    if (!entry.manager.empty()) tree.set("manager", entry.manager);
    if (!entry.subresource.empty()) tree.set("subresource", entry.subresource);
    if (entry.time) tree.set("time", format_rfc3339(*entry.time));
  }
  return out;
}

ManagedEntry* find_owner(ManagedEntries& entries, const ManagedEntry& like) {
  auto it =
      std::find_if(entries.begin(), entries.end(), [&](const auto& entry) { return entry.same_owner(like); });
  return it == entries.end() ? nullptr : &*it;
}

void cap_updates(ManagedEntries& entries) {
  std::vector<ManagedEntry> updates;
  std::erase_if(entries, [&](ManagedEntry& entry) {
    if (entry.applied) return false;
    updates.push_back(std::move(entry));
    return true;
  });
  std::sort(updates.begin(), updates.end(), [](const ManagedEntry& a, const ManagedEntry& b) {
    return std::tuple(seconds(a), identity(a)) < std::tuple(seconds(b), identity(b));
  });
  std::size_t count = updates.size();
  std::map<std::string, ManagedEntry> oldest;   // by version: the first of it, which waits for a second
  std::map<std::string, ManagedEntry> ancient;  // by version
  for (ManagedEntry& update : updates) {
    if (count <= kMostUpdates) {
      entries.push_back(std::move(update));
      continue;
    }
    auto first = oldest.find(update.api_version);
    auto bucket = ancient.find(update.api_version);
    if (first == oldest.end() && bucket == ancient.end()) {
      std::string version = update.api_version;
      oldest.emplace(version, std::move(update));
      continue;
    }
    if (bucket == ancient.end()) {
      bucket = ancient.emplace(update.api_version, std::move(first->second)).first;
      oldest.erase(first);
      bucket->second.manager = "ancient-changes";
      bucket->second.subresource.clear();
    }
    bucket->second.fields = bucket->second.fields.united(update.fields);
    bucket->second.time = update.time;
    --count;
  }
  for (auto& [version, entry] : oldest) entries.push_back(std::move(entry));
  for (auto& [version, entry] : ancient) entries.push_back(std::move(entry));
}

}  // namespace tamp::world::api

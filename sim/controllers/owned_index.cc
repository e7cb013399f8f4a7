#include "sim/controllers/owned_index.h"

#include "sim/api/server.h"

namespace tamp::world {
namespace {

const OwnedIndex::Names& find_names(const std::map<std::string, OwnedIndex::Names, std::less<>>& index,
                                    std::string_view key) {
  static const OwnedIndex::Names kNone;
  const auto found = index.find(key);
  return found == index.end() ? kNone : found->second;
}

}  // namespace

void OwnedIndex::apply(const api::Change& change) {
  if (change.resource != resource_) return;
  const bool same_place =
      change.before && change.after &&
      change.before->metadata()["ownerReferences"] == change.after->metadata()["ownerReferences"];
  if (change.before && !same_place) put(change.before, false);
  if (change.after) put(change.after, true);
}

void OwnedIndex::put(const api::ObjectPtr& object, bool in) {
  const api::Tree& owner = api::controller_of(*object);
  if (!owner.is_null() && owner["kind"].string() != owner_kind_) return;
  auto& index = owner.is_null() ? orphans_ : by_owner_;
  const std::string_view key = owner.is_null() ? object->ns() : owner["uid"].string();
  auto place = index.find(key);
  if (in) {
    if (place == index.end()) place = index.emplace(std::string(key), Names{}).first;
    place->second.insert_or_assign(std::string(object->name()), object);
  } else if (place != index.end()) {
    if (const auto it = place->second.find(object->name()); it != place->second.end())
      place->second.erase(it);
    if (place->second.empty()) index.erase(place);
  }
}

const OwnedIndex::Names& OwnedIndex::of(std::string_view owner_uid) const {
  return find_names(by_owner_, owner_uid);
}
const OwnedIndex::Names& OwnedIndex::orphans(std::string_view ns) const { return find_names(orphans_, ns); }

}  // namespace tamp::world

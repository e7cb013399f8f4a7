// Objects of one resource by the uid of the object that controls them, and those that nobody controls by their namespace:
// what a controller looks through when it counts, adopts or releases. Kept current by changes.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "sim/api/object.h"

namespace tamp::world {

class OwnedIndex {
 public:
  using Names = std::map<std::string, api::ObjectPtr, std::less<>>;

  // Keeps those that are controlled by an object of `owner_kind` ("ReplicaSet"), and orphans.
  OwnedIndex(api::ResourceId resource, std::string_view owner_kind)
      : resource_(resource), owner_kind_(owner_kind) {}

  // Changes of other resources are ignored.
  void apply(const api::Change& change);

  // Good until the next apply.
  const Names& of(std::string_view owner_uid) const;
  const Names& orphans(std::string_view ns) const;

 private:
  void put(const api::ObjectPtr& object, bool in);

  api::ResourceId resource_;
  std::string owner_kind_;
  std::map<std::string, Names, std::less<>> by_owner_;  // uid
  std::map<std::string, Names, std::less<>> orphans_;   // namespace
};

}  // namespace tamp::world

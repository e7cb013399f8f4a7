// What is stored, and what changed. Every write is one change with a revision of its own, so the change of a revision is
// found by counting. Old changes are forgotten; how the store looked at a revision is known as long as they are kept.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/api/object.h"

namespace tamp::world::api {

class Store {
 public:
  ObjectPtr get(ResourceId resource, std::string_view ns, std::string_view name) const;
  const Objects& objects(ResourceId resource) const;

  std::uint64_t revision() const { return revision_; }
  // The oldest revision whose later changes are all kept.
  std::uint64_t oldest() const { return revision_ - log_.size(); }

  // Writes get the next revision, in the object's resourceVersion too. `put` creates or replaces.
  ObjectPtr put(ResourceId resource, Tree object, bool reads_otherwise = false);
  // Returns the last version with the revision of the removal. REQUIRES: it is there.
  ObjectPtr erase(ResourceId resource, std::string_view ns, std::string_view name);

  const Change* change_after(std::uint64_t revision) const;
  void keep_changes(std::size_t count);

  // The objects as they were just after `revision`; nothing if that is forgotten. REQUIRES: revision <= revision().
  std::optional<Objects> at(ResourceId resource, std::uint64_t revision) const;

 private:
  struct Entry {
    Change change;
    ObjectPtr removed;  // of a removal: the version that was stored, with its own resourceVersion
  };
  Objects& shelf(ResourceId resource);
  void log(Entry entry);

  std::vector<Objects> shelves_;
  std::deque<Entry> log_;
  std::uint64_t revision_ = 1;
  std::size_t kept_ = 100'000;
};

}  // namespace tamp::world::api

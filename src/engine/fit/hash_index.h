// Ids by the hash of what they stand for, for tables of very many small things: one piece of memory, not one for each entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tamp::fit {

template <typename Id>
class HashIndex {
 public:
  // The id with that hash of which `is_it` says so; invalid if there is none.
  template <typename IsIt>
  Id find(std::size_t hash, IsIt is_it) const {
    if (slots_.empty()) return {};
    for (std::size_t at = hash & mask(); slots_[at].id.valid(); at = (at + 1) & mask())
      if (slots_[at].hash == hash && is_it(slots_[at].id)) return slots_[at].id;
    return {};
  }

  void add(std::size_t hash, Id id) {
    if (2 * used_ >= slots_.size()) grow();
    put({hash, id});
    ++used_;
  }

 private:
  struct Slot {
    std::size_t hash = 0;
    Id id;  // invalid: free
  };

  std::size_t mask() const { return slots_.size() - 1; }
  void put(const Slot& slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].id.valid()) at = (at + 1) & mask();
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot> before(slots_.empty() ? 64 : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.id.valid()) put(slot);
  }

  std::vector<Slot> slots_;  // a power of two, at most half of them used; linear probing
  std::size_t used_ = 0;
};

}  // namespace tamp::fit

// How many pods each group has in each of very many domains: host names, as a rule. What stands there in the beginning lies in rows, one
// for each domain, so that lifting the pods of a node and putting them back touches one place in memory however large the cluster is. What
// comes to a domain later, and in a simulation seldom stays, is in a small hash table beside the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tamp::fit {

class HostCounts {
 public:
  // One pod, as a group counts it. `row` is the caller's number of the domain.
  struct Standing {
    std::uint32_t row = 0;
    std::uint32_t group = 0;
  };
  struct Entry {
    std::uint32_t group = 0;
    std::int32_t count = 0;
  };

  HostCounts() = default;
  // REQUIRES: every row is less than `rows`.
  HostCounts(std::size_t rows, std::span<const Standing> standing);

  std::int32_t get(std::uint32_t row, std::uint32_t group) const;
  // Returns the new value, which must not be below zero.
  std::int32_t change(std::uint32_t row, std::uint32_t group, std::int32_t delta);
  // What stood there in the beginning, as it counts now.
  std::span<const Entry> entries() const { return entries_; }

 private:
  // Open addressing. Nothing with the value 0 is kept.
  class Strays {
   public:
    std::int32_t get(std::uint64_t key) const;
    std::int32_t change(std::uint64_t key, std::int32_t delta);

   private:
    static constexpr std::uint64_t kFree = ~std::uint64_t{0};
    struct Slot {
      std::uint64_t key = kFree;
      std::int32_t value = 0;
    };
    // Where the key is, or else where it would be. REQUIRES: a slot is free.
    std::size_t find(std::uint64_t key) const;
    void grow();
    void remove(std::size_t at);

    std::vector<Slot> slots_;
    std::size_t used_ = 0;
  };

  // Null: it was not there in the beginning.
  const Entry* find(std::uint32_t row, std::uint32_t group) const;

  std::vector<std::uint32_t> first_;  // by row, and where the last one ends
  std::vector<Entry> entries_;        // in each row sorted by group
  Strays strays_;
};

}  // namespace tamp::fit

// Amounts of resources as the scheduler counts them: int64, milli-units for cpu and whole units (bytes, pieces) for
// everything else, rounded up.
#pragma once

#include <cstdint>
#include <vector>

#include "core/ids.h"

namespace tamp {

using ResourceId = Id<struct ResourceTag>;

// Every cluster interns these four first, in this order; the rest (ephemeral-storage, nvidia.com/gpu, …) follow.
inline constexpr ResourceId kCpu{std::size_t{0}};  // milli-cores
inline constexpr ResourceId kMemory{std::size_t{1}};
inline constexpr ResourceId kPods{std::size_t{2}};
inline constexpr ResourceId kEphemeralStorage{std::size_t{3}};

struct ResourceAmount {
  ResourceId id;
  std::int64_t amount = 0;
  bool operator==(const ResourceAmount&) const = default;
};

// A sparse list sorted by id. An absent resource is not the same as an amount of 0 everywhere (a request of 0 names
// the resource), but reads as 0.
class ResourceList {
 public:
  std::int64_t get(ResourceId id) const {
    for (const auto& a : amounts_)
      if (a.id == id) return a.amount;
    return 0;
  }
  bool has(ResourceId id) const {
    for (const auto& a : amounts_)
      if (a.id == id) return true;
    return false;
  }
  void set(ResourceId id, std::int64_t amount);
  // Saturates instead of overflowing.
  void add(ResourceId id, std::int64_t amount);
  void add(const ResourceList& other);

  bool empty() const { return amounts_.empty(); }
  auto begin() const { return amounts_.begin(); }
  auto end() const { return amounts_.end(); }
  bool operator==(const ResourceList&) const = default;

 private:
  std::vector<ResourceAmount> amounts_;
};

}  // namespace tamp

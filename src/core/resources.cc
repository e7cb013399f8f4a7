#include "core/resources.h"

#include <algorithm>
#include <limits>

namespace tamp {
namespace {

std::int64_t saturating_add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b > 0 ? std::numeric_limits<std::int64_t>::max() : std::numeric_limits<std::int64_t>::min();
}

auto find_slot(std::vector<ResourceAmount>& amounts, ResourceId id) {
  return std::lower_bound(amounts.begin(), amounts.end(), id,
                          [](const ResourceAmount& a, ResourceId b) { return a.id < b; });
}

}  // namespace

void ResourceList::set(ResourceId id, std::int64_t amount) {
  auto it = find_slot(amounts_, id);
  if (it != amounts_.end() && it->id == id)
    it->amount = amount;
  else
    amounts_.insert(it, {id, amount});
}

void ResourceList::add(ResourceId id, std::int64_t amount) {
  auto it = find_slot(amounts_, id);
  if (it != amounts_.end() && it->id == id)
    it->amount = saturating_add(it->amount, amount);
  else
    amounts_.insert(it, {id, amount});
}

void ResourceList::add(const ResourceList& other) {
  for (const auto& a : other) add(a.id, a.amount);
}

}  // namespace tamp

#include "fit/host_counts.h"

#include <algorithm>
#include <cassert>

namespace tamp::fit {
namespace {

std::size_t home_of(std::uint64_t key, std::size_t mask) {
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> 17) & mask;
}

std::uint64_t key_of(std::uint32_t row, std::uint32_t group) { return (std::uint64_t{group} << 32) | row; }

}  // namespace

HostCounts::HostCounts(std::size_t rows, std::span<const Standing> standing) : first_(rows + 1) {
  for (const Standing& s : standing) ++first_[s.row + 1];
  for (std::size_t r = 0; r < rows; ++r) first_[r + 1] += first_[r];
  entries_.resize(standing.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (const Standing& s : standing) entries_[next[s.row]++] = {s.group, 1};

  // Equal ones become one, and the rows move together.
  std::size_t kept = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto begin = entries_.begin() + first_[r], end = entries_.begin() + first_[r + 1];
    std::sort(begin, end, [](const Entry& a, const Entry& b) { return a.group < b.group; });
    first_[r] = static_cast<std::uint32_t>(kept);
    for (auto it = begin; it != end; ++it) {
      if (kept > first_[r] && entries_[kept - 1].group == it->group)
        ++entries_[kept - 1].count;
      else
        entries_[kept++] = *it;
    }
  }
  first_[rows] = static_cast<std::uint32_t>(kept);
  entries_.resize(kept);
}

const HostCounts::Entry* HostCounts::find(std::uint32_t row, std::uint32_t group) const {
  if (row + std::size_t{1} >= first_.size()) return nullptr;
  const Entry* low = entries_.data() + first_[row];
  const Entry* const end = entries_.data() + first_[row + 1];
  low = std::lower_bound(low, end, group, [](const Entry& e, std::uint32_t g) { return e.group < g; });
  return low != end && low->group == group ? low : nullptr;
}

std::int32_t HostCounts::get(std::uint32_t row, std::uint32_t group) const {
  const Entry* const entry = find(row, group);
  return entry != nullptr ? entry->count : strays_.get(key_of(row, group));
}

std::int32_t HostCounts::change(std::uint32_t row, std::uint32_t group, std::int32_t delta) {
  const Entry* const entry = find(row, group);
  if (entry == nullptr) return strays_.change(key_of(row, group), delta);
  const std::int32_t now = entries_[static_cast<std::size_t>(entry - entries_.data())].count += delta;
  assert(now >= 0);
  return now;
}

std::size_t HostCounts::Strays::find(std::uint64_t key) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = home_of(key, mask);
  while (slots_[i].key != key && slots_[i].key != kFree) i = (i + 1) & mask;
  return i;
}

std::int32_t HostCounts::Strays::get(std::uint64_t key) const {
  return used_ == 0 ? 0 : slots_[find(key)].value;
}

std::int32_t HostCounts::Strays::change(std::uint64_t key, std::int32_t delta) {
  if (used_ * 2 >= slots_.size()) grow();
  const std::size_t i = find(key);
  Slot& slot = slots_[i];
  if (slot.key == kFree) {
    slot.key = key;
    ++used_;
  }
  slot.value += delta;
  assert(slot.value >= 0);
  const std::int32_t now = slot.value;
  if (now == 0) remove(i);
  return now;
}

void HostCounts::Strays::grow() {
  std::vector<Slot> old(slots_.empty() ? 64 : slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old)
    if (slot.key != kFree) slots_[find(slot.key)] = slot;
}

// Whoever would be found only by way of the slot moves up.
void HostCounts::Strays::remove(std::size_t at) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = (at + 1) & mask; slots_[i].key != kFree; i = (i + 1) & mask) {
    const std::size_t away = (i - home_of(slots_[i].key, mask)) & mask;  // from where it should be
    if (away < ((i - at) & mask)) continue;
    slots_[at] = slots_[i];
    at = i;
  }
  slots_[at] = {};
  --used_;
}

}  // namespace tamp::fit

#include "core/symbols.h"

#include <functional>

namespace tamp {
namespace {

std::uint32_t hash_of(std::string_view text) {
  const std::size_t hash = std::hash<std::string_view>{}(text);
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

// The slot that holds the text, or the free one where it belongs. REQUIRES: there is a free slot.
std::size_t Symbols::slot_of(std::string_view text, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = hash & mask;
  while (slots_[i].symbol && (slots_[i].hash != hash || texts_[slots_[i].symbol.index()] != text))
    i = (i + 1) & mask;
  return i;
}

void Symbols::grow() {
  std::vector<Slot> old(slots_.empty() ? 1024 : slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (!slot.symbol) continue;
    std::size_t i = slot.hash & mask;
    while (slots_[i].symbol) i = (i + 1) & mask;
    slots_[i] = slot;
  }
}

Symbol Symbols::intern(std::string_view text) {
  if (texts_.size() * 2 >= slots_.size()) grow();
  const std::uint32_t hash = hash_of(text);
  Slot& slot = slots_[slot_of(text, hash)];
  if (!slot.symbol) {
    slot = {Symbol(texts_.size()), hash};
    texts_.emplace_back(text);
    text_bytes_ += text.size();
  }
  return slot.symbol;
}

Symbol Symbols::find(std::string_view text) const {
  return slots_.empty() ? Symbol() : slots_[slot_of(text, hash_of(text))].symbol;
}

}  // namespace tamp

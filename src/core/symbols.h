// Every name, label key and label value of a cluster is interned once; the rest of Tamp compares integers.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/ids.h"

namespace tamp {

using Symbol = Id<struct SymbolTag>;

// Not thread-safe. Symbols are never removed, so a Symbol and its text stay valid as long as the table.
class Symbols {
 public:
  Symbol intern(std::string_view text);
  // The symbol if the text was ever interned, an invalid one otherwise.
  Symbol find(std::string_view text) const;
  // "" for an invalid symbol.
  std::string_view text(Symbol s) const {
    return s.valid() ? std::string_view(texts_[s.index()]) : std::string_view();
  }
  std::size_t size() const { return texts_.size(); }
  std::size_t text_bytes() const { return text_bytes_; }  // of all texts together

 private:
  // Linear probing over a power of two, at most half full. The hash beside the symbol spares most looks at the text.
  struct Slot {
    Symbol symbol;
    std::uint32_t hash = 0;
  };
  std::size_t slot_of(std::string_view text, std::uint32_t hash) const;
  void grow();

  std::deque<std::string> texts_;  // stable addresses: text() hands out views
  std::vector<Slot> slots_;
  std::size_t text_bytes_ = 0;
};

}  // namespace tamp

// Every name, label key and label value of a cluster is interned once; the rest of Tamp compares integers.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/ids.h"

namespace tamp {

using Symbol = Id<struct SymbolTag>;

// Not thread-safe. Symbols are never removed, so a Symbol and its text stay valid as long as the table.
class Symbols {
 public:
  Symbols() = default;
  Symbols(Symbols&&) = default;
  Symbols& operator=(Symbols&&) = default;
  Symbols(const Symbols& other);
  Symbols& operator=(const Symbols& other);

  Symbol intern(std::string_view text);
  // The symbol if the text was ever interned, an invalid one otherwise.
  Symbol find(std::string_view text) const;
  // "" for an invalid symbol.
  std::string_view text(Symbol s) const {
    return s.valid() ? std::string_view(texts_[s.index()]) : std::string_view();
  }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // stable addresses: keys of index_ point into it
  std::unordered_map<std::string_view, Symbol> index_;
};

}  // namespace tamp

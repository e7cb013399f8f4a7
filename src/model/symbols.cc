#include "model/symbols.h"

namespace tamp {

Symbols::Symbols(const Symbols& other) : texts_(other.texts_) {
  index_.reserve(texts_.size());
  for (std::size_t i = 0; i < texts_.size(); ++i) index_.emplace(texts_[i], Symbol(i));
}

Symbols& Symbols::operator=(const Symbols& other) {
  if (this != &other) *this = Symbols(other);
  return *this;
}

Symbol Symbols::intern(std::string_view text) {
  if (auto it = index_.find(text); it != index_.end()) return it->second;
  Symbol s(texts_.size());
  index_.emplace(texts_.emplace_back(text), s);
  return s;
}

Symbol Symbols::find(std::string_view text) const {
  auto it = index_.find(text);
  return it == index_.end() ? Symbol() : it->second;
}

}  // namespace tamp

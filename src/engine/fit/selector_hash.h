// Hashes of selectors by what they say, for tables that keep equal ones once.
#pragma once

#include <cstddef>
#include <span>

#include "core/labels.h"

namespace tamp::fit {

inline std::size_t mix(std::size_t h, std::size_t v) { return (h ^ v) * 0x9E3779B97F4A7C15ull + (h >> 29); }

inline std::size_t selector_hash(const SelectorRequirement& r) {
  std::size_t h = mix(r.key.value, static_cast<std::size_t>(r.op));
  for (Symbol v : r.values) h = mix(h, v.value);
  return h;
}

inline std::size_t selector_hash(std::span<const SelectorRequirement> list) {
  std::size_t h = list.size();
  for (const SelectorRequirement& r : list) h = mix(h, selector_hash(r));
  return h;
}

}  // namespace tamp::fit

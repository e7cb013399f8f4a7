// Dense strong ids: an index into the vector that owns the things, with a type of its own. Names live at the edge.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>

namespace tamp {

template <typename Tag>
struct Id {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value = kNone;

  constexpr Id() = default;
  constexpr explicit Id(std::size_t v) : value(static_cast<std::uint32_t>(v)) {}
  constexpr bool valid() const { return value != kNone; }
  constexpr explicit operator bool() const { return valid(); }
  constexpr std::size_t index() const { return value; }
  auto operator<=>(const Id&) const = default;
};

}  // namespace tamp

template <typename Tag>
struct std::hash<tamp::Id<Tag>> {
  std::size_t operator()(tamp::Id<Tag> id) const noexcept { return std::hash<std::uint32_t>{}(id.value); }
};

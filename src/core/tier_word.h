// The five tiers by name. Which pod is in which: tier.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tamp {

// The most important first, so that `<` reads "is more important than".
enum class Tier : std::uint8_t { Critical, High, Normal, Low, Background };
inline constexpr std::size_t kTiers = 5;
inline constexpr std::array<Tier, kTiers> kAllTiers = {Tier::Critical, Tier::High, Tier::Normal, Tier::Low,
                                                       Tier::Background};

// Critical and High: a move must not hurt them.
constexpr bool is_protected(Tier tier) { return tier <= Tier::High; }

std::string_view word(Tier tier);  // "Critical"
std::optional<Tier> tier_from(std::string_view word);

}  // namespace tamp

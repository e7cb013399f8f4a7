#include "sim/api/identity.h"

#include <array>

namespace tamp::world::api {

std::string make_uid(Dice& dice) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::array<std::uint64_t, 2> bits = {dice.next(), dice.next()};
  bits[0] = (bits[0] & ~0xf000ull) | 0x4000ull;
  bits[1] = (bits[1] & ~(0x3ull << 62)) | (0x2ull << 62);
  std::string uid;
  uid.reserve(36);
  for (unsigned i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) uid += '-';
    uid += kDigits[(bits[i / 16] >> (60 - 4 * (i % 16))) & 0xf];
  }
  return uid;
}

std::string make_name(std::string_view base, Dice& dice) {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  constexpr std::size_t kRandom = 5;
  std::string name(base.substr(0, 63 - kRandom));
  for (std::size_t i = 0; i < kRandom; ++i) name += kAlphabet[dice.below(kAlphabet.size())];
  return name;
}

}  // namespace tamp::world::api

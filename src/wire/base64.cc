#include "wire/base64.h"

#include <array>
#include <cstdint>

namespace tamp::wire {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<std::int8_t, 256> make_values() {
  std::array<std::int8_t, 256> values{};
  for (auto& value : values) value = -1;
  for (std::size_t i = 0; i < kAlphabet.size(); ++i)
    values[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  return values;
}
constexpr std::array<std::int8_t, 256> kValues = make_values();

}  // namespace

Result<std::string> decode_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int digits = 0, padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::int8_t value = kValues[static_cast<unsigned char>(c)];
    if (value < 0) return Error{"is not base64: it holds a character that does not belong"};
    if (padding > 0) return Error{"is not base64: something follows the padding"};
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    if (++digits < 4) continue;
    for (const int shift : {16, 8, 0}) bytes += static_cast<char>((bits >> shift) & 0xff);
    bits = 0;
    digits = 0;
  }
  if (digits == 1 || (digits + padding) % 4 != 0 || padding > 2)
    return Error{"is not base64: its length is wrong; is it truncated?"};
  if (digits == 2) bytes += static_cast<char>((bits >> 4) & 0xff);
  if (digits == 3) {
    bytes += static_cast<char>((bits >> 10) & 0xff);
    bytes += static_cast<char>((bits >> 2) & 0xff);
  }
  return bytes;
}

std::string encode_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t bits = 0;
    for (std::size_t k = 0; k < 3; ++k)
      bits = (bits << 8) | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? kAlphabet[(bits >> (18 - 6 * k)) & 63] : '=';
  }
  return text;
}

}  // namespace tamp::wire

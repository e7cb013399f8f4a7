#include "net/gzip.h"

#include <array>
#include <boost/beast/zlib/deflate_stream.hpp>
#include <cstdint>

namespace tamp::net {
namespace {

namespace zlib = boost::beast::zlib;

constexpr int kLevel = 4;  // documents are made often and read once

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table = {};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t c = i;
    for (int bit = 0; bit < 8; ++bit) c = (c & 1) != 0 ? 0xEDB88320U ^ (c >> 1) : c >> 1;
    table[i] = c;
  }
  return table;
}

std::uint32_t crc32(std::string_view bytes) {
  static constexpr auto kTable = make_table();
  std::uint32_t c = 0xFFFFFFFFU;
  for (const char byte : bytes) c = kTable[(c ^ static_cast<unsigned char>(byte)) & 0xFF] ^ (c >> 8);
  return c ^ 0xFFFFFFFFU;
}

void append_little_endian(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xFF);
}

}  // namespace

std::string gzip(std::string_view bytes) {
  // RFC 1952: magic, deflate, no flags, no time, no extra flags, unknown system.
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  zlib::deflate_stream stream;
  stream.reset(kLevel, 15, 8, zlib::Strategy::normal);
  const std::size_t head = out.size();
  out.resize(head + stream.upper_bound(bytes.size()) + 16);
  zlib::z_params z;
  z.next_in = bytes.data();
  z.avail_in = bytes.size();
  z.next_out = out.data() + head;
  z.avail_out = out.size() - head;
  boost::beast::error_code error;
  stream.write(z, zlib::Flush::finish, error);
  out.resize(out.size() - z.avail_out);
  append_little_endian(out, crc32(bytes));
  append_little_endian(out, static_cast<std::uint32_t>(bytes.size()));
  return out;
}

bool accepts_gzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    const auto comma = accept_encoding.find(',');
    std::string_view one = accept_encoding.substr(0, comma);
    accept_encoding =
        comma == std::string_view::npos ? std::string_view() : accept_encoding.substr(comma + 1);
    while (one.starts_with(' ')) one.remove_prefix(1);
    if (!one.starts_with("gzip")) continue;
    one.remove_prefix(4);
    if (one.empty() || one.starts_with(' ')) return true;
    if (one.starts_with(';'))
      return one.find("q=0") == std::string_view::npos || one.find("q=0.") != std::string_view::npos;
  }
  return false;
}

}  // namespace tamp::net

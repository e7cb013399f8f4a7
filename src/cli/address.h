// Where a port listens, as flags say it.
#pragma once

#include <cstdint>
#include <string>

#include "core/result.h"

namespace tamp::cli {

struct Address {
  std::string ip;
  std::uint16_t port = 0;
};

// "127.0.0.1:8080", "[::1]:8080", ":8080" (every interface).
Result<Address> parse_address(const std::string& text);

}  // namespace tamp::cli

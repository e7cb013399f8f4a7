// SHA-256: what names a plan and chains audit records.
#pragma once

#include <string>
#include <string_view>

namespace tamp {

// 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace tamp

// Kubernetes quantities ("100m", "1.5Gi", "12e6"), exactly: fixed point, never a float. Rounds up like the API server,
// under the theory that whoever asked for a little should not get nothing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/result.h"

namespace tamp::wire {

__extension__ typedef __int128 Int128;

struct Quantity {
  enum class Format : std::uint8_t { DecimalSI, BinarySI, DecimalExponent };

  Int128 nanos = 0;  // rounded away from zero to a billionth; saturates far above int64
  Format format = Format::DecimalSI;

  bool negative() const { return nanos < 0; }
  // Rounded away from zero; saturate at the ends of int64.
  std::int64_t units() const;
  std::int64_t millis() const;

  // The shortest form without loss and without a fraction, in the suffix family it was written in: "1500m", "4Gi".
  std::string canonical() const;
};

Result<Quantity> parse_quantity(std::string_view text);

}  // namespace tamp::wire

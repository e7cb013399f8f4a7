#pragma once

#include <cstdint>

#include "core/symbols.h"

namespace tamp {

enum class TaintEffect : std::uint8_t { NoSchedule, PreferNoSchedule, NoExecute };

struct Taint {
  Symbol key;
  Symbol value;  // the symbol of "" where there is none
  TaintEffect effect = TaintEffect::NoSchedule;
  auto operator<=>(const Taint&) const = default;
};

struct Toleration {
  enum class Op : std::uint8_t { Equal, Exists, Lt, Gt };
  Symbol key;  // invalid or "" with Exists tolerates every key
  Op op = Op::Equal;
  Symbol value;
  bool any_effect = true;  // no effect given
  TaintEffect effect = TaintEffect::NoSchedule;
  auto operator<=>(const Toleration&) const = default;
};

}  // namespace tamp

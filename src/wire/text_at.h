// A field of an object that somebody else wrote and that is read as far as it makes sense: text, or nothing. Decoders of
// what decisions depend on use Decoder instead, which notes what is wrong.
#pragma once

#include <string>
#include <string_view>

#include "wire/value.h"

namespace tamp::wire {

inline std::string text_at(Value parent, std::string_view key) {
  return std::string(parent.get(key).string().value_or(std::string_view()));
}

}  // namespace tamp::wire

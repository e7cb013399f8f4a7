// What an unquoted YAML scalar means.
#pragma once

#include <string>
#include <string_view>

namespace tamp::wire {

struct PlainScalar {
  enum class Kind { Null, Boolean, Number, NotFinite, String };
  Kind kind = Kind::String;
  std::string json;  // for Boolean and Number
};

// By the rules of go-yaml v2, which Kubernetes' tools are built on: YAML 1.1 booleans (yes, no, on, off, y, n),
// integers in base 2, 8, 10 and 16 with underscores, floats. Dates stay strings.
PlainScalar resolve_plain(std::string_view text);

}  // namespace tamp::wire

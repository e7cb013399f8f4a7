// The fields of each kind that a dump holds: those that Tamp reads, and no other. Whatever else an object says, such as
// environments, commands, messages or annotations, may be a secret, and stays out because it is not named here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/kinds.h"

namespace tamp::wire {

// How the value of a field is written, in particular when names are masked.
enum class Treatment : std::uint8_t {
  Inner,        // field by field, as its children say; of a list, each element so
  Keep,         // as it is, with all that is in it
  Word,         // as it is, and wherever else the same string occurs: it means something to Kubernetes
  Name,         // the name of something: masked
  Path,         // names with slashes or commas between them: each masked
  Value,        // strings that are masked where they are the name of something
  Labels,       // an object of such strings
  NodeLabels,   // the same, where labels of Kubernetes and of clouds hold words
  Requirement,  // key, operator and values over NodeLabels
  Empty,        // only that it is there
};

struct DumpField {
  std::string name;
  Treatment treatment = Treatment::Inner;
  std::vector<DumpField> children;

  const DumpField* find(std::string_view key) const {
    for (const DumpField& child : children)
      if (child.name == key) return &child;
    return nullptr;
  }
};

// The object as a whole. Its kind and apiVersion are not among the fields.
const DumpField& dump_fields(ObjectKind kind);

// Is this the key of a label whose values are words of Kubernetes or of a cloud? The hostname is not.
bool holds_words(std::string_view label_key);

}  // namespace tamp::wire

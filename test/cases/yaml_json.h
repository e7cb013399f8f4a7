// From the YAML of a case to the JSON of a cluster.
#pragma once

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <string>

#include "core/json_writer.h"

namespace tamp::cases {

// Anything as it stands: quoted scalars are strings, plain ones are what YAML takes them for.
inline void write(JsonWriter& out, const YAML::Node& node) {
  if (node.IsMap()) {
    out.begin_object();
    for (const auto& entry : node) {
      out.key(entry.first.Scalar());
      write(out, entry.second);
    }
    out.end_object();
  } else if (node.IsSequence()) {
    out.begin_array();
    for (const auto& item : node) write(out, item);
    out.end_array();
  } else if (!node.IsScalar()) {
    out.null();
  } else if (node.Tag() == "!") {
    out.string(node.Scalar());
  } else if (node.Scalar() == "true" || node.Scalar() == "false") {
    out.boolean(node.Scalar() == "true");
  } else if (std::int64_t number = 0; YAML::convert<std::int64_t>::decode(node, number)) {
    out.integer(number);
  } else {
    out.string(node.Scalar());
  }
}

// A map whose values are strings whatever they look like: labels, annotations, quantities.
inline void write_strings(JsonWriter& out, const YAML::Node& map) {
  out.begin_object();
  for (const auto& entry : map) out.field(entry.first.Scalar(), entry.second.Scalar());
  out.end_object();
}

inline std::string text(const YAML::Node& node, const char* key, const std::string& otherwise = "") {
  return node[key] ? node[key].Scalar() : otherwise;
}
inline bool flag(const YAML::Node& node, const char* key, bool otherwise) {
  return node[key] ? node[key].as<bool>() : otherwise;
}

}  // namespace tamp::cases

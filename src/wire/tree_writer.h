// A Tree through a streaming writer: JsonWriter and report's YamlWriter have the same calls.
#pragma once

#include "wire/tree.h"

namespace tamp::wire {

template <typename Writer>
void write(Writer& writer, const Tree& tree) {
  switch (tree.kind()) {
    case Tree::Kind::Null:
      writer.null();
      return;
    case Tree::Kind::Boolean:
      writer.boolean(tree.boolean());
      return;
    case Tree::Kind::Integer:
      writer.integer(tree.integer());
      return;
    case Tree::Kind::Number:
      writer.number(tree.number());
      return;
    case Tree::Kind::String:
      writer.string(tree.string());
      return;
    case Tree::Kind::Array:
      writer.begin_array();
      for (const Tree& element : tree.elements()) write(writer, element);
      writer.end_array();
      return;
    case Tree::Kind::Object:
      writer.begin_object();
      for (const Tree::Member& member : tree.members()) write(writer.key(member.key), member.value);
      writer.end_object();
      return;
  }
}

}  // namespace tamp::wire

#include "sim/api/yaml_text.h"

namespace tamp::world::api {
namespace {

void write(std::string& out, const Tree& tree, std::size_t depth);

// After "key:" or "-": a scalar or an empty collection on the same line, anything else below.
void write_below(std::string& out, const Tree& tree, std::size_t depth) {
  if (tree.empty()) {
    out += ' ';
    wire::append_json(out, tree);
    out += '\n';
    return;
  }
  out += '\n';
  write(out, tree, depth);
}

void write(std::string& out, const Tree& tree, std::size_t depth) {
  for (const Tree::Member& member : tree.members()) {
    out.append(2 * depth, ' ');
    wire::append_json(out, Tree(member.key));
    out += ':';
    write_below(out, member.value, depth + 1);
  }
  for (const Tree& element : tree.elements()) {
    out.append(2 * depth, ' ');
    out += '-';
    write_below(out, element, depth + 1);
  }
}

}  // namespace

bool asks_for_yaml(std::string_view accept) {
  const std::size_t yaml = accept.find("application/yaml");
  return yaml != std::string_view::npos && yaml < accept.find("application/json") &&
         yaml < accept.find("*/*");
}

std::string to_yaml(const Tree& tree) {
  std::string out;
  if (tree.empty()) {
    wire::append_json(out, tree);
    out += '\n';
  }
  write(out, tree, 0);
  return out;
}

}  // namespace tamp::world::api

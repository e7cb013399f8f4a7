#include "fuzz/kinds_targets.h"

#include <string>
#include <utility>

#include "fuzz/require.h"
#include "sim/api/cel.h"
#include "sim/api/custom_schema.h"
#include "sim/api/defaults.h"
#include "sim/api/pattern.h"
#include "sim/api/schema.h"
#include "sim/api/strategy.h"
#include "sim/api/typed.h"
#include "sim/api/validate.h"

namespace tamp::fuzz {
namespace {

using world::api::Tree;

std::pair<std::string, std::string> two_lines(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) return {std::string(bytes), {}};
  return {std::string(bytes.substr(0, end)), std::string(bytes.substr(end + 1))};
}

void as_pod(Tree object) {
  using world::api::ResourceId;
  const world::api::Schema* schema = world::api::find_schema("", "v1", "Pod");
  if (!object.is_object() || wrong_type(object, *schema)) return;
  conform(object, *schema);
  Tree again = object;
  require(conform(again, *schema).empty(), "what was conformed has no unknown fields");
  require(again == object, "conforming changes nothing the second time");
  set_defaults(ResourceId::Pods, object);
  again = object;
  set_defaults(ResourceId::Pods, again);
  require(again == object, "defaults change nothing the second time");
  prepare_for_create(ResourceId::Pods, object, Time{});
  (void)validate_create(ResourceId::Pods, object);
  (void)validate_update(ResourceId::Pods, object, object, "");
}

}  // namespace

void expression(std::string_view bytes) {
  const auto [text, value] = two_lines(bytes);
  if (auto pattern = world::api::Pattern::compile(text); pattern.ok()) {
    require(pattern->matches(value) == pattern->find(value).has_value(),
            "a pattern matches where it finds something");
  }
  auto compiled = world::api::cel::compile(text);
  if (!compiled.ok()) return;
  auto self = wire::read_tree(value);
  const Tree tree = self.ok() ? *self : Tree();
  auto once = evaluate(*compiled, {{"self", &tree}, {"oldSelf", &tree}});
  auto twice = evaluate(*compiled, {{"self", &tree}, {"oldSelf", &tree}});
  require(once.ok() == twice.ok(), "an expression has one outcome");
}

void definition(std::string_view bytes) {
  const auto [first, second] = two_lines(bytes);
  auto source = wire::read_tree(first);
  auto object = wire::read_tree(second);
  if (!object.ok()) return;
  as_pod(*object);
  if (!source.ok()) return;
  world::api::FieldProblems problems;
  const world::api::CustomSchema schema = compile_schema(*source, problems, "schema");
  Tree value = *object;
  std::vector<std::string> removed;
  prune_by(schema, value, removed, {});
  Tree again = value;
  removed.clear();
  prune_by(schema, again, removed, {});
  require(removed.empty() && again == value, "nothing is pruned twice");
  default_by(schema, value);
  validate_by(schema, value, nullptr, {}, problems);
  validate_by(schema, value, &*object, {}, problems);
}

}  // namespace tamp::fuzz

// Reading a structural schema, and what it does to objects before they are judged. The judging is in custom_validate.cc.
#include "sim/api/custom_schema.h"

#include <algorithm>

namespace tamp::world::api {
namespace {

constexpr int kMostNesting = 60;

std::optional<std::int64_t> whole(const Tree& value) {
  if (!value.is_number()) return {};
  return value.integer();
}
std::optional<double> real(const Tree& value) {
  if (!value.is_number()) return {};
  return value.number();
}

std::optional<CustomSchema::Type> type_named(std::string_view name) {
  using Type = CustomSchema::Type;
  if (name == "object") return Type::Object;
  if (name == "array") return Type::Array;
  if (name == "string") return Type::String;
  if (name == "integer") return Type::Integer;
  if (name == "number") return Type::Number;
  if (name == "boolean") return Type::Boolean;
  return {};
}

class SchemaReader {
 public:
  explicit SchemaReader(FieldProblems& problems) : problems_(problems) {}

  // `structural`: where types must be given. In allOf and its like they must not. `traced`: a value there can be told from what
  // it was before, so that a rule may ask for it.
  CustomSchema read(const Tree& source, const std::string& field, bool structural, bool traced, int depth) {
    CustomSchema schema;
    if (depth > kMostNesting) {
      problem("FieldValueInvalid", field, "Invalid value: nested too deep");
      return schema;
    }
    read_type(schema, source, field, structural);
    schema.format = source["format"].string();
    schema.nullable = source["nullable"].boolean();
    if (const Tree* value = source.find("default"); value != nullptr && !value->is_null())
      schema.default_value = *value;
    read_limits(schema, source, field);
    read_parts(schema, source, field, structural, traced, depth);
    schema.list_type = source["x-kubernetes-list-type"].string();
    schema.map_type = source["x-kubernetes-map-type"].string();
    for (const Tree& key : source["x-kubernetes-list-map-keys"].elements())
      schema.list_keys.emplace_back(key.string());
    read_rules(schema, source["x-kubernetes-validations"], field + ".x-kubernetes-validations", traced);
    if (schema.default_value && structural) {
      // A default must itself be what it stands in for, before other defaults are set in it.
      Tree value = *schema.default_value;
      drop_nulls_by(schema, value);
      const std::size_t before = problems_.size();
      validate_by(schema, value, nullptr, field + ".default", problems_);
      defaults_fit_ &= problems_.size() == before;
    }
    return schema;
  }

  // To be called last: rules are looked at only where all defaults are what they stand in for.
  void tell_of_rules() {
    if (defaults_fit_) problems_.insert(problems_.end(), of_rules_.begin(), of_rules_.end());
  }

 private:
  void problem(std::string reason, std::string field, std::string message) {
    problems_.push_back({std::move(reason), std::move(field), std::move(message)});
  }

  void read_type(CustomSchema& schema, const Tree& source, const std::string& field, bool structural) {
    schema.int_or_string = source["x-kubernetes-int-or-string"].boolean();
    schema.preserve_unknown = source["x-kubernetes-preserve-unknown-fields"].boolean();
    schema.embedded = source["x-kubernetes-embedded-resource"].boolean();
    const std::string_view name = source["type"].string();
    if (!name.empty()) {
      if (const auto type = type_named(name)) {
        schema.type = *type;
      } else {
        problem("FieldValueNotSupported", field + ".type",
                "Unsupported value: \"" + std::string(name) + "\"");
      }
    } else if (structural && !schema.int_or_string && !schema.preserve_unknown) {
      problem("FieldValueRequired", field + ".type",
              "Required value: must not be empty for specified object fields");
    }
  }

  void read_limits(CustomSchema& schema, const Tree& source, const std::string& field) {
    schema.minimum = real(source["minimum"]);
    schema.maximum = real(source["maximum"]);
    schema.multiple_of = real(source["multipleOf"]);
    schema.exclusive_minimum = source["exclusiveMinimum"].boolean();
    schema.exclusive_maximum = source["exclusiveMaximum"].boolean();
    schema.min_length = whole(source["minLength"]);
    schema.max_length = whole(source["maxLength"]);
    schema.min_items = whole(source["minItems"]);
    schema.max_items = whole(source["maxItems"]);
    schema.min_properties = whole(source["minProperties"]);
    schema.max_properties = whole(source["maxProperties"]);
    schema.unique_items = source["uniqueItems"].boolean();
    schema.enumeration = source["enum"].elements();
    for (const Tree& name : source["required"].elements()) schema.required.emplace_back(name.string());
    if (const std::string_view pattern = source["pattern"].string(); !pattern.empty()) {
      auto compiled = Pattern::compile(pattern);
      if (compiled.ok()) {
        schema.pattern = *std::move(compiled);
      } else {
        problem("FieldValueInvalid", field + ".pattern", "Invalid value: " + compiled.error().message);
      }
    }
  }

  void read_parts(CustomSchema& schema, const Tree& source, const std::string& field, bool structural,
                  bool traced, int depth) {
    const bool members_traced = traced && source["x-kubernetes-map-type"].string() != "atomic";
    const bool items_traced = traced && source["x-kubernetes-list-type"].string() == "map";
    for (const Tree::Member& property : source["properties"].members()) {
      schema.property_names.push_back(property.key);
      schema.properties.push_back(read(property.value, field + ".properties[" + property.key + "]",
                                       structural, members_traced, depth + 1));
    }
    if (const Tree* additional = source.find("additionalProperties")) {
      schema.additional_allowed = additional->boolean();
      if (additional->is_object()) {
        schema.additional.push_back(
            read(*additional, field + ".additionalProperties", structural, traced, depth + 1));
      }
    }
    if (const Tree* items = source.find("items"); items != nullptr && items->is_object()) {
      schema.items.push_back(read(*items, field + ".items", structural, items_traced, depth + 1));
    } else if (structural && schema.type == CustomSchema::Type::Array) {
      problem("FieldValueRequired", field + ".items", "Required value: must be specified");
    }
    read_all(schema.all_of, source["allOf"], field + ".allOf", depth);
    read_all(schema.any_of, source["anyOf"], field + ".anyOf", depth);
    read_all(schema.one_of, source["oneOf"], field + ".oneOf", depth);
    if (const Tree* excluded = source.find("not"); excluded != nullptr && excluded->is_object()) {
      schema.negated.push_back(read(*excluded, field + ".not", false, traced, depth + 1));
    }
  }

  void read_all(std::vector<CustomSchema>& schemas, const Tree& sources, const std::string& field,
                int depth) {
    for (std::size_t i = 0; i < sources.elements().size(); ++i) {
      schemas.push_back(
          read(sources.elements()[i], field + "[" + std::to_string(i) + "]", false, true, depth + 1));
    }
  }

  std::optional<cel::Expression> compiled(const Tree& text, const std::string& field) {
    auto expression = cel::compile(text.string());
    if (!expression.ok()) {
      rule_problem(field, "Invalid value: \"" + std::string(text.string()) +
                              "\": compilation failed: " + expression.error().message);
      return {};
    }
    for (const std::string& variable : expression->variables()) {
      if (variable == "self" || variable == "oldSelf") continue;
      rule_problem(field, "Invalid value: \"" + std::string(text.string()) +
                              "\": compilation failed: undeclared reference to '" + variable + "'");
      return {};
    }
    return *std::move(expression);
  }

  void read_rules(CustomSchema& schema, const Tree& rules, const std::string& field, bool traced) {
    for (std::size_t i = 0; i < rules.elements().size(); ++i) {
      const Tree& source = rules.elements()[i];
      const std::string place = field + "[" + std::to_string(i) + "]";
      SchemaRule rule;
      rule.text = source["rule"].string();
      rule.message = source["message"].string();
      rule.reason = source["reason"].string();
      rule.field_path = source["fieldPath"].string();
      if (source["optionalOldSelf"].boolean()) {
        rule_problem(place + ".optionalOldSelf",
                     "Invalid value: true: unsupported expression: oldSelf as an optional value");
        continue;
      }
      auto expression = compiled(source["rule"], place + ".rule");
      if (!expression) continue;
      rule.expression = *std::move(expression);
      rule.transition = rule.expression.reads("oldSelf");
      if (rule.transition && !traced) {
        rule_problem(place + ".rule",
                     "Invalid value: \"" + rule.text +
                         "\": oldSelf cannot be used on the uncorrelatable portion of the schema");
        continue;
      }
      if (!source["messageExpression"].string().empty()) {
        rule.message_expression = compiled(source["messageExpression"], place + ".messageExpression");
      }
      schema.rules.push_back(std::move(rule));
    }
  }

  void rule_problem(std::string field, std::string message) {
    of_rules_.push_back({"FieldValueInvalid", std::move(field), std::move(message)});
  }

  FieldProblems& problems_;
  FieldProblems of_rules_;
  bool defaults_fit_ = true;
};

bool kept_in_resource(std::string_view key) {
  return key == "apiVersion" || key == "kind" || key == "metadata";
}

void prune_value(const CustomSchema& schema, Tree& value, bool resource, std::vector<std::string>& removed,
                 std::string& path) {
  const std::size_t root = path.size();
  if (value.is_array()) {
    if (schema.items.empty()) return;
    std::size_t index = 0;
    for (Tree& element : value.elements()) {
      path.append("[").append(std::to_string(index++)).append("]");
      prune_value(schema.items[0], element, schema.items[0].embedded, removed, path);
      path.resize(root);
    }
    return;
  }
  if (!value.is_object()) return;
  std::erase_if(value.members(), [&](Tree::Member& member) {
    const CustomSchema* property = schema.property(member.key);
    if (resource && kept_in_resource(member.key)) return false;
    path.append(root == 0 ? "" : ".").append(member.key);
    bool goes = false;
    if (property != nullptr) {
      prune_value(*property, member.value, property->embedded, removed, path);
    } else if (!schema.additional.empty()) {
      prune_value(schema.additional[0], member.value, schema.additional[0].embedded, removed, path);
    } else if (!schema.additional_allowed && !schema.preserve_unknown) {
      removed.push_back(path);
      goes = true;
    }
    path.resize(root);
    return goes;
  });
}

void drop_nulls(const CustomSchema& schema, Tree& value) {
  if (value.is_array()) {
    if (schema.items.empty()) return;
    for (Tree& element : value.elements()) drop_nulls(schema.items[0], element);
    return;
  }
  if (!value.is_object()) return;
  std::erase_if(value.members(), [&](Tree::Member& member) {
    const CustomSchema* own = schema.property(member.key);
    if (own == nullptr && !schema.additional.empty()) own = &schema.additional[0];
    if (own == nullptr) return false;
    if (member.value.is_null()) return !own->nullable && !own->default_value;
    drop_nulls(*own, member.value);
    return false;
  });
}

void fill_defaults(const CustomSchema& schema, Tree& value) {
  const auto stands_for_nothing = [](const Tree& it, const CustomSchema& own) {
    return it.is_null() && !own.nullable;
  };
  if (value.is_array()) {
    if (schema.items.empty()) return;
    const CustomSchema& own = schema.items[0];
    for (Tree& element : value.elements()) {
      if (stands_for_nothing(element, own) && own.default_value) element = *own.default_value;
      fill_defaults(own, element);
    }
    return;
  }
  if (!value.is_object()) return;
  for (std::size_t i = 0; i < schema.properties.size(); ++i) {
    const CustomSchema& own = schema.properties[i];
    if (!own.default_value) continue;
    Tree* present = value.find(schema.property_names[i]);
    if (present == nullptr) {
      value.set(schema.property_names[i], *own.default_value);
    } else if (stands_for_nothing(*present, own)) {
      *present = *own.default_value;
    }
  }
  for (Tree::Member& member : value.members()) {
    const CustomSchema* own = schema.property(member.key);
    if (own == nullptr && !schema.additional.empty()) {
      own = &schema.additional[0];
      if (stands_for_nothing(member.value, *own) && own->default_value) member.value = *own->default_value;
    }
    if (own != nullptr) fill_defaults(*own, member.value);
  }
}

}  // namespace

const CustomSchema* CustomSchema::property(std::string_view key) const {
  const auto found = std::lower_bound(property_names.begin(), property_names.end(), key);
  if (found == property_names.end() || *found != key) return nullptr;
  return &properties[static_cast<std::size_t>(found - property_names.begin())];
}

CustomSchema compile_schema(const Tree& schema, FieldProblems& problems, std::string_view field) {
  SchemaReader reader(problems);
  CustomSchema compiled = reader.read(schema, std::string(field), true, true, 0);
  reader.tell_of_rules();
  return compiled;
}

void prune_by(const CustomSchema& schema, Tree& value, std::vector<std::string>& removed, std::string path) {
  prune_value(schema, value, true, removed, path);
}

void drop_nulls_by(const CustomSchema& schema, Tree& value) { drop_nulls(schema, value); }

void default_by(const CustomSchema& schema, Tree& value) { fill_defaults(schema, value); }

}  // namespace tamp::world::api

// Judging an object by a structural schema: types and limits first, then lists that are sets or maps, then rules.
#include <algorithm>
#include <cmath>

#include "core/time.h"
#include "sim/api/custom_schema.h"
#include "wire/base64.h"

namespace tamp::world::api {
namespace {

std::string shown(const Tree& value) { return wire::to_json(value); }

std::string child(std::string_view field, std::string_view key) {
  std::string path(field);
  if (!path.empty()) path += '.';
  return path.append(key);
}
std::string keyed(std::string_view field, std::string_view key) {
  return std::string(field).append("[").append(key).append("]");
}
std::string indexed(std::string_view field, std::size_t index) { return keyed(field, std::to_string(index)); }

void add(FieldProblems& problems, std::string reason, std::string_view field, std::string message) {
  // The root has no name.
  problems.push_back({std::move(reason), field.empty() ? "<nil>" : std::string(field), std::move(message)});
}
void invalid(FieldProblems& problems, std::string_view field, const Tree& value, std::string_view why) {
  add(problems, "FieldValueInvalid", field, "Invalid value: " + shown(value) + ": " + std::string(why));
}

std::size_t length_in_runes(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<std::uint8_t>(c) & 0xc0) != 0x80; }));
}

bool is_whole(const Tree& value) { return value.is_number() && value.number() == std::trunc(value.number()); }

bool has_type(const CustomSchema& schema, const Tree& value) {
  using Type = CustomSchema::Type;
  if (schema.int_or_string) return value.is_string() || is_whole(value);
  switch (schema.type) {
    case Type::Any:
      return true;
    case Type::Object:
      return value.is_object();
    case Type::Array:
      return value.is_array();
    // A list passes for a moment in the real server, too.
    case Type::String:
      return value.is_string() || (schema.format == "date-time" && value.is_array());
    case Type::Integer:
      return is_whole(value);
    case Type::Number:
      return value.is_number();
    case Type::Boolean:
      return value.kind() == Tree::Kind::Boolean;
  }
  return true;
}

std::string_view type_text(const CustomSchema& schema) {
  using Type = CustomSchema::Type;
  switch (schema.type) {
    case Type::Object:
      return "object";
    case Type::Array:
      return "array";
    case Type::String:
      return "string";
    case Type::Integer:
      return "integer";
    case Type::Number:
      return "number";
    case Type::Boolean:
      return "boolean";
    case Type::Any:
      break;
  }
  return "integer or string";
}

// Formats that are not known say nothing.
bool has_format(std::string_view format, std::string_view text) {
  if (format == "date-time") return parse_rfc3339(text).ok();
  if (format == "date") return text.size() == 10 && parse_rfc3339(std::string(text) + "T00:00:00Z").ok();
  if (format == "duration") return parse_go_duration(text).ok();
  if (format == "byte") return wire::decode_base64(text).ok();
  if (format == "uuid") {
    static const Pattern kUuid =
        *Pattern::compile("(?i)^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$");
    return kUuid.matches(text);
  }
  if (format == "ipv4") {
    static const Pattern kAddress = *Pattern::compile("^((25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])(\\.|$)){4}$");
    return kAddress.matches(text);
  }
  return true;
}

class Judge {
 public:
  explicit Judge(FieldProblems& problems, std::string root = {})
      : problems_(problems), root_(std::move(root)) {}

  void types(const CustomSchema& schema, const Tree& value, const Tree* old, const std::string& field) {
    // What was wrong before and is not changed may stay.
    if (old != nullptr && *old == value) return;
    if (value.is_null() && schema.nullable) return;
    // Limits are told even of a value of the wrong type.
    if (!has_type(schema, value)) {
      add(problems_, "FieldValueTypeInvalid", field,
          "Invalid value: " + shown(value) + ": " + field + " in body must be of type " +
              std::string(type_text(schema)));
    }
    enumeration(schema, value, field);
    if (value.is_string()) text(schema, value, field);
    if (value.is_number()) number(schema, value, field);
    if (value.is_array()) array(schema, value, old, field);
    if (value.is_object()) object(schema, value, old, field);
    combinations(schema, value, field);
  }

  void lists(const CustomSchema& schema, const Tree& value, const std::string& field) {
    if (value.is_array()) {
      if (schema.list_type == "set") no_value_twice(value, field);
      if (schema.list_type == "map") no_key_twice(schema, value, field);
      if (schema.items.empty()) return;
      for (std::size_t i = 0; i < value.size(); ++i)
        lists(schema.items[0], value.elements()[i], indexed(field, i));
    } else if (value.is_object()) {
      for (const Tree::Member& member : value.members()) {
        if (const CustomSchema* own = schema.property(member.key)) {
          lists(*own, member.value, child(field, member.key));
        } else if (!schema.additional.empty()) {
          lists(schema.additional[0], member.value, keyed(field, member.key));
        }
      }
    }
  }

  void rules(const CustomSchema& schema, const Tree& value, const Tree* old, const std::string& field) {
    if (value.is_null()) return;
    for (const SchemaRule& rule : schema.rules) judge(rule, schema, value, old, field);
    if (value.is_object()) {
      for (const Tree::Member& member : value.members()) {
        const Tree* before = old != nullptr ? old->find(member.key) : nullptr;
        if (const CustomSchema* own = schema.property(member.key)) {
          rules(*own, member.value, before, child(field, member.key));
        } else if (!schema.additional.empty()) {
          rules(schema.additional[0], member.value, before, keyed(field, member.key));
        }
      }
    } else if (value.is_array() && !schema.items.empty()) {
      for (std::size_t i = 0; i < value.size(); ++i) {
        const Tree& element = value.elements()[i];
        rules(schema.items[0], element, counterpart(schema, element, old), indexed(field, i));
      }
    }
  }

 private:
  void enumeration(const CustomSchema& schema, const Tree& value, const std::string& field) {
    if (schema.enumeration.empty()) return;
    std::string allowed;
    for (const Tree& each : schema.enumeration) {
      if (each == value) return;
      allowed.append(allowed.empty() ? "" : ", ").append(shown(each));
    }
    add(problems_, "FieldValueNotSupported", field,
        "Unsupported value: " + shown(value) + ": supported values: " + allowed);
  }

  // Of length and pattern the first that is broken is told.
  void length_and_pattern(const CustomSchema& schema, const Tree& value, const std::string& field) {
    const auto length = static_cast<std::int64_t>(length_in_runes(value.string()));
    if (schema.max_length && length > *schema.max_length) {
      add(problems_, "FieldValueTooLong", field,
          "Too long: may not be more than " + std::to_string(*schema.max_length) + " bytes");
    } else if (schema.min_length && length < *schema.min_length) {
      invalid(problems_, field, value,
              field + " in body should be at least " + std::to_string(*schema.min_length) + " chars long");
    } else if (schema.pattern && !schema.pattern->matches(value.string())) {
      invalid(problems_, field, value, field + " in body should match '" + schema.pattern->text() + "'");
    }
  }

  void text(const CustomSchema& schema, const Tree& value, const std::string& field) {
    length_and_pattern(schema, value, field);
    if (!schema.format.empty() && !has_format(schema.format, value.string())) {
      add(problems_, "FieldValueTypeInvalid", field,
          "Invalid value: " + shown(value) + ": " + field + " in body must be of type " + schema.format);
    }
  }

  // Outside of what the format can hold: told without a place, as the real server does.
  void range_of_format(const CustomSchema& schema, const Tree& value, const std::string& field) {
    const bool limited = schema.minimum || schema.maximum || !schema.format.empty();
    if (schema.type != CustomSchema::Type::Integer || !limited) return;
    const bool narrow = schema.format == "int32";
    if (is_whole(value) && (!narrow || std::abs(value.number()) < 0x1p31)) return;
    add(problems_, "FieldValueInvalid", {},
        "Invalid value: \"\": Checked value must be of type integer with format " + schema.format + " in " +
            field);
  }

  void number(const CustomSchema& schema, const Tree& value, const std::string& field) {
    range_of_format(schema, value, field);
    const double content = value.number();
    const bool whole = value.kind() == Tree::Kind::Integer;
    // A whole number is held against the whole part of a limit: so does the real server.
    const auto limit = [&](double given) { return whole ? std::trunc(given) : given; };
    if (schema.maximum && (content > limit(*schema.maximum) ||
                           (schema.exclusive_maximum && content == limit(*schema.maximum)))) {
      invalid(problems_, field, value,
              field + " in body should be less than or equal to " + shown(*schema.maximum));
    }
    if (schema.minimum && (content < limit(*schema.minimum) ||
                           (schema.exclusive_minimum && content == limit(*schema.minimum)))) {
      invalid(problems_, field, value,
              field + " in body should be greater than or equal to " + shown(*schema.minimum));
    }
    if (schema.multiple_of && *schema.multiple_of != 0 && std::fmod(content, *schema.multiple_of) != 0) {
      invalid(problems_, field, value,
              field + " in body should be a multiple of " + shown(*schema.multiple_of));
    }
  }

  void array(const CustomSchema& schema, const Tree& value, const Tree* old, const std::string& field) {
    const auto count = static_cast<std::int64_t>(value.size());
    if (schema.max_items && count > *schema.max_items) {
      add(problems_, "FieldValueTooMany", field,
          "Too many: " + std::to_string(count) + ": must have at most " + std::to_string(*schema.max_items) +
              " items");
    }
    if (schema.min_items && count < *schema.min_items) {
      invalid(problems_, field, count,
              field + " in body should have at least " + std::to_string(*schema.min_items) + " items");
    }
    if (schema.items.empty()) return;
    for (std::size_t i = 0; i < value.size(); ++i) {
      const Tree& element = value.elements()[i];
      types(schema.items[0], element, counterpart(schema, element, old), indexed(field, i));
    }
  }

  void object(const CustomSchema& schema, const Tree& value, const Tree* old, const std::string& field) {
    const auto count = static_cast<std::int64_t>(value.size());
    if (schema.max_properties && count > *schema.max_properties) {
      add(problems_, "FieldValueTooMany", field,
          "Too many: " + std::to_string(count) + ": must have at most " +
              std::to_string(*schema.max_properties) + " items");
    }
    if (schema.min_properties && count < *schema.min_properties) {
      invalid(
          problems_, field, count,
          field + " in body should have at least " + std::to_string(*schema.min_properties) + " properties");
    }
    for (const std::string& name : schema.required) {
      if (!value.has(name)) add(problems_, "FieldValueRequired", child(field, name), "Required value");
    }
    for (const Tree::Member& member : value.members()) {
      const Tree* before = old != nullptr ? old->find(member.key) : nullptr;
      if (const CustomSchema* own = schema.property(member.key)) {
        types(*own, member.value, before, child(field, member.key));
      } else if (!schema.additional.empty()) {
        types(schema.additional[0], member.value, before, child(field, member.key));
      }
    }
  }

  static bool fits(const CustomSchema& schema, const Tree& value) {
    FieldProblems problems;
    Judge(problems).types(schema, value, nullptr, {});
    return problems.empty();
  }

  void combinations(const CustomSchema& schema, const Tree& value, const std::string& field) {
    const auto fitting = [&](const std::vector<CustomSchema>& schemas) {
      return std::count_if(schemas.begin(), schemas.end(),
                           [&](const CustomSchema& each) { return fits(each, value); });
    };
    // Only the message says where.
    const auto told = [&](std::string_view what) {
      add(problems_, "FieldValueInvalid", root_,
          "Invalid value: \"\": \"" + field + "\" " + std::string(what));
    };
    for (const CustomSchema& each : schema.all_of) types(each, value, nullptr, field);
    if (fitting(schema.all_of) != static_cast<std::ptrdiff_t>(schema.all_of.size()))
      told("must validate all the schemas (allOf)");
    if (!schema.any_of.empty() && fitting(schema.any_of) == 0) {
      told("must validate at least one schema (anyOf)");
      types(schema.any_of[0], value, nullptr, field);
    }
    if (const auto count = fitting(schema.one_of); !schema.one_of.empty() && count != 1) {
      if (count == 0) types(schema.one_of[0], value, nullptr, field);
      told("must validate one and only one schema (oneOf)");
    }
    if (!schema.negated.empty() && fits(schema.negated[0], value)) told("must not validate the schema (not)");
  }

  void no_value_twice(const Tree& value, const std::string& field) {
    for (std::size_t i = 1; i < value.size(); ++i) {
      std::size_t before = 0;
      for (std::size_t j = 0; j < i; ++j) before += value.elements()[j] == value.elements()[i] ? 1u : 0u;
      // The second is told, not the third.
      if (before == 1)
        add(problems_, "FieldValueDuplicate", indexed(field, i),
            "Duplicate value: " + shown(value.elements()[i]));
    }
  }

  static Tree keys_of(const CustomSchema& schema, const Tree& element) {
    Tree keys = Tree::object();
    for (const std::string& key : schema.list_keys) {
      if (const Tree* value = element.find(key)) keys.set(key, *value);
    }
    return keys;
  }

  void no_key_twice(const CustomSchema& schema, const Tree& value, const std::string& field) {
    std::vector<Tree> seen;
    for (std::size_t i = 0; i < value.size(); ++i) {
      Tree keys = keys_of(schema, value.elements()[i]);
      const auto before = std::count(seen.begin(), seen.end(), keys);
      if (before == 1)
        add(problems_, "FieldValueDuplicate", indexed(field, i), "Duplicate value: " + shown(keys));
      seen.push_back(std::move(keys));
    }
  }

  // Which element of the old list is this one? Only keys tell.
  static const Tree* counterpart(const CustomSchema& schema, const Tree& element, const Tree* old) {
    if (old == nullptr || schema.list_type != "map") return nullptr;
    const Tree keys = keys_of(schema, element);
    for (const Tree& each : old->elements()) {
      if (keys_of(schema, each) == keys) return &each;
    }
    return nullptr;
  }

  void judge(const SchemaRule& rule, const CustomSchema& schema, const Tree& value, const Tree* old,
             const std::string& field) {
    if (rule.transition && old == nullptr) return;
    std::vector<cel::Binding> bindings = {{"self", &value}};
    if (old != nullptr) bindings.push_back({"oldSelf", old});
    const auto verdict = cel::evaluate_bool(rule.expression, bindings);
    if (verdict.ok() && *verdict) return;
    if (!verdict.ok()) {
      invalid(problems_, field, type_text(schema),
              verdict.error().message + " evaluating rule: " + rule.text);
      return;
    }
    if (!rule.transition && old != nullptr && *old == value) return;
    std::string message = rule.message.empty() ? "failed rule: " + rule.text : rule.message;
    if (rule.message_expression) {
      if (auto told = cel::evaluate(*rule.message_expression, bindings); told.ok() && told->is_string())
        message = told->string();
    }
    const std::string place = rule.field_path.empty() ? field : field + rule.field_path;
    const bool plain = !value.is_object() && !value.is_array();
    if (rule.reason == "FieldValueForbidden") {
      add(problems_, rule.reason, place, "Forbidden: " + message);
    } else if (rule.reason == "FieldValueRequired") {
      add(problems_, rule.reason, place, "Required value: " + message);
    } else if (rule.reason == "FieldValueDuplicate") {
      add(problems_, rule.reason, place, "Duplicate value");
    } else if (plain) {
      invalid(problems_, place, value, message);
    } else {
      add(problems_, "FieldValueInvalid", place, "Invalid value: " + message);
    }
  }

  FieldProblems& problems_;
  std::string root_;  // of what is validated: empty for an object, a place in a definition for a default
};

bool has_rules(const CustomSchema& schema) {
  const auto any = [](const std::vector<CustomSchema>& schemas) {
    return std::any_of(schemas.begin(), schemas.end(), has_rules);
  };
  return !schema.rules.empty() || any(schema.items) || any(schema.additional) || any(schema.properties);
}

}  // namespace

void validate_by(const CustomSchema& schema, const Tree& value, const Tree* old, std::string_view field,
                 FieldProblems& problems) {
  FieldProblems own;
  const std::string root(field);
  Judge judge(own, root);
  judge.types(schema, value, old, root);
  judge.lists(schema, value, root);
  // Rules rely on types and limits.
  const bool blocked = std::any_of(own.begin(), own.end(), [](const FieldProblem& problem) {
    return problem.reason == "FieldValueRequired" || problem.reason == "FieldValueTooLong" ||
           problem.reason == "FieldValueTooMany" || problem.reason == "FieldValueTypeInvalid" ||
           problem.reason == "FieldValueNotSupported";
  });
  if (blocked && (!has_rules(schema) || !root.empty())) {
    // There is nothing that was not checked, or it is a default, of which nobody says so.
  } else if (blocked) {
    add(own, "FieldValueInvalid", {},
        "Invalid value: null: some validation rules were not checked because the object was "
        "invalid; correct the existing errors to complete validation");
  } else {
    judge.rules(schema, value, old, root);
  }
  for (FieldProblem& problem : own) problems.push_back(std::move(problem));
}

}  // namespace tamp::world::api

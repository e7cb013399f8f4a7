#include "sim/api/typed.h"

#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "core/time.h"
#include "sim/api/go_text.h"
#include "wire/base64.h"
#include "wire/quantity.h"

namespace tamp::text {
extern const std::string_view kWorldShapes;  // shapes.txt; scripts/make-shapes.py says what its words mean
}

namespace tamp::world::api {
namespace {

// What is written for an empty field. Missing fields and nulls are written like empty ones.
struct EmptyForm {
  enum class How : std::uint8_t { LeftOutIfMissing, LeftOutIfZero, Written } how = How::LeftOutIfMissing;
  Tree written = {};
};

// One for each field of the schema, in its order.
using Shape = std::vector<EmptyForm>;

std::string_view cut(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

Tree written_form(std::string_view json) {
  if (json == "null") return {};
  if (json == "false") return false;
  if (json == "0") return 0;
  if (json == "{}") return Tree::object();
  return json.substr(1, json.size() - 2);
}

std::unordered_map<const Schema*, Shape> read_shapes() {
  std::unordered_map<std::string_view, const Schema*> by_name;
  std::vector<const Schema*> copies;
  for (const Schema* schema : schema_definitions()) {
    by_name.emplace(schema->name, schema);
    for (const Field& field : schema->fields)
      if (field.granular) copies.push_back(&field.schema());
  }
  std::unordered_map<const Schema*, Shape> shapes;
  std::string_view rest = text::kWorldShapes;
  while (!rest.empty()) {
    std::string_view line = cut(rest, '\n');
    const auto found = by_name.find(cut(line, ' '));
    if (found == by_name.end()) continue;
    const Schema& schema = *found->second;
    Shape shape(schema.fields.size());
    while (!line.empty()) {
      std::string_view word = cut(line, ' ');
      const std::size_t equals = word.find('=');
      const bool always = equals != std::string_view::npos;
      const Field* field = schema.field(word.substr(0, always ? equals : word.size() - 1));
      if (field == nullptr) continue;
      EmptyForm& form = shape[static_cast<std::size_t>(field - schema.fields.data())];
      form.how = always ? EmptyForm::How::Written : EmptyForm::How::LeftOutIfZero;
      if (always) form.written = written_form(word.substr(equals + 1));
    }
    shapes.emplace(&schema, std::move(shape));
  }
  for (const Schema* copy : copies) {
    if (const auto found = shapes.find(by_name.at(copy->name)); found != shapes.end()) {
      Shape shape = found->second;
      shapes.emplace(copy, std::move(shape));
    }
  }
  return shapes;
}

const Shape* shape_of(const Schema& schema) {
  static const std::unordered_map<const Schema*, Shape> kShapes = read_shapes();
  const auto found = kShapes.find(&schema);
  return found != kShapes.end() ? &found->second : nullptr;
}

bool is_zero(const Tree& value) {
  switch (value.kind()) {
    case Tree::Kind::Null:
      return true;
    case Tree::Kind::Boolean:
      return !value.boolean();
    case Tree::Kind::Integer:
    case Tree::Kind::Number:
      return value.number() == 0;
    case Tree::Kind::String:
      return value.string().empty();
    case Tree::Kind::Array:
    case Tree::Kind::Object:
      return false;
  }
  return false;
}

// How a value is compared with what it was before, to find out who owns it.
enum class Compared : std::uint8_t {
  Apart,     // field by field
  Together,  // within an object that is owned as a whole
  Listed,    // within an element of a list that is: there Go tells what is empty from nothing
};

void conform_value(Tree& value, const Schema& schema, std::string& path, std::vector<std::string>& unknown,
                   Compared compared = Compared::Apart);

Tree empty_value(const EmptyForm& form, const Schema& schema) {
  Tree value = form.written;
  if (!value.is_object()) return value;
  std::string path;
  std::vector<std::string> unknown;
  conform_value(value, schema, path, unknown);
  return value;
}

void conform_object(Tree& object, const Schema& schema, std::string& path, std::vector<std::string>& unknown,
                    Compared compared) {
  static const EmptyForm kPlain;
  const Shape* shape = shape_of(schema);
  const std::size_t root = path.size();
  Tree::Object& members = object.members();
  const std::vector<Field>& fields = schema.fields;
  std::size_t kept = 0, at = 0, missing = 0;
  const auto skip = [&] {
    if (shape != nullptr && (*shape)[at].how == EmptyForm::How::Written) ++missing;
    ++at;
  };
  for (std::size_t i = 0; i < members.size(); ++i) {
    Tree::Member& member = members[i];
    while (at < fields.size() && fields[at].name < member.key) skip();
    path.append(root == 0 ? "" : ".").append(member.key);
    if (at == fields.size() || fields[at].name != member.key) {
      unknown.push_back(path);
      path.resize(root);
      continue;
    }
    const EmptyForm& form = shape != nullptr ? (*shape)[at] : kPlain;
    const Schema& own = fields[at].schema();
    ++at;
    bool keep = true;
    // A definition that has a name is a struct behind a pointer, even if it has no fields.
    const bool list = member.value.is_array() || (own.type == Schema::Type::Map && own.name.empty());
    if (member.value.is_null() || (list && member.value.empty())) {
      keep = form.how == EmptyForm::How::Written;
      // An empty list that is always written stays one until the object is stored (forget_empty_lists), another one
      // until it is known who owns it (forget_empty_parts).
      if (keep && !member.value.is_array()) member.value = empty_value(form, own);
      keep |= compared == Compared::Listed && !member.value.is_null();
    } else if (form.how == EmptyForm::How::LeftOutIfZero && is_zero(member.value)) {
      keep = false;
    } else {
      conform_value(member.value, own, path, unknown,
                    own.atomic && compared == Compared::Apart ? Compared::Together : compared);
    }
    path.resize(root);
    if (!keep) continue;
    if (kept != i) members[kept] = std::move(member);
    ++kept;
  }
  while (at < fields.size()) skip();
  members.resize(kept);
  if (missing == 0) return;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if ((*shape)[i].how != EmptyForm::How::Written || object.has(fields[i].name)) continue;
    object.set(fields[i].name, empty_value((*shape)[i], fields[i].schema()));
  }
}

void conform_quantity(Tree& value) {
  std::string text(value.string());
  if (value.is_number()) text = wire::to_json(value);
  if (text.empty()) text = "0";
  auto quantity = wire::parse_quantity(text);
  if (!quantity.ok()) return;
  if (std::string canonical = quantity->canonical(); canonical != value.string())
    value = std::move(canonical);
}

// Go reads null as the zero of its type, where there is no pointer.
void read_null(Tree& value, const Schema& schema) {
  switch (schema.type) {
    case Schema::Type::String:
    case Schema::Type::Bytes:
      value = "";
      return;
    case Schema::Type::Integer:
      value = 0;
      return;
    case Schema::Type::Boolean:
      value = false;
      return;
    case Schema::Type::Object:
      if (!schema.fields.empty()) value = Tree::object();
      return;
    default:
      return;
  }
}

void conform_value(Tree& value, const Schema& schema, std::string& path, std::vector<std::string>& unknown,
                   Compared compared) {
  const std::size_t root = path.size();
  if (schema.type == Schema::Type::Map && value.is_object()) {
    for (Tree::Member& member : value.members())
      if (member.value.is_null() || (member.value.is_array() && schema.element().type == Schema::Type::Bytes))
        read_null(member.value, schema.element());
  } else if (schema.type == Schema::Type::Array && value.is_array()) {
    for (Tree& element : value.elements())
      if (element.is_null()) read_null(element, schema.element());
  }
  const bool leaves_plain = schema.element().scalar() && schema.element().type != Schema::Type::Quantity;
  switch (schema.type) {
    case Schema::Type::Object:
      if (value.is_object() && !schema.fields.empty()) conform_object(value, schema, path, unknown, compared);
      return;
    case Schema::Type::Map:
      if (!value.is_object() || leaves_plain) return;
      for (Tree::Member& member : value.members()) {
        path.append(".").append(member.key);
        conform_value(member.value, schema.element(), path, unknown, compared);
        path.resize(root);
      }
      return;
    case Schema::Type::Array: {
      if (!value.is_array() || leaves_plain) return;
      std::size_t index = 0;
      const bool whole = compared != Compared::Apart || schema.list == Schema::List::Atomic;
      for (Tree& element : value.elements()) {
        path.append("[").append(std::to_string(index++)).append("]");
        conform_value(element, schema.element(), path, unknown, whole ? Compared::Listed : Compared::Apart);
        path.resize(root);
      }
      return;
    }
    case Schema::Type::Quantity:
      conform_quantity(value);
      return;
    case Schema::Type::Time:
      if (auto time = parse_rfc3339(value.string()); time.ok()) {
        if (std::string text = format_rfc3339(*time); text != value.string()) value = std::move(text);
      }
      return;
    default:
      return;
  }
}

std::string cannot(const Tree& value, std::string_view path, std::string_view type) {
  std::string text = "json: cannot unmarshal ";
  text.append(json_type(value))
      .append(" into Go struct field ")
      .append(path)
      .append(" of type ")
      .append(type);
  return text;
}

std::optional<std::string> wrong_integer(const Tree& value, const Schema& schema, std::string_view path) {
  const bool narrow = schema.format != "int64";
  const std::string_view type = narrow ? "int32" : "int64";
  if (!value.is_number()) return cannot(value, path, type);
  const double number = value.number();
  const bool whole =
      value.kind() == Tree::Kind::Integer || (number == std::trunc(number) && std::abs(number) < 0x1p63);
  const std::int64_t integer = value.integer();
  const bool fits = !narrow || (integer >= std::numeric_limits<std::int32_t>::min() &&
                                integer <= std::numeric_limits<std::int32_t>::max());
  if (whole && fits) return {};
  return "json: cannot unmarshal number " + wire::to_json(value) + " into Go struct field " +
         std::string(path) + " of type " + std::string(type);
}

// Of what is written as text and has a form of its own.
std::optional<std::string> wrong_form(const Tree& value, const Schema& schema, std::string_view path) {
  if (schema.type == Schema::Type::Quantity) {
    if (!value.is_string() && !value.is_number()) return cannot(value, path, "resource.Quantity");
    const std::string text = value.is_number() ? wire::to_json(value) : std::string(value.string());
    if (wire::parse_quantity(text).ok()) return {};
    return "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  }
  if (schema.type == Schema::Type::Bytes) {
    if (value.is_array() && value.empty()) return {};
    if (!value.is_string()) return cannot(value, path, "[]uint8");
    if (!wire::decode_base64(value.string())) return "illegal base64 data at input byte 0";
    return {};
  }
  if (!value.is_string()) return cannot(value, path, "string");
  if (parse_rfc3339(value.string()).ok()) return {};
  return "parsing time \"" + std::string(value.string()) +
         "\" as \"2006-01-02T15:04:05Z07:00\": cannot parse it";
}

std::optional<std::string> wrong_value(const Tree& value, const Schema& schema, std::string& path);

// Of an object, a map or a list.
std::optional<std::string> wrong_part(const Tree& value, const Schema& schema, std::string& path) {
  if (schema.type == Schema::Type::Array) {
    if (!value.is_array()) return cannot(value, path, "[]interface {}");
    for (const Tree& element : value.elements())
      if (auto wrong = wrong_value(element, schema.element(), path)) return wrong;
    return {};
  }
  const bool map = schema.type == Schema::Type::Map;
  if (!value.is_object())
    return cannot(value, path,
                  map ? "map[string]interface {}" : schema.name.substr(schema.name.rfind('.') + 1));
  const std::size_t root = path.size();
  for (const Tree::Member& member : value.members()) {
    const Field* field = map ? nullptr : schema.field(member.key);
    if (!map && field == nullptr) continue;
    if (!map) path.append(".").append(member.key);
    if (auto wrong = wrong_value(member.value, map ? schema.element() : field->schema(), path)) return wrong;
    path.resize(root);
  }
  return {};
}

std::optional<std::string> wrong_value(const Tree& value, const Schema& schema, std::string& path) {
  if (value.is_null()) return {};
  switch (schema.type) {
    case Schema::Type::Any:
      return {};
    case Schema::Type::String:
      if (!value.is_string()) return cannot(value, path, "string");
      return {};
    case Schema::Type::Integer:
      return wrong_integer(value, schema, path);
    case Schema::Type::Number:
      if (!value.is_number()) return cannot(value, path, "float64");
      return {};
    case Schema::Type::Boolean:
      if (value.kind() != Tree::Kind::Boolean) return cannot(value, path, "bool");
      return {};
    case Schema::Type::IntOrString:
      if (value.is_number()) return wrong_integer(value, schema, path);
      if (!value.is_string()) return cannot(value, path, "intstr.IntOrString");
      return {};
    case Schema::Type::Bytes:
    case Schema::Type::Time:
    case Schema::Type::MicroTime:
    case Schema::Type::Quantity:
      return wrong_form(value, schema, path);
    case Schema::Type::Object:
    case Schema::Type::Map:
    case Schema::Type::Array:
      return wrong_part(value, schema, path);
  }
  return {};
}

}  // namespace

std::optional<std::string> wrong_type(const Tree& object, const Schema& schema) {
  std::string path = schema.name.substr(schema.name.rfind('.') + 1);
  return wrong_value(object, schema, path);
}

void cut_integers(Tree& object, const Schema& schema) {
  switch (schema.type) {
    case Schema::Type::Integer:
      if (object.kind() == Tree::Kind::Integer && schema.format != "int64")
        object = static_cast<std::int64_t>(static_cast<std::int32_t>(object.integer()));
      return;
    case Schema::Type::Object:
      if (!object.is_object()) return;
      for (Tree::Member& member : object.members())
        if (const Field* field = schema.field(member.key)) cut_integers(member.value, field->schema());
      return;
    case Schema::Type::Map:
      if (!object.is_object()) return;
      for (Tree::Member& member : object.members()) cut_integers(member.value, schema.element());
      return;
    case Schema::Type::Array:
      if (!object.is_array()) return;
      for (Tree& element : object.elements()) cut_integers(element, schema.element());
      return;
    default:
      return;
  }
}

void forget_empty_lists(Tree& object, const Schema& schema) {
  if (!object.is_object()) return;
  const Shape* shape = schema.type == Schema::Type::Object ? shape_of(schema) : nullptr;
  for (Tree::Member& member : object.members()) {
    const Field* field = schema.field(member.key);
    if (field == nullptr) continue;
    if (member.value.is_array() && member.value.empty()) {
      if (shape != nullptr &&
          (*shape)[static_cast<std::size_t>(field - schema.fields.data())].how == EmptyForm::How::Written)
        member.value = Tree();
    } else if (field->schema().type == Schema::Type::Object) {
      forget_empty_lists(member.value, field->schema());
    } else if (member.value.is_array() && field->schema().element().type == Schema::Type::Object) {
      for (Tree& element : member.value.elements()) forget_empty_lists(element, field->schema().element());
    }
  }
}

void forget_empty_parts(Tree& object, const Schema& schema) {
  if (!object.is_object() || schema.type != Schema::Type::Object) return;
  const Shape* shape = shape_of(schema);
  std::erase_if(object.members(), [&](Tree::Member& member) {
    const Field* field = schema.field(member.key);
    if (field == nullptr) return false;
    const Schema& own = field->schema();
    const bool list = member.value.is_array() || (own.type == Schema::Type::Map && own.name.empty());
    if (list && member.value.empty())
      return shape == nullptr ||
             (*shape)[static_cast<std::size_t>(field - schema.fields.data())].how != EmptyForm::How::Written;
    forget_empty_parts(member.value, own);
    if (member.value.is_array() && own.element().type == Schema::Type::Object)
      for (Tree& element : member.value.elements()) forget_empty_parts(element, own.element());
    return false;
  });
}

std::vector<std::string> conform(Tree& object, const Schema& schema) {
  std::vector<std::string> unknown;
  std::string path;
  conform_value(object, schema, path, unknown);
  return unknown;
}

}  // namespace tamp::world::api

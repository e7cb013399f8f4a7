#include "sim/api/schema.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

namespace tamp::text {
extern const std::string_view world_schemas;  // schemas.txt; scripts/make-schemas.py says what its lines mean
}

namespace tamp::world::api {

const Field* Schema::field(std::string_view wanted) const {
  auto it = std::lower_bound(fields.begin(), fields.end(), wanted,
                             [](const Field& f, std::string_view n) { return f.name < n; });
  return it != fields.end() && it->name == wanted ? &*it : nullptr;
}

const Schema& Schema::element() const {
  if (element_ref) return *element_ref;
  return element_own.empty() ? any_schema() : element_own.front();
}

const Schema& any_schema() {
  static const Schema any;
  return any;
}

namespace {

std::string_view cut(std::string_view& rest, char separator) {
  std::size_t end = rest.find(separator);
  std::string_view part = rest.substr(0, end);
  rest = end == rest.npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

using Definitions = std::map<std::string_view, Schema*>;

// Where a type is used: a definition by reference, anything else in place.
struct Use {
  const Schema* ref = nullptr;
  Schema own;
};

Use read_type(std::string_view text, const Definitions& definitions);

void set_element(Schema& schema, std::string_view text, const Definitions& definitions) {
  Use use = read_type(text, definitions);
  schema.element_ref = use.ref;
  if (!use.ref) schema.element_own.push_back(std::move(use.own));
}

void read_list(Schema& schema, std::string_view text, const Definitions& definitions) {
  schema.type = Schema::Type::Array;
  std::string_view how = cut(text, ' ');
  if (how == "s") schema.list = Schema::List::Set;
  if (how.starts_with("m:")) {
    schema.list = Schema::List::Map;
    how.remove_prefix(2);
    while (!how.empty()) schema.keys.emplace_back(cut(how, ','));
  }
  set_element(schema, text, definitions);
}

Schema scalar(std::string_view text) {
  using Type = Schema::Type;
  Schema schema;
  switch (text.front()) {
    case 's':
      schema.type = Type::String;
      break;
    case 'i':
      schema.type = Type::Integer;
      if (text.size() > 1) schema.format = "int" + std::string(text.substr(1));
      break;
    case 'd':
      schema.type = Type::Number;
      schema.format = "double";
      break;
    case 'b':
      schema.type = Type::Boolean;
      break;
    case 'B':
      schema.type = Type::Bytes;
      break;
    case 'T':
      schema.type = Type::Time;
      break;
    case 'M':
      schema.type = Type::MicroTime;
      break;
    case 'Q':
      schema.type = Type::Quantity;
      break;
    case 'X':
      schema.type = Type::IntOrString;
      break;
    default:
      break;  // '*'
  }
  return schema;
}

Use read_type(std::string_view text, const Definitions& definitions) {
  Use use;
  if (text.front() == '@') {
    use.ref = definitions.at(text.substr(1));
    return use;
  }
  Schema& schema = use.own;
  schema.atomic = text.front() == '!' || text == "R";
  if (text.front() == '!') text.remove_prefix(1);
  switch (text.front()) {
    case 'o':
      schema.type = Schema::Type::Object;
      break;
    case '{':
      schema.type = Schema::Type::Map;
      set_element(schema, text.substr(1, text.size() - 2), definitions);
      break;
    case '[':
      read_list(schema, text.substr(1, text.size() - 2), definitions);
      break;
    case 'R':
      break;
    default:
      schema = scalar(text);
  }
  return use;
}

std::uint64_t read_number(std::string_view text) {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

Field read_field(std::string_view line, const Definitions& definitions) {
  Field field;
  field.name = cut(line, '\t');
  Use use = read_type(cut(line, '\t'), definitions);
  field.ref = use.ref;
  if (!use.ref) field.own.push_back(std::move(use.own));
  while (!line.empty()) {
    std::string_view option = cut(line, '\t');
    switch (option.front()) {
      case 'r':
        field.required = true;
        break;
      case 'm':
        field.merge = true;
        break;
      case 't':
        field.retain_keys = true;
        break;
      case 'p':
        field.replace = true;
        break;
      case 'g':
        field.granular = true;
        break;
      case 'k':
        field.merge_key = option.substr(2);
        break;
      case '#':
        option.remove_prefix(1);
        while (!option.empty()) field.numbers.push_back(read_number(cut(option, '.')));
        break;
      case '=':
        if (auto value = wire::read_tree(std::string(option.substr(1))))
          field.default_value = std::move(*value);
        break;
      default:
        break;
    }
  }
  return field;
}

// A kind that the API server knows, with its group ("" for the core group).
struct KindSchema {
  std::string group, version, kind;
  const Schema* schema = nullptr;
};

struct Table {
  std::deque<Schema> schemas;  // they point at each other
  std::vector<KindSchema> kinds;
  std::vector<const Schema*> definitions;
};

Table read_table(std::string_view text) {
  Table table;
  Definitions names;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = cut(rest, '\n');
    if (cut(line, '\t') != "D") continue;
    std::string_view name = cut(line, '\t');
    table.schemas.emplace_back().name = name;
    table.definitions.push_back(&table.schemas.back());
    names.emplace(name, &table.schemas.back());
  }
  Schema* current = nullptr;
  std::vector<Schema*> kinds;
  for (std::string_view rest = text; !rest.empty();) {
    std::string_view line = cut(rest, '\n');
    std::string_view what = cut(line, '\t');
    if (what == "D") {
      std::string_view name = cut(line, '\t');
      current = names.at(name);
      *current = read_type(line, names).own;
      current->name = name;
    } else if (what == "F") {
      current->fields.push_back(read_field(line, names));
    } else if (what == "K") {
      KindSchema kind;
      kind.group = cut(line, '\t');
      if (kind.group == "-") kind.group.clear();
      kind.version = cut(line, '\t');
      kind.kind = cut(line, '\t');
      Schema* schema = names.at(line);
      kind.schema = schema;
      kinds.push_back(schema);
      table.kinds.push_back(std::move(kind));
    }
  }
  for (Schema& schema : table.schemas) {
    for (Field& field : schema.fields) {
      if (!field.granular) continue;
      field.own.push_back(*std::exchange(field.ref, nullptr));
      field.own.front().atomic = false;
    }
  }
  for (Schema* kind : kinds) kind->status_apart = kind->field("status") != nullptr;
  std::sort(table.kinds.begin(), table.kinds.end(), [](const KindSchema& a, const KindSchema& b) {
    return std::tie(a.group, a.version, a.kind) < std::tie(b.group, b.version, b.kind);
  });
  return table;
}

const Table& table() {
  static const Table known = read_table(text::world_schemas);
  return known;
}

}  // namespace

const std::vector<const Schema*>& schema_definitions() { return table().definitions; }

const Schema* find_schema(std::string_view group, std::string_view version, std::string_view kind) {
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;
  const Key wanted(group, version, kind);
  const auto& kinds = table().kinds;
  auto it = std::lower_bound(kinds.begin(), kinds.end(), wanted, [](const KindSchema& k, const Key& w) {
    return Key(k.group, k.version, k.kind) < w;
  });
  return it != kinds.end() && Key(it->group, it->version, it->kind) == wanted ? it->schema : nullptr;
}

}  // namespace tamp::world::api

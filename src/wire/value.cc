#include "wire/value.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <bit>
#include <charconv>
#include <cmath>

#include "core/ascii.h"

namespace tamp::wire {
namespace {

namespace dom = simdjson::dom;

// What makes the opaque handles in the header legal: the parser's references are a pointer and an index.
template <typename T>
T unpack(std::array<std::uint64_t, 2> bits) {
  static_assert(sizeof(T) == sizeof(bits) && std::is_trivially_copyable_v<T>);
  return std::bit_cast<T>(bits);
}
template <typename T>
std::array<std::uint64_t, 2> pack(const T& reference) {
  return std::bit_cast<std::array<std::uint64_t, 2>>(reference);
}

bool is_plain_key(std::string_view key) {
  if (key.empty()) return false;
  return std::all_of(key.begin(), key.end(),
                     [](char c) { return is_alphanumeric(c) || c == '_' || c == '-'; });
}

bool find_path(Value root, Value place, std::string& path) {
  if (root.same_place(place)) return true;
  const std::size_t length = path.size();
  for (const Field field : root.fields()) {
    if (is_plain_key(field.key))
      path.append(path.empty() ? "" : ".").append(field.key);
    else
      path += fmt::format("[\"{}\"]", field.key);
    if (find_path(field.value, place, path)) return true;
    path.resize(length);
  }
  std::size_t index = 0;
  for (const Value element : root.elements()) {
    path += fmt::format("[{}]", index++);
    if (find_path(element, place, path)) return true;
    path.resize(length);
  }
  return false;
}

// simdjson's words for an error say what its parser felt; these say what the reader should look for.
std::string explain(simdjson::error_code code) {
  switch (code) {
    case simdjson::DEPTH_ERROR:
      return fmt::format("nested more than {} levels deep", kMaxDepth);
    case simdjson::EMPTY:
      return "the text is empty";
    case simdjson::UTF8_ERROR:
      return "the text is not UTF-8";
    case simdjson::UNCLOSED_STRING:
      return "a string is not closed; is the text truncated?";
    case simdjson::TAPE_ERROR:
      return "a bracket, comma, colon or value is missing or misplaced; is the text truncated?";
    case simdjson::NUMBER_ERROR:
      return "a number is malformed or too large";
    case simdjson::CAPACITY:
      return "the text is too large (4 GiB)";
    default:
      return simdjson::error_message(code);
  }
}

}  // namespace

struct Json::Document {
  dom::document document;
};

Json::Json(std::unique_ptr<Document> document) : document_(std::move(document)) {}
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;

Result<Json> Json::parse(const std::string& text) {
  auto document = std::make_unique<Document>();
  dom::parser parser;
  if (const auto error = parser.allocate(std::max<std::size_t>(text.size(), 64), kMaxDepth))
    return Error{"not valid JSON: " + explain(error)};
  const bool needs_copy = text.capacity() - text.size() < simdjson::SIMDJSON_PADDING;
  const auto result = parser.parse_into_document(document->document, text.data(), text.size(), needs_copy);
  if (result.error() != simdjson::SUCCESS) return Error{"not valid JSON: " + explain(result.error())};
  return Json(std::move(document));
}

struct JsonParser::Buffers {
  dom::parser parser;
  dom::document document;
};

JsonParser::JsonParser() : buffers_(std::make_unique<Buffers>()) {}
JsonParser::JsonParser(JsonParser&&) noexcept = default;
JsonParser& JsonParser::operator=(JsonParser&&) noexcept = default;
JsonParser::~JsonParser() = default;

Result<Value> JsonParser::parse(const std::string& text) {
  dom::parser& parser = buffers_->parser;
  // In powers of two, so that texts of slowly growing size do not allocate each time.
  if (parser.capacity() < text.size() || parser.max_depth() != kMaxDepth)
    if (const auto error =
            parser.allocate(std::bit_ceil(std::max<std::size_t>(text.size(), 4096)), kMaxDepth))
      return Error{"not valid JSON: " + explain(error)};
  const bool needs_copy = text.capacity() - text.size() < simdjson::SIMDJSON_PADDING;
  const auto result = parser.parse_into_document(buffers_->document, text.data(), text.size(), needs_copy);
  if (result.error() != simdjson::SUCCESS) return Error{"not valid JSON: " + explain(result.error())};
  return Value(pack(buffers_->document.root()));
}

Value Json::root() const { return Value(pack(document_->document.root())); }

Value::Kind Value::kind() const {
  if (bits_[0] == 0) return Kind::Absent;
  switch (unpack<dom::element>(bits_).type()) {
    case dom::element_type::OBJECT:
      return Kind::Object;
    case dom::element_type::ARRAY:
      return Kind::Array;
    case dom::element_type::STRING:
      return Kind::String;
    case dom::element_type::INT64:
      return Kind::Integer;
    case dom::element_type::UINT64:
      return Kind::Unsigned;
    case dom::element_type::DOUBLE:
      return Kind::Double;
    case dom::element_type::BOOL:
      return Kind::Boolean;
    case dom::element_type::NULL_VALUE:
      return Kind::Null;
  }
  return Kind::Absent;
}

bool Value::is_number() const {
  const Kind k = kind();
  return k == Kind::Integer || k == Kind::Unsigned || k == Kind::Double;
}

Value Value::get(std::string_view key) const {
  if (kind() != Kind::Object) return Value();
  Value found;
  const dom::object object = unpack<dom::element>(bits_).get_object().value_unsafe();
  for (const auto field : object)
    if (field.key == key) found = Value(pack(field.value));
  return found.present() ? found : Value();
}

std::optional<std::string_view> Value::string() const {
  if (kind() != Kind::String) return std::nullopt;
  return unpack<dom::element>(bits_).get_string().value_unsafe();
}

std::optional<bool> Value::boolean() const {
  if (kind() != Kind::Boolean) return std::nullopt;
  return unpack<dom::element>(bits_).get_bool().value_unsafe();
}

std::optional<std::int64_t> Value::integer() const {
  switch (kind()) {
    case Kind::Integer:
      return unpack<dom::element>(bits_).get_int64().value_unsafe();
    case Kind::Double: {
      const double d = unpack<dom::element>(bits_).get_double().value_unsafe();
      if (d != std::trunc(d) || std::fabs(d) >= 9007199254740992.0) return std::nullopt;
      return static_cast<std::int64_t>(d);
    }
    default:
      return std::nullopt;
  }
}

std::optional<double> Value::number() const {
  switch (kind()) {
    case Kind::Integer:
      return static_cast<double>(unpack<dom::element>(bits_).get_int64().value_unsafe());
    case Kind::Unsigned:
      return static_cast<double>(unpack<dom::element>(bits_).get_uint64().value_unsafe());
    case Kind::Double:
      return unpack<dom::element>(bits_).get_double().value_unsafe();
    default:
      return std::nullopt;
  }
}

std::string Value::number_text() const {
  switch (kind()) {
    case Kind::Integer:
      return std::to_string(unpack<dom::element>(bits_).get_int64().value_unsafe());
    case Kind::Unsigned:
      return std::to_string(unpack<dom::element>(bits_).get_uint64().value_unsafe());
    case Kind::Double: {
      char buffer[32];
      const double d = unpack<dom::element>(bits_).get_double().value_unsafe();
      return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, d).ptr);
    }
    default:
      return "";
  }
}

Value::Elements Value::elements() const {
  Elements range;
  if (kind() != Kind::Array) return range;
  const dom::array array = unpack<dom::element>(bits_).get_array().value_unsafe();
  range.begin_.bits_ = pack(array.begin());
  range.end_.bits_ = pack(array.end());
  return range;
}

Value::Fields Value::fields() const {
  Fields range;
  if (kind() != Kind::Object) return range;
  const dom::object object = unpack<dom::element>(bits_).get_object().value_unsafe();
  range.begin_.bits_ = pack(object.begin());
  range.end_.bits_ = pack(object.end());
  return range;
}

Value Value::Elements::Iterator::operator*() const {
  return Value(pack(*unpack<dom::array::iterator>(bits_)));
}

Value::Elements::Iterator& Value::Elements::Iterator::operator++() {
  auto it = unpack<dom::array::iterator>(bits_);
  bits_ = pack(++it);
  return *this;
}

Field Value::Fields::Iterator::operator*() const {
  const auto it = unpack<dom::object::iterator>(bits_);
  return {it.key(), Value(pack(it.value()))};
}

Value::Fields::Iterator& Value::Fields::Iterator::operator++() {
  auto it = unpack<dom::object::iterator>(bits_);
  bits_ = pack(++it);
  return *this;
}

std::string path_of(Value root, Value place) {
  std::string path;
  return find_path(root, place, path) ? path : std::string();
}

}  // namespace tamp::wire

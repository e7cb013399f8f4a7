#include "wire/decoder.h"

#include <fmt/format.h>

#include <algorithm>

namespace tamp::wire {
namespace {

std::string join_path(std::string path, std::string_view field) {
  if (field.empty()) return path;
  if (!path.empty()) path += '.';
  return path.append(field);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\v\f";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

}  // namespace

void Decoder::fail(Value at, std::string message, std::string_view missing) {
  if (failed_) return;
  failed_ = true;
  failed_at_ = at;
  failed_field_ = missing;
  failed_message_ = std::move(message);
}

Error Decoder::error() const {
  const std::string path = join_path(path_of(root_, failed_at_), failed_field_);
  return Error{path.empty() ? failed_message_ : path + ": " + failed_message_};
}

void Decoder::warn(Value at, std::string_view message) {
  const std::string path = path_of(root_, at);
  warnings_.push_back(path.empty() ? std::string(message) : fmt::format("{}: {}", path, message));
}

Value Decoder::object(Value parent, std::string_view key) {
  const Value value = parent.get(key);
  if (!value.present() || value.is_object()) return value;
  fail(value, "must be an object");
  return Value();
}

Value::Elements Decoder::list(Value parent, std::string_view key) {
  const Value value = parent.get(key);
  if (value.present() && !value.is_array()) fail(value, "must be a list");
  return value.elements();
}

Value::Elements Decoder::objects(Value parent, std::string_view key) {
  const Value::Elements elements = list(parent, key);
  for (const Value element : elements)
    if (!element.is_object()) fail(element, "must be an object");
  return elements;
}

std::string_view Decoder::text(Value parent, std::string_view key) {
  const Value value = parent.get(key);
  if (!value.present()) return {};
  if (const auto string = value.string()) return *string;
  fail(value, "must be a string");
  return {};
}

bool Decoder::flag(Value parent, std::string_view key, bool otherwise) {
  const Value value = parent.get(key);
  if (!value.present()) return otherwise;
  if (const auto boolean = value.boolean()) return *boolean;
  fail(value, "must be true or false");
  return otherwise;
}

std::optional<std::int64_t> Decoder::integer(Value parent, std::string_view key, std::int64_t least,
                                             std::int64_t most) {
  const Value value = parent.get(key);
  if (!value.present()) return std::nullopt;
  const auto integer = value.integer();
  if (!integer) {
    fail(value, "must be a whole number");
    return std::nullopt;
  }
  if (*integer < least || *integer > most) {
    fail(value, *integer < least ? fmt::format("is {}, must be at least {}", *integer, least)
                                 : fmt::format("is {}, must be at most {}", *integer, most));
    return std::nullopt;
  }
  return integer;
}

std::optional<std::int32_t> Decoder::integer32(Value parent, std::string_view key, std::int32_t least) {
  const auto value = integer(parent, key, least, std::numeric_limits<std::int32_t>::max());
  if (!value) return std::nullopt;
  return static_cast<std::int32_t>(*value);
}

std::optional<double> Decoder::number(Value parent, std::string_view key) {
  const Value value = parent.get(key);
  if (!value.present()) return std::nullopt;
  const auto number = value.number();
  if (!number) fail(value, "must be a number");
  return number;
}

std::optional<Time> Decoder::time(Value parent, std::string_view key) {
  const std::string_view string = text(parent, key);
  if (string.empty()) return std::nullopt;
  const auto time = parse_rfc3339(string);
  if (time) return *time;
  fail(parent.get(key), time.error().message);
  return std::nullopt;
}

std::optional<Quantity> Decoder::quantity(Value value) {
  if (!value.present()) return std::nullopt;
  const auto string = value.string();
  if (!string && !value.is_number()) {
    fail(value, "must be a quantity");
    return std::nullopt;
  }
  const auto quantity = string ? parse_quantity(trimmed(*string)) : parse_quantity(value.number_text());
  if (quantity) return *quantity;
  fail(value, quantity.error().message);
  return std::nullopt;
}

Symbol Decoder::symbol(Value parent, std::string_view key) {
  const Value value = parent.get(key);
  if (!value.present()) return Symbol();
  if (const auto string = value.string()) return intern(*string);
  fail(value, "must be a string");
  return Symbol();
}

std::vector<Symbol> Decoder::symbols(Value parent, std::string_view key) {
  std::vector<Symbol> result;
  for (const Value value : list(parent, key)) {
    if (const auto string = value.string())
      result.push_back(intern(*string));
    else
      fail(value, "must be a string");
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

LabelSet Decoder::labels(Value parent, std::string_view key) {
  std::vector<std::pair<Symbol, Symbol>> entries;
  for (const Field field : object(parent, key).fields()) {
    if (const auto string = field.value.string())
      entries.emplace_back(intern(field.key), intern(*string));
    else
      fail(field.value, "must be a string");
  }
  return LabelSet(std::move(entries));
}

ResourceId Decoder::resource(const Field& field) {
  constexpr std::size_t kMaxResources = 512;
  const ResourceId id = cluster_.resource(field.key);
  if (id.index() >= kMaxResources)
    fail(field.value, fmt::format("there are more than {} different resources", kMaxResources));
  return id;
}

ResourceList Decoder::resources(Value parent, std::string_view key) {
  ResourceList result;
  for (const Field field : object(parent, key).fields()) {
    const auto amount = quantity(field.value);
    if (!amount || failed_) continue;
    if (amount->negative()) fail(field.value, "must not be negative");
    const ResourceId id = resource(field);
    result.set(id, id == kCpu ? amount->millis() : amount->units());
  }
  return result;
}

void Decoder::fail_word(Value parent, std::string_view key, std::string_view found,
                        std::span<const std::string_view> words) {
  const std::string allowed = fmt::format("{}", fmt::join(words, ", "));
  if (found.empty())
    fail(parent, fmt::format("is missing; must be one of {}", allowed), key);
  else
    fail(parent.get(key), fmt::format("is \"{}\", must be one of {}", found, allowed));
}

}  // namespace tamp::wire

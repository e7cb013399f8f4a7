// Types and numbers come from schema.h. The body is an envelope: four bytes, then a message with the object's
// apiVersion and kind (1) and its own bytes (2).
#include "sim/api/protobuf.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/api/schema.h"
#include "sim/api/server.h"
#include "wire/base64.h"

namespace tamp::world::api {
namespace {

constexpr std::string_view kMagic{"k8s\0", 4};
constexpr int kDeepest = 64;

// One field of a message as it stands in the bytes.
struct Part {
  std::uint64_t number = 0;
  std::uint64_t value = 0;  // of a varint or a fixed number
  std::string_view bytes;   // of what has a length
  bool has_length = false;
};

// Takes a message apart. ok() is false after bytes that are no message.
class Parts {
 public:
  explicit Parts(std::string_view bytes) : rest_(bytes) {}

  std::optional<Part> next() {
    if (rest_.empty() || !ok_) return {};
    const std::uint64_t tag = varint();
    Part part;
    part.number = tag >> 3;
    switch (tag & 7) {
      case 0:
        part.value = varint();
        break;
      case 1:
        part.value = fixed(8);
        break;
      case 2: {
        const std::uint64_t length = varint();
        if (length > rest_.size()) ok_ = false;
        if (!ok_) return {};
        part.bytes = rest_.substr(0, length);
        part.has_length = true;
        rest_.remove_prefix(length);
        break;
      }
      case 5:
        part.value = fixed(4);
        break;
      default:
        ok_ = false;
    }
    if (!ok_) return {};
    return part;
  }
  bool ok() const { return ok_; }

 private:
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    ok_ = false;
    return 0;
  }
  std::uint64_t fixed(std::size_t size) {
    if (rest_.size() < size) {
      ok_ = false;
      return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i)
      value |= std::uint64_t{static_cast<unsigned char>(rest_[i])} << (8 * i);
    rest_.remove_prefix(size);
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

class Reader {
 public:
  bool ok() const { return ok_; }

  // The fields of a message are added to `object`. `within`: the numbers of the messages around this one
  // whose fields stand beside each other in JSON.
  void message(std::string_view bytes, const Schema& schema, Tree& object,
               const std::vector<std::uint64_t>& within = {}) {
    if (++depth_ > kDeepest) ok_ = false;
    Parts parts(bytes);
    while (ok_) {
      const std::optional<Part> part = parts.next();
      if (!part) break;
      std::vector<std::uint64_t> place = within;
      place.push_back(part->number);
      const Field* found = first_at(schema, place);
      if (found == nullptr) continue;
      if (found->numbers.size() > place.size())
        message(part->bytes, schema, object, place);
      else
        field(*part, found->schema(), found->name, object);
    }
    ok_ = ok_ && parts.ok();
    --depth_;
  }

 private:
  // The field at this place, or any field of the message that is there.
  static const Field* first_at(const Schema& schema, const std::vector<std::uint64_t>& place) {
    for (const Field& field : schema.fields)
      if (field.numbers.size() >= place.size() &&
          std::equal(place.begin(), place.end(), field.numbers.begin()))
        return &field;
    return nullptr;
  }

  void field(const Part& part, const Schema& schema, std::string_view name, Tree& object) {
    if (schema.type == Schema::Type::Map) {
      entry(part, schema, object.ensure(name));
    } else if (schema.type == Schema::Type::Array) {
      Tree& list = object.ensure(name);
      if (list.is_null()) list = Tree::array();
      list.append(value(part, schema.element()));
    } else {
      Tree made = value(part, schema);
      // A time that was never set is written all the same.
      if (!made.is_null()) object.set(name, std::move(made));
    }
  }

  void entry(const Part& part, const Schema& schema, Tree& map) {
    if (map.is_null()) map = Tree::object();
    std::string key;
    Tree made = schema.element().type == Schema::Type::String || schema.element().type == Schema::Type::Bytes
                    ? Tree("")
                    : Tree::object();
    Parts parts(part.bytes);
    while (const std::optional<Part> half = parts.next()) {
      if (half->number == 1) key = half->bytes;
      if (half->number == 2) made = value(*half, schema.element());
    }
    ok_ = ok_ && parts.ok();
    map.set(key, std::move(made));
  }

  Tree value(const Part& part, const Schema& schema) {
    switch (schema.type) {
      case Schema::Type::String:
        return part.bytes;
      case Schema::Type::Bytes:
        return wire::encode_base64(part.bytes);
      case Schema::Type::Integer:
        return static_cast<std::int64_t>(part.value);
      case Schema::Type::Boolean:
        return part.value != 0;
      case Schema::Type::Number: {
        double number = 0;
        std::memcpy(&number, &part.value, sizeof number);
        return number;
      }
      case Schema::Type::Time:
      case Schema::Type::MicroTime:
        return moment(part.bytes, schema.type == Schema::Type::MicroTime);
      case Schema::Type::Quantity:
        return first_text(part.bytes, 1);
      case Schema::Type::IntOrString:
        return int_or_string(part.bytes);
      case Schema::Type::Object: {
        Tree object = Tree::object();
        message(part.bytes, schema, object);
        return object;
      }
      case Schema::Type::Array:
        return wrapped_list(part.bytes, schema);
      case Schema::Type::Map:
      case Schema::Type::Any:
        return raw(part.bytes);
    }
    return {};
  }

  std::string_view first_text(std::string_view bytes, std::uint64_t number) {
    Parts parts(bytes);
    std::string_view found;
    while (const std::optional<Part> part = parts.next())
      if (part->number == number) found = part->bytes;
    ok_ = ok_ && parts.ok();
    return found;
  }

  Tree moment(std::string_view bytes, bool micro) {
    if (bytes.empty()) return {};
    std::int64_t seconds = 0, nanos = 0;
    Parts parts(bytes);
    while (const std::optional<Part> part = parts.next()) {
      if (part->number == 1) seconds = static_cast<std::int64_t>(part->value);
      if (part->number == 2) nanos = static_cast<std::int64_t>(part->value);
    }
    // Beyond what nanoseconds in 64 bits can say: no cluster has such a time.
    constexpr std::int64_t kFar = 9'000'000'000;
    if (seconds > kFar || seconds < -kFar) {
      ok_ = false;
      return {};
    }
    const Time time{seconds * 1'000'000'000 + nanos % 1'000'000'000};
    return micro ? format_micro_time(time) : format_time(time);
  }

  Tree int_or_string(std::string_view bytes) {
    bool text = false;
    std::int64_t number = 0;
    std::string_view words;
    Parts parts(bytes);
    while (const std::optional<Part> part = parts.next()) {
      if (part->number == 1) text = part->value == 1;
      if (part->number == 2) number = static_cast<std::int64_t>(part->value);
      if (part->number == 3) words = part->bytes;
    }
    return text ? Tree(words) : Tree(number);
  }

  // A list that is the value of a map is a message with the elements as its first field.
  Tree wrapped_list(std::string_view bytes, const Schema& schema) {
    Tree list = Tree::array();
    Parts parts(bytes);
    while (const std::optional<Part> part = parts.next())
      if (part->number == 1) list.append(value(*part, schema.element()));
    ok_ = ok_ && parts.ok();
    return list;
  }

  // What has no type of its own travels as JSON.
  Tree raw(std::string_view bytes) {
    const std::string_view json = first_text(bytes, 1);
    if (json.empty()) return {};
    Result<Tree> tree = wire::read_tree(std::string(json));
    if (!tree.ok()) ok_ = false;
    return tree.ok() ? std::move(tree).value() : Tree();
  }

  bool ok_ = true;
  int depth_ = 0;
};

const Schema* schema_of(std::string_view api_version, std::string_view kind) {
  constexpr std::string_view kDeleteOptions = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
  const auto slash = api_version.find('/');
  const std::string_view group =
      slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
  const std::string_view version =
      slash == std::string_view::npos ? api_version : api_version.substr(slash + 1);
  if (const Schema* schema = find_schema(group, version, kind)) return schema;
  if (kind == "DeleteOptions")
    for (const Schema* schema : schema_definitions())
      if (schema->name == kDeleteOptions) return schema;
  return nullptr;
}

}  // namespace

Result<Tree> read_protobuf(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return Error{"provided data does not appear to be a protobuf message"};
  std::string_view type, inside;
  Parts envelope(bytes.substr(kMagic.size()));
  while (const std::optional<Part> part = envelope.next()) {
    if (part->number == 1) type = part->bytes;
    if (part->number == 2) inside = part->bytes;
  }
  std::string_view api_version, kind;
  Parts names(type);
  while (const std::optional<Part> part = names.next()) {
    if (part->number == 1) api_version = part->bytes;
    if (part->number == 2) kind = part->bytes;
  }
  if (!envelope.ok() || !names.ok()) return Error{"unexpected EOF"};
  const Schema* schema = schema_of(api_version, kind);
  if (schema == nullptr) return Error{"no kind \"" + std::string(kind) + "\" is registered"};
  Tree object = Tree::object();
  Reader reader;
  reader.message(inside, *schema, object);
  if (!reader.ok()) return Error{"unexpected EOF"};
  object.set("apiVersion", api_version);
  object.set("kind", kind);
  return object;
}

}  // namespace tamp::world::api

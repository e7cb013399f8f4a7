// A read-only view of one value in a parsed JSON text. Decoders see nothing else of the parser, so that the parser
// (simdjson) and its header stay in value.cc. YAML is turned into JSON text first (yaml.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.h"

namespace tamp::wire {

class Value;

// Deeper nesting is refused: no Kubernetes object comes near it, and everything that walks a value may recurse.
inline constexpr std::size_t kMaxDepth = 200;

struct Field;

// Points into the Json that it came from, which must outlive it.
class Value {
 public:
  enum class Kind : std::uint8_t { Absent, Null, Boolean, Integer, Unsigned, Double, String, Array, Object };

  Value() = default;

  Kind kind() const;
  // As in Go's decoder, null is the same as not there.
  bool present() const { return kind() > Kind::Null; }
  bool is_object() const { return kind() == Kind::Object; }
  bool is_array() const { return kind() == Kind::Array; }
  bool is_number() const;

  // The field of an object; absent if there is none or this is not an object. Of equal keys the last one counts, as in
  // Go's decoder.
  Value get(std::string_view key) const;

  std::optional<std::string_view> string() const;
  std::optional<bool> boolean() const;
  // Numbers that are whole and fit, also those written as 1e3 or 1.0.
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  // The number as text, as short as it can be without loss.
  std::string number_text() const;

  // Is it the very same place of the same text?
  bool same_place(const Value& other) const { return bits_ == other.bits_; }

  class Elements;
  class Fields;
  Elements elements() const;  // of an array; otherwise none
  Fields fields() const;      // of an object; otherwise none

 private:
  friend class Json;
  friend class JsonParser;
  using Bits = std::array<std::uint64_t, 2>;
  explicit Value(Bits bits) : bits_(bits) {}

  Bits bits_{};  // the parser's own handle: document and position; zero for an absent value
};

class Value::Elements {
 public:
  class Iterator {
   public:
    Value operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator&) const = default;

   private:
    friend class Value;
    Value::Bits bits_{};
  };
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  friend class Value;
  Iterator begin_, end_;
};

struct Field {
  std::string_view key;
  Value value;
};

class Value::Fields {
 public:
  class Iterator {
   public:
    Field operator*() const;
    Iterator& operator++();
    bool operator==(const Iterator&) const = default;

   private:
    friend class Value;
    Value::Bits bits_{};
  };
  Iterator begin() const { return begin_; }
  Iterator end() const { return end_; }

 private:
  friend class Value;
  Iterator begin_, end_;
};

// A parsed JSON text. Owns what its Values point to; does not need the text any more.
class Json {
 public:
  // Parses exactly one JSON value. A string with 64 bytes of capacity to spare is read in place, another is copied.
  static Result<Json> parse(const std::string& text);

  Json(Json&&) noexcept;
  Json& operator=(Json&&) noexcept;
  ~Json();

  Value root() const;

 private:
  struct Document;
  explicit Json(std::unique_ptr<Document> document);

  std::unique_ptr<Document> document_;
};

// Parses one text after another into the same memory: for many small texts, whose values are not kept.
class JsonParser {
 public:
  JsonParser();
  JsonParser(JsonParser&&) noexcept;
  JsonParser& operator=(JsonParser&&) noexcept;
  ~JsonParser();

  // As Json::parse. The value is good until the next call.
  Result<Value> parse(const std::string& text);

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

// Where `place` is within `root`: "spec.containers[0].image"; "" if it is root itself or not inside. Costs a walk
// through root, so it is for messages only.
std::string path_of(Value root, Value place);

}  // namespace tamp::wire

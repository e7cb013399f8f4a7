// A streaming JSON writer with canonical bytes: the caller fixes the order of keys, numbers print the same on
// every machine, nothing is buffered twice. Hashes and golden files depend on it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tamp {

// Appends the text as a JSON string, with its quotes. Bytes that are not UTF-8 become U+FFFD.
void append_json_string(std::string& out, std::string_view text);

class JsonWriter {
 public:
  enum class Style { Compact, Pretty };
  explicit JsonWriter(Style style = Style::Compact) : style_(style) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);

  JsonWriter& string(std::string_view value);
  JsonWriter& integer(std::int64_t value);
  // Shortest text that reads back as the same double; integral values print without a fraction. NaN and
  // infinities, which JSON lacks, print as null.
  JsonWriter& number(double value);
  JsonWriter& boolean(bool value);
  JsonWriter& null();
  // A value that is JSON already. REQUIRES: it is; in a pretty document it keeps its own layout.
  JsonWriter& raw(std::string_view json);

  // key + value in one call.
  JsonWriter& field(std::string_view name, std::string_view value) { return key(name).string(value); }
  JsonWriter& field(std::string_view name, const char* value) { return key(name).string(value); }
  JsonWriter& field(std::string_view name, double value) { return key(name).number(value); }
  JsonWriter& field(std::string_view name, std::int64_t value) { return key(name).integer(value); }
  JsonWriter& field(std::string_view name, int value) { return key(name).integer(value); }
  JsonWriter& field(std::string_view name, std::size_t value) {
    return key(name).integer(static_cast<std::int64_t>(value));
  }
  JsonWriter& field(std::string_view name, bool value) { return key(name).boolean(value); }

  // REQUIRES: every begin has its end.
  const std::string& text() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  void before_value();
  void newline();

  Style style_;
  std::string out_;
  std::vector<bool> has_items_;  // one per open container
  bool after_key_ = false;
};

}  // namespace tamp

// A streaming YAML writer with JsonWriter's calls, so that one function writes both. Block style; a string is quoted
// wherever a YAML 1.1 or 1.2 reader could take it for something else.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tamp::documents {

class YamlWriter {
 public:
  YamlWriter& begin_object() { return begin(Kind::Object); }
  YamlWriter& end_object() { return end("{}"); }
  YamlWriter& begin_array() { return begin(Kind::Array); }
  YamlWriter& end_array() { return end("[]"); }
  YamlWriter& key(std::string_view name);

  YamlWriter& string(std::string_view value);
  YamlWriter& integer(std::int64_t value);
  YamlWriter& number(double value);  // as JsonWriter prints it
  YamlWriter& boolean(bool value);
  YamlWriter& null();

  YamlWriter& field(std::string_view name, std::string_view value) { return key(name).string(value); }
  YamlWriter& field(std::string_view name, const char* value) { return key(name).string(value); }
  YamlWriter& field(std::string_view name, double value) { return key(name).number(value); }
  YamlWriter& field(std::string_view name, std::int64_t value) { return key(name).integer(value); }
  YamlWriter& field(std::string_view name, std::size_t value) {
    return key(name).integer(static_cast<std::int64_t>(value));
  }
  YamlWriter& field(std::string_view name, bool value) { return key(name).boolean(value); }

  // REQUIRES: every begin has its end.
  std::string take() { return std::move(out_); }

 private:
  enum class Kind : std::uint8_t { Object, Array };
  struct Open {
    Kind kind;
    bool has_items = false;
    bool after_dash = false;  // the first key follows "- " on the same line
  };

  YamlWriter& begin(Kind kind);
  YamlWriter& end(std::string_view when_empty);
  YamlWriter& scalar(std::string_view text);
  void start_item();  // of an array
  void indent();

  std::string out_;
  std::vector<Open> open_;
  bool after_key_ = false;
  bool after_dash_ = false;
};

}  // namespace tamp::documents

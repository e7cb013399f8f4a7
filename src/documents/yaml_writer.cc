#include "documents/yaml_writer.h"

#include <algorithm>
#include <cctype>

#include "core/json_writer.h"

namespace tamp::documents {
namespace {

// Plain scalars are letters, digits and a little punctuation, begin with a letter, and are no word that means a
// boolean or null in YAML 1.1. Everything else is a JSON string, which every YAML reader accepts.
bool plain(std::string_view text) {
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text.front())) == 0) return false;
  const bool simple = std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.' || c == '/';
  });
  if (!simple) return false;
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  static constexpr std::string_view kWords[] = {"y", "n", "yes", "no", "true", "false", "on", "off", "null"};
  return std::find(std::begin(kWords), std::end(kWords), lower) == std::end(kWords);
}

std::string quoted(std::string_view text) {
  if (plain(text)) return std::string(text);
  JsonWriter json;
  json.string(text);
  return json.take();
}

}  // namespace

void YamlWriter::indent() { out_.append(2 * (open_.size() - 1), ' '); }

void YamlWriter::start_item() {
  if (open_.empty() || open_.back().kind != Kind::Array || after_key_) return;
  Open& array = open_.back();
  if (!array.has_items && !array.after_dash && !out_.empty()) out_ += '\n';
  if (array.has_items || !array.after_dash) indent();
  array.has_items = true;
  out_ += "- ";
  after_dash_ = true;
}

YamlWriter& YamlWriter::begin(Kind kind) {
  start_item();
  open_.push_back({kind, false, after_dash_});
  after_key_ = false;
  after_dash_ = false;
  return *this;
}

YamlWriter& YamlWriter::end(std::string_view when_empty) {
  const Open closed = open_.back();
  open_.pop_back();
  if (!closed.has_items) {
    if (!out_.empty() && out_.back() == ':') out_ += ' ';
    out_ += when_empty;
    out_ += '\n';
  }
  after_key_ = false;
  after_dash_ = false;
  return *this;
}

YamlWriter& YamlWriter::key(std::string_view name) {
  Open& object = open_.back();
  if (!object.has_items && !object.after_dash && !out_.empty()) out_ += '\n';
  if (object.has_items || !object.after_dash) indent();
  object.has_items = true;
  out_ += quoted(name);
  out_ += ':';
  after_key_ = true;
  return *this;
}

YamlWriter& YamlWriter::scalar(std::string_view text) {
  start_item();
  if (after_key_) out_ += ' ';
  out_ += text;
  out_ += '\n';
  after_key_ = false;
  after_dash_ = false;
  return *this;
}

YamlWriter& YamlWriter::string(std::string_view value) { return scalar(quoted(value)); }
YamlWriter& YamlWriter::integer(std::int64_t value) { return scalar(std::to_string(value)); }
YamlWriter& YamlWriter::number(double value) {
  JsonWriter json;
  json.number(value);
  return scalar(json.text());
}
YamlWriter& YamlWriter::boolean(bool value) { return scalar(value ? "true" : "false"); }
YamlWriter& YamlWriter::null() { return scalar("null"); }

}  // namespace tamp::documents

#include "wire/documents.h"

#include <string_view>

#include "wire/yaml.h"

namespace tamp::wire {
namespace {

// A text of this size that starts like JSON but is not JSON may still be YAML in flow style; a larger one is broken
// JSON, and reading it again as YAML would only take time and hide the error.
constexpr std::size_t kFlowStyleLimit = std::size_t{1} << 20;

constexpr std::string_view kSpace = " \t\r\n";
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

// The end of the object or array that `text` starts with; npos if it has none.
std::size_t end_of_value(std::string_view text) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (depth <= 1) return i + 1;
      --depth;
    }
  }
  return std::string_view::npos;
}

Result<std::vector<Json>> parse_json_stream(std::string_view text) {
  std::vector<Json> documents;
  for (;;) {
    const auto begin = text.find_first_not_of(kSpace);
    if (begin == std::string_view::npos) return documents;
    text.remove_prefix(begin);
    const auto end = std::min(end_of_value(text), text.size());
    std::string piece;
    piece.reserve(end + 64);
    piece = text.substr(0, end);
    TAMP_TRY(Json document, Json::parse(piece));
    documents.push_back(std::move(document));
    text.remove_prefix(end);
  }
}

Result<std::vector<Json>> parse_yaml(const std::string& bytes) {
  TAMP_TRY(const std::vector<std::string> texts, yaml_to_json(bytes));
  std::vector<Json> documents;
  for (const std::string& text : texts) {
    TAMP_TRY(Json document, Json::parse(text));
    if (document.root().present()) documents.push_back(std::move(document));
  }
  return documents;
}

Result<std::vector<Json>> parse_json(const std::string& bytes) {
  auto document = Json::parse(bytes);
  if (document) {
    std::vector<Json> documents;
    documents.push_back(std::move(document).value());
    return documents;
  }
  // Rare, and the parser has to be asked again: "kubectl get …; kubectl get …" into one file.
  const std::string_view text = without_mark(bytes);
  const auto first_end = end_of_value(text.substr(std::min(text.find_first_not_of(kSpace), text.size())));
  if (first_end != std::string_view::npos)
    if (auto stream = parse_json_stream(text)) return stream;
  if (bytes.size() <= kFlowStyleLimit)
    if (auto yaml = parse_yaml(bytes)) return yaml;
  return std::move(document).error();
}

}  // namespace

Result<std::vector<Json>> parse_documents(const std::string& bytes) {
  const std::string_view text = without_mark(bytes);
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return Error{"the file is empty"};
  const bool json = text[first] == '{' || text[first] == '[';
  auto documents = json ? parse_json(bytes) : parse_yaml(bytes);
  if (documents && documents->empty()) return Error{"the file holds no object"};
  return documents;
}

}  // namespace tamp::wire

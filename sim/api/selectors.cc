#include "sim/api/selectors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tamp::world::api {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool is_symbol(char c) {
  return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '>' || c == '<';
}

// Words and symbols of a label selector, one after another.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : rest_(text) { advance(); }
  std::string_view peek() const { return token_; }
  bool at_end() const { return token_.empty(); }
  std::string_view take() {
    const std::string_view taken = token_;
    advance();
    return taken;
  }

 private:
  void advance() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
    std::size_t length = 0;
    if (!rest_.empty() && is_symbol(rest_.front())) {
      length = rest_.substr(0, 2) == "==" || rest_.substr(0, 2) == "!=" ? 2 : 1;
    } else {
      while (length < rest_.size() && !is_space(rest_[length]) && !is_symbol(rest_[length])) ++length;
    }
    token_ = rest_.substr(0, length);
    rest_.remove_prefix(length);
  }
  std::string_view rest_, token_;
};

bool is_word(std::string_view token) { return !token.empty() && !is_symbol(token.front()); }

bool alphanumeric(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The rule of label values and of the name part of label keys.
bool label_name(std::string_view text) {
  if (text.empty() || text.size() > 63 || !alphanumeric(text.front()) || !alphanumeric(text.back()))
    return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool label_key(std::string_view key) {
  const std::size_t slash = key.find('/');
  if (slash == std::string_view::npos) return label_name(key);
  const std::string_view prefix = key.substr(0, slash);
  const bool subdomain =
      !prefix.empty() && prefix.size() <= 253 && std::all_of(prefix.begin(), prefix.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.';
      });
  return subdomain && label_name(key.substr(slash + 1));
}

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

Error unexpected(std::string_view found, std::string_view expected) {
  return {fmt::format("unable to parse requirement: found '{}', expected: {}", found, expected)};
}

Result<std::vector<std::string>> parse_set(Lexer& lexer) {
  if (lexer.peek() != "(") return unexpected(lexer.peek(), "'('");
  lexer.take();
  std::vector<std::string> values;
  while (true) {
    values.emplace_back(is_word(lexer.peek()) ? lexer.take() : std::string_view());
    if (lexer.peek() == ")") break;
    if (lexer.peek() != ",") return unexpected(lexer.peek(), "',', or ')'");
    lexer.take();
  }
  lexer.take();
  return values;
}

}  // namespace

Result<LabelFilter> LabelFilter::parse(std::string_view text) {
  LabelFilter filter;
  Lexer lexer(text);
  while (!lexer.at_end()) {
    Requirement requirement{{}, Op::Exists, {}};
    const bool negated = lexer.peek() == "!";
    if (negated) lexer.take();
    if (!is_word(lexer.peek())) return unexpected(lexer.peek(), "identifier");
    requirement.key = lexer.take();
    const std::string_view op = lexer.peek();
    if (negated || op.empty() || op == ",") {
      requirement.op = negated ? Op::DoesNotExist : Op::Exists;
    } else if (op == "in" || op == "notin") {
      lexer.take();
      requirement.op = op == "in" ? Op::In : Op::NotIn;
      TAMP_TRY(requirement.values, parse_set(lexer));
    } else if (op == "=" || op == "==" || op == "!=" || op == ">" || op == "<") {
      lexer.take();
      requirement.op = op == "!=" ? Op::NotIn : op == ">" ? Op::Greater : op == "<" ? Op::Less : Op::In;
      requirement.values.emplace_back(is_word(lexer.peek()) ? lexer.take() : std::string_view());
    } else {
      return unexpected(op, "in, notin, =, ==, !=, gt, lt");
    }
    if (!label_key(requirement.key))
      return Error{
          fmt::format("key: Invalid value: \"{}\": name part must consist of alphanumeric characters, '-', "
                      "'_' or '.', and must start and end with an alphanumeric character",
                      requirement.key)};
    for (const std::string& value : requirement.values) {
      const bool ordered = requirement.op == Op::Greater || requirement.op == Op::Less;
      if (ordered ? !whole(value) : !value.empty() && !label_name(value))
        return Error{fmt::format("values[0][{}]: Invalid value: \"{}\"", requirement.key, value)};
    }
    filter.requirements_.push_back(std::move(requirement));
    if (lexer.at_end()) break;
    if (lexer.peek() != ",") return unexpected(lexer.peek(), "',' or 'end of string'");
    lexer.take();
    if (lexer.at_end()) return unexpected("", "identifier after ','");
  }
  return filter;
}

bool LabelFilter::selects(const Tree& labels) const {
  for (const Requirement& requirement : requirements_) {
    const Tree* label = labels.find(requirement.key);
    const auto listed = [&] {
      return label != nullptr && std::find(requirement.values.begin(), requirement.values.end(),
                                           label->string()) != requirement.values.end();
    };
    const auto compare = [&](auto holds) {
      const auto mine = label != nullptr ? whole(label->string()) : std::nullopt;
      return mine && holds(*mine, *whole(requirement.values.front()));
    };
    bool holds = false;
    switch (requirement.op) {
      case Op::In:
        holds = listed();
        break;
      case Op::NotIn:
        holds = !listed();
        break;
      case Op::Exists:
        holds = label != nullptr;
        break;
      case Op::DoesNotExist:
        holds = label == nullptr;
        break;
      case Op::Greater:
        holds = compare([](std::int64_t a, std::int64_t b) { return a > b; });
        break;
      case Op::Less:
        holds = compare([](std::int64_t a, std::int64_t b) { return a < b; });
        break;
    }
    if (!holds) return false;
  }
  return true;
}

namespace {

// Fields besides metadata.name and metadata.namespace.
std::vector<std::string_view> fields_of(ResourceId resource) {
  switch (resource) {
    case ResourceId::Pods:
      return {
          "spec.nodeName",           "spec.restartPolicy", "spec.schedulerName", "spec.serviceAccountName",
          "spec.hostNetwork",        "status.phase",       "status.podIP",       "status.podIPs",
          "status.nominatedNodeName"};
    case ResourceId::Nodes:
      return {"spec.unschedulable"};
    case ResourceId::Namespaces:
      return {"status.phase"};
    case ResourceId::Secrets:
      return {"type"};
    case ResourceId::Services:
      return {"spec.clusterIP", "spec.type"};
    case ResourceId::Jobs:
      return {"status.successful"};
    case ResourceId::Events:
      return {"involvedObject.kind",
              "involvedObject.namespace",
              "involvedObject.name",
              "involvedObject.uid",
              "involvedObject.apiVersion",
              "involvedObject.resourceVersion",
              "involvedObject.fieldPath",
              "reason",
              "reportingComponent",
              "source",
              "type"};
    default:
      return {};
  }
}

std::vector<std::string> split(std::string_view path) {
  std::vector<std::string> parts;
  if (path.starts_with('.')) path.remove_prefix(1);
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('.'));
    path.remove_prefix(part.size() == path.size() ? part.size() : part.size() + 1);
    parts.emplace_back(part);
  }
  return parts;
}

// Where the store keeps it, if that is not what it is called.
std::vector<std::string> path_of(ResourceId resource, std::string_view field) {
  if (resource == ResourceId::Events && field == "source") return {"source", "component"};
  if (resource == ResourceId::Jobs && field == "status.successful") return {"status", "succeeded"};
  if (resource == ResourceId::Pods && field == "status.podIPs") return {"status", "podIP"};
  return split(field);
}

std::string text_of(const Tree& value, std::string_view field) {
  switch (value.kind()) {
    case Tree::Kind::String:
      return std::string(value.string());
    case Tree::Kind::Boolean:
      return value.boolean() ? "true" : "false";
    case Tree::Kind::Integer:
    case Tree::Kind::Number:
      return std::to_string(value.integer());
    default:
      break;
  }
  if (field == "spec.unschedulable" || field == "spec.hostNetwork") return "false";
  if (field == "status.replicas" || field == "status.successful") return "0";
  return {};
}

// Splits at commas that are not escaped; "\\," and "\\=" are those characters.
std::vector<std::string_view> terms_of(std::string_view text) {
  std::vector<std::string_view> terms;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '\\') {
      ++i;
    } else if (i == text.size() || text[i] == ',') {
      terms.push_back(text.substr(start, i - start));
      start = i + 1;
    }
  }
  return terms;
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain += text[i];
  }
  return plain;
}

}  // namespace

Result<FieldFilter> FieldFilter::parse(const Backend& backend, const Resource& resource,
                                       std::string_view text) {
  FieldFilter filter;
  const std::vector<std::string_view> known = fields_of(resource.id);
  const CustomVersion* custom = custom_version(backend, resource);
  for (std::string_view term : terms_of(text)) {
    if (term.empty()) continue;
    const std::size_t equals = term.find('=');
    if (equals == std::string_view::npos)
      return Error{fmt::format("invalid selector: '{}'; can't understand '{}'", text, term)};
    const bool negated = equals > 0 && term[equals - 1] == '!';
    std::string field(term.substr(0, negated ? equals - 1 : equals));
    std::string_view value = term.substr(equals + 1);
    if (!negated && value.starts_with('=')) value.remove_prefix(1);
    if (field.empty() && value.empty()) continue;  // as the real one takes it
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (value[i] == '\\')
        ++i;
      else if (value[i] == '=')
        return Error{fmt::format("invalid field selector: unescaped '=' in value: '{}'", value)};
    }
    if (resource.id == ResourceId::Pods && field == "spec.host") field = "spec.nodeName";
    bool supported = field == "metadata.name" || (field == "metadata.namespace" && resource.namespaced) ||
                     std::find(known.begin(), known.end(), field) != known.end();
    if (field == "metadata.namespace" && known.empty()) supported = true;
    if (custom != nullptr)
      for (const SelectableField& selectable : custom->selectable)
        if (selectable.json_path == "." + field) supported = true;
    if (!supported)
      return Error{known.empty() && custom == nullptr
                       ? fmt::format("\"{}\" is not a known field selector: only \"metadata.name\", "
                                     "\"metadata.namespace\"",
                                     field)
                       : fmt::format("field label not supported: {}", field)};
    std::vector<std::string> path = path_of(resource.id, field);
    filter.terms_.push_back({std::move(field), std::move(path), !negated, unescaped(value)});
  }
  return filter;
}

bool FieldFilter::selects(const Tree& object) const {
  return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) {
    const Tree* place = &object;
    for (const std::string& key : term.path) place = &(*place)[key];
    if (place->is_string()) return (place->string() == term.value) == term.equal;
    return (text_of(*place, term.field) == term.value) == term.equal;
  });
}

std::string_view FieldFilter::name() const {
  for (const Term& term : terms_)
    if (term.equal && term.field == "metadata.name") return term.value;
  return {};
}

}  // namespace tamp::world::api

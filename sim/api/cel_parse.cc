// From text to nodes. The grammar has no statements: precedence climbs from ?: over || && and comparisons to members.
#include <algorithm>
#include <charconv>
#include <optional>

#include "sim/api/cel_value.h"

namespace tamp::world::api::cel {
namespace {

constexpr int kMostNesting = 64;
constexpr std::size_t kMostNodes = 5'000;
constexpr std::string_view kTypes[] = {"bool",      "double", "int",  "list", "map",
                                       "null_type", "string", "type", "uint"};

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, std::uint32_t rune) {
  const auto put = [&](std::uint32_t byte) { out += static_cast<char>(byte); };
  if (rune < 0x80) {
    put(rune);
  } else if (rune < 0x800) {
    put(0xc0 | rune >> 6);
    put(0x80 | (rune & 0x3f));
  } else if (rune < 0x10000) {
    put(0xe0 | rune >> 12);
    put(0x80 | (rune >> 6 & 0x3f));
    put(0x80 | (rune & 0x3f));
  } else {
    put(0xf0 | rune >> 18);
    put(0x80 | (rune >> 12 & 0x3f));
    put(0x80 | (rune >> 6 & 0x3f));
    put(0x80 | (rune & 0x3f));
  }
}

class Parser {
 public:
  using Id = std::uint32_t;

  explicit Parser(std::string_view text) : rest_(text) {}

  std::vector<Node> nodes;
  std::vector<std::string> variables;
  std::optional<std::string> problem;

  void parse() {
    conditional();
    skip_space();
    if (!rest_.empty()) refuse("unexpected \"" + std::string(rest_.substr(0, 20)) + "\"");
  }

 private:
  Id refuse(std::string why) {
    if (!problem) problem = std::move(why);
    rest_ = {};
    return 0;
  }

  Id add(Node node) {
    if (nodes.size() >= kMostNodes) return refuse("the expression is too long");
    nodes.push_back(std::move(node));
    return static_cast<Id>(nodes.size() - 1);
  }
  Id add(Node::Op op, std::vector<Id> children, std::string name = {}) {
    return add({.op = op, .name = std::move(name), .other = {}, .children = std::move(children)});
  }

  void skip_space() {
    while (!rest_.empty()) {
      if (rest_.starts_with("//")) {
        rest_.remove_prefix(std::min(rest_.size(), rest_.find('\n')));
      } else if (rest_.front() == ' ' || rest_.front() == '\t' || rest_.front() == '\n' ||
                 rest_.front() == '\r' || rest_.front() == '\f') {
        rest_.remove_prefix(1);
      } else {
        return;
      }
    }
  }
  bool next_is(std::string_view token) {
    skip_space();
    return rest_.starts_with(token);
  }
  bool take(std::string_view token) {
    if (!next_is(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token) && !problem)
      refuse("expected " + std::string(token) + " before \"" + std::string(rest_.substr(0, 20)) + "\"");
  }
  bool take_word(std::string_view word) {
    if (!next_is(word)) return false;
    if (rest_.size() > word.size() && (starts_name(rest_[word.size()]) || is_digit(rest_[word.size()])))
      return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  std::string name() {
    skip_space();
    std::size_t end = 0;
    if (!rest_.empty() && starts_name(rest_[0])) {
      while (end < rest_.size() && (starts_name(rest_[end]) || is_digit(rest_[end]))) ++end;
    }
    if (end == 0) refuse("expected a name before \"" + std::string(rest_.substr(0, 20)) + "\"");
    std::string result(rest_.substr(0, end));
    rest_.remove_prefix(std::min(end, rest_.size()));
    return result;
  }

  struct Deeper {
    explicit Deeper(Parser& p) : parser(p) {
      if (++parser.depth_ > kMostNesting) parser.refuse("nested too deep");
    }
    ~Deeper() { --parser.depth_; }
    Parser& parser;
  };

  Id conditional() {
    Deeper deeper(*this);
    if (problem) return 0;
    const Id condition = either();
    // ?. and [? belong to members.
    if (!next_is("?")) return condition;
    take("?");
    const Id yes = conditional();
    expect(":");
    const Id no = conditional();
    return add(Node::Op::Conditional, {condition, yes, no});
  }

  Id either() {
    Id left = both();
    while (!problem && take("||")) left = add(Node::Op::Or, {left, both()});
    return left;
  }

  Id both() {
    Id left = relation();
    while (!problem && take("&&")) left = add(Node::Op::And, {left, relation()});
    return left;
  }

  Id relation() {
    static constexpr std::pair<std::string_view, Node::Op> kOperators[] = {
        {"<=", Node::Op::LessEqual}, {">=", Node::Op::GreaterEqual}, {"==", Node::Op::Equal},
        {"!=", Node::Op::NotEqual},  {"<", Node::Op::Less},          {">", Node::Op::Greater}};
    Id left = sum();
    while (!problem) {
      std::optional<Node::Op> op;
      for (const auto& [token, each] : kOperators) {
        if (take(token)) {
          op = each;
          break;
        }
      }
      if (!op && take_word("in")) op = Node::Op::In;
      if (!op) return left;
      left = add(*op, {left, sum()});
    }
    return left;
  }

  Id sum() {
    Id left = product();
    while (!problem) {
      if (take("+")) {
        left = add(Node::Op::Add, {left, product()});
      } else if (take("-")) {
        left = add(Node::Op::Subtract, {left, product()});
      } else {
        return left;
      }
    }
    return left;
  }

  Id product() {
    Id left = unary();
    while (!problem) {
      if (take("*")) {
        left = add(Node::Op::Multiply, {left, unary()});
      } else if (take("/")) {
        left = add(Node::Op::Divide, {left, unary()});
      } else if (take("%")) {
        left = add(Node::Op::Modulo, {left, unary()});
      } else {
        return left;
      }
    }
    return left;
  }

  Id unary() {
    Deeper deeper(*this);
    if (problem) return 0;
    if (next_is("!") && !next_is("!=")) {
      take("!");
      return add(Node::Op::Not, {unary()});
    }
    if (next_is("-")) {
      if (rest_.size() > 1 && is_digit(rest_[1])) return members(number());
      take("-");
      return add(Node::Op::Negate, {unary()});
    }
    return members(primary());
  }

  Id members(Id target) {
    while (!problem) {
      if (take(".")) {
        const bool optional = take("?");
        std::string field = name();
        if (!optional && next_is("(")) {
          target = method(target, std::move(field));
        } else {
          target = add(optional ? Node::Op::OptSelect : Node::Op::Select, {target}, std::move(field));
        }
      } else if (take("[")) {
        const bool optional = take("?");
        const Id index = conditional();
        expect("]");
        target = add(optional ? Node::Op::OptIndex : Node::Op::Index, {target, index});
      } else {
        return target;
      }
    }
    return target;
  }

  // The text of a variable that a macro introduces.
  std::string macro_variable() {
    std::string variable = name();
    expect(",");
    return variable;
  }

  Id over(Node::Op op, Id target, std::string variable, std::string other, std::vector<Id> bodies) {
    bodies.insert(bodies.begin(), target);
    return add(
        {.op = op, .name = std::move(variable), .other = std::move(other), .children = std::move(bodies)});
  }

  Id method(Id target, std::string called) {
    expect("(");
    static constexpr std::pair<std::string_view, Node::Op> kMacros[] = {{"all", Node::Op::All},
                                                                        {"exists", Node::Op::Exists},
                                                                        {"exists_one", Node::Op::ExistsOne},
                                                                        {"existsOne", Node::Op::ExistsOne},
                                                                        {"map", Node::Op::MapMacro},
                                                                        {"filter", Node::Op::Filter},
                                                                        {"optMap", Node::Op::OptMap},
                                                                        {"optFlatMap", Node::Op::OptFlatMap}};
    const auto* macro = std::find_if(std::begin(kMacros), std::end(kMacros),
                                     [&](const auto& m) { return m.first == called; });
    if (macro != std::end(kMacros)) return macro_call(target, macro->second);
    const bool constructor = nodes.size() > target && nodes[target].op == Node::Op::Variable;
    if (constructor && nodes[target].name == "cel" && called == "bind") {
      forget("cel");
      std::string variable = macro_variable();
      const Id value = conditional();
      expect(",");
      scope_.push_back(variable);
      const Id body = conditional();
      scope_.pop_back();
      expect(")");
      return add(Node::Op::Bind, {value, body}, std::move(variable));
    }
    if (constructor && nodes[target].name == "optional") {
      forget("optional");
      return function("optional." + called, false, arguments());
    }
    std::vector<Id> all = arguments();
    all.insert(all.begin(), target);
    return function(std::move(called), true, std::move(all));
  }

  Id macro_call(Id target, Node::Op op) {
    const std::size_t outer = scope_.size();
    std::string variable = macro_variable();
    std::string other;
    scope_.push_back(variable);
    // A second plain name before a comma is a second variable, but for map, where it would be a filter.
    const bool may_have_two = op == Node::Op::All || op == Node::Op::Exists || op == Node::Op::ExistsOne;
    if (may_have_two) {
      const std::string_view before = rest_;
      skip_space();
      if (!rest_.empty() && starts_name(rest_[0])) {
        other = name();
        if (take(",")) {
          scope_.push_back(other);
        } else {
          other.clear();
          rest_ = before;
        }
      }
    }
    std::vector<Id> bodies = {conditional()};
    if (op == Node::Op::MapMacro && take(",")) {
      bodies.push_back(conditional());
      op = Node::Op::MapFilter;
    }
    scope_.resize(outer);
    expect(")");
    return over(op, target, std::move(variable), std::move(other), std::move(bodies));
  }

  std::vector<Id> arguments() {
    std::vector<Id> result;
    if (take(")")) return result;
    do {
      result.push_back(conditional());
    } while (!problem && take(","));
    expect(")");
    return result;
  }

  Id function(std::string called, bool is_method, std::vector<Id> all) {
    if (problem) return 0;
    if (!known_function(called, is_method, all.size()))
      return refuse("the function " + called + " is not supported");
    Node node{.op = Node::Op::Call,
              .method = is_method,
              .name = std::move(called),
              .other = {},
              .children = std::move(all)};
    return add(std::move(node));
  }

  void forget(std::string_view variable) {
    std::erase_if(variables, [&](const std::string& each) { return each == variable; });
  }

  Id primary() {
    skip_space();
    if (rest_.empty()) return refuse("the expression ends too early");
    const char c = rest_.front();
    if (take("(")) {
      const Id inner = conditional();
      expect(")");
      return inner;
    }
    if (take("[")) return list();
    if (take("{")) return map();
    if (is_digit(c) || (c == '.' && rest_.size() > 1 && is_digit(rest_[1]))) return number();
    if (c == '"' || c == '\'') return string(false);
    if ((c == 'r' || c == 'R') && rest_.size() > 1 && (rest_[1] == '"' || rest_[1] == '\'')) {
      rest_.remove_prefix(1);
      return string(true);
    }
    if ((c == 'b' || c == 'B') && rest_.size() > 1 && (rest_[1] == '"' || rest_[1] == '\'')) {
      return refuse("bytes are not supported");
    }
    return identifier();
  }

  Id literal(Value::Kind kind, std::int64_t integer, double value = 0, std::string text = {}) {
    Node node{.op = Node::Op::Literal, .name = std::move(text), .other = {}};
    node.integer = integer;
    node.number = value;
    node.literal = static_cast<std::uint8_t>(kind);
    return add(std::move(node));
  }

  Id identifier() {
    take(".");
    std::string word = name();
    if (problem) return 0;
    if (word == "true" || word == "false") return literal(Value::Kind::Bool, word == "true" ? 1 : 0);
    if (word == "null") return literal(Value::Kind::Null, 0);
    if (next_is("(")) {
      take("(");
      if (word == "has") return has();
      return function(std::move(word), false, arguments());
    }
    const bool local = std::find(scope_.begin(), scope_.end(), word) != scope_.end();
    if (!local && std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes)) {
      return literal(Value::Kind::Type, 0, 0, std::move(word));
    }
    if (!local && std::find(variables.begin(), variables.end(), word) == variables.end())
      variables.push_back(word);
    return add(Node::Op::Variable, {}, std::move(word));
  }

  Id has() {
    const Id argument = conditional();
    expect(")");
    if (problem) return 0;
    if (nodes[argument].op != Node::Op::Select) return refuse("has() takes a field");
    nodes[argument].op = Node::Op::Has;
    return argument;
  }

  Id list() {
    std::vector<Id> items;
    while (!problem && !next_is("]")) {
      if (next_is("?")) return refuse("optional elements are not supported");
      items.push_back(conditional());
      if (!take(",")) break;
    }
    expect("]");
    return add(Node::Op::List, std::move(items));
  }

  Id map() {
    std::vector<Id> items;
    while (!problem && !next_is("}")) {
      if (next_is("?")) return refuse("optional entries are not supported");
      items.push_back(conditional());
      expect(":");
      items.push_back(conditional());
      if (!take(",")) break;
    }
    expect("}");
    return add(Node::Op::Map, std::move(items));
  }

  Id number() {
    std::size_t end = rest_[0] == '-' ? 1 : 0;
    const bool hexadecimal = rest_.substr(end).starts_with("0x") || rest_.substr(end).starts_with("0X");
    if (hexadecimal) {
      std::size_t stop = end + 2;
      while (stop < rest_.size() && (is_digit(rest_[stop]) || (rest_[stop] >= 'a' && rest_[stop] <= 'f') ||
                                     (rest_[stop] >= 'A' && rest_[stop] <= 'F')))
        ++stop;
      std::int64_t value = 0;
      const auto done = std::from_chars(rest_.data() + end + 2, rest_.data() + stop, value, 16);
      if (done.ec != std::errc() || stop == end + 2) return refuse("a bad number");
      const bool negative = end == 1;
      rest_.remove_prefix(stop);
      return literal(Value::Kind::Int, negative ? -value : value);
    }
    bool real = false;
    while (end < rest_.size()) {
      const char c = rest_[end];
      if (c == '.' && end + 1 < rest_.size() && is_digit(rest_[end + 1])) {
        real = true;
      } else if ((c == 'e' || c == 'E') && end + 1 < rest_.size()) {
        real = true;
        if (rest_[end + 1] == '+' || rest_[end + 1] == '-') ++end;
      } else if (!is_digit(c)) {
        break;
      }
      ++end;
    }
    const std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end);
    if (real) {
      double value = 0;
      const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
      if (done.ec != std::errc() || done.ptr != text.data() + text.size()) return refuse("a bad number");
      return literal(Value::Kind::Double, 0, value);
    }
    std::int64_t value = 0;
    const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
    if (done.ec != std::errc() || done.ptr != text.data() + text.size()) return refuse("a bad number");
    if (!rest_.empty() && (rest_.front() == 'u' || rest_.front() == 'U')) {
      rest_.remove_prefix(1);
      return literal(Value::Kind::Uint, value);
    }
    return literal(Value::Kind::Int, value);
  }

  Id string(bool raw) {
    const char quote = rest_.front();
    const std::string triple(3, quote);
    const bool long_form = rest_.starts_with(triple);
    rest_.remove_prefix(long_form ? 3 : 1);
    std::string text;
    while (true) {
      if (rest_.empty()) return refuse("a string without an end");
      if (long_form ? rest_.starts_with(triple) : rest_.front() == quote) break;
      const char c = rest_.front();
      if (c == '\n' && !long_form) return refuse("a string without an end");
      rest_.remove_prefix(1);
      if (c != '\\' || raw) {
        text += c;
      } else if (!escape(text)) {
        return refuse("an escape that is not known");
      }
    }
    rest_.remove_prefix(long_form ? 3 : 1);
    return literal(Value::Kind::String, 0, 0, std::move(text));
  }

  bool escape(std::string& text) {
    if (rest_.empty()) return false;
    const char c = rest_.front();
    rest_.remove_prefix(1);
    static constexpr std::string_view kFrom = "abfnrtv\\'\"`?", kTo = "\a\b\f\n\r\t\v\\'\"`?";
    if (const std::size_t at = kFrom.find(c); at != std::string_view::npos) {
      text += kTo[at];
      return true;
    }
    const std::size_t digits = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    if (digits == 0 || rest_.size() < digits) return false;
    std::uint32_t rune = 0;
    const auto done = std::from_chars(rest_.data(), rest_.data() + digits, rune, 16);
    if (done.ec != std::errc() || done.ptr != rest_.data() + digits || rune > 0x10ffff) return false;
    rest_.remove_prefix(digits);
    append_utf8(text, rune);
    return true;
  }

  std::string_view rest_;
  std::vector<std::string> scope_;
  int depth_ = 0;
};

}  // namespace

Expression::Expression() = default;
Expression::Expression(const Expression&) = default;
Expression::Expression(Expression&&) noexcept = default;
Expression& Expression::operator=(const Expression&) = default;
Expression& Expression::operator=(Expression&&) noexcept = default;
Expression::~Expression() = default;

bool Expression::reads(std::string_view variable) const {
  return std::find(variables_.begin(), variables_.end(), variable) != variables_.end();
}

Result<Expression> compile(std::string_view text) {
  Parser parser(text);
  parser.parse();
  if (parser.problem) return Error{"unsupported expression: " + *parser.problem};
  Expression expression;
  expression.nodes_ = std::move(parser.nodes);
  expression.variables_ = std::move(parser.variables);
  return expression;
}

}  // namespace tamp::world::api::cel

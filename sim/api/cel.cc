// Evaluation. Errors are values: && and || look past one if the other side decides, as the language says.
#include "sim/api/cel.h"

#include <limits>
#include <optional>

#include "sim/api/cel_value.h"

namespace tamp::world::api::cel {
namespace {

constexpr std::size_t kMostSteps = 200'000;
// Long chains of operators nest to the left.
constexpr int kMostNesting = 300;

}  // namespace

struct Evaluation {
  using Op = Node::Op;

  const std::vector<Node>& nodes;
  const std::vector<Binding>& bindings;
  std::vector<std::pair<std::string_view, Value>> scope = {};
  std::size_t steps = 0;
  int depth = 0;

  Evaluation(const Expression& expression, const std::vector<Binding>& given)
      : nodes(expression.nodes_), bindings(given) {}

  Value whole() {
    return nodes.empty() ? fail("no expression") : run(static_cast<std::uint32_t>(nodes.size() - 1));
  }

  Value variable(std::string_view name) const {
    for (auto it = scope.rbegin(); it != scope.rend(); ++it) {
      if (it->first == name) return it->second;
    }
    for (const Binding& binding : bindings) {
      if (binding.name == name) return of(*binding.value);
    }
    return fail("no such attribute: " + std::string(name));
  }

  static Value literal(const Node& node) {
    Value value;
    value.kind = static_cast<Value::Kind>(node.literal);
    value.integer = node.integer;
    value.number = node.number;
    value.text = node.name;
    return value;
  }

  // A field of a map, or of what an optional holds, which makes the result optional.
  static Value select(const Value& target, const Value& key, bool optional) {
    if (target.error()) return target;
    if (target.is(Value::Kind::Optional)) {
      if (target.items.empty()) return none();
      return select(target.items[0], key, true);
    }
    if (target.is(Value::Kind::List)) {
      if (!key.numeric()) return fail("no such overload");
      const std::int64_t index =
          key.is(Value::Kind::Double) ? static_cast<std::int64_t>(key.number) : key.integer;
      if (index < 0 || static_cast<std::size_t>(index) >= size_of(target)) {
        return optional ? none() : fail("index out of bounds: " + std::to_string(index));
      }
      Value found = element(target, static_cast<std::size_t>(index));
      return optional ? some(std::move(found)) : found;
    }
    if (!target.is(Value::Kind::Map)) return fail("no such overload");
    if (optional && !has_member(target, key)) return none();
    Value found = member(target, key);
    return optional ? some(std::move(found)) : found;
  }

  Value run(std::uint32_t id) {
    if (++steps > kMostSteps) return fail("the expression takes too long");
    if (++depth > kMostNesting) {
      --depth;
      return fail("the expression is nested too deep");
    }
    Value result = step(id);
    --depth;
    return result;
  }

  Value step(std::uint32_t id) {
    const Node& node = nodes[id];
    const auto child = [&](std::size_t i) { return run(node.children[i]); };
    switch (node.op) {
      case Op::Literal:
        return literal(node);
      case Op::Variable:
        return variable(node.name);
      case Op::Select:
        return select(child(0), of(std::string_view(node.name)), false);
      case Op::OptSelect:
        return select(child(0), of(std::string_view(node.name)), true);
      case Op::Has:
        return has(child(0), node.name);
      case Op::Index:
      case Op::OptIndex: {
        const Value target = child(0), index = child(1);
        if (target.error()) return target;
        return index.error() ? index : select(target, index, node.op == Op::OptIndex);
      }
      case Op::Call:
        return call_function(node);
      case Op::List:
      case Op::Map:
        return collection(node);
      case Op::Not: {
        const Value value = child(0);
        if (value.error()) return value;
        return value.is(Value::Kind::Bool) ? of(value.integer == 0) : fail("no such overload");
      }
      case Op::Negate:
        return negate(child(0));
      case Op::Add:
      case Op::Subtract:
      case Op::Multiply:
      case Op::Divide:
      case Op::Modulo:
        return arithmetic(node.op, child(0), child(1));
      case Op::Less:
      case Op::LessEqual:
      case Op::Greater:
      case Op::GreaterEqual:
      case Op::Equal:
      case Op::NotEqual:
      case Op::In:
        return relation(node.op, child(0), child(1));
      case Op::And:
        return decide(child(0), node.children[1], false);
      case Op::Or:
        return decide(child(0), node.children[1], true);
      case Op::Conditional: {
        const Value condition = child(0);
        if (condition.error()) return condition;
        if (!condition.is(Value::Kind::Bool)) return fail("no such overload");
        return child(condition.truth() ? 1 : 2);
      }
      case Op::All:
      case Op::Exists:
        return quantified(node);
      case Op::ExistsOne:
      case Op::MapMacro:
      case Op::MapFilter:
      case Op::Filter:
        return collected(node);
      case Op::Bind:
        return with(node.name, child(0), node.children[1]);
      case Op::OptMap:
      case Op::OptFlatMap: {
        Value target = child(0);
        if (target.error()) return target;
        if (!target.is(Value::Kind::Optional)) return fail("no such overload");
        if (target.items.empty()) return none();
        Value result = with(node.name, std::move(target.items[0]), node.children[1]);
        return result.error() || node.op == Op::OptFlatMap ? result : some(std::move(result));
      }
    }
    return fail("no such operation");
  }

  Value with(std::string_view name, Value value, std::uint32_t body) {
    if (value.error()) return value;
    scope.emplace_back(name, std::move(value));
    Value result = run(body);
    scope.pop_back();
    return result;
  }

  static Value has(const Value& target, std::string_view name) {
    if (target.error()) return target;
    if (target.is(Value::Kind::Optional)) {
      return target.items.empty() ? of(false) : has(target.items[0], name);
    }
    if (!target.is(Value::Kind::Map)) return fail("no such overload");
    // A null that may stand there counts as nothing.
    return of(has_member(target, of(name)) && !member(target, of(name)).is(Value::Kind::Null));
  }

  Value call_function(const Node& node) {
    std::vector<Value> arguments;
    for (std::uint32_t id : node.children) {
      arguments.push_back(run(id));
      if (arguments.back().error()) return arguments.back();
    }
    return call(node.name, node.method, arguments);
  }

  Value collection(const Node& node) {
    Value result = list_of({});
    if (node.op == Op::Map) result.kind = Value::Kind::Map;
    for (std::uint32_t id : node.children) {
      result.items.push_back(run(id));
      if (result.items.back().error()) return result.items.back();
    }
    return result;
  }

  // `deciding`: the value that decides alone, true for || and false for &&.
  Value decide(const Value& left, std::uint32_t right_id, bool deciding) {
    if (left.is(Value::Kind::Bool) && left.truth() == deciding) return left;
    const Value right = run(right_id);
    if (right.is(Value::Kind::Bool) && right.truth() == deciding) return right;
    if (left.error()) return left;
    if (right.error()) return right;
    if (!left.is(Value::Kind::Bool) || !right.is(Value::Kind::Bool)) return fail("no such overload");
    return of(!deciding);
  }

  static Value negate(const Value& value) {
    if (value.error()) return value;
    if (value.is(Value::Kind::Double)) return of(-value.number);
    if (!value.is(Value::Kind::Int)) return fail("no such overload");
    if (value.integer == std::numeric_limits<std::int64_t>::min()) return fail("integer overflow");
    return of(-value.integer);
  }

  static Value relation(Op op, const Value& a, const Value& b) {
    if (a.error()) return a;
    if (b.error()) return b;
    if (op == Op::Equal) return of(equal(a, b));
    if (op == Op::NotEqual) return of(!equal(a, b));
    if (op == Op::In) {
      if (b.is(Value::Kind::Map)) return of(has_member(b, a));
      if (!b.is(Value::Kind::List)) return fail("no such overload");
      for (std::size_t i = 0; i < size_of(b); ++i) {
        if (equal(element(b, i), a)) return of(true);
      }
      return of(false);
    }
    Value problem;
    const int order = compare(a, b, problem);
    if (problem.error()) return problem;
    switch (op) {
      case Op::Less:
        return of(order < 0);
      case Op::LessEqual:
        return of(order <= 0);
      case Op::Greater:
        return of(order > 0);
      default:
        return of(order >= 0);
    }
  }

  static Value arithmetic(Op op, const Value& a, const Value& b) {
    if (a.error()) return a;
    if (b.error()) return b;
    using Kind = Value::Kind;
    if (op == Op::Add && a.is(Kind::String) && b.is(Kind::String))
      return of(std::string_view(a.text + b.text));
    if (op == Op::Add && a.is(Kind::List) && b.is(Kind::List)) {
      std::vector<Value> items = range_of(a);
      for (Value& item : range_of(b)) items.push_back(std::move(item));
      return list_of(std::move(items));
    }
    const bool times =
        (a.is(Kind::Duration) || a.is(Kind::Timestamp)) && (b.is(Kind::Duration) || b.is(Kind::Timestamp));
    if (times && (op == Op::Add || op == Op::Subtract)) return moved(op, a, b);
    if (!a.numeric() || !b.numeric()) return fail("no such overload");
    if (a.is(Kind::Double) || b.is(Kind::Double)) {
      const double x = a.is(Kind::Double) ? a.number : static_cast<double>(a.integer);
      const double y = b.is(Kind::Double) ? b.number : static_cast<double>(b.integer);
      switch (op) {
        case Op::Add:
          return of(x + y);
        case Op::Subtract:
          return of(x - y);
        case Op::Multiply:
          return of(x * y);
        case Op::Divide:
          return of(x / y);
        default:
          return fail("no such overload");
      }
    }
    std::int64_t result = 0;
    bool overflow = false;
    switch (op) {
      case Op::Add:
        overflow = __builtin_add_overflow(a.integer, b.integer, &result);
        break;
      case Op::Subtract:
        overflow = __builtin_sub_overflow(a.integer, b.integer, &result);
        break;
      case Op::Multiply:
        overflow = __builtin_mul_overflow(a.integer, b.integer, &result);
        break;
      default:
        if (b.integer == 0) return fail(op == Op::Divide ? "division by zero" : "modulus by zero");
        if (b.integer == -1) {
          overflow = op == Op::Divide && __builtin_sub_overflow(std::int64_t{0}, a.integer, &result);
          break;
        }
        result = op == Op::Divide ? a.integer / b.integer : a.integer % b.integer;
    }
    if (overflow) return fail("integer overflow");
    Value value = of(result);
    if (a.is(Kind::Uint)) value.kind = Kind::Uint;
    return value;
  }

  static Value moved(Op op, const Value& a, const Value& b) {
    std::int64_t result = 0;
    const bool overflow = op == Op::Add ? __builtin_add_overflow(a.integer, b.integer, &result)
                                        : __builtin_sub_overflow(a.integer, b.integer, &result);
    if (overflow) return fail("duration overflow");
    const bool moments = a.is(Value::Kind::Timestamp) != b.is(Value::Kind::Timestamp);
    Value value = duration_of(result);
    if (moments) value.kind = Value::Kind::Timestamp;
    return value;
  }

  // Calls `see` with the variables set, until it says no; an error if the range is none.
  template <typename See>
  std::optional<Value> each(const Node& node, See see) {
    const Value range = run(node.children[0]);
    if (range.error()) return range;
    if (!range.is(Value::Kind::List) && !range.is(Value::Kind::Map)) return fail("no such overload");
    std::int64_t index = 0;
    for (Value& item : range_of(range)) {
      const bool pair = !node.other.empty();
      Value second = !pair ? Value() : range.is(Value::Kind::Map) ? member(range, item) : item;
      if (pair && range.is(Value::Kind::List)) item = of(index);
      ++index;
      scope.emplace_back(node.name, item);
      if (pair) scope.emplace_back(node.other, std::move(second));
      const bool go_on = see(item);
      scope.resize(scope.size() - (pair ? 2 : 1));
      if (!go_on) break;
    }
    return {};
  }

  Value quantified(const Node& node) {
    const bool deciding = node.op == Op::Exists;
    Value result = of(!deciding);
    auto problem = each(node, [&](const Value&) {
      Value verdict = run(node.children[1]);
      if (verdict.is(Value::Kind::Bool)) {
        if (verdict.truth() != deciding) return true;
        result = of(deciding);
        return false;
      }
      // Another element may still decide.
      if (!result.error()) result = verdict.error() ? verdict : fail("no such overload");
      return true;
    });
    return problem ? *std::move(problem) : result;
  }

  Value collected(const Node& node) {
    std::vector<Value> items;
    Value wrong;
    std::int64_t count = 0;
    auto problem = each(node, [&](const Value& item) {
      Value verdict = run(node.children[1]);
      if (node.op == Op::MapMacro) {
        if (verdict.error()) wrong = verdict;
        items.push_back(std::move(verdict));
        return !wrong.error();
      }
      if (!verdict.is(Value::Kind::Bool)) {
        wrong = verdict.error() ? verdict : fail("no such overload");
        return false;
      }
      if (!verdict.truth()) return true;
      ++count;
      if (node.op == Op::Filter) items.push_back(item);
      if (node.op == Op::MapFilter) {
        items.push_back(run(node.children[2]));
        if (items.back().error()) wrong = items.back();
      }
      return !wrong.error();
    });
    if (problem) return *std::move(problem);
    if (wrong.error()) return wrong;
    return node.op == Op::ExistsOne ? of(count == 1) : list_of(std::move(items));
  }
};

Result<wire::Tree> evaluate(const Expression& expression, const std::vector<Binding>& bindings) {
  const Value value = Evaluation(expression, bindings).whole();
  if (value.error()) return Error{value.text};
  return to_tree(value);
}

Result<bool> evaluate_bool(const Expression& expression, const std::vector<Binding>& bindings) {
  const Value value = Evaluation(expression, bindings).whole();
  if (value.error()) return Error{value.text};
  if (!value.is(Value::Kind::Bool)) return Error{"the expression is not true or false"};
  return value.truth();
}

}  // namespace tamp::world::api::cel

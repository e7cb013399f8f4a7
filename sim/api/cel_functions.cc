// The functions and methods of the expression language.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/time.h"
#include "sim/api/cel_value.h"
#include "sim/api/pattern.h"
#include "wire/quantity.h"

namespace tamp::world::api::cel {
namespace {

using Kind = Value::Kind;
using Arguments = std::vector<Value>;

const char* const kNoOverload = "no such overload";

// Code points, in which the language counts.
std::vector<std::string> runes(std::string_view text) {
  std::vector<std::string> result;
  for (char c : text) {
    if ((static_cast<std::uint8_t>(c) & 0xc0) != 0x80 || result.empty()) result.emplace_back();
    result.back() += c;
  }
  return result;
}

std::string join(const std::vector<std::string>& parts, std::size_t from, std::size_t to) {
  std::string result;
  for (std::size_t i = from; i < to; ++i) result += parts[i];
  return result;
}

bool all_strings(const Arguments& a) {
  return std::all_of(a.begin(), a.end(), [](const Value& v) { return v.is(Kind::String); });
}

Value size(const Arguments& a) {
  if (a[0].is(Kind::String)) return of(static_cast<std::int64_t>(runes(a[0].text).size()));
  if (a[0].is(Kind::List) || a[0].is(Kind::Map)) return of(static_cast<std::int64_t>(size_of(a[0])));
  return fail(kNoOverload);
}

Value matches(const Arguments& a) {
  if (!all_strings(a)) return fail(kNoOverload);
  auto pattern = Pattern::compile(a[1].text);
  if (!pattern.ok()) return fail(pattern.error().message);
  return of(pattern->matches(a[0].text));
}

Value find(const Arguments& a) {
  if (!all_strings(a)) return fail(kNoOverload);
  auto pattern = Pattern::compile(a[1].text);
  if (!pattern.ok()) return fail(pattern.error().message);
  return of(pattern->find(a[0].text).value_or(std::string_view()));
}

Value contains(const Arguments& a) {
  return all_strings(a) ? of(a[0].text.find(a[1].text) != std::string::npos) : fail(kNoOverload);
}
Value starts_with(const Arguments& a) {
  return all_strings(a) ? of(a[0].text.starts_with(a[1].text)) : fail(kNoOverload);
}
Value ends_with(const Arguments& a) {
  return all_strings(a) ? of(a[0].text.ends_with(a[1].text)) : fail(kNoOverload);
}

Value with_case(const Arguments& a, char from, char to, int by) {
  if (!a[0].is(Kind::String)) return fail(kNoOverload);
  Value result = a[0];
  for (char& c : result.text) {
    if (c >= from && c <= to) c = static_cast<char>(c + by);
  }
  return result;
}
Value lower(const Arguments& a) { return with_case(a, 'A', 'Z', 'a' - 'A'); }
Value upper(const Arguments& a) { return with_case(a, 'a', 'z', 'A' - 'a'); }

Value trim(const Arguments& a) {
  if (!a[0].is(Kind::String)) return fail(kNoOverload);
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  std::string_view text = a[0].text;
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return of(std::string_view());
  return of(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

Value replace(const Arguments& a) {
  if (!a[0].is(Kind::String) || !a[1].is(Kind::String) || !a[2].is(Kind::String)) return fail(kNoOverload);
  if (a.size() > 3 && !a[3].is(Kind::Int)) return fail(kNoOverload);
  std::int64_t left = a.size() > 3 ? a[3].integer : -1;
  if (a[1].text.empty()) return left == 0 ? a[0] : fail("replacing nothing is not supported");
  std::string result;
  std::string_view rest = a[0].text;
  while (left != 0) {
    const std::size_t at = rest.find(a[1].text);
    if (at == std::string_view::npos) break;
    result.append(rest.substr(0, at)).append(a[2].text);
    rest.remove_prefix(at + a[1].text.size());
    --left;
  }
  result.append(rest);
  return of(std::string_view(result));
}

Value split(const Arguments& a) {
  if (!a[0].is(Kind::String) || !a[1].is(Kind::String)) return fail(kNoOverload);
  if (a.size() > 2 && !a[2].is(Kind::Int)) return fail(kNoOverload);
  const std::int64_t most = a.size() > 2 ? a[2].integer : -1;
  std::vector<Value> parts;
  if (most == 0) return list_of(std::move(parts));
  std::string_view rest = a[0].text;
  if (a[1].text.empty()) {
    for (const std::string& rune : runes(rest)) parts.push_back(of(std::string_view(rune)));
    return list_of(std::move(parts));
  }
  while (most < 0 || static_cast<std::int64_t>(parts.size()) + 1 < most) {
    const std::size_t at = rest.find(a[1].text);
    if (at == std::string_view::npos) break;
    parts.push_back(of(rest.substr(0, at)));
    rest.remove_prefix(at + a[1].text.size());
  }
  parts.push_back(of(rest));
  return list_of(std::move(parts));
}

Value join_list(const Arguments& a) {
  if (!a[0].is(Kind::List) || (a.size() > 1 && !a[1].is(Kind::String))) return fail(kNoOverload);
  std::string result;
  for (std::size_t i = 0; i < size_of(a[0]); ++i) {
    const Value part = element(a[0], i);
    if (!part.is(Kind::String)) return fail(kNoOverload);
    if (i > 0 && a.size() > 1) result += a[1].text;
    result += part.text;
  }
  return of(std::string_view(result));
}

Value substring(const Arguments& a) {
  if (!a[0].is(Kind::String) || !a[1].is(Kind::Int) || !a.back().is(Kind::Int)) return fail(kNoOverload);
  const std::vector<std::string> all = runes(a[0].text);
  const std::int64_t length = static_cast<std::int64_t>(all.size());
  const std::int64_t from = a[1].integer, to = a.size() > 2 ? a[2].integer : length;
  if (from < 0 || from > length || to < from || to > length)
    return fail("index out of range: " + std::to_string(from));
  return of(std::string_view(join(all, static_cast<std::size_t>(from), static_cast<std::size_t>(to))));
}

Value char_at(const Arguments& a) {
  if (!a[0].is(Kind::String) || !a[1].is(Kind::Int)) return fail(kNoOverload);
  const std::vector<std::string> all = runes(a[0].text);
  const std::int64_t at = a[1].integer;
  if (at < 0 || at > static_cast<std::int64_t>(all.size()))
    return fail("index out of range: " + std::to_string(at));
  return of(
      std::string_view(at == static_cast<std::int64_t>(all.size()) ? "" : all[static_cast<std::size_t>(at)]));
}

Value index_of(const Arguments& a, bool last) {
  if (a[0].is(Kind::List)) {
    std::int64_t found = -1;
    for (std::size_t i = 0; i < size_of(a[0]) && (last || found < 0); ++i) {
      if (equal(element(a[0], i), a[1])) found = static_cast<std::int64_t>(i);
    }
    return of(found);
  }
  if (!all_strings(a)) return fail(kNoOverload);
  const std::size_t at = last ? a[0].text.rfind(a[1].text) : a[0].text.find(a[1].text);
  if (at == std::string::npos) return of(std::int64_t{-1});
  return of(static_cast<std::int64_t>(runes(std::string_view(a[0].text).substr(0, at)).size()));
}
Value first_index(const Arguments& a) { return index_of(a, false); }
Value last_index(const Arguments& a) { return index_of(a, true); }

// ---- lists

Value extreme(const Arguments& a, int sign) {
  if (!a[0].is(Kind::List)) return fail(kNoOverload);
  if (size_of(a[0]) == 0) return fail("the list is empty");
  Value best = element(a[0], 0), problem;
  for (std::size_t i = 1; i < size_of(a[0]); ++i) {
    const Value each = element(a[0], i);
    if (compare(each, best, problem) * sign > 0) best = each;
  }
  return problem.error() ? problem : best;
}
Value least(const Arguments& a) { return extreme(a, -1); }
Value most(const Arguments& a) { return extreme(a, 1); }

Value is_sorted(const Arguments& a) {
  if (!a[0].is(Kind::List)) return fail(kNoOverload);
  Value problem;
  bool sorted = true;
  for (std::size_t i = 1; i < size_of(a[0]); ++i)
    sorted &= compare(element(a[0], i - 1), element(a[0], i), problem) <= 0;
  return problem.error() ? problem : of(sorted);
}

Value sum(const Arguments& a) {
  if (!a[0].is(Kind::List)) return fail(kNoOverload);
  std::int64_t whole = 0;
  double real = 0;
  bool exact = true;
  for (const Value& each : range_of(a[0])) {
    if (!each.numeric()) return fail(kNoOverload);
    if (each.is(Kind::Double)) {
      exact = false;
      real += each.number;
    } else if (__builtin_add_overflow(whole, each.integer, &whole)) {
      return fail("integer overflow");
    }
  }
  return exact ? of(whole) : of(real + static_cast<double>(whole));
}

Value distinct(const Arguments& a) {
  if (!a[0].is(Kind::List)) return fail(kNoOverload);
  std::vector<Value> kept;
  for (Value& each : range_of(a[0])) {
    if (std::none_of(kept.begin(), kept.end(), [&](const Value& k) { return equal(k, each); }))
      kept.push_back(std::move(each));
  }
  return list_of(std::move(kept));
}

Value slice(const Arguments& a) {
  if (!a[0].is(Kind::List) || !a[1].is(Kind::Int) || !a[2].is(Kind::Int)) return fail(kNoOverload);
  std::vector<Value> all = range_of(a[0]);
  const std::int64_t from = a[1].integer, to = a[2].integer;
  if (from < 0 || to < from || to > static_cast<std::int64_t>(all.size())) return fail("index out of range");
  return list_of({all.begin() + from, all.begin() + to});
}

// ---- conversions

Value to_int(const Arguments& a) {
  const Value& v = a[0];
  switch (v.kind) {
    case Kind::Int:
      return v;
    case Kind::Uint:
      return of(v.integer);
    case Kind::Double:
      if (!(std::abs(v.number) < 0x1p63)) return fail("integer overflow");
      return of(static_cast<std::int64_t>(v.number));
    case Kind::Timestamp:
      return of(Time{v.integer}.unix_seconds());
    case Kind::String: {
      std::int64_t result = 0;
      const char* begin = v.text.data();
      const char* end = begin + v.text.size();
      if (v.text.size() > 1 && v.text[0] == '+') ++begin;
      const auto done = std::from_chars(begin, end, result);
      if (done.ec != std::errc() || done.ptr != end)
        return fail("type conversion error from 'string' to 'int'");
      return of(result);
    }
    default:
      return fail(kNoOverload);
  }
}

Value to_double(const Arguments& a) {
  const Value& v = a[0];
  if (v.is(Kind::Double)) return v;
  if (v.numeric()) return of(static_cast<double>(v.integer));
  if (!v.is(Kind::String)) return fail(kNoOverload);
  double result = 0;
  const auto done = std::from_chars(v.text.data(), v.text.data() + v.text.size(), result);
  if (done.ec != std::errc() || done.ptr != v.text.data() + v.text.size()) {
    return fail("type conversion error from 'string' to 'double'");
  }
  return of(result);
}

Value to_string(const Arguments& a) {
  const Value& v = a[0];
  switch (v.kind) {
    case Kind::String:
      return v;
    case Kind::Bool:
      return of(std::string_view(v.truth() ? "true" : "false"));
    case Kind::Int:
      return of(std::string_view(std::to_string(v.integer)));
    case Kind::Uint:
      return of(std::string_view(std::to_string(static_cast<std::uint64_t>(v.integer))));
    case Kind::Double:
    case Kind::Timestamp: {
      const Tree tree = to_tree(v);
      return of(std::string_view(v.is(Kind::Double) ? wire::to_json(tree) : std::string(tree.string())));
    }
    case Kind::Duration: {
      // As protobuf writes them: "90s", "1.5s".
      std::string text = std::to_string(v.integer / 1'000'000'000);
      if (std::int64_t fraction = std::abs(v.integer % 1'000'000'000); fraction != 0) {
        std::string digits = std::to_string(fraction);
        digits.insert(0, 9 - digits.size(), '0');
        digits.erase(digits.find_last_not_of('0') + 1);
        text += "." + digits;
      }
      return of(std::string_view(text + "s"));
    }
    default:
      return fail(kNoOverload);
  }
}

Value to_bool(const Arguments& a) {
  if (a[0].is(Kind::Bool)) return a[0];
  if (!a[0].is(Kind::String)) return fail(kNoOverload);
  for (std::string_view yes : {"true", "True", "TRUE", "t", "1"}) {
    if (a[0].text == yes) return of(true);
  }
  for (std::string_view no : {"false", "False", "FALSE", "f", "0"}) {
    if (a[0].text == no) return of(false);
  }
  return fail("type conversion error from 'string' to 'bool'");
}

Value to_duration(const Arguments& a) {
  if (a[0].is(Kind::Duration)) return a[0];
  if (!a[0].is(Kind::String)) return fail(kNoOverload);
  auto parsed = parse_go_duration(a[0].text);
  return parsed.ok() ? duration_of(parsed->ns)
                     : fail("type conversion error from 'string' to 'google.protobuf.Duration'");
}

Value to_timestamp(const Arguments& a) {
  if (a[0].is(Kind::Timestamp)) return a[0];
  if (!a[0].is(Kind::String)) return fail(kNoOverload);
  auto parsed = parse_rfc3339(a[0].text);
  if (!parsed.ok()) return fail("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  Value value = duration_of(parsed->ns);
  value.kind = Kind::Timestamp;
  return value;
}

Value same(const Arguments& a) { return a[0]; }

Value type_of(const Arguments& a) {
  Value value;
  value.kind = Kind::Type;
  value.text = type_name(a[0]);
  return value;
}

Value in_units(const Arguments& a, std::int64_t unit) {
  return a[0].is(Kind::Duration) ? of(a[0].integer / unit) : fail(kNoOverload);
}
Value hours(const Arguments& a) { return in_units(a, 3'600'000'000'000); }
Value minutes(const Arguments& a) { return in_units(a, 60'000'000'000); }
Value seconds(const Arguments& a) { return in_units(a, 1'000'000'000); }
Value milliseconds(const Arguments& a) { return in_units(a, 1'000'000); }

// ---- quantities

Value quantity(const Arguments& a) {
  if (!a[0].is(Kind::String)) return fail(kNoOverload);
  auto parsed = wire::parse_quantity(a[0].text);
  if (!parsed.ok()) return fail(parsed.error().message);
  Value value = of(std::string_view(parsed->canonical()));
  value.kind = Kind::Quantity;
  return value;
}
Value is_quantity(const Arguments& a) {
  return a[0].is(Kind::String) ? of(wire::parse_quantity(a[0].text).ok()) : fail(kNoOverload);
}
Value compared(const Arguments& a, int& order) {
  if (!a[0].is(Kind::Quantity) || !a[1].is(Kind::Quantity)) return fail(kNoOverload);
  Value problem;
  order = compare(a[0], a[1], problem);
  return problem;
}
Value is_greater(const Arguments& a) {
  int order = 0;
  Value problem = compared(a, order);
  return problem.error() ? problem : of(order > 0);
}
Value is_less(const Arguments& a) {
  int order = 0;
  Value problem = compared(a, order);
  return problem.error() ? problem : of(order < 0);
}
Value compare_to(const Arguments& a) {
  int order = 0;
  Value problem = compared(a, order);
  return problem.error() ? problem : of(static_cast<std::int64_t>(order));
}

// ---- optionals

Value or_value(const Arguments& a) {
  if (!a[0].is(Kind::Optional)) return fail(kNoOverload);
  return a[0].items.empty() ? a[1] : a[0].items[0];
}
Value or_else(const Arguments& a) {
  if (!a[0].is(Kind::Optional) || !a[1].is(Kind::Optional)) return fail(kNoOverload);
  return a[0].items.empty() ? a[1] : a[0];
}
Value has_value(const Arguments& a) {
  return a[0].is(Kind::Optional) ? of(!a[0].items.empty()) : fail(kNoOverload);
}
Value value_of(const Arguments& a) {
  if (!a[0].is(Kind::Optional)) return fail(kNoOverload);
  return a[0].items.empty() ? fail("optional.none() dereference") : a[0].items[0];
}
Value optional_of(const Arguments& a) { return some(a[0]); }
Value optional_none(const Arguments&) { return none(); }

struct Function {
  std::string_view name;
  bool method;
  std::size_t fewest, most;
  Value (*run)(const Arguments&);
};

constexpr Function kFunctions[] = {
    {"size", false, 1, 1, size},
    {"size", true, 1, 1, size},
    {"matches", false, 2, 2, matches},
    {"matches", true, 2, 2, matches},
    {"find", true, 2, 2, find},
    {"contains", true, 2, 2, contains},
    {"startsWith", true, 2, 2, starts_with},
    {"endsWith", true, 2, 2, ends_with},
    {"lowerAscii", true, 1, 1, lower},
    {"upperAscii", true, 1, 1, upper},
    {"trim", true, 1, 1, trim},
    {"replace", true, 3, 4, replace},
    {"split", true, 2, 3, split},
    {"join", true, 1, 2, join_list},
    {"substring", true, 2, 3, substring},
    {"charAt", true, 2, 2, char_at},
    {"indexOf", true, 2, 2, first_index},
    {"lastIndexOf", true, 2, 2, last_index},
    {"min", true, 1, 1, least},
    {"max", true, 1, 1, most},
    {"isSorted", true, 1, 1, is_sorted},
    {"sum", true, 1, 1, sum},
    {"distinct", true, 1, 1, distinct},
    {"slice", true, 3, 3, slice},
    {"int", false, 1, 1, to_int},
    {"double", false, 1, 1, to_double},
    {"string", false, 1, 1, to_string},
    {"bool", false, 1, 1, to_bool},
    {"duration", false, 1, 1, to_duration},
    {"timestamp", false, 1, 1, to_timestamp},
    {"dyn", false, 1, 1, same},
    {"type", false, 1, 1, type_of},
    {"getHours", true, 1, 1, hours},
    {"getMinutes", true, 1, 1, minutes},
    {"getSeconds", true, 1, 1, seconds},
    {"getMilliseconds", true, 1, 1, milliseconds},
    {"quantity", false, 1, 1, quantity},
    {"isQuantity", false, 1, 1, is_quantity},
    {"isGreaterThan", true, 2, 2, is_greater},
    {"isLessThan", true, 2, 2, is_less},
    {"compareTo", true, 2, 2, compare_to},
    {"orValue", true, 2, 2, or_value},
    {"or", true, 2, 2, or_else},
    {"hasValue", true, 1, 1, has_value},
    {"value", true, 1, 1, value_of},
    {"optional.of", false, 1, 1, optional_of},
    {"optional.none", false, 0, 0, optional_none},
};

const Function* find_function(std::string_view name, bool method, std::size_t arguments) {
  for (const Function& each : kFunctions) {
    if (each.name == name && each.method == method && arguments >= each.fewest && arguments <= each.most)
      return &each;
  }
  return nullptr;
}

}  // namespace

Value call(std::string_view name, bool method, const Arguments& arguments) {
  const Function* function = find_function(name, method, arguments.size());
  return function != nullptr ? function->run(arguments) : fail("no such function: " + std::string(name));
}

bool known_function(std::string_view name, bool method, std::size_t arguments) {
  return find_function(name, method, arguments) != nullptr;
}

}  // namespace tamp::world::api::cel

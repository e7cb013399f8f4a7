#include "fit/requirement.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "core/number.h"

namespace tamp::fit {
namespace {

std::optional<std::int64_t> as_integer(std::string_view text) {
  // Go's strconv.Atoi takes a leading '+'.
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  return read_number<std::int64_t>(text);
}

bool within(Symbol value, const std::optional<std::int64_t>& lo, const std::optional<std::int64_t>& hi,
            const Symbols& symbols) {
  if (!lo && !hi) return true;
  auto n = as_integer(symbols.text(value));
  if (!n) return false;
  return (!lo || *n >= *lo) && (!hi || *n <= *hi);
}

template <typename T>
std::optional<T> larger(const std::optional<T>& a, const std::optional<T>& b) {
  if (!a) return b;
  if (!b) return a;
  return std::max(*a, *b);
}

std::optional<std::int64_t> smaller(const std::optional<std::int64_t>& a,
                                    const std::optional<std::int64_t>& b) {
  if (!a) return b;
  if (!b) return a;
  return std::min(*a, *b);
}

bool contains(const std::vector<Symbol>& sorted, Symbol s) {
  return std::binary_search(sorted.begin(), sorted.end(), s);
}

std::size_t mix(std::size_t h, std::size_t v) { return (h ^ v) * 0x9E3779B97F4A7C15ull + (h >> 29); }

std::size_t hash_of(const Requirements& r) {
  std::size_t h = 17;
  for (const auto& i : r) {
    h = mix(h, i.key.value);
    h = mix(h, i.complement ? 2 : 3);
    for (Symbol v : i.values) h = mix(h, v.value);
    h = mix(h, i.at_least ? static_cast<std::size_t>(*i.at_least) + 5 : 1);
    h = mix(h, i.at_most ? static_cast<std::size_t>(*i.at_most) + 7 : 1);
  }
  return h;
}

}  // namespace

bool Requirement::has(Symbol value, const Symbols& symbols) const {
  return contains(values, value) != complement && within(value, at_least, at_most, symbols);
}

Requirement make_requirement(const SelectorRequirement& from, const Symbols& symbols) {
  Requirement r;
  r.key = from.key;
  auto bound = [&] {
    return from.values.empty() ? 0 : as_integer(symbols.text(from.values.front())).value_or(0);
  };
  switch (from.op) {
    case SelectorOp::In:
      r.values = from.values;
      break;
    case SelectorOp::DoesNotExist:
      break;
    case SelectorOp::NotIn:
      r.complement = true;
      r.values = from.values;
      break;
    case SelectorOp::Exists:
      r.complement = true;
      break;
    case SelectorOp::Gt:
      // Nothing is greater than the greatest integer.
      r.complement = bound() != std::numeric_limits<std::int64_t>::max();
      if (r.complement) r.at_least = bound() + 1;
      break;
    case SelectorOp::Lt:
      r.complement = bound() != std::numeric_limits<std::int64_t>::min();
      if (r.complement) r.at_most = bound() - 1;
      break;
    case SelectorOp::Gte:
      r.complement = true;
      r.at_least = bound();
      break;
    case SelectorOp::Lte:
      r.complement = true;
      r.at_most = bound();
      break;
  }
  return r;
}

Requirement exactly(Symbol key, Symbol value) {
  Requirement r;
  r.key = key;
  r.values = {value};
  return r;
}

Requirement intersect(const Requirement& a, const Requirement& b, const Symbols& symbols) {
  Requirement r;
  r.key = a.key;
  r.min_values = larger(a.min_values, b.min_values);
  auto lo = larger(a.at_least, b.at_least);
  auto hi = smaller(a.at_most, b.at_most);
  if (lo && hi && *lo > *hi) return r;

  r.complement = a.complement && b.complement;
  auto out = std::back_inserter(r.values);
  if (a.complement && b.complement)
    std::set_union(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), out);
  else if (a.complement)
    std::set_difference(b.values.begin(), b.values.end(), a.values.begin(), a.values.end(), out);
  else if (b.complement)
    std::set_difference(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), out);
  else
    std::set_intersection(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(), out);
  std::erase_if(r.values, [&](Symbol v) { return !within(v, lo, hi, symbols); });
  if (r.complement) {
    r.at_least = lo;
    r.at_most = hi;
  }
  return r;
}

bool intersects(const Requirement& a, const Requirement& b, const Symbols& symbols) {
  auto lo = larger(a.at_least, b.at_least);
  auto hi = smaller(a.at_most, b.at_most);
  if (lo && hi && *lo > *hi) return false;
  if (a.complement && b.complement) return true;
  const Requirement& finite = a.complement ? b : a;
  const Requirement& other = a.complement ? a : b;
  return std::any_of(finite.values.begin(), finite.values.end(), [&](Symbol v) {
    return contains(other.values, v) != other.complement && within(v, lo, hi, symbols);
  });
}

const Requirement* Requirements::find(Symbol key) const {
  auto it = std::lower_bound(items_.begin(), items_.end(), key,
                             [](const Requirement& r, Symbol k) { return r.key < k; });
  return it != items_.end() && it->key == key ? &*it : nullptr;
}

void Requirements::add(Requirement r, const Symbols& symbols) {
  auto it = std::lower_bound(items_.begin(), items_.end(), r.key,
                             [](const Requirement& x, Symbol k) { return x.key < k; });
  if (it != items_.end() && it->key == r.key)
    *it = intersect(r, *it, symbols);
  else
    items_.insert(it, std::move(r));
}

void Requirements::add(const Requirements& other, const Symbols& symbols) {
  for (const auto& r : other) add(r, symbols);
}

void Requirements::replace(Requirement r) {
  auto it = std::lower_bound(items_.begin(), items_.end(), r.key,
                             [](const Requirement& x, Symbol k) { return x.key < k; });
  if (it != items_.end() && it->key == r.key)
    *it = std::move(r);
  else
    items_.insert(it, std::move(r));
}

bool Requirements::has_min_values() const {
  return std::any_of(items_.begin(), items_.end(),
                     [](const Requirement& r) { return r.min_values.has_value(); });
}

Requirements make_requirements(std::span<const SelectorRequirement> from, const Symbols& symbols) {
  Requirements all;
  all.reserve(from.size());
  for (const SelectorRequirement& r : from) all.add(make_requirement(r, symbols), symbols);
  return all;
}

bool overlap(const Requirements& a, const Requirements& b, const Symbols& symbols) {
  auto x = a.begin();
  auto y = b.begin();
  while (x != a.end() && y != b.end()) {
    if (x->key < y->key) {
      ++x;
    } else if (y->key < x->key) {
      ++y;
    } else {
      // Two sides that both do without the label agree, though their value sets are disjoint.
      if (!intersects(*x, *y, symbols) && !(x->tolerates_absence() && y->tolerates_absence())) return false;
      ++x;
      ++y;
    }
  }
  return true;
}

bool compatible(const Requirements& node, const Requirements& wanted,
                std::span<const Symbol> may_be_undefined, const Symbols& symbols) {
  for (const auto& w : wanted) {
    if (w.tolerates_absence() || node.find(w.key) != nullptr) continue;
    if (!std::binary_search(may_be_undefined.begin(), may_be_undefined.end(), w.key)) return false;
  }
  return overlap(node, wanted, symbols);
}

ReqId RequirementTable::intern(Requirements r) {
  std::size_t h = hash_of(r);
  auto [first, last] = index_.equal_range(h);
  for (auto it = first; it != last; ++it)
    if (sets_[it->second.index()] == r) return it->second;
  ReqId id(sets_.size());
  sets_.push_back(std::move(r));
  index_.emplace(h, id);
  return id;
}

ReqId RequirementTable::merge(ReqId base, ReqId wanted, std::span<const Symbol> may_be_undefined) {
  // Every caller of one table passes the same list, so it need not be part of the key; an empty one (strict) is the
  // other case.
  std::uint64_t key = (std::uint64_t{base.value} << 33) | (std::uint64_t{wanted.value} << 1) |
                      (may_be_undefined.empty() ? 0u : 1u);
  if (auto it = merges_.find(key); it != merges_.end()) return it->second;
  ReqId result;
  if (compatible(at(base), at(wanted), may_be_undefined, symbols_)) {
    Requirements merged = at(base);
    merged.add(at(wanted), symbols_);
    result = intern(std::move(merged));
  }
  merges_.emplace(key, result);
  return result;
}

ReqId RequirementTable::narrow(ReqId base, const Requirement& r) {
  Requirements merged = at(base);
  merged.add(r, symbols_);
  return intern(std::move(merged));
}

}  // namespace tamp::fit

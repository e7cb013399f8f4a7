#include "core/labels.h"

#include <algorithm>

namespace tamp {
namespace {

bool satisfies(const SelectorRequirement& requirement, const LabelSet& labels) {
  const Symbol value = labels.get(requirement.key);
  const auto listed = [&] {
    return std::binary_search(requirement.values.begin(), requirement.values.end(), value);
  };
  switch (requirement.op) {
    case SelectorOp::In:
      return value.valid() && listed();
    case SelectorOp::NotIn:
      return !value.valid() || !listed();
    case SelectorOp::Exists:
      return value.valid();
    case SelectorOp::DoesNotExist:
      return !value.valid();
    case SelectorOp::Gt:
    case SelectorOp::Lt:
    case SelectorOp::Gte:
    case SelectorOp::Lte:
      return false;  // no label selector has these
  }
  return false;
}

}  // namespace

LabelSet::LabelSet(std::vector<std::pair<Symbol, Symbol>> entries) : entries_(std::move(entries)) {
  std::stable_sort(entries_.begin(), entries_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    if (i + 1 < entries_.size() && entries_[i + 1].first == entries_[i].first) continue;
    entries_[kept++] = entries_[i];
  }
  entries_.resize(kept);
}

Symbol LabelSet::get(Symbol key) const {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), key,
                                   [](const auto& entry, Symbol k) { return entry.first < k; });
  return it != entries_.end() && it->first == key ? it->second : Symbol();
}

void LabelSet::set(Symbol key, Symbol value) {
  const auto it = std::lower_bound(entries_.begin(), entries_.end(), key,
                                   [](const auto& entry, Symbol k) { return entry.first < k; });
  if (it != entries_.end() && it->first == key)
    it->second = value;
  else
    entries_.insert(it, {key, value});
}

bool matches(const LabelSelector& selector, const LabelSet& labels) {
  return std::all_of(selector.requirements.begin(), selector.requirements.end(),
                     [&](const SelectorRequirement& r) { return satisfies(r, labels); });
}

}  // namespace tamp

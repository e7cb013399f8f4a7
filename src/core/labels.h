// Labels and the three ways in which Kubernetes selects by them: label selectors, node selector terms, and the
// requirements of a NodePool.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/symbols.h"

namespace tamp {

// Sorted by key symbol; keys are unique.
class LabelSet {
 public:
  LabelSet() = default;
  // Later entries win over earlier ones of the same key.
  explicit LabelSet(std::vector<std::pair<Symbol, Symbol>> entries);

  // Invalid symbol when the key is absent.
  Symbol get(Symbol key) const;
  bool has(Symbol key) const { return get(key).valid(); }
  void set(Symbol key, Symbol value);
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  auto operator<=>(const LabelSet&) const = default;

 private:
  std::vector<std::pair<Symbol, Symbol>> entries_;
};

enum class SelectorOp : std::uint8_t { In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte };

struct SelectorRequirement {
  Symbol key;
  SelectorOp op = SelectorOp::In;
  std::vector<Symbol> values;  // sorted, unique
  auto operator<=>(const SelectorRequirement&) const = default;
};

// metav1.LabelSelector: matchLabels are stored as In requirements. Requirements are sorted, so that equal selectors
// compare equal. No requirements at all selects everything; *absence* of a selector is std::optional at the place of
// use, and selects nothing.
struct LabelSelector {
  std::vector<SelectorRequirement> requirements;
  auto operator<=>(const LabelSelector&) const = default;
};

bool matches(const LabelSelector& selector, const LabelSet& labels);

// corev1.NodeSelectorTerm. A term without expressions and fields matches no node.
struct NodeSelectorTerm {
  std::vector<SelectorRequirement> expressions;  // as written: order matters to nobody, duplicates are kept
  std::vector<SelectorRequirement> fields;       // only metadata.name exists
  auto operator<=>(const NodeSelectorTerm&) const = default;
};

struct PreferredNodeTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm term;
  auto operator<=>(const PreferredNodeTerm&) const = default;
};

}  // namespace tamp

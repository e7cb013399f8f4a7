// What a node that does not exist yet may look like: for each label key, the set of values it may take. This is the
// algebra in which a NodePool's template, a pod's node selection and a machine type meet; it follows Karpenter's rules,
// because Karpenter (or an autoscaler like it) launches the node.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "core/labels.h"
#include "core/pool.h"
#include "core/symbols.h"

namespace tamp::fit {

// The values that one key may take: a finite set, or everything but a finite set within integer bounds.
struct Requirement {
  Symbol key;
  bool complement = false;     // everything but `values`
  std::vector<Symbol> values;  // sorted, unique
  std::optional<std::int64_t> at_least, at_most;
  std::optional<std::int32_t> min_values;
  bool operator==(const Requirement&) const = default;

  bool has(Symbol value, const Symbols& symbols) const;
  // "In nothing": the label must not exist.
  bool forbids() const { return !complement && values.empty(); }
  // True where a node without the label passes: NotIn and DoesNotExist.
  bool tolerates_absence() const { return complement ? !values.empty() : values.empty(); }
};

Requirement make_requirement(const SelectorRequirement& from, const Symbols& symbols);
Requirement exactly(Symbol key, Symbol value);

Requirement intersect(const Requirement& a, const Requirement& b, const Symbols& symbols);
bool intersects(const Requirement& a, const Requirement& b, const Symbols& symbols);

// One Requirement per key, sorted by key.
class Requirements {
 public:
  // Null when the key is unconstrained.
  const Requirement* find(Symbol key) const;
  // Narrows the key's values by `r`.
  void add(Requirement r, const Symbols& symbols);
  void add(const Requirements& other, const Symbols& symbols);
  void replace(Requirement r);
  void reserve(std::size_t keys) { items_.reserve(keys); }
  bool has_min_values() const;
  bool empty() const { return items_.empty(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  bool operator==(const Requirements&) const = default;

 private:
  std::vector<Requirement> items_;
};

Requirements make_requirements(std::span<const SelectorRequirement> from, const Symbols& symbols);

// Do the two have a value in common for every key that both constrain? Keys that only one names are no obstacle.
bool overlap(const Requirements& a, const Requirements& b, const Symbols& symbols);

// Can something with `node`'s labels satisfy `wanted`? A key that `node` does not name is refused unless `wanted`
// tolerates its absence or the key is in `may_be_undefined` (sorted), labels that a launched node will get anyway.
bool compatible(const Requirements& node, const Requirements& wanted,
                std::span<const Symbol> may_be_undefined, const Symbols& symbols);

using ReqId = Id<struct RequirementsTag>;

// Requirements interned by content, with memory: the same pair is matched once. A simulation adds hundreds of pods of a
// handful of kinds to a new node, so nearly every question has been asked before.
// Not thread-safe. `symbols` must outlive the table.
class RequirementTable {
 public:
  explicit RequirementTable(const Symbols& symbols) : symbols_(symbols) {}

  ReqId intern(Requirements r);
  const Requirements& at(ReqId id) const { return sets_[id.index()]; }

  // base ∧ wanted, or an invalid id where they are not compatible (see compatible()).
  ReqId merge(ReqId base, ReqId wanted, std::span<const Symbol> may_be_undefined);
  // base ∧ r, unconditionally.
  ReqId narrow(ReqId base, const Requirement& r);

 private:
  const Symbols& symbols_;
  std::vector<Requirements> sets_;
  std::unordered_multimap<std::size_t, ReqId> index_;  // by content hash
  std::unordered_map<std::uint64_t, ReqId> merges_;    // (base, wanted) → result
};

}  // namespace tamp::fit

// What a pod asks of a node that does not exist yet, in Kubernetes' dialect.
//
// Karpenter's algebra of requirements is generous to labels that nobody will set: "In nothing" passes for "must not exist",
// though it came from two demands that exclude each other, and a label that one pod merely does not want counts as one that
// the node may have. The scheduler will look at the labels that are really there, so this does, too.
#include <algorithm>
#include <cassert>

#include "fit/index.h"

namespace tamp::fit {
namespace {

enum class Label : std::uint8_t { Set, Absent, DependsOnType };

Label label_on(const Requirements& node, const Template& t, const std::vector<Requirements>& types,
               Symbol key) {
  if (const Requirement* r = node.find(key)) return r->forbids() ? Label::Absent : Label::Set;
  auto has = [&](TypeId type) {
    const Requirement* r = types[type.index()].find(key);
    return r && !r->forbids();
  };
  auto having = std::count_if(t.types.begin(), t.types.end(), has);
  if (having == 0) return Label::Absent;
  return static_cast<std::size_t>(having) == t.types.size() ? Label::Set : Label::DependsOnType;
}

}  // namespace

ReqId Index::demand(std::size_t template_index, ProfileId profile_id, std::size_t term) const {
  assert(!karpenter() && term < 0xFFFF);
  std::uint64_t key = (std::uint64_t{template_index} << 48) | (std::uint64_t{profile_id.value} << 16) | term;
  if (auto it = demands_.find(key); it != demands_.end()) return it->second;

  const Template& t = templates_[template_index];
  const Requirements& node = requirements_.at(t.requirements);
  const Profile& p = profiles_[profile_id.index()];
  Requirements wanted;
  bool possible = true;
  auto ask = [&](const SelectorRequirement& r) {
    Symbol canonical = canonical_key(cluster_, r.key);
    switch (label_on(node, t, type_requirements_, canonical)) {
      case Label::Set: {
        Requirement q = make_requirement(r, cluster_.symbols);
        q.key = canonical;
        possible = possible && well_formed(cluster_, r);
        wanted.add(q, cluster_.symbols);
        break;
      }
      case Label::Absent:
        possible = possible && requirement_matches(cluster_, r, LabelSet());
        break;
      case Label::DependsOnType:
        possible = false;
        break;
    }
  };
  for (auto [k, v] : p.node_selector) ask({k, SelectorOp::In, {v}});
  for (const auto& r : p.preference) ask(r);
  if (p.has_affinity) {
    // A term that names nodes, or nothing at all, never means a node to come.
    possible = possible && term < p.terms.size() && p.terms[term].fields.empty() &&
               !p.terms[term].expressions.empty();
    if (possible)
      for (const auto& r : p.terms[term].expressions) ask(r);
  }
  ReqId result = possible ? requirements_.intern(std::move(wanted)) : ReqId();
  demands_.emplace(key, result);
  return result;
}

}  // namespace tamp::fit

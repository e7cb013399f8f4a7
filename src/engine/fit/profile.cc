#include "fit/profile.h"

#include <algorithm>
#include <optional>

#include "core/ascii.h"
#include "core/number.h"

namespace tamp::fit {
namespace {

std::optional<std::int64_t> as_int64(std::string_view text) {
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  return read_number<std::int64_t>(text);
}

// Letters and digits at both ends, with - _ . between; at most 63 of them; may be empty.
bool is_label_value(std::string_view text) {
  if (text.empty()) return true;
  if (text.size() > 63 || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

bool listed(const std::vector<Symbol>& values, Symbol v) {
  return std::find(values.begin(), values.end(), v) != values.end();
}

// Karpenter judges an existing node by the same algebra as a new one, with the node's labels as single values.
bool karpenter_accepts(const Cluster& c, const Requirements& wanted, const LabelSet& labels) {
  for (const auto& r : wanted) {
    Symbol v = labels.get(r.key);
    if (v.valid() ? !r.has(v, c.symbols) : !r.tolerates_absence()) return false;
  }
  return true;
}

}  // namespace

bool well_formed(const Cluster& cluster, const SelectorRequirement& r) {
  auto valid = [&](Symbol v) { return is_label_value(cluster.text(v)); };
  switch (r.op) {
    case SelectorOp::Exists:
    case SelectorOp::DoesNotExist:
      return r.values.empty();
    case SelectorOp::In:
    case SelectorOp::NotIn:
      return !r.values.empty() && std::all_of(r.values.begin(), r.values.end(), valid);
    default:
      // A number below zero is no label value.
      return r.values.size() == 1 && valid(r.values.front()) && as_int64(cluster.text(r.values.front()));
  }
}

bool requirement_matches(const Cluster& cluster, const SelectorRequirement& r, const LabelSet& labels) {
  Symbol v = labels.get(r.key);
  switch (r.op) {
    case SelectorOp::In:
      return v.valid() && listed(r.values, v) && well_formed(cluster, r);
    case SelectorOp::NotIn:
      return (!v.valid() || !listed(r.values, v)) && well_formed(cluster, r);
    case SelectorOp::Exists:
      return v.valid() && well_formed(cluster, r);
    case SelectorOp::DoesNotExist:
      return !v.valid() && well_formed(cluster, r);
    default:
      break;
  }
  if (!well_formed(cluster, r)) return false;
  if (!v.valid() || r.values.size() != 1) return false;
  auto have = as_int64(cluster.text(v)), bound = as_int64(cluster.text(r.values.front()));
  if (!have || !bound) return false;
  switch (r.op) {
    case SelectorOp::Gt:
      return *have > *bound;
    case SelectorOp::Lt:
      return *have < *bound;
    case SelectorOp::Gte:
      return *have >= *bound;
    default:
      return *have <= *bound;
  }
}

bool term_matches(const Cluster& cluster, const NodeSelectorTerm& term, const LabelSet& labels, Symbol name) {
  if (term.expressions.empty() && term.fields.empty()) return false;
  for (const auto& r : term.expressions)
    if (!requirement_matches(cluster, r, labels)) return false;
  for (const auto& f : term.fields) {
    if (f.key != cluster.known.metadata_name || f.values.size() != 1) return false;
    bool is_it = listed(f.values, name);
    if (f.op == SelectorOp::In ? !is_it : is_it) return false;
  }
  return true;
}

bool node_affinity_matches(const Cluster& cluster, const LabelSet& selector, bool has_affinity,
                           std::span<const NodeSelectorTerm> terms, const LabelSet& labels, Symbol name) {
  for (auto [k, v] : selector)
    if (labels.get(k) != v) return false;
  if (!has_affinity) return true;
  return std::any_of(terms.begin(), terms.end(),
                     [&](const NodeSelectorTerm& t) { return term_matches(cluster, t, labels, name); });
}

bool names_no_node(const Cluster& cluster, const Profile& profile) {
  if (!profile.has_affinity || profile.terms.empty()) return false;
  return std::all_of(profile.terms.begin(), profile.terms.end(), [&](const NodeSelectorTerm& term) {
    const std::vector<Symbol>* first = nullptr;
    std::vector<Symbol> common;
    for (const auto& f : term.fields) {
      if (f.key != cluster.known.metadata_name || f.op != SelectorOp::In) continue;
      if (!first)
        common = *(first = &f.values);
      else
        std::erase_if(common, [&](Symbol name) { return !listed(f.values, name); });
    }
    return first && common.empty();
  });
}

bool taints_tolerated(const Cluster& cluster, Dialect dialect, const std::vector<Taint>& taints,
                      const std::vector<Toleration>& tolerations) {
  return std::all_of(taints.begin(), taints.end(), [&](const Taint& t) {
    if (dialect == Dialect::Kubernetes && t.effect == TaintEffect::PreferNoSchedule) return true;
    return tolerates(tolerations, t, cluster, dialect);
  });
}

Requirements profile_requirements(const Cluster& cluster, const Profile& profile, std::size_t term) {
  Requirements reqs;
  auto add = [&](Requirement r) {
    r.key = canonical_key(cluster, r.key);
    reqs.add(r, cluster.symbols);
  };
  for (auto [k, v] : profile.node_selector) add(exactly(k, v));
  for (const auto& r : profile.preference) add(make_requirement(r, cluster.symbols));
  if (term < profile.terms.size())
    for (const auto& r : profile.terms[term].expressions) add(make_requirement(r, cluster.symbols));
  return reqs;
}

Judge::Judge(const Cluster& cluster, Dialect dialect, const Profile& profile)
    : cluster_(cluster), dialect_(dialect), profile_(profile) {
  if (dialect == Dialect::Karpenter) {
    wanted_ = profile_requirements(cluster, profile, 0);
    return;
  }
  const auto names_nodes = [&](const NodeSelectorTerm& t) {
    return std::any_of(t.fields.begin(), t.fields.end(), [&](const SelectorRequirement& f) {
      return f.key == cluster.known.metadata_name && f.op == SelectorOp::In;
    });
  };
  by_name_ =
      profile.has_affinity && !profile.terms.empty() && std::ranges::all_of(profile.terms, names_nodes);
}

StaticVerdict Judge::operator()(const Site& site) const {
  if (dialect_ == Dialect::Karpenter) {
    if (!taints_tolerated(cluster_, dialect_, site.taints, profile_.tolerations))
      return StaticVerdict::TaintToleration;
    return karpenter_accepts(cluster_, wanted_, *site.labels) ? StaticVerdict::Fits
                                                              : StaticVerdict::NodeAffinity;
  }
  // Terms that all name nodes limit the search to those before any filter runs.
  if (by_name_ && std::none_of(profile_.terms.begin(), profile_.terms.end(), [&](const NodeSelectorTerm& t) {
        return std::all_of(t.fields.begin(), t.fields.end(), [&](const SelectorRequirement& f) {
          return f.op != SelectorOp::In || listed(f.values, site.name);
        });
      }))
    return StaticVerdict::NodeAffinity;
  if (site.unschedulable) {
    Taint cordon{cluster_.known.unschedulable_taint, cluster_.known.empty, TaintEffect::NoSchedule};
    if (!tolerates(profile_.tolerations, cordon, cluster_, dialect_)) return StaticVerdict::NodeUnschedulable;
  }
  if (!taints_tolerated(cluster_, dialect_, site.taints, profile_.tolerations))
    return StaticVerdict::TaintToleration;
  if (!node_affinity_matches(cluster_, profile_.node_selector, profile_.has_affinity, profile_.terms,
                             *site.labels, site.name))
    return StaticVerdict::NodeAffinity;
  for (const auto& r : profile_.preference)
    if (!requirement_matches(cluster_, r, *site.labels)) return StaticVerdict::NodeAffinity;
  return StaticVerdict::Fits;
}

}  // namespace tamp::fit

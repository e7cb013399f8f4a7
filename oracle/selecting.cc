#include "oracle/selecting.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

namespace tamp::world {
namespace {

bool contains(const std::vector<Symbol>& values, Symbol value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

// A decimal int64, perhaps negative, and nothing else.
std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return value;
}

// Letters and digits at both ends, with - _ . between; at most 63 of them; may be empty.
bool is_label_value(std::string_view text) {
  auto alphanumeric = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  if (text.empty()) return true;
  if (text.size() > 63 || !alphanumeric(text.front()) || !alphanumeric(text.back())) return false;
  return std::all_of(text.begin(), text.end(),
                     [&](char c) { return alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

// What the scheduler refuses to parse. A number below zero is among it: it is no label value.
bool well_formed(const Cluster& cluster, const SelectorRequirement& r) {
  for (Symbol value : r.values)
    if (!is_label_value(cluster.text(value))) return false;
  switch (r.op) {
    case SelectorOp::In:
    case SelectorOp::NotIn:
      return !r.values.empty();
    case SelectorOp::Exists:
    case SelectorOp::DoesNotExist:
      return r.values.empty();
    case SelectorOp::Gt:
    case SelectorOp::Lt:
      return r.values.size() == 1 && parse_integer(cluster.text(r.values[0])).has_value();
    case SelectorOp::Gte:
    case SelectorOp::Lte:
      return false;  // NodePools know them, Kubernetes does not
  }
  return false;
}

bool field_well_formed(const SelectorRequirement& r) {
  return (r.op == SelectorOp::In || r.op == SelectorOp::NotIn) && r.values.size() == 1;
}

bool term_matches(const Cluster& cluster, const NodeSelectorTerm& term, const LabelSet& labels, Symbol name) {
  if (term.expressions.empty() && term.fields.empty()) return false;
  for (const auto& r : term.fields)
    if (!field_well_formed(r)) return false;
  for (const auto& r : term.expressions)
    if (!requirement_holds(cluster, r, labels)) return false;
  if (!name.valid()) return true;
  for (const auto& r : term.fields) {
    // A field that no node has reads as empty.
    Symbol actual = r.key == cluster.known.metadata_name ? name : cluster.known.empty;
    if ((r.op == SelectorOp::In) != (r.values[0] == actual)) return false;
  }
  return true;
}

}  // namespace

bool selects(const std::optional<LabelSelector>& selector, const LabelSet& labels) {
  if (!selector) return false;
  for (const auto& r : selector->requirements) {
    Symbol value = labels.get(r.key);
    bool holds = false;
    switch (r.op) {
      case SelectorOp::In:
        holds = value.valid() && contains(r.values, value);
        break;
      case SelectorOp::NotIn:
        holds = !value.valid() || !contains(r.values, value);
        break;
      case SelectorOp::Exists:
        holds = value.valid();
        break;
      case SelectorOp::DoesNotExist:
        holds = !value.valid();
        break;
      default:
        break;  // label selectors do not compare numbers
    }
    if (!holds) return false;
  }
  return true;
}

bool LabelMatcher::operator()(const Pod& pod) const {
  if (answers_.size() <= pod.labels.index()) answers_.resize(cluster_->label_sets.size());
  std::optional<bool>& answer = answers_[pod.labels.index()];
  if (!answer) answer = selects(selector_, cluster_->labels(pod));
  return *answer;
}

bool requirement_holds(const Cluster& cluster, const SelectorRequirement& r, const LabelSet& labels) {
  if (!well_formed(cluster, r)) return false;
  if (r.op == SelectorOp::Gt || r.op == SelectorOp::Lt) {
    if (!labels.has(r.key)) return false;
    auto actual = parse_integer(cluster.text(labels.get(r.key)));
    auto bound = parse_integer(cluster.text(r.values[0]));
    if (!actual || !bound) return false;
    return r.op == SelectorOp::Gt ? *actual > *bound : *actual < *bound;
  }
  return selects(LabelSelector{{r}}, labels);
}

bool some_term_matches(const Cluster& cluster, const std::vector<NodeSelectorTerm>& terms,
                       const LabelSet& labels, Symbol name) {
  return std::any_of(terms.begin(), terms.end(),
                     [&](const NodeSelectorTerm& t) { return term_matches(cluster, t, labels, name); });
}

bool node_affinity_matches(const Cluster& cluster, const PodSpec& spec, const Node& node) {
  for (const auto& [key, value] : spec.node_selector)
    if (node.labels.get(key) != value) return false;
  return !spec.has_node_affinity || some_term_matches(cluster, spec.node_affinity, node.labels, node.name);
}

bool tolerates(const Cluster& cluster, const Toleration& t, const Taint& taint) {
  if (!t.any_effect && t.effect != taint.effect) return false;
  bool names_key = !cluster.text(t.key).empty();
  if (names_key && t.key != taint.key) return false;
  switch (t.op) {
    case Toleration::Op::Equal:
      return cluster.text(t.value) == cluster.text(taint.value);
    case Toleration::Op::Exists:
      return true;
    case Toleration::Op::Lt:
    case Toleration::Op::Gt:
      return false;  // behind a feature gate that is off by default in Kubernetes 1.36
  }
  return false;
}

bool tolerates(const Cluster& cluster, const std::vector<Toleration>& tolerations, const Taint& taint) {
  return std::any_of(tolerations.begin(), tolerations.end(),
                     [&](const Toleration& t) { return tolerates(cluster, t, taint); });
}

bool tolerates_all(const Cluster& cluster, const PodSpec& spec, const Node& node) {
  for (const Taint& taint : node.taints)
    if (taint.effect != TaintEffect::PreferNoSchedule && !tolerates(cluster, spec.tolerations, taint))
      return false;
  return true;
}

}  // namespace tamp::world

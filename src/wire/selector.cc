#include "wire/selector.h"

#include <fmt/format.h>

#include <algorithm>

namespace tamp::wire {
namespace {

constexpr Words<SelectorOp> kLabelOperators[] = {{"In", SelectorOp::In},
                                                 {"NotIn", SelectorOp::NotIn},
                                                 {"Exists", SelectorOp::Exists},
                                                 {"DoesNotExist", SelectorOp::DoesNotExist}};
constexpr Words<SelectorOp> kNodeOperators[] = {
    {"In", SelectorOp::In},         {"NotIn", SelectorOp::NotIn},
    {"Exists", SelectorOp::Exists}, {"DoesNotExist", SelectorOp::DoesNotExist},
    {"Gt", SelectorOp::Gt},         {"Lt", SelectorOp::Lt}};
constexpr Words<SelectorOp> kPoolOperators[] = {
    {"In", SelectorOp::In},         {"NotIn", SelectorOp::NotIn},
    {"Exists", SelectorOp::Exists}, {"DoesNotExist", SelectorOp::DoesNotExist},
    {"Gt", SelectorOp::Gt},         {"Lt", SelectorOp::Lt},
    {"Gte", SelectorOp::Gte},       {"Lte", SelectorOp::Lte}};
constexpr Words<TaintEffect> kEffects[] = {{"NoSchedule", TaintEffect::NoSchedule},
                                           {"PreferNoSchedule", TaintEffect::PreferNoSchedule},
                                           {"NoExecute", TaintEffect::NoExecute}};
constexpr Words<Toleration::Op> kTolerationOperators[] = {{"Equal", Toleration::Op::Equal},
                                                          {"Exists", Toleration::Op::Exists},
                                                          {"Lt", Toleration::Op::Lt},
                                                          {"Gt", Toleration::Op::Gt}};

SelectorRequirement decode_with(Decoder& d, Value item, std::span<const Words<SelectorOp>> operators) {
  SelectorRequirement r;
  const std::string_view key = d.text(item, "key");
  if (key.empty()) d.fail(item, "is missing", "key");
  r.key = d.intern(key);
  r.op = d.word<SelectorOp>(item, "operator", operators, std::nullopt);
  r.values = d.symbols(item, "values");
  if ((r.op == SelectorOp::In || r.op == SelectorOp::NotIn) && r.values.empty())
    d.fail(item, "must not be empty for In and NotIn", "values");
  if ((r.op == SelectorOp::Exists || r.op == SelectorOp::DoesNotExist) && !r.values.empty())
    d.fail(item.get("values"), "must be empty for Exists and DoesNotExist");
  if (r.op >= SelectorOp::Gt && r.values.size() != 1)
    d.fail(item, "must hold exactly one value for Gt, Lt, Gte and Lte", "values");
  return r;
}

}  // namespace

std::optional<LabelSelector> decode_label_selector(Decoder& d, Value parent, std::string_view key) {
  const Value value = d.object(parent, key);
  if (!value.present()) return std::nullopt;
  LabelSelector selector;
  for (const auto& [label, wanted] : d.labels(value, "matchLabels"))
    selector.requirements.push_back({label, SelectorOp::In, {wanted}});
  for (const Value item : d.objects(value, "matchExpressions"))
    selector.requirements.push_back(decode_with(d, item, kLabelOperators));
  std::sort(selector.requirements.begin(), selector.requirements.end());
  return selector;
}

NodeSelectorTerm decode_node_selector_term(Decoder& d, Value term) {
  NodeSelectorTerm result;
  for (const Value item : d.objects(term, "matchExpressions"))
    result.expressions.push_back(decode_with(d, item, kNodeOperators));
  for (const Value item : d.objects(term, "matchFields")) {
    result.fields.push_back(decode_with(d, item, kNodeOperators));
    if (!d.failed() && result.fields.back().key != d.cluster().known.metadata_name)
      d.fail(item.get("key"), "must be metadata.name, the only field that can be matched");
  }
  return result;
}

std::vector<NodeSelectorTerm> decode_node_selector_terms(Decoder& d, Value parent, std::string_view key) {
  std::vector<NodeSelectorTerm> terms;
  for (const Value item : d.objects(parent, key)) terms.push_back(decode_node_selector_term(d, item));
  return terms;
}

SelectorRequirement decode_requirement(Decoder& d, Value requirement) {
  return decode_with(d, requirement, kPoolOperators);
}

std::vector<Taint> decode_taints(Decoder& d, Value parent, std::string_view key) {
  std::vector<Taint> taints;
  for (const Value item : d.objects(parent, key)) {
    Taint taint;
    const std::string_view name = d.text(item, "key");
    if (name.empty()) d.fail(item, "is missing", "key");
    taint.key = d.intern(name);
    taint.value = d.intern(d.text(item, "value"));
    taint.effect = d.word<TaintEffect>(item, "effect", kEffects, std::nullopt);
    taints.push_back(taint);
  }
  return taints;
}

std::vector<Toleration> decode_tolerations(Decoder& d, Value parent, std::string_view key) {
  std::vector<Toleration> tolerations;
  for (const Value item : d.objects(parent, key)) {
    Toleration t;
    t.key = d.intern(d.text(item, "key"));
    t.value = d.intern(d.text(item, "value"));
    t.op = d.word<Toleration::Op>(item, "operator", kTolerationOperators, Toleration::Op::Equal);
    t.any_effect = d.text(item, "effect").empty();
    t.effect = d.word<TaintEffect>(item, "effect", kEffects, TaintEffect::NoSchedule);
    tolerations.push_back(t);
  }
  return tolerations;
}

}  // namespace tamp::wire

#include "sim/controllers/node_selection.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace tamp::world {
namespace {

using api::Tree;

std::optional<std::int64_t> to_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || rest != text.data() + text.size()) return {};
  return value;
}

bool requirement_holds(const Tree& requirement, const std::optional<std::string_view>& value) {
  const std::string_view op = requirement["operator"].string();
  const auto& values = requirement["values"].elements();
  const bool listed =
      value && std::any_of(values.begin(), values.end(), [&](const Tree& v) { return v.string() == *value; });
  if (op == "In") return listed;
  if (op == "NotIn") return !listed;
  if (op == "Exists") return value.has_value();
  if (op == "DoesNotExist") return !value;
  if (!value || values.empty()) return false;
  const auto have = to_number(*value), limit = to_number(values.front().string());
  if (!have || !limit) return false;
  return op == "Gt" ? *have > *limit : op == "Lt" && *have < *limit;
}

bool term_holds(const Tree& term, const api::Object& node) {
  const auto& expressions = term["matchExpressions"].elements();
  const auto& fields = term["matchFields"].elements();
  if (expressions.empty() && fields.empty()) return false;
  const Tree& labels = node.metadata()["labels"];
  return std::all_of(expressions.begin(), expressions.end(),
                     [&](const Tree& requirement) {
                       const Tree* label = labels.find(requirement["key"].string());
                       return requirement_holds(requirement,
                                                label ? std::optional(label->string()) : std::nullopt);
                     }) &&
         std::all_of(fields.begin(), fields.end(), [&](const Tree& requirement) {
           return requirement["key"].string() == "metadata.name" &&
                  requirement_holds(requirement, node.name());
         });
}

}  // namespace

bool asks_for(const Tree& pod_spec, const api::Object& node) {
  if (const auto name = pod_spec["nodeName"].string(); !name.empty() && name != node.name()) return false;
  const Tree& labels = node.metadata()["labels"];
  for (const auto& [key, value] : pod_spec["nodeSelector"].members()) {
    const Tree* label = labels.find(key);
    if (label == nullptr || label->string() != value.string()) return false;
  }
  const Tree& required =
      pod_spec.at({"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
  if (!required.is_object()) return true;
  const auto& terms = required["nodeSelectorTerms"].elements();
  return std::any_of(terms.begin(), terms.end(), [&](const Tree& term) { return term_holds(term, node); });
}

bool tolerates(const Tree& toleration, const Tree& taint) {
  const std::string_view effect = toleration["effect"].string(), key = toleration["key"].string();
  if (!effect.empty() && effect != taint["effect"].string()) return false;
  if (!key.empty() && key != taint["key"].string()) return false;
  const std::string_view op = toleration["operator"].string("Equal");
  if (op == "Exists") return true;
  return (op == "Equal" || op.empty()) && toleration["value"].string() == taint["value"].string();
}

const Tree* untolerated(const Tree& pod_spec, const api::Object& node, std::string_view effect) {
  const auto& tolerations = pod_spec["tolerations"].elements();
  for (const Tree& taint : node.spec()["taints"].elements()) {
    if (taint["effect"].string() != effect) continue;
    if (std::none_of(tolerations.begin(), tolerations.end(),
                     [&](const Tree& t) { return tolerates(t, taint); }))
      return &taint;
  }
  return nullptr;
}

}  // namespace tamp::world

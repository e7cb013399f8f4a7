// Horizontal pod autoscalers: bounds, what they scale, and the metrics by which they do.
#include <vector>

#include "sim/api/validate_common.h"
#include "sim/api/validate_kinds.h"
#include "sim/api/validate_text.h"
#include "wire/quantity.h"

namespace tamp::world::api {
namespace {

void check_name(Findings& found, const Tree& name, const Place& at) {
  if (name.string().empty()) return found.required(at);
  for (const char* why : not_path_segment(name.string())) found.invalid(at, name, why);
}

// What is scaled must be of a group; what is only looked at need not.
void check_reference(Findings& found, const Tree& reference, const Place& at, bool group_needed) {
  check_name(found, reference["kind"], at.child("kind"));
  check_name(found, reference["name"], at.child("name"));
  const std::string_view version = reference["apiVersion"].string();
  const std::size_t slash = version.find('/');
  const bool readable =
      slash == std::string_view::npos || version.find('/', slash + 1) == std::string_view::npos;
  const bool grouped = slash != std::string_view::npos && slash > 0;
  if (!readable || (group_needed && !grouped))
    found.invalid(at.child("apiVersion"), version, "must name a group and a version");
}

void check_positive_quantity(Findings& found, const Tree& value, const Place& at) {
  if (value.is_null()) return;
  const auto quantity = wire::parse_quantity(value.string());
  if (quantity.ok() && quantity->nanos <= 0) found.invalid(at, value, "must be positive");
}

void check_target(Findings& found, const Tree& target, const Place& at) {
  const std::string_view type = target["type"].string();
  if (type.empty()) found.required(at.child("type"), "must specify a metric target type");
  if (type != "Utilization" && type != "Value" && type != "AverageValue")
    found.invalid(at.child("type"), type, "must be either Utilization, Value, or AverageValue");
  check_positive_quantity(found, target["value"], at.child("value"));
  check_positive_quantity(found, target["averageValue"], at.child("averageValue"));
  if (const Tree& share = target["averageUtilization"]; !share.is_null() && share.integer() < 1)
    found.invalid(at.child("averageUtilization"), share, "must be greater than 0");
}

void check_use_of_resource(Findings& found, const Tree& source, const Place& at) {
  const Tree& target = source["target"];
  const Place aim = at.child("target");
  check_target(found, target, aim);
  if (target["averageUtilization"].is_null() && target["averageValue"].is_null())
    found.required(aim.child("averageUtilization"),
                   "must set either a target raw value or a target utilization");
  if (!target["averageUtilization"].is_null() && !target["averageValue"].is_null())
    found.forbidden(aim.child("averageValue"),
                    "may not set both a target raw value and a target utilization");
}

void check_source(Findings& found, std::string_view kind, const Tree& source, const Place& at) {
  const Tree& target = source["target"];
  const Place aim = at.child("target");
  if (kind == "resource" || kind == "containerResource") {
    if (source["name"].string().empty())
      found.required(at.child("name"), "must specify a resource name");
    else if (kind == "containerResource")
      check_container_resource(found, source["name"].string(), at.child("name"));
    if (kind == "containerResource") {
      if (source["container"].string().empty()) {
        found.required(at.child("container"), "must specify a container");
      } else {
        for (const char* why : not_label(source["container"].string()))
          found.invalid(at.child("container"), source["container"], why);
      }
    }
    return check_use_of_resource(found, source, at);
  }
  if (kind == "object") check_reference(found, source["describedObject"], at.child("describedObject"), false);
  const Place metric = at.child("metric");
  check_name(found, source["metric"]["name"], metric.child("name"));
  check_target(found, target, aim);
  const bool value = !target["value"].is_null(), average = !target["averageValue"].is_null();
  if (!average && (kind == "pods" || !value))
    found.required(aim.child("averageValue"), "must specify a target");
  if (kind == "external" && value && average)
    found.forbidden(aim.child("value"), "may not set both a target value for metric and a per-pod target");
}

void check_metric(Findings& found, const Tree& metric, const Place& at) {
  struct Source {
    std::string_view type, field;
  };
  static constexpr Source kSources[] = {{"Object", "object"},
                                        {"External", "external"},
                                        {"Pods", "pods"},
                                        {"Resource", "resource"},
                                        {"ContainerResource", "containerResource"}};
  constexpr std::string_view kTypes =
      "\"ContainerResource\", \"External\", \"Object\", \"Pods\", \"Resource\"";
  const std::string_view type = metric["type"].string();
  std::string_view expected;
  for (const Source& source : kSources)
    if (source.type == type) expected = source.field;
  if (type.empty()) found.required(at.child("type"), "must specify a metric source type");
  if (expected.empty()) found.not_supported(at.child("type"), type, kTypes);
  std::vector<std::string_view> present;
  for (const Source& source : kSources) {
    if (metric[source.field].is_null()) continue;
    present.push_back(source.field);
    if (present.size() == 1) check_source(found, source.field, metric[source.field], at.child(source.field));
  }
  if (expected.empty())
    found.not_supported(at.child("type"), type, kTypes);
  else if (metric[expected].is_null())
    found.required(at.child(expected), "must populate information for the given metric source");
  if (present.size() == 1) return;
  for (std::string_view field : present)
    if (field != expected) found.forbidden(at.child(field), "must populate the given metric source only");
}

void check_rules(Findings& found, const Tree& rules, const Place& at) {
  constexpr std::int64_t kHour = 3600, kHalfHour = 1800;
  if (rules.is_null()) return;
  const Tree& window = rules["stabilizationWindowSeconds"];
  if (!window.is_null() && (window.integer() < 0 || window.integer() > kHour))
    found.invalid(at.child("stabilizationWindowSeconds"), window, "must be between 0 and 3600");
  if (!rules["selectPolicy"].is_null())
    check_one_of(found, rules["selectPolicy"], at.child("selectPolicy"), {"Disabled", "Max", "Min"});
  const Place list = at.child("policies");
  if (rules["policies"].empty()) found.required(list, "must specify at least one Policy");
  const Tree::Array& policies = rules["policies"].elements();
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const Place each = list.at(i);
    check_one_of(found, policies[i]["type"], each.child("type"), {"Percent", "Pods"});
    if (policies[i]["value"].integer() <= 0)
      found.invalid(each.child("value"), policies[i]["value"], "must be greater than zero");
    const std::int64_t period = policies[i]["periodSeconds"].integer();
    if (period <= 0 || period > kHalfHour)
      found.invalid(each.child("periodSeconds"), policies[i]["periodSeconds"], "must be between 1 and 1800");
  }
}

}  // namespace

void check_autoscaler(Findings& found, const Tree& object, const Tree*) {
  const Place place("spec");
  const Tree& spec = object["spec"];
  const std::int64_t least = spec["minReplicas"].integer(1), most = spec["maxReplicas"].integer();
  if (least < 1) found.invalid(place.child("minReplicas"), least, "must be greater than or equal to 1");
  if (most == 0)
    found.required(place.child("maxReplicas"), "must be set and greater than 0");
  else if (most < 0)
    found.invalid(place.child("maxReplicas"), most, "must be greater than or equal to 1");
  if (most < least)
    found.invalid(place.child("maxReplicas"), most, "must be greater than or equal to `minReplicas`");
  check_reference(found, spec["scaleTargetRef"], place.child("scaleTargetRef"), true);
  const Place metrics = place.child("metrics");
  bool external = false;
  const Tree::Array& all = spec["metrics"].elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    check_metric(found, all[i], metrics.at(i));
    external |= all[i]["type"].string() == "Object" || all[i]["type"].string() == "External";
  }
  if (least == 0 && !external)
    found.forbidden(metrics, "must specify at least one Object or External metric to scale to zero replicas");
  const Place behavior = place.child("behavior");
  for (std::string_view key : {"scaleUp", "scaleDown"})
    check_rules(found, spec["behavior"][key], behavior.child(key));
}

}  // namespace tamp::world::api

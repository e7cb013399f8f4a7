#include "sim/api/validate_common.h"

#include "sim/api/validate_text.h"
#include "wire/quantity.h"

namespace tamp::world::api {

void check_not_negative(Findings& found, const Tree& value, const Place& place) {
  if (value.number() < 0) found.invalid(place, value, "must be greater than or equal to 0");
}

void check_positive(Findings& found, const Tree& value, const Place& place) {
  if (value.number() <= 0) found.invalid(place, value.is_null() ? Tree(0) : value, "must be greater than 0");
}

namespace {

bool is_percentage(std::string_view text) {
  return text.size() > 1 && text.back() == '%' &&
         text.substr(0, text.size() - 1).find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace

void check_count_or_percent(Findings& found, const Tree& value, const Place& place) {
  if (value.is_number()) return check_not_negative(found, value, place);
  if (!value.is_string() || is_percentage(value.string())) return;
  found.invalid(place, value, "a valid percent string must be a numeric string followed by an ending '%'");
}

void check_at_most_all(Findings& found, const Tree& value, const Place& place) {
  const std::string_view text = value.string();
  if (!is_percentage(text) || text.size() < 4 || (text.size() == 4 && text <= "100%")) return;
  found.invalid(place, value, "must not be greater than 100%");
}

void check_one_of(Findings& found, const Tree& value, const Place& place,
                  std::initializer_list<std::string_view> known) {
  std::string all;
  for (std::string_view each : known) {
    if (value.string() == each) return;
    all.append(all.empty() ? "\"" : ", \"").append(each).append("\"");
  }
  found.not_supported(place, value.is_null() ? Tree("") : value, all);
}

void check_port_number(Findings& found, const Tree& port, const Place& at) {
  if (port.integer() < 1 || port.integer() > 65535)
    found.invalid(at, port, "must be between 1 and 65535, inclusive");
}

void check_preemption_policy(Findings& found, const Tree& policy, const Place& place) {
  if (policy.is_null()) return;
  if (policy.string().empty()) return found.required(place);
  check_one_of(found, policy, place, {"PreemptLowerPriority", "Never"});
}

void check_same(Findings& found, const Tree& old, const Tree& updated, const Place& place) {
  if (!(old == updated)) found.invalid(place, updated, "field is immutable");
}

void check_labels(Findings& found, const Tree& labels, const Place& place) {
  for (const Tree::Member& label : labels.members()) {
    for (const char* why : not_qualified(label.key)) found.invalid(place, label.key, why);
    for (const char* why : not_label_value(label.value.string())) found.invalid(place, label.value, why);
  }
}

void check_selector(Findings& found, const Tree& selector, const Place& place) {
  check_labels(found, selector["matchLabels"], place.child("matchLabels"));
  const Place expressions = place.child("matchExpressions");
  const Tree::Array& all = selector["matchExpressions"].elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Place at = expressions.at(i);
    const std::string_view operation = all[i]["operator"].string();
    const Tree& values = all[i]["values"];
    if (operation == "In" || operation == "NotIn") {
      if (values.empty())
        found.required(at.child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
    } else if (operation == "Exists" || operation == "DoesNotExist") {
      if (!values.empty()) {
        found.forbidden(at.child("values"),
                        "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
    } else {
      found.invalid(at.child("operator"), all[i]["operator"], "not a valid selector operator");
    }
    for (const char* why : not_qualified(all[i]["key"].string()))
      found.invalid(at.child("key"), all[i]["key"], why);
    for (std::size_t j = 0; j < values.elements().size(); ++j) {
      const Tree& value = values.elements()[j];
      for (const char* why : not_label_value(value.string()))
        found.invalid(at.child("values").at(j), value, why);
    }
  }
}

namespace {

void check_node_requirement(Findings& found, const Tree& requirement, const Place& at) {
  const std::string_view operation = requirement["operator"].string();
  const Tree& values = requirement["values"];
  if (operation == "In" || operation == "NotIn") {
    if (values.empty())
      found.required(at.child("values"), "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operation == "Exists" || operation == "DoesNotExist") {
    if (!values.empty()) {
      found.forbidden(at.child("values"),
                      "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    }
  } else if (operation == "Gt" || operation == "Lt") {
    if (values.size() != 1)
      found.required(at.child("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'");
  } else {
    found.invalid(at.child("operator"), requirement["operator"], "not a valid selector operator");
  }
  for (const char* why : not_qualified(requirement["key"].string()))
    found.invalid(at.child("key"), requirement["key"], why);
  if (operation == "Gt" || operation == "Lt") return;
  for (std::size_t i = 0; i < values.elements().size(); ++i) {
    const Tree& value = values.elements()[i];
    for (const char* why : not_label_value(value.string()))
      found.invalid(at.child("values").at(i), value, why);
  }
}

}  // namespace

void check_node_selector_term(Findings& found, const Tree& term, const Place& place) {
  const Tree::Array& expressions = term["matchExpressions"].elements();
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    check_node_requirement(found, expressions[i], place.child("matchExpressions").at(i));
  }
  const Tree::Array& fields = term["matchFields"].elements();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const Place list = place.child("matchFields");
    const Place at = list.at(i);
    const std::string_view operation = fields[i]["operator"].string();
    if (operation != "In" && operation != "NotIn") {
      found.invalid(at.child("operator"), fields[i]["operator"], "not a valid selector operator");
    } else if (fields[i]["values"].size() != 1) {
      found.required(at.child("values"),
                     "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
    }
    if (fields[i]["key"].string() != "metadata.name") {
      found.invalid(at.child("key"), fields[i]["key"], "not a valid field selector key");
    }
  }
}

void check_node_selector(Findings& found, const Tree& selector, const Place& place) {
  const Place terms = place.child("nodeSelectorTerms");
  const Tree& list = selector["nodeSelectorTerms"];
  if (list.empty()) return found.required(terms, "must have at least one node selector term");
  for (std::size_t i = 0; i < list.size(); ++i)
    check_node_selector_term(found, list.elements()[i], terms.at(i));
}

void check_tolerations(Findings& found, const Tree& tolerations, const Place& place) {
  const Tree::Array& all = tolerations.elements();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Tree& toleration = all[i];
    const Place at = place.at(i);
    const std::string_view key = toleration["key"].string(), operation = toleration["operator"].string(),
                           effect = toleration["effect"].string();
    if (!key.empty()) {
      for (const char* why : not_qualified(key)) found.invalid(at.child("key"), key, why);
    } else if (operation != "Exists") {
      found.invalid(
          at.child("operator"), operation,
          "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    }
    if (!toleration["tolerationSeconds"].is_null() && effect != "NoExecute") {
      found.invalid(at.child("effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    }
    if (operation.empty() || operation == "Equal") {
      for (const char* why : not_label_value(toleration["value"].string())) {
        found.invalid(at.child("operator"), toleration["value"], why);
      }
    } else if (operation == "Exists") {
      if (!toleration["value"].string().empty()) {
        found.invalid(at.child("operator"), toleration["value"],
                      "value must be empty when `operator` is 'Exists'");
      }
    } else {
      check_one_of(found, toleration["operator"], at.child("operator"), {"Equal", "Exists"});
    }
    if (!effect.empty()) {
      check_one_of(found, toleration["effect"], at.child("effect"),
                   {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
  }
}

namespace {

bool overcommits(std::string_view name) {
  return name.find('/') == std::string_view::npos && !name.starts_with("hugepages-");
}

void check_asked(Findings& found, const Tree::Member& amount, const Place& at) {
  check_container_resource(found, amount.key, at);
  check_amount(found, amount.key, amount.value, at);
}

}  // namespace

void check_resources(Findings& found, const Tree& resources, const Place& place) {
  const Tree& limits = resources["limits"];
  const Tree& requests = resources["requests"];
  for (const Tree::Member& limit : limits.members()) {
    check_asked(found, limit, place.child("limits").key(limit.key));
  }
  for (const Tree::Member& request : requests.members()) {
    const Place all = place.child("requests");
    check_asked(found, request, all.key(request.key));
    const Tree* limit = limits.find(request.key);
    if (limit == nullptr) {
      if (!overcommits(request.key)) {
        found.required(place.child("limits"), "Limit must be set for non overcommitable resources");
      }
      continue;
    }
    if (limit->string() == request.value.string()) continue;
    auto asked = wire::parse_quantity(request.value.string()), most = wire::parse_quantity(limit->string());
    if (!asked.ok() || !most.ok()) continue;
    if (!overcommits(request.key)) {
      if (asked->nanos != most->nanos)
        found.invalid(all, request.value, "must be equal to " + request.key + " limit");
    } else if (asked->nanos > most->nanos) {
      found.invalid(
          all, request.value,
          "must be less than or equal to " + request.key + " limit of " + std::string(limit->string()));
    }
  }
}

}  // namespace tamp::world::api

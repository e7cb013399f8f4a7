// The small questions about objects that server.h declares at its end.
#include <fmt/format.h>

#include <algorithm>

#include "sim/api/server.h"

namespace tamp::world::api {
namespace {

bool requirement_holds(const Tree& requirement, const Tree& labels) {
  const Tree* value = labels.find(requirement["key"].string());
  const auto& values = requirement["values"].elements();
  const std::string_view op = requirement["operator"].string();
  const bool listed = value != nullptr && std::any_of(values.begin(), values.end(), [&](const Tree& v) {
                        return v.string() == value->string();
                      });
  if (op == "In") return listed;
  if (op == "NotIn") return !listed;
  if (op == "Exists") return value != nullptr;
  if (op == "DoesNotExist") return value == nullptr;
  return false;
}

}  // namespace

std::string format_time(Time time) { return format_rfc3339(time); }

std::string format_micro_time(Time time) {
  const CivilTime civil = to_civil(time);
  const std::int64_t micros = (time.ns - time.unix_seconds() * 1'000'000'000) / 1'000;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", civil.year, civil.month, civil.day,
                     civil.hour, civil.minute, civil.second, micros);
}

const Tree& controller_of(const Object& object) {
  static const Tree kNone;
  for (const Tree& owner : object.metadata()["ownerReferences"].elements())
    if (owner["controller"].boolean()) return owner;
  return kNone;
}

Tree owner_reference(const Object& owner, bool controller) {
  Tree reference = Tree::object({{"apiVersion", owner.tree()["apiVersion"]},
                                 {"kind", owner.tree()["kind"]},
                                 {"name", owner.name()},
                                 {"uid", owner.uid()}});
  if (controller) {
    reference.set("controller", true);
    reference.set("blockOwnerDeletion", true);
  }
  return reference;
}

bool selects(const Tree& selector, const Tree& labels) {
  if (!selector.is_object()) return false;
  for (const Tree::Member& wanted : selector["matchLabels"].members()) {
    const Tree* value = labels.find(wanted.key);
    if (value == nullptr || value->string() != wanted.value.string()) return false;
  }
  const auto& expressions = selector["matchExpressions"].elements();
  return std::all_of(expressions.begin(), expressions.end(),
                     [&](const Tree& requirement) { return requirement_holds(requirement, labels); });
}

const Tree* find_condition(const Tree& object, std::string_view type) {
  for (const Tree& condition : object["status"]["conditions"].elements())
    if (condition["type"].string() == type) return &condition;
  return nullptr;
}

bool condition_true(const Tree& object, std::string_view type) {
  const Tree* condition = find_condition(object, type);
  return condition != nullptr && (*condition)["status"].string() == "True";
}

bool set_condition(Tree& object, std::string_view type, std::string_view status, std::string_view reason,
                   std::string_view message, Time now) {
  auto& conditions = object.ensure({"status", "conditions"}).elements();
  auto found = std::find_if(conditions.begin(), conditions.end(),
                            [&](const Tree& condition) { return condition["type"].string() == type; });
  Tree condition =
      Tree::object({{"type", type}, {"status", status}, {"reason", reason}, {"message", message}});
  if (found == conditions.end()) {
    condition.set("lastTransitionTime", format_time(now));
    conditions.push_back(std::move(condition));
    return true;
  }
  if ((*found)["status"].string() == status && (*found)["reason"].string() == reason &&
      (*found)["message"].string() == message)
    return false;
  const bool same_status = (*found)["status"].string() == status;
  found->set("reason", reason);
  found->set("message", message);
  found->set("status", status);
  if (!same_status) found->set("lastTransitionTime", format_time(now));
  return true;
}

}  // namespace tamp::world::api

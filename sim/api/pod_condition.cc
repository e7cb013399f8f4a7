#include "sim/api/pod_condition.h"

#include "sim/api/server.h"

namespace tamp::world::api {

bool set_pod_condition(Tree& pod, std::string_view type, std::string_view status, std::string_view reason,
                       std::string_view message, Time now) {
  Tree condition = Tree::object({{"type", type}, {"status", status}, {"lastProbeTime", nullptr}});
  if (!reason.empty()) condition.set("reason", reason);
  if (!message.empty()) condition.set("message", message);
  condition.set("lastTransitionTime", format_time(now));
  auto& conditions = pod.ensure({"status", "conditions"}).elements();
  for (Tree& existing : conditions) {
    if (existing["type"].string() != type) continue;
    if (existing["status"].string() == status)
      condition.set("lastTransitionTime", existing["lastTransitionTime"]);
    if (existing == condition) return false;
    existing = std::move(condition);
    return true;
  }
  conditions.push_back(std::move(condition));
  return true;
}

}  // namespace tamp::world::api

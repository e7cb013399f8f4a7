#include "fuzz/agent_targets.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "fuzz/require.h"
#include "wire/access_review.h"
#include "wire/autoscaler_status.h"
#include "wire/cgroup_files.h"
#include "wire/cgroup_names.h"
#include "wire/node_pod_store.h"
#include "wire/node_pods.h"
#include "wire/psi.h"
#include "wire/tier_requests.h"

namespace tamp::fuzz {

void kernel_files(std::string_view bytes) {
  if (const auto pressure = wire::parse_pressure(bytes)) {
    require(pressure->some || pressure->full, "a pressure that is known has a line");
    for (const auto& line : {pressure->some, pressure->full})
      require(!line || line->avg10_centi <= 10'099, "an average is a percentage");
  }
  if (const auto stat = wire::parse_cpu_stat(bytes)) require(stat->usage_us.has_value(), "usage is told");
  require(!(wire::parse_number_file(bytes) && wire::parse_pressure(bytes)), "a file is one thing");
  if (const auto number = wire::parse_number_file(bytes))
    require(wire::parse_limit(bytes).has_value(), "every number is a limit: " + std::to_string(*number));
  if (const auto count = wire::count_of_list(bytes))
    require(*count >= 1, "a list that is known names something");
  wire::parse_cpu_stat_v1(bytes);
  wire::parse_stat_key(bytes, "inactive_file");
  wire::parse_kib_key(bytes, "MemTotal");
  if (const auto uid = wire::pod_of_cgroup(bytes))
    require(!uid->empty() && wire::cgroup_uid(*uid) == *uid, "a uid is in the form that compares");
  if (const auto id = wire::container_of_cgroup(bytes)) require(id->size() == 64, "an id has 64 digits");
}

void node_pods(std::string_view bytes) {
  const auto pods = wire::read_node_pods({"pods", std::string(bytes)});
  if (!pods) return require(!pods.error().message.empty(), "an error has a message");
  const auto key = [](const wire::NodePod& p) { return std::tie(p.ns, p.name, p.uid); };
  require(std::is_sorted(pods->begin(), pods->end(),
                         [&](const auto& a, const auto& b) { return key(a) < key(b); }),
          "pods are in order");
  for (const wire::NodePod& pod : *pods)
    require(!pod.name.empty() && !pod.uid.empty() && !pod.cgroup.empty() && pod.cpu_millis >= 0 &&
                pod.memory_bytes >= 0,
            "a pod has a name and a cgroup, and asks for nothing negative");
}

void access_review(std::string_view bytes) {
  const std::string text(bytes);
  if (const auto verdict = wire::read_token_review(text)) {
    require(!verdict->authenticated || !verdict->caller.user.empty(), "nobody is not authenticated");
    require(wire::Json::parse(wire::write_path_review(verdict->caller, "/observe", "get")).ok(),
            "whoever it is, the question is JSON");
  }
  require(!wire::read_access_review(text) || !wire::read_token_review(text), "an answer is to one question");
  wire::NodePodStore store{TierFloors{}};
  if (store.add_page(text)) {
    store.end_list();
    require(store.pods().empty() || store.take_changed(), "a list with pods is news");
  }
  if (const auto event = store.apply_event(text))
    require(event->type == wire::EventInfo::Type::Error || !event->resource_version.empty(),
            "an event says where the watch stands");
}

void tier_requests(std::string_view bytes) {
  const auto tiers = wire::read_tier_requests(bytes);
  if (!tiers) return require(!tiers.error().message.empty(), "an error has a message");
  for (const RequestSum& sum : *tiers)
    require(sum.pods >= 0 && sum.cpu_millis >= 0 && sum.memory_bytes >= 0, "nothing requested is negative");
  const auto again = wire::read_tier_requests(wire::write_tier_requests(*tiers));
  require(again && *again == *tiers, "what is read is what is written");
}

void autoscaler_status(std::string_view bytes) {
  const AutoscalerStatus status = wire::read_autoscaler_status(std::string(bytes));
  require(std::is_sorted(status.groups.begin(), status.groups.end(),
                         [](const auto& a, const auto& b) { return a.name < b.name; }),
          "groups are in order");
  for (const AutoscalerGroup& group : status.groups)
    require(!group.name.empty() && group.min.value_or(0) >= 0 && group.max.value_or(0) >= 0 &&
                group.target.value_or(0) >= 0,
            "a group has a name, and no size is negative");
}

}  // namespace tamp::fuzz

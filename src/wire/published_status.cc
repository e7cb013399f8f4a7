#include "wire/published_status.h"

#include "wire/text_at.h"
#include "wire/value.h"

namespace tamp::wire {
namespace {

Time time_at(Value parent, std::string_view key) {
  const auto time = parse_rfc3339(text_at(parent, key));
  return time ? *time : Time{};
}

}  // namespace

Result<PublishedStatus> read_published_status(const std::string& bytes) {
  TAMP_TRY(const Json json, Json::parse(bytes));
  const Value root = json.root();
  PublishedStatus published;
  published.resource_version = text_at(root.get("metadata"), "resourceVersion");
  if (published.resource_version.empty()) return Error{"metadata.resourceVersion: is missing"};
  const Value status = root.get("status");
  published.fingerprint = text_at(status, "fingerprint");
  published.plan_hash = text_at(status.get("plan"), "hash");
  if (const auto deleted = parse_rfc3339(text_at(status, "lastNodeDeletedAt")))
    published.last_node_deleted = *deleted;
  const Value plan = status.get("plan");
  published.plan_structure = text_at(plan, "structure");
  for (const Value victim : plan.get("victims").elements())
    if (const auto name = victim.string()) published.plan_victims.emplace_back(*name);
  published.plan_nodes = plan.get("nodes").integer().value_or(0);
  published.plan_created_at = time_at(plan, "createdAt");
  published.plan_expires_at = time_at(plan, "expiresAt");
  for (const Value condition : status.get("conditions").elements())
    published.conditions.push_back({text_at(condition, "type"), text_at(condition, "status") == "True",
                                    time_at(condition, "lastTransitionTime")});
  return published;
}

}  // namespace tamp::wire

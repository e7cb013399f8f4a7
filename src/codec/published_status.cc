#include "codec/published_status.h"

#include "codec/text_at.h"
#include "codec/value.h"

namespace tamp::codec {
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
  published.plan_decided_at = time_at(status.get("plan"), "decidedAt");
  for (const Value condition : status.get("conditions").elements())
    published.conditions.push_back({text_at(condition, "type"), text_at(condition, "status") == "True",
                                    time_at(condition, "lastTransitionTime")});
  return published;
}

}  // namespace tamp::codec

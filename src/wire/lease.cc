#include "wire/lease.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/json_writer.h"
#include "wire/text_at.h"
#include "wire/value.h"

namespace tamp::wire {
namespace {

// A time that nobody can read is as good as none: expiry is not judged by it.
std::optional<Time> time_at(Value parent, std::string_view key) {
  const auto text = parent.get(key).string();
  if (!text) return std::nullopt;
  const auto time = parse_rfc3339(*text);
  return time ? std::optional<Time>(*time) : std::nullopt;
}

std::int64_t count_at(Value parent, std::string_view key) {
  return std::clamp<std::int64_t>(parent.get(key).integer().value_or(0), 0, INT32_MAX);
}

}  // namespace

Result<Lease> read_lease(const std::string& bytes) {
  TAMP_TRY(const Json json, Json::parse(bytes));
  const Value root = json.root();
  if (root.get("kind").string() != "Lease") return Error{"kind: must be Lease"};
  const Value metadata = root.get("metadata"), spec = root.get("spec");
  Lease lease;
  lease.ns = text_at(metadata, "namespace");
  lease.name = text_at(metadata, "name");
  lease.uid = text_at(metadata, "uid");
  lease.resource_version = text_at(metadata, "resourceVersion");
  if (lease.resource_version.empty()) return Error{"metadata.resourceVersion: missing"};
  lease.holder = text_at(spec, "holderIdentity");
  lease.duration_seconds = count_at(spec, "leaseDurationSeconds");
  lease.acquired = time_at(spec, "acquireTime");
  lease.renewed = time_at(spec, "renewTime");
  lease.transitions = count_at(spec, "leaseTransitions");
  return lease;
}

std::string write_lease(const Lease& lease) {
  JsonWriter json;
  json.begin_object().field("apiVersion", "coordination.k8s.io/v1").field("kind", "Lease");
  json.key("metadata").begin_object().field("namespace", lease.ns).field("name", lease.name);
  if (!lease.uid.empty()) json.field("uid", lease.uid);
  if (!lease.resource_version.empty()) json.field("resourceVersion", lease.resource_version);
  json.end_object();
  json.key("spec").begin_object().field("holderIdentity", lease.holder);
  if (lease.duration_seconds > 0) json.field("leaseDurationSeconds", lease.duration_seconds);
  if (lease.acquired) json.field("acquireTime", format_micro_time(*lease.acquired));
  if (lease.renewed) json.field("renewTime", format_micro_time(*lease.renewed));
  json.field("leaseTransitions", lease.transitions);
  json.end_object().end_object();
  return json.take();
}

std::string format_micro_time(Time t) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t micros = (t.ns % kSecond + kSecond) % kSecond / 1000;
  std::string text = format_rfc3339(t);
  text.pop_back();  // the Z
  return text + fmt::format(".{:06}Z", micros);
}

}  // namespace tamp::wire

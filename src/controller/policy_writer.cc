#include "controller/policy_writer.h"

#include <algorithm>
#include <utility>

#include "core/json_writer.h"
#include "core/sha256.h"

namespace tamp::controller {
namespace {

constexpr Duration kRetryAfter = Duration::seconds(2);

void write_condition(JsonWriter& w, const StatusCondition& condition, std::string_view message,
                     std::int64_t generation) {
  w.field("type", condition.type).field("status", condition.is_true ? "True" : "False");
  w.field("reason", condition.reason).field("message", message);
  w.field("observedGeneration", generation);
}

// Of everything but the times of a decision: equal fingerprints are equal news.
std::string fingerprint(const WantedStatus& wanted) {
  JsonWriter w;
  w.begin_array().integer(wanted.generation);
  for (const StatusCondition& condition : wanted.conditions) {
    w.begin_object();
    write_condition(w, condition, condition.key.empty() ? condition.message : condition.key,
                    wanted.generation);
    w.end_object();
  }
  if (wanted.members)
    w.raw(wanted.members->plan)
        .string(wanted.members->refusals_key)
        .raw(wanted.members->summary)
        .raw(wanted.members->reasons);
  if (wanted.last_node_deleted) w.string(format_rfc3339(*wanted.last_node_deleted));
  w.end_array();
  return sha256_hex(w.text());
}

// A condition that keeps its status keeps its time, too.
std::vector<wire::PublishedCondition> dated(const WantedStatus& wanted,
                                            const wire::PublishedStatus& published, Time now) {
  std::vector<wire::PublishedCondition> out;
  for (const StatusCondition& condition : wanted.conditions) {
    const auto before = std::find_if(published.conditions.begin(), published.conditions.end(),
                                     [&](const auto& c) { return c.type == condition.type; });
    const bool same = before != published.conditions.end() && before->is_true == condition.is_true;
    out.push_back({condition.type, condition.is_true, same ? before->since : now});
  }
  return out;
}

std::string patch_body(const WantedStatus& wanted, const wire::PublishedStatus& before,
                       const wire::PublishedStatus& after) {
  JsonWriter w;
  w.begin_object();
  w.key("metadata").begin_object().field("resourceVersion", before.resource_version).end_object();
  w.key("status").begin_object();
  w.field("observedGeneration", wanted.generation);
  w.field("fingerprint", after.fingerprint);
  if (wanted.last_node_deleted) w.field("lastNodeDeletedAt", format_rfc3339(*wanted.last_node_deleted));
  w.key("conditions").begin_array();
  for (std::size_t i = 0; i < wanted.conditions.size(); ++i) {
    w.begin_object();
    write_condition(w, wanted.conditions[i], wanted.conditions[i].message, wanted.generation);
    w.field("lastTransitionTime", format_rfc3339(after.conditions[i].since));
    w.end_object();
  }
  w.end_array();
  const documents::StatusMembers none{
      .plan = "null", .refusals = "null", .summary = "null", .reasons = "null"};
  const documents::StatusMembers& members = wanted.members ? *wanted.members : none;
  w.key("plan").raw(members.plan);
  w.key("refusals").raw(members.refusals);
  w.key("summary").raw(members.summary);
  w.key("reasons").raw(members.reasons);
  w.end_object().end_object();
  return w.take();
}

}  // namespace

void PolicyWriter::want(WantedStatus wanted, std::function<void(Outcome)> done) {
  wanted_ = std::move(wanted);
  done_ = std::move(done);
  if (!busy_) pursue();
}

void PolicyWriter::reset() {
  published_.reset();
  wanted_.reset();
  done_ = nullptr;
  request_.cancel();
  retry_.cancel();
  busy_ = false;
}

bool PolicyWriter::known() {
  if (!published_ && !busy_ && !retry_.armed()) read();
  return published_.has_value();
}

void PolicyWriter::pursue() {
  if (!wanted_) return;
  if (!published_) return read();
  if (fingerprint(*wanted_) == published_->fingerprint) return finish(Outcome::Unchanged);
  write();
}

void PolicyWriter::read() {
  busy_ = true;
  request_ = client_.get(net::kTemperPolicies, "", policy_, [this](net::Reply reply) {
    busy_ = false;
    if (!reply.ok()) return failed(*reply.error);
    auto published = wire::read_published_status(reply.body);
    if (!published)
      return failed({net::ApiError::Kind::Other, 0, "", published.error().message, {}, false, {}});
    published_ = std::move(*published);
    pursue();
  });
}

void PolicyWriter::write() {
  busy_ = true;
  wire::PublishedStatus after;
  after.fingerprint = fingerprint(*wanted_);
  if (wanted_->members) after.plan_hash = wanted_->members->plan_hash;
  after.conditions = dated(*wanted_, *published_, loop_.now());
  after.last_node_deleted =
      wanted_->last_node_deleted ? wanted_->last_node_deleted : published_->last_node_deleted;
  std::string body = patch_body(*wanted_, *published_, after);
  request_ = client_.patch(
      net::kTemperPolicies, "", policy_, "status", net::PatchType::Merge, std::move(body),
      [this, after](net::Reply reply) mutable {
        busy_ = false;
        if (!reply.ok()) return failed(*reply.error);
        auto stored = wire::read_published_status(reply.body);
        if (!stored) {
          published_.reset();  // it was written; what is there now is read before the next write
        } else {
          after.resource_version = std::move(stored->resource_version);
          published_ = std::move(after);
        }
        // A wish that came meanwhile is pursued by itself.
        if (published_ && fingerprint(*wanted_) != published_->fingerprint) return pursue();
        finish(Outcome::Written);
      });
}

// Whatever went wrong, the next attempt begins with a look at what is there.
void PolicyWriter::failed(const net::ApiError& error) {
  published_.reset();
  const bool expected =
      error.kind == net::ApiError::Kind::Conflict || error.kind == net::ApiError::Kind::NotFound;
  if (expected)
    log_.debug("status not written", {{"temperpolicy", policy_}, {"error", error.text()}});
  else
    log_.warn("status not written", {{"temperpolicy", policy_}, {"error", error.text()}});
  if (error.kind == net::ApiError::Kind::NotFound || error.reason == "Fenced") return finish(Outcome::Failed);
  retry_ = loop_.after(error.retry_after.value_or(kRetryAfter), [this] {
    retry_.detach();
    if (!busy_) pursue();
  });
}

void PolicyWriter::finish(Outcome outcome) {
  wanted_.reset();
  if (auto done = std::exchange(done_, nullptr)) done(outcome);
}

}  // namespace tamp::controller

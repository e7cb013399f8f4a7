#include "dashboard/dashboard_actions.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/json_writer.h"
#include "documents/dashboard_documents.h"
#include "documents/run_document.h"

namespace tamp::dashboard {
namespace {

using wire::Tree;

constexpr std::size_t kMostDeeds = 16;
constexpr std::string_view kDefaultPolicy = "default";

Tree annotation(std::string_view key, Tree value) {
  Tree annotations = Tree::object({{key, std::move(value)}});
  return Tree::object({{"metadata", Tree::object({{"annotations", std::move(annotations)}})}});
}

net::HttpResponse refuse(const net::ApiError& error) {
  using Kind = net::ApiError::Kind;
  switch (error.kind) {
    case Kind::Forbidden:
      return dashboard::refuse(403, "Forbidden", error.message);
    case Kind::Unauthorized:
      return dashboard::refuse(401, "Unauthorized", "the cluster does not know this token any more");
    case Kind::NotFound:
      return dashboard::refuse(404, "NotFound", error.message);
    case Kind::Conflict:
    case Kind::AlreadyExists:
      return dashboard::refuse(409, std::string(net::word(error.kind)), error.message);
    case Kind::Invalid:
    case Kind::BadRequest:
      return dashboard::refuse(422, "Invalid", error.message);
    default:
      return dashboard::refuse(502, "ClusterFailed", "the API server did not carry it out: " + error.text());
  }
}

net::HttpResponse stale(const documents::Look& look, std::string_view hash) {
  return dashboard::refuse(409, "StalePlan",
                           "the plan that is published now is another one, or none: nothing was approved",
                           documents::plan_difference(look, hash));
}

}  // namespace

net::HttpResponse refuse(int status, std::string_view reason, std::string_view message,
                         std::string_view detail) {
  JsonWriter w;
  w.begin_object().field("reason", reason).field("message", message);
  w.key("detail").raw(detail).end_object();
  return json_response(w.take(), status);
}

net::HttpResponse json_response(std::string body, int status) {
  net::HttpResponse response;
  response.status = status;
  response.content_type = "application/json";
  response.body = std::move(body);
  return response;
}

std::uint64_t DashboardActions::begin(const Session& session, Answer answer) {
  std::erase_if(deeds_, [](const auto& deed) { return !deed.second.answer; });
  const std::uint64_t id = ++next_;
  if (deeds_.size() >= kMostDeeds) {
    answer(refuse(503, "Busy", "too much is being done at once; try again"));
    return 0;
  }
  Deed& deed = deeds_[id];
  deed.way = as_user_(session.token);
  deed.session = session;
  deed.answer = std::move(answer);
  return id;
}

void DashboardActions::finish(std::uint64_t id, net::HttpResponse response) {
  // A client must not go from within its own answer: it goes with the next deed, or with us.
  Deed& deed = deeds_.at(id);
  Answer answer = std::move(deed.answer);
  deed.answer = nullptr;
  answer(std::move(response));
}

void DashboardActions::approve(const Session& session, const std::string& hash, const std::string& reason,
                               std::shared_ptr<const documents::Look> look, Answer answer) {
  const auto* plan = look->scene && look->scene->plan ? &*look->scene->plan : nullptr;
  if (plan == nullptr || plan->hash != hash) return answer(stale(*look, hash));
  if (!plan->holds())
    return answer(
        refuse(409, "NotApprovable", "the plan does not pass every check, so that no run would begin"));
  const auto& policy = look->scene->cluster().policy;
  if (!policy || policy->mode.value_or("Observe") != "Act")
    return answer(refuse(409, "Observing", "the policy's mode is not Act: no run would begin"));
  if (look->scene->settings.paused)
    return answer(refuse(409, "Paused", "the policy is paused: no run would begin"));
  const bool used = std::any_of(look->runs.begin(), look->runs.end(),
                                [&](const auto& run) { return run::uses_up(*run, hash); });
  if (used) return answer(refuse(409, "AlreadyApproved", "this plan has been approved already"));
  const std::uint64_t id = begin(session, std::move(answer));
  if (id == 0) return;
  Deed& deed = deeds_.at(id);
  deed.approval = {hash, session.caller.user, documents::ApprovalSource::Dashboard, reason};
  deed.look = std::move(look);
  deed.request = deed.way.client->get(net::kTemperPolicies, "", kDefaultPolicy,
                                      [this, id](const net::Reply& reply) { approve_published(id, reply); });
}

// What is published is what counts, not what we think of it.
void DashboardActions::approve_published(std::uint64_t id, const net::Reply& policy) {
  Deed& deed = deeds_.at(id);
  if (!policy.ok()) return finish(id, refuse(*policy.error));
  const auto tree = wire::read_tree(policy.body);
  if (!tree || tree->at({"status", "plan", "hash"}).string() != deed.approval.plan_hash)
    return finish(id, stale(*deed.look, deed.approval.plan_hash));
  create_run(id);
}

void DashboardActions::create_run(std::uint64_t id) {
  Deed& deed = deeds_.at(id);
  ++deed.attempt;
  deed.request = deed.way.client->create(
      net::kConsolidationRuns, "", wire::to_json(documents::approval_object(deed.approval, deed.attempt)),
      [this, id](const net::Reply& reply) { created(id, reply); });
}

void DashboardActions::created(std::uint64_t id, const net::Reply& reply) {
  Deed& deed = deeds_.at(id);
  const std::string name = documents::approval_name(deed.approval, deed.attempt);
  if (!reply.ok() && reply.error->kind == net::ApiError::Kind::AlreadyExists &&
      deed.attempt < documents::kMostApprovals) {
    deed.request = deed.way.client->get(net::kConsolidationRuns, "", name,
                                        [this, id](const net::Reply& other) { met_another(id, other); });
    return;
  }
  if (!reply.ok()) return finish(id, refuse(*reply.error));
  run::Run run;
  run.name = name;
  run.plan_hash = deed.approval.plan_hash;
  run.approved_by = deed.approval.approved_by;
  run.source = word(deed.approval.source);
  if (const auto tree = wire::read_tree(reply.body))
    if (const auto at = parse_rfc3339(tree->at({"metadata", "creationTimestamp"}).string()))
      run.approved_at = *at;
  for (const std::string& victim : deed.look->scene->plan->victims)
    run.victims.push_back({victim, "", "", "", false, false});
  run.outcome.predicted_savings = deed.look->scene->plan->hourly_savings;
  finish(id, json_response(documents::run_summary(run), 201));
}

// Somebody was faster, or pressed twice, or there was an approval that was refused.
void DashboardActions::met_another(std::uint64_t id, const net::Reply& other) {
  if (!other.ok()) return finish(id, refuse(*other.error));
  const auto run = documents::read_run(other.body);
  if (!run)
    return finish(
        id, dashboard::refuse(409, "AlreadyExists",
                              "there is a run of this name that cannot be read: " + run.error().message));
  if (!run::uses_up(*run, deeds_.at(id).approval.plan_hash)) return create_run(id);
  finish(id, dashboard::refuse(409, "AlreadyApproved", "this plan has been approved already"));
}

void DashboardActions::merge(std::uint64_t id, const net::ResourceType& type, const std::string& name,
                             const Tree& patch) {
  if (id == 0) return;
  Deed& deed = deeds_.at(id);
  deed.request = deed.way.client->patch(
      type, "", name, "", net::PatchType::Merge, wire::to_json(patch), [this, id](const net::Reply& reply) {
        finish(id, reply.ok() ? json_response("null") : refuse(*reply.error));
      });
}

void DashboardActions::dismiss(const Session& session, const std::string& hash, const std::string& reason,
                               Time now, std::shared_ptr<const documents::Look> look, Answer answer) {
  const auto* plan = look->scene && look->scene->plan ? &*look->scene->plan : nullptr;
  if (plan == nullptr || plan->hash != hash) return answer(stale(*look, hash));
  const documents::Dismissal dismissal{hash, session.caller.user, reason, format_rfc3339(now)};
  merge(begin(session, std::move(answer)), net::kTemperPolicies, std::string(kDefaultPolicy),
        annotation("temper.codes/dismissed", documents::write_dismissal(dismissal)));
}

void DashboardActions::abort(const Session& session, const std::string& run, Answer answer) {
  merge(begin(session, std::move(answer)), net::kConsolidationRuns, run,
        annotation("temper.codes/abort", "true"));
}

void DashboardActions::pause(const Session& session, bool paused, Answer answer) {
  merge(begin(session, std::move(answer)), net::kTemperPolicies, std::string(kDefaultPolicy),
        annotation("temper.codes/pause", paused ? Tree("true") : Tree(nullptr)));
}

}  // namespace tamp::dashboard

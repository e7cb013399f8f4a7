#include <algorithm>

#include "core/json_writer.h"
#include "documents/dashboard_documents.h"
#include "documents/proposal_fields.h"
#include "documents/usage.h"
#include "documents/withheld.h"

namespace tamp::documents {
namespace {

// Of all fields of a check, also those that are empty: the page reads them without asking.
void write_plain_checks(JsonWriter& w, const std::vector<proof::Check>& checks) {
  w.key("checks").begin_array();
  for (const proof::Check& check : checks)
    w.begin_object()
        .field("name", check.name)
        .field("passed", check.passed)
        .field("message", check.message())
        .field("subject", check.subject)
        .end_object();
  w.end_array();
}

void write_or_null(JsonWriter& w, std::string_view key, const std::optional<double>& value) {
  w.key(key);
  if (value)
    w.number(*value);
  else
    w.null();
}

void write_predicted(JsonWriter& w, const Scene& scene, const proof::ConsolidationPlan& plan) {
  w.key("predicted").begin_array();
  for (const proof::PredictedNode& node : plan.predicted) {
    const Observation* seen = find_observation(scene.observations, node.node);
    const Usage now = seen == nullptr ? Usage{} : usage_of(*seen, Counted::NotBackground);
    w.begin_object().field("node", node.node).field("cores", node.cores);
    write_or_null(w, "cpuNow", now.cores);
    w.field("cpu", node.cpu).field("memoryBytes", node.memory_bytes);
    write_or_null(w, "memoryNow", now.memory);
    w.field("memory", node.memory).field("pods", node.pods).end_object();
  }
  w.end_array();
}

void write_plan(JsonWriter& w, const Look& look, const proof::ConsolidationPlan& plan) {
  const Scene& scene = *look.scene;
  w.begin_object().field("hash", plan.hash).field("planner", plan.planner);
  documents::write_changes(w, plan);
  write_plain_checks(w, plan.checks);
  write_predicted(w, scene, plan);
  w.field("hourlySavings", plan.hourly_savings.dollars()).field("savingsKnown", plan.savings_known);
  w.field("createdAt", format_rfc3339(plan.created)).field("expiresAt", format_rfc3339(plan.expires));
  w.field("approvable", plan.holds());
  w.key("dismissed");
  if (look.dismissed && look.dismissed->plan_hash == plan.hash)
    w.begin_object()
        .field("by", look.dismissed->by)
        .field("reason", look.dismissed->reason)
        .field("at", look.dismissed->at)
        .end_object();
  else
    w.null();
  w.end_object();
}

}  // namespace

std::string plan_document(const Look& look) {
  const Scene& scene = *look.scene;
  JsonWriter w;
  w.begin_object().field("decidedAt", format_rfc3339(scene.now)).key("plan");
  if (scene.plan)
    write_plan(w, look, *scene.plan);
  else
    w.null();
  write_withheld(w, scene);
  w.key("refusals").begin_array();
  for (const proof::Refusal& refused : scene.refusals) {
    w.begin_object();
    documents::write_strings(w, "victims", refused.victims);
    write_plain_checks(w, refused.checks);
    w.end_object();
  }
  w.end_array().end_object();
  return w.take();
}

std::optional<Dismissal> read_dismissal(const std::string& annotation) {
  const auto tree = wire::read_tree(annotation);
  if (!tree || (*tree)["planHash"].string().empty()) return std::nullopt;
  const auto text = [&](std::string_view key) { return std::string((*tree)[key].string()); };
  return Dismissal{text("planHash"), text("by"), text("reason"), text("at")};
}

std::string write_dismissal(const Dismissal& dismissal) {
  JsonWriter w;
  w.begin_object().field("planHash", dismissal.plan_hash).field("by", dismissal.by);
  w.field("reason", dismissal.reason).field("at", dismissal.at).end_object();
  return w.take();
}

std::string plan_difference(const Look& look, std::string_view seen_hash) {
  JsonWriter w;
  w.begin_object().field("asked", seen_hash).key("published");
  const auto* plan = look.scene && look.scene->plan ? &*look.scene->plan : nullptr;
  if (plan == nullptr) {
    w.null().end_object();
    return w.take();
  }
  w.begin_object().field("hash", plan->hash);
  documents::write_strings(w, "victims", plan->victims);
  documents::write_strings(w, "survivors", plan->survivors);
  w.field("moves", plan->moves.size()).field("hourlySavings", plan->hourly_savings.dollars());
  w.field("createdAt", format_rfc3339(plan->created)).end_object();
  w.end_object();
  return w.take();
}

}  // namespace tamp::documents

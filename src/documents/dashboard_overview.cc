#include <algorithm>
#include <map>

#include "core/json_writer.h"
#include "documents/dashboard_documents.h"
#include "documents/withheld.h"
#include "explain/plan_summary.h"
#include "gates/reason.h"

namespace tamp::documents {
namespace {

struct Blocked {
  std::size_t nodes = 0;
  Money pinned;
  bool priced = false;
  std::string message;  // of the dearest
  Money dearest{-1};
};

void write_blocked(JsonWriter& w, const Scene& scene) {
  std::map<gates::Reason, Blocked> groups;
  for (std::size_t i = 0; i < scene.verdicts.size(); ++i) {
    const search::NodeVerdict& verdict = scene.verdicts[i];
    if (verdict.verdict != search::Verdict::Blocked) continue;
    Blocked& group = groups[verdict.reason];
    ++group.nodes;
    const Money price = scene.prices[i].value_or(Money{});
    group.priced |= scene.prices[i].has_value();
    group.pinned += price;
    if (price <= group.dearest) continue;
    group.dearest = price;
    group.message = std::string(scene.cluster().text(scene.cluster().nodes[verdict.node.index()].name)) +
                    ": " + verdict.message;
  }
  std::vector<std::pair<gates::Reason, const Blocked*>> order;
  order.reserve(groups.size());
  for (const auto& [reason, group] : groups) order.emplace_back(reason, &group);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    if (a.second->pinned != b.second->pinned) return a.second->pinned > b.second->pinned;
    return a.first < b.first;
  });
  w.key("blocked").begin_array();
  for (const auto& [reason, group] : order) {
    w.begin_object().field("reason", gates::name(reason)).field("nodes", group->nodes);
    w.key("hourlyCost");
    if (group->priced)
      w.number(group->pinned.dollars());
    else
      w.null();
    w.field("message", group->message).end_object();
  }
  w.end_array();
}

void write_standing(JsonWriter& w, const Look& look) {
  const auto& policy = look.scene->cluster().policy;
  w.field("planner", look.scene->measuring ? "SLO" : "Requests");
  w.field("mode", policy ? policy->mode.value_or("Observe") : "Observe");
  w.field("approval", policy ? policy->approval.value_or("Manual") : "Manual");
  w.field("paused", look.scene->settings.paused).field("leader", look.leader);
}

void write_plan_and_run(JsonWriter& w, const Look& look) {
  const Scene& scene = *look.scene;
  w.key("plan");
  if (scene.plan) {
    w.begin_object().field("hash", scene.plan->hash);
    w.field("hourlySavings", scene.plan->hourly_savings.dollars());
    w.field("victims", scene.plan->victims.size()).field("moves", scene.plan->moves.size());
    w.field("expiresAt", format_rfc3339(scene.plan->expires)).end_object();
  } else {
    w.null();
  }
  write_withheld(w, scene);
  w.key("run");
  if (const run::Run* run = active_run(look))
    w.begin_object()
        .field("name", run->name)
        .field("phase", run::word(run->phase))
        .field("since", format_rfc3339(run->entered()))
        .end_object();
  else
    w.null();
}

}  // namespace

Money realized_savings(const std::vector<std::shared_ptr<const run::Run>>& runs) {
  Money sum;
  for (const auto& run : runs)
    if (run->phase == run::Phase::Succeeded) sum += run->outcome.achieved_savings;
  return sum;
}

const run::Run* active_run(const Look& look) {
  const run::Run* active = nullptr;
  for (const auto& run : look.runs) {
    if (run::over(run->phase)) continue;
    // Of two, the one that is not only waiting for the autoscaler; then the younger.
    const auto rank = [](const run::Run& r) {
      return std::pair{!run::waits_for_reap(r.phase), r.approved_at};
    };
    if (active == nullptr || rank(*run) > rank(*active)) active = run.get();
  }
  return active;
}

std::vector<RealizedStep> realized_steps(const std::vector<std::shared_ptr<const run::Run>>& runs) {
  std::vector<const run::Run*> ended;
  for (const auto& run : runs)
    if (run->phase == run::Phase::Succeeded) ended.push_back(run.get());
  std::stable_sort(ended.begin(), ended.end(), [](const run::Run* a, const run::Run* b) {
    if (a->entered() != b->entered()) return a->entered() < b->entered();
    return a->name < b->name;
  });
  std::vector<RealizedStep> steps;
  Money total;
  for (const run::Run* run : ended) {
    total += run->outcome.achieved_savings;
    steps.push_back({run->entered(), total});
  }
  return steps;
}

std::string status_document(const Look& look) {
  JsonWriter w;
  w.begin_object().field("decidedAt", format_rfc3339(look.scene->now));
  write_standing(w, look);
  write_plan_and_run(w, look);
  w.field("version", look.version).end_object();
  return w.take();
}

std::string overview_document(const Look& look) {
  const Scene& scene = *look.scene;
  const Cluster& cluster = scene.cluster();
  const auto pending = std::count_if(cluster.pods.begin(), cluster.pods.end(),
                                     [](const Pod& pod) { return pod.active() && !pod.bound(); });
  JsonWriter w;
  w.begin_object().field("decidedAt", format_rfc3339(scene.now));
  w.key("cluster").begin_object().field("nodes", cluster.nodes.size());
  w.field("pods", explain::live_pods(cluster))
      .field("pending", static_cast<std::int64_t>(pending))
      .end_object();
  w.field("hourlyCost", scene.cost.dollars());
  w.field("identifiedHourly", scene.plan ? scene.plan->hourly_savings.dollars() : 0.0);
  w.field("realizedHourly", realized_savings(look.runs).dollars());
  write_standing(w, look);
  w.key("agents").begin_object().field("answering", scene.observations.size());
  w.field("nodes", cluster.nodes.size()).end_object();
  write_plan_and_run(w, look);
  write_blocked(w, scene);
  w.key("history").begin_array();
  for (const HistoryPoint& point : *look.history) {
    w.begin_object().field("at", format_rfc3339(point.at)).field("cost", point.cost.dollars());
    w.field("identified", point.identified.dollars()).field("realized", point.realized.dollars());
    w.end_object();
  }
  w.end_array().key("realized").begin_array();
  for (const RealizedStep& step : realized_steps(look.runs))
    w.begin_object().field("at", format_rfc3339(step.at)).field("hourly", step.total.dollars()).end_object();
  w.end_array().field("version", look.version);
  w.end_object();
  return w.take();
}

}  // namespace tamp::documents

#include "controller/dashboard_feed.h"

#include <algorithm>
#include <utility>

#include "controller/ledger.h"
#include "wire/tree.h"

namespace tamp::controller {
namespace {

using dashboard::Topic;

constexpr Duration kPointEvery = Duration::minutes(1);
constexpr std::size_t kMostPoints = 1000;
constexpr int kMostParts = 4;

// The older half at half the density: what is long ago needs fewer points.
void thin(std::vector<documents::HistoryPoint>& history) {
  std::vector<documents::HistoryPoint> kept;
  for (std::size_t i = 0; i < history.size(); ++i)
    if (i >= history.size() / 2 || i % 2 == 0) kept.push_back(history[i]);
  history = std::move(kept);
}

void read_part(net::Client& client, const std::string& ns, const std::string& run, const std::string& what,
               int part, std::string lines, std::function<void(std::string)> done) {
  client
      .get(net::kConfigMaps, ns, ledger_part(run, what, part),
           [&client, ns, run, what, part, lines = std::move(lines),
            done = std::move(done)](const net::Reply& reply) mutable {
             const auto tree = reply.ok() ? wire::read_tree(reply.body) : Result<wire::Tree>(wire::Tree());
             const std::string_view text =
                 tree ? (*tree)["data"][ledger_key(what)].string() : std::string_view();
             lines += text;
             if (text.empty() || part >= kMostParts) return done(std::move(lines));
             read_part(client, ns, run, what, part + 1, std::move(lines), std::move(done));
           })
      .detach();
}

}  // namespace

DashboardFeed::DashboardFeed(std::string replica, std::string version, Show show) : show_(std::move(show)) {
  look_.replica = std::move(replica);
  look_.version = std::move(version);
  look_.history = std::make_shared<const std::vector<documents::HistoryPoint>>();
}

void DashboardFeed::show(const std::vector<Topic>& changed) {
  ++look_.revision;
  show_(std::make_shared<const documents::Look>(look_), changed);
}

void DashboardFeed::passed(const std::shared_ptr<const PassInput>& input, const PassOutcome& outcome) {
  auto scene = std::make_shared<documents::Scene>();
  scene->reading = std::shared_ptr<const wire::Reading>(input, &input->reading);
  scene->settings = controller_settings(input->reading.cluster, input->flags);
  scene->now = input->now;
  scene->last_node_deleted = input->last_node_deleted;
  scene->leader_node = input->leader_node;
  scene->observations = input->observations;
  scene->measuring = outcome.measuring;
  scene->requests_published = input->requests_published;
  scene->verdicts = outcome.verdicts;
  scene->prices = outcome.prices;
  scene->cost = outcome.cost;
  scene->plan = outcome.plan;
  scene->refusals = outcome.refusals;
  scene->withheld_reason = outcome.withheld_reason;
  scene->withheld_message = outcome.withheld_message;
  const auto name = [](const documents::Scene* s) {
    return s == nullptr ? std::string("none") : s->plan ? s->plan->hash : "withheld " + s->withheld_message;
  };
  std::vector<Topic> changed = {Topic::Overview, Topic::Nodes};
  if (name(look_.scene.get()) != name(scene.get())) changed.push_back(Topic::Plan);
  look_.scene = std::move(scene);
  note_history(input->now);
  show(changed);
}

void DashboardFeed::note_history(Time now) {
  const documents::Scene& scene = *look_.scene;
  const documents::HistoryPoint point{now, scene.cost, scene.plan ? scene.plan->hourly_savings : Money{},
                                      documents::realized_savings(look_.runs)};
  if (!history_.empty()) {
    const documents::HistoryPoint& last = history_.back();
    const bool news =
        last.cost != point.cost || last.identified != point.identified || last.realized != point.realized;
    if (!news && now - last.at < kPointEvery) return;
  }
  history_.push_back(point);
  if (history_.size() > kMostPoints) thin(history_);
  look_.history = std::make_shared<const std::vector<documents::HistoryPoint>>(history_);
}

void DashboardFeed::withdrawn(std::string_view reason, const std::string& problem) {
  if (!look_.scene || (!look_.scene->plan && look_.scene->withheld_message == problem)) return;
  auto scene = std::make_shared<documents::Scene>(*look_.scene);
  scene->plan.reset();
  scene->refusals.clear();
  scene->withheld_reason = reason;
  scene->withheld_message = problem;
  look_.scene = std::move(scene);
  show({Topic::Overview, Topic::Plan});
}

void DashboardFeed::followed() {
  look_.scene = nullptr;
  show({Topic::Overview, Topic::Plan, Topic::Nodes});
}

void DashboardFeed::leader_is(const std::string& holder) {
  if (holder == look_.leader) return;
  look_.leader = holder;
  show({Topic::Overview, Topic::Plan, Topic::Nodes, Topic::Runs});
}

void DashboardFeed::look_at_runs(const RunShelf::Runs& runs) {
  bool changed = false;
  std::map<std::string, std::string> versions;
  std::vector<std::shared_ptr<const run::Run>> shown;
  for (const auto& entry : runs) {
    const std::string& name = entry.first;
    const ShelvedRun& shelved = entry.second;
    if (!shelved.error.empty()) continue;
    const auto before = versions_.find(name);
    const bool same = before != versions_.end() && before->second == shelved.resource_version;
    changed |= !same;
    versions[name] = shelved.resource_version;
    const auto known = std::find_if(look_.runs.begin(), look_.runs.end(),
                                    [&](const auto& run) { return run->name == name; });
    shown.push_back(same && known != look_.runs.end() ? *known
                                                      : std::make_shared<const run::Run>(shelved.run));
  }
  if (!changed && versions.size() == versions_.size()) return;
  versions_ = std::move(versions);
  look_.runs = std::move(shown);
  show({Topic::Overview, Topic::Runs, Topic::Nodes});
}

void DashboardFeed::dismissed(const std::string& annotation) {
  if (annotation == annotation_) return;
  annotation_ = annotation;
  look_.dismissed = documents::read_dismissal(annotation);
  show({Topic::Plan});
}

void read_records(net::Client& client, const std::string& ns, const std::string& run, const std::string& what,
                  std::function<void(std::string)> done) {
  read_part(client, ns, run, what, 1, {}, std::move(done));
}

}  // namespace tamp::controller

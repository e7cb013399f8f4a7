#include "controller/run_keeper.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "controller/automatic_approval.h"
#include "documents/approval.h"
#include "documents/marks.h"
#include "wire/tree.h"

namespace tamp::controller {
namespace {

using run::Phase;
using run::Run;

constexpr Duration kTick = Duration::seconds(1);
constexpr Duration kSweepEvery = Duration::seconds(30);
constexpr std::size_t kRunsKept = 50;
constexpr net::ResourceType kSelfReviews{"authentication.k8s.io", "v1", "selfsubjectreviews", false};

bool has_finalizer(const ShelvedRun& shelved) {
  return std::find(shelved.finalizers.begin(), shelved.finalizers.end(), kRollbackFinalizer) !=
         shelved.finalizers.end();
}

bool needs_attention(const ShelvedRun& shelved) {
  if (!shelved.error.empty()) return false;
  return !run::over(shelved.run.phase) || shelved.run.late_watch_until || has_finalizer(shelved);
}

net::ObjectReference reference(const Run& run) {
  return {"temper.codes/v1alpha1", "ConsolidationRun", "", run.name, run.uid};
}

}  // namespace

RunKeeper::RunKeeper(net::Loop& loop, net::Client& client, const Log& log, net::EventRecorder& recorder,
                     controller::Metrics& metrics, std::string ns, Needs needs)
    : loop_(loop),
      client_(client),
      log_(log),
      recorder_(recorder),
      metrics_(metrics),
      ns_(std::move(ns)),
      needs_(std::move(needs)),
      shelf_(loop, client) {
  surroundings_.outlook = needs_.outlook;
  surroundings_.nodes_seen = needs_.nodes_seen;
  surroundings_.desk = [this](const Run& run) { return desk(run); };
  surroundings_.evictions_left = [this]() -> std::optional<std::int64_t> {
    const std::shared_ptr<const Outlook> outlook = needs_.outlook();
    if (!outlook || !outlook->reading->cluster.policy) return std::nullopt;
    return evictions_left(*outlook->reading->cluster.policy, known_runs(), loop_.now());
  };
  surroundings_.plan = [this](const std::string& hash) -> std::shared_ptr<const proof::ConsolidationPlan> {
    if (const auto kept = plans_.find(hash); kept != plans_.end()) return kept->second;
    const auto now = needs_.plan();
    return now && now->plan && now->plan->hash == hash ? now->plan : nullptr;
  };
  surroundings_.stepped = [this](const Run& before, const Run& after) { stepped(before, after); };
  surroundings_.concluded = [this](const Run& run, const run::Mutation& entry) { concluded(run, entry); };
  surroundings_.recorded = [this](const Run& run, const Outlook& outlook) {
    auto& records = records_[run.name];
    if (!records) records = std::make_unique<RunRecords>(loop_, client_, log_, ns_, run.name, run.uid);
    records->note(run, outlook, surroundings_.plan(run.plan_hash).get());
    return records->audit_head();
  };
  surroundings_.records_kept = [this](const std::string& run) {
    const auto records = records_.find(run);
    return records != records_.end() && records->second->settled();
  };
  shelf_.set_on_change([this] {
    if (leading_ && !soon_.armed()) soon_ = loop_.after(Duration{}, [this] { attend(); });
  });
}

void RunKeeper::start() { shelf_.start(); }

void RunKeeper::stop() {
  follow();
  shelf_.stop();
}

void RunKeeper::lead() {
  leading_ = true;
  swept_ = false;
  tick();
}

void RunKeeper::follow() {
  leading_ = false;
  attendants_.clear();
  records_.clear();
  plans_.clear();
  suspects_.clear();
  sweeping_.reset();
  approving_.clear();
  for (net::Pending* pending : {&tick_, &soon_, &review_, &creation_, &removal_}) pending->cancel();
}

void RunKeeper::tick() {
  tick_ = loop_.after(kTick, [this] { tick(); });
  if (!shelf_.synced()) return;
  attend();
  for (auto& [name, attendant] : attendants_) attendant->tick();
  approve();
  sweep();
  forget_old();
}

// Attendants for runs that need one, news for those that have one, and no more of either for runs that are gone.
void RunKeeper::attend() {
  soon_.cancel();
  if (!leading_ || !shelf_.synced()) return;
  std::erase_if(attendants_, [&](const auto& entry) {
    if (!shelf_.runs().contains(entry.first)) return true;
    const auto records = records_.find(entry.first);
    return entry.second->at_rest() && (records == records_.end() || records->second->settled());
  });
  std::erase_if(records_, [&](const auto& entry) { return !attendants_.contains(entry.first); });
  for (const auto& [name, shelved] : shelf_.runs()) {
    const auto found = attendants_.find(name);
    if (found != attendants_.end()) {
      found->second->hear(shelved);
    } else if (needs_attention(shelved)) {
      attendants_.emplace(name, std::make_unique<RunAttendant>(loop_, client_, log_, surroundings_, name));
    }
  }
  std::erase_if(plans_, [&](const auto& entry) {
    return std::none_of(attendants_.begin(), attendants_.end(), [&](const auto& attendant) {
      const Run* run = attendant.second->run();
      return run == nullptr || run->plan_hash == entry.first;
    });
  });
  std::int64_t active = 0;
  for (const Run* run : known_runs()) active += run::over(run->phase) ? 0 : 1;
  metrics_.set_active_runs(active);
}

// What attendants know is newer than what the watch shows.
std::vector<const Run*> RunKeeper::known_runs() const {
  std::vector<const Run*> runs;
  for (const auto& [name, shelved] : shelf_.runs()) {
    const auto attendant = attendants_.find(name);
    const Run* attended = attendant == attendants_.end() ? nullptr : attendant->second->run();
    if (attended != nullptr)
      runs.push_back(attended);
    else if (shelved.error.empty())
      runs.push_back(&shelved.run);
  }
  return runs;
}

std::string RunKeeper::at_work() const {
  for (const Run* run : known_runs())
    if (run->phase != Phase::Approved && !run::over(run->phase) && !run::waits_for_reap(run->phase))
      return run->name;
  return {};
}

bool RunKeeper::guarding() const {
  return std::any_of(attendants_.begin(), attendants_.end(), [](const auto& entry) {
    const Run* const run = entry.second->run();
    return run != nullptr && (!run::over(run->phase) || run->late_watch_until);
  });
}

std::vector<std::string> RunKeeper::measured_nodes() const {
  std::set<std::string> nodes;
  for (const auto& [name, attendant] : attendants_) {
    const Run* const run = attendant->run();
    if (run == nullptr || !run->pressure_guards || (run::over(run->phase) && !run->late_watch_until))
      continue;
    for (const run::Victim& victim : run->victims) nodes.insert(victim.node);
    for (const run::Survivor& survivor : run->survivors) nodes.insert(survivor.node);
  }
  return {nodes.begin(), nodes.end()};
}

std::optional<run::Desk> RunKeeper::desk(const Run& run) {
  const std::optional<PublishedPlan> published = needs_.plan();
  const std::shared_ptr<const Outlook> outlook = needs_.outlook();
  if (!published || !outlook || !outlook->distrust.empty()) return std::nullopt;
  run::Desk desk;
  desk.plan = published->plan.get();
  desk.pressure_guards = published->pressure_guards;
  const auto& policy = outlook->reading->cluster.policy;
  desk.acts = policy && policy->mode == "Act";
  desk.automatic = policy && policy->approval == "Automatic";
  desk.paused = policy && policy->paused;
  desk.evictions_left = surroundings_.evictions_left();
  for (const Run* other : known_runs()) {
    if (other->name == run.name) continue;
    run::Desk::Other& entry = desk.others.emplace_back();
    entry.name = other->name;
    entry.plan_hash = other->plan_hash;
    entry.used = !other->victims.empty();
    entry.created = other->approved_at;
    entry.phase = other->phase;
    for (const run::Victim& victim : other->victims) entry.victims.push_back(victim.node);
    for (const run::Survivor& survivor : other->survivors) entry.survivors.push_back(survivor.node);
  }
  if (published->plan && published->plan->hash == run.plan_hash) plans_[run.plan_hash] = published->plan;
  return desk;
}

// ---- what is told

void RunKeeper::stepped(const Run& before, const Run& after) {
  if (after.phase != before.phase) {
    log_.info("run", {{"run", after.name},
                      {"phase", run::word(after.phase)},
                      {"reason", after.reason},
                      {"message", after.message}});
    metrics_.run_entered(run::word(after.phase));
    const bool bad = after.phase == Phase::Aborting || after.phase == Phase::RolledBack;
    std::string message = after.message.empty() ? "plan " + after.plan_hash.substr(0, 12) : after.message;
    if (!after.reason.empty()) message = after.reason + ": " + message;
    recorder_.record(reference(after), bad ? net::EventType::Warning : net::EventType::Normal,
                     run::word(after.phase), message);
    if (after.phase == Phase::Cordoning || (run::over(after.phase) && run::touched(before.phase)))
      for (const run::Victim& victim : after.victims)
        recorder_.record({"v1", "Node", "", victim.node, victim.uid},
                         bad ? net::EventType::Warning : net::EventType::Normal,
                         after.phase == Phase::Cordoning ? "ConsolidationStarted" : "ConsolidationEnded",
                         fmt::format("run {}: {}", after.name, run::word(after.phase)));
    if (run::over(after.phase)) {
      metrics_.run_ended(run::word(after.phase), after.reason, loop_.now() - after.approved_at);
    }
  }
  if (after.guards.tripped != before.guards.tripped) metrics_.guard_tripped(after.guards.tripped);
  if (after.guards.late_trip != before.guards.late_trip) {
    log_.warn("a guard tripped after the run", {{"run", after.name}, {"guard", after.guards.late_trip}});
    metrics_.guard_tripped(after.guards.late_trip);
    recorder_.record(reference(after), net::EventType::Warning, "LateTrip",
                     "guard " + after.guards.late_trip + " tripped after the nodes were gone");
  }
}

void RunKeeper::concluded(const Run& /*run*/, const run::Mutation& entry) {
  metrics_.run_mutation(run::word(entry.kind), run::word(entry.state));
}

// ---- approval by policy

void RunKeeper::approve() {
  const std::shared_ptr<const Outlook> outlook = needs_.outlook();
  const std::optional<PublishedPlan> published = needs_.plan();
  if (!outlook) return;
  const auto& policy = outlook->reading->cluster.policy;
  if (!policy || policy->approval != "Automatic" || policy->mode != "Act" || policy->paused) {
    // An approval that waits for a busy server is not sent any more.
    creation_.cancel();
    approving_.clear();
    return;
  }
  if (!outlook->distrust.empty() || !published || !published->plan || !approving_.empty()) return;
  const std::string& hash = published->plan->hash;
  // Nobody, not even a policy, approves what cannot be read.
  if (!published->written || !published->plan->holds()) return;
  const std::vector<const Run*> known = known_runs();
  const auto uses_it_up = [&](const Run* run) { return run::uses_up(*run, hash); };
  if (std::any_of(known.begin(), known.end(), uses_it_up)) return;
  const documents::Approval approval{hash, own_name_, documents::ApprovalSource::Policy, ""};
  // Runs that were refused keep their names. One that cannot be read may have used the plan.
  int attempt = 1;
  for (; attempt <= documents::kMostApprovals; ++attempt) {
    const auto other = shelf_.runs().find(documents::approval_name(approval, attempt));
    if (other == shelf_.runs().end()) break;
    if (!other->second.error.empty()) return;
  }
  if (attempt > documents::kMostApprovals) return;
  std::string obstacle =
      obstacle_to_approval(*published->plan, known, outlook->reading->cluster, loop_.now());
  if (!published->dismissed_by.empty()) obstacle = "dismissed by " + published->dismissed_by;
  if (!obstacle.empty()) {
    if (obstacle != said_obstacle_) log_.info("not approved by policy", {{"hash", hash}, {"why", obstacle}});
    said_obstacle_ = obstacle;
    return;
  }
  said_obstacle_.clear();
  if (own_name_.empty()) return ask_who_we_are();
  approving_ = hash;
  creation_ = client_.create(
      net::kConsolidationRuns, "", wire::to_json(documents::approval_object(approval, attempt)),
      [this, hash, name = documents::approval_name(approval, attempt)](net::Reply reply) {
        if (reply.ok())
          log_.info("approved by policy", {{"run", name}, {"hash", hash}});
        else
          log_.warn("approval by policy failed", {{"hash", hash}, {"error", reply.error->text()}});
        // The watch shows it soon; until then no second attempt.
        creation_ = loop_.after(Duration::seconds(reply.ok() ? 5 : 30), [this] { approving_.clear(); });
      });
}

void RunKeeper::ask_who_we_are() {
  if (review_.armed()) return;
  review_ = client_.review(
      kSelfReviews, R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})",
      [this](const net::Reply& reply) {
        if (const auto answer = reply.ok() ? wire::read_tree(reply.body) : Result<wire::Tree>(Error{""}))
          own_name_ = answer->at({"status", "userInfo", "username"}).string();
        review_ = loop_.after(Duration::seconds(10), [this] { review_.cancel(); });
      });
}

// ---- what nobody else cleans up

// A node or claim whose note names a run that does not exist, or is over: its run was removed by force, or somebody restored
// an old node. Suspects are looked at twice, so that a watch that lags behind accuses nobody.
void RunKeeper::sweep() {
  const net::Instant now = loop_.instant();
  if (sweeping_ || (swept_ && now - last_sweep_ < kSweepEvery)) return;
  const std::shared_ptr<const Outlook> outlook = needs_.outlook();
  if (!outlook || !outlook->distrust.empty() || !shelf_.reflector().state().usable()) return;
  last_sweep_ = now;
  swept_ = true;
  const Cluster& cluster = outlook->reading->cluster;
  std::set<std::pair<std::string, std::string>> suspects;
  std::optional<std::pair<run::Mutation, std::string>> guilty;
  const auto look = [&](Symbol name, Symbol uid, Symbol note_text, run::MutationKind kind) {
    if (!note_text.valid()) return;
    const auto note = documents::read_note(cluster.text(note_text));
    if (!note) return;
    for (const std::string& run : note->runs) {
      const auto shelved = shelf_.runs().find(run);
      const bool alive = attendants_.contains(run) ||
                         (shelved != shelf_.runs().end() && needs_attention(shelved->second)) ||
                         (shelved != shelf_.runs().end() && !shelved->second.error.empty());
      if (alive) continue;
      const std::pair key{std::string(run::word(kind)) + "/" + std::string(cluster.text(name)), run};
      if (suspects_.contains(key) && !guilty) {
        run::Mutation mutation;
        mutation.kind = kind;
        mutation.name = cluster.text(name);
        mutation.uid = cluster.text(uid);
        guilty.emplace(std::move(mutation), run);
      }
      suspects.insert(key);
    }
  };
  for (const Node& node : cluster.nodes)
    look(node.name, node.uid, node.marks.note, run::MutationKind::Release);
  for (const NodeClaim& claim : cluster.claims)
    look(claim.name, claim.uid, claim.marks.note, run::MutationKind::ReleaseClaim);
  suspects_ = std::move(suspects);
  if (guilty) release(guilty->first, guilty->second);
}

void RunKeeper::release(const run::Mutation& mutation, const std::string& run) {
  Run gone;
  gone.name = run;
  log_.warn("releasing what a run left behind", {{"object", mutation.name}, {"run", run}});
  sweeping_ =
      std::make_unique<Errand>(client_, gone, mutation, [this, name = mutation.name](const Deed& deed) {
        if (deed.conclusion.state != run::MutationState::Done && !deed.fenced)
          log_.warn("not released", {{"object", name}, {"reason", deed.conclusion.reason}});
        swept_ = deed.conclusion.state != run::MutationState::Done;  // on with the next one at once
        soon_ = loop_.after(Duration{}, [this] {
          sweeping_.reset();
          attend();
        });
      });
  sweeping_->begin();
}

void RunKeeper::forget_old() {
  if (removal_.armed()) return;
  std::vector<const ShelvedRun*> over;
  for (const auto& [name, shelved] : shelf_.runs())
    if (!needs_attention(shelved) && shelved.error.empty() && !shelved.deleting &&
        shelved.run.guards.late_trip.empty())
      over.push_back(&shelved);
  if (over.size() <= kRunsKept) return;
  const ShelvedRun& oldest = **std::min_element(over.begin(), over.end(), [](const auto* a, const auto* b) {
    return std::pair(a->run.approved_at, std::string_view(a->run.name)) <
           std::pair(b->run.approved_at, std::string_view(b->run.name));
  });
  net::RemoveOptions options;
  options.uid = oldest.run.uid;
  removal_ = client_.remove(net::kConsolidationRuns, "", oldest.run.name, options, [this](const net::Reply&) {
    removal_ = loop_.after(Duration::seconds(5), [this] { removal_.cancel(); });
  });
}

}  // namespace tamp::controller

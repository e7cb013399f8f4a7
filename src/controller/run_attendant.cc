#include "controller/run_attendant.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "documents/run_document.h"

namespace tamp::controller {
namespace {

using run::Phase;

constexpr Duration kRetryAfter = Duration::seconds(2);
// Between two requests for the same eviction at least, whatever the wall clock does meanwhile: even a refused one costs a budget slot.
constexpr Duration kEvictAgain = Duration::seconds(5);
constexpr Duration kRecordsPatience = Duration::minutes(2);
// Dry runs at a time: they are cheap, but a large run has hundreds.
constexpr std::size_t kRehearsalsAtOnce = 8;
constexpr Duration kRehearseAgain = Duration::seconds(5);

// resourceVersions of one kind are numbers that grow.
bool shown(const std::string& wanted, const std::string& seen) {
  if (wanted.empty()) return true;
  std::uint64_t want = 0, have = 0;
  const auto number = [](const std::string& text, std::uint64_t& into) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc{} && end == text.data() + text.size();
  };
  return number(wanted, want) && number(seen, have) && have >= want;
}

}  // namespace

RunAttendant::RunAttendant(net::Loop& loop, net::Client& client, const Log& log,
                           const RunSurroundings& surroundings, std::string name)
    : loop_(loop), client_(client), log_(log), surroundings_(surroundings), name_(std::move(name)) {
  read();
}

// Whoever led before may have written after what our watch shows: the first look is at the API server itself.
void RunAttendant::read() {
  busy_ = true;
  request_ = client_.get(net::kConsolidationRuns, "", name_, [this](net::Reply reply) {
    busy_ = false;
    auto object = reply.ok() ? wire::read_tree(reply.body) : Result<wire::Tree>(Error{reply.error->text()});
    if (!object) {
      log_.debug("run not read", {{"run", name_}, {"error", object.error().message}});
      retry_ = loop_.after(kRetryAfter, [this] { read(); });
      return;
    }
    adopt(read_shelved_run(*object));
  });
}

void RunAttendant::adopt(ShelvedRun found) {
  if (!found.error.empty()) {
    log_.warn("run cannot be read and is left alone", {{"run", name_}, {"error", found.error}});
    retry_ = loop_.after(Duration::minutes(1), [this] { read(); });
    return;
  }
  resource_version_ = std::move(found.resource_version);
  finalizers_ = std::move(found.finalizers);
  deleting_ = found.deleting;
  std::string status = documents::write_status(found.run);
  if (run_ && status == stored_status_) {
    run_->abort_requested = run_->abort_requested || found.run.abort_requested;
  } else {
    // Ours for the first time, or somebody else's since: what is under way here is not in that journal.
    errands_.clear();
    deeds_.clear();
    set_stored(std::move(status));
    run_ = std::move(found.run);
    run::resume(*run_);
    rest_evictions();
  }
  step_soon();
}

// Whoever tried them before us may have done so a moment ago, by a clock that was not ours.
void RunAttendant::rest_evictions() {
  evictions_tried_.clear();
  for (const run::Mutation& entry : run_->journal.entries)
    if (entry.kind == run::MutationKind::Evict && !entry.over()) evictions_tried_[entry.id] = loop_.instant();
}

void RunAttendant::hear(const ShelvedRun& seen) {
  if (!run_ || !seen.error.empty()) return;
  if (seen.run.abort_requested && !run_->abort_requested) {
    run_->abort_requested = true;
    log_.info("abort requested", {{"run", name_}});
    step_soon();
  }
  if (!shown(seen.resource_version, resource_version_)) {
    // Newer than what we know of. If it is our own write, its answer is on the way; otherwise the next store meets a conflict.
    if (!busy_) {
      finalizers_ = seen.finalizers;
      deleting_ = seen.deleting;
    }
  }
}

void RunAttendant::tick() { step(); }

bool RunAttendant::at_rest() const {
  return run_ && !busy_ && run::over(run_->phase) && !run_->late_watch_until && errands_.empty() &&
         deeds_.empty() && recorded_phase_ == run_->phase && finalizer_fits() && is_stored();
}

bool RunAttendant::is_stored() const {
  if (stored_run_ && *stored_run_ == *run_) return true;
  if (documents::write_status(*run_) != stored_status_) return false;
  stored_run_ = *run_;
  return true;
}

void RunAttendant::set_stored(std::string status) {
  stored_status_ = std::move(status);
  stored_run_.reset();
}

void RunAttendant::step_soon() {
  soon_ = loop_.after(Duration{}, [this] { step(); });
}

std::string RunAttendant::distrust(const Outlook& outlook) const {
  if (!outlook.distrust.empty()) return outlook.distrust;
  if (!shown(node_version_, surroundings_.nodes_seen()))
    return "the watch of nodes has not shown our own last write yet";
  return {};
}

run::Sight RunAttendant::look(const Outlook& outlook) {
  const Cluster& cluster = outlook.reading->cluster;
  run::Sight sight{.now = loop_.now(),
                   .cluster = cluster,
                   .distrust = distrust(outlook),
                   .settings = outlook.settings,
                   .limits = outlook.limits,
                   .observations = outlook.observations,
                   .application = outlook.application,
                   .last_node_deleted = outlook.last_node_deleted,
                   .leader_node = cluster.find_node(outlook.leader_node),
                   .policy_present = cluster.policy.has_value(),
                   .acts = cluster.policy && cluster.policy->mode == "Act",
                   .paused = cluster.policy && cluster.policy->paused,
                   .revalidation = std::exchange(revalidation_, std::nullopt),
                   .rehearsals = rehearsals_,
                   .evictions_left = surroundings_.evictions_left()};
  for (const auto& [entry, since] : evictions_tried_)
    if (loop_.instant() - since < kEvictAgain) sight.resting.insert(entry);
  return sight;
}

void RunAttendant::step() {
  if (!run_) return;
  if (busy_) {
    again_ = true;
    return;
  }
  again_ = false;
  std::erase_if(rehearsing_, [](const auto& entry) { return entry.second->over(); });
  for (auto& [id, deed] : std::exchange(deeds_, {})) did(id, std::move(deed));
  const std::shared_ptr<const Outlook> outlook = surroundings_.outlook();
  if (!outlook) return;

  const run::Run before = *run_;
  if (run_->phase == Phase::Approved) {
    const std::optional<run::Desk> desk = surroundings_.desk(*run_);
    if (!desk) return;
    if (finalizer_due()) return write_finalizer();
    run::take_in(*run_, *desk, outlook->reading->cluster, documents::status_bytes, loop_.now());
  }
  run::Step step = run::advance(*run_, look(*outlook));
  run_ = std::move(step.run);
  for (const std::string& remark : step.remarks) log_.info(remark, {{"run", name_}});
  if (run_->phase != before.phase || run_->guards.tripped != before.guards.tripped ||
      run_->guards.late_trip != before.guards.late_trip)
    surroundings_.stepped(before, *run_);
  if (run_->phase != Phase::Validating) {
    rehearsals_.clear();
    rehearsing_.clear();
    rehearsed_.clear();
  }
  if (run::over(run_->phase) && !over_since_) over_since_ = loop_.instant();
  if (step.revalidate) revalidate(outlook);
  rehearse(step.rehearse);

  if (!recall()) return;
  record(*outlook);
  if (!is_stored()) return store();
  if (finalizer_due()) return write_finalizer();
  act();
}

// Calls errands back whose entry is no longer to be carried out. False while an abort must wait for one that is on its way: its answer
// brings the next step.
bool RunAttendant::recall() {
  std::erase_if(errands_, [&](const auto& entry) {
    const run::Mutation* mutation = run_->journal.find(entry.first);
    return (mutation == nullptr || !mutation->open()) && !entry.second->sent();
  });
  if (run_->phase != Phase::Aborting) return true;
  return std::none_of(errands_.begin(), errands_.end(), [&](const auto& entry) {
    const run::Mutation* mutation = run_->journal.find(entry.first);
    return mutation != nullptr && mutation->reason == "Withdrawn";
  });
}

// The newest record's hash goes into the status with whatever else is stored, and by itself at the end.
void RunAttendant::record(const Outlook& outlook) {
  if (run_->phase == Phase::Approved || !is_stored()) return;
  const std::string head = surroundings_.recorded(*run_, outlook);
  recorded_phase_ = run_->phase;
  const bool worth_a_write = run::over(run_->phase) || run_->phase != head_phase_;
  if (head.empty() || !worth_a_write) return;
  run_->audit_head = head;
  head_phase_ = run_->phase;
}

// ---- storing

void RunAttendant::store() {
  busy_ = true;
  const std::string status = documents::write_status(*run_);
  request_ = client_.patch(net::kConsolidationRuns, "", name_, "status", net::PatchType::Json,
                           net::make_json_patch(resource_version_, {{"add", "/status", status}}),
                           [this](net::Reply reply) { stored(std::move(reply)); });
}

void RunAttendant::stored(net::Reply reply) {
  busy_ = false;
  if (!reply.ok()) {
    const bool conflict = reply.error->kind == net::ApiError::Kind::Conflict;
    if (reply.error->reason == "Fenced") return;  // somebody else's now; we are dropped in a moment
    if (conflict)
      log_.debug("run changed meanwhile", {{"run", name_}});
    else
      log_.warn("run not stored", {{"run", name_}, {"error", reply.error->text()}});
    if (reply.error->kind == net::ApiError::Kind::NotFound) return;  // the watch will tell
    // Also after no answer: what is there now decides.
    retry_ = loop_.after(conflict ? Duration{} : reply.error->retry_after.value_or(kRetryAfter),
                         [this] { read(); });
    return;
  }
  const auto object = wire::read_tree(reply.body);
  if (!object) return read();
  ShelvedRun written = read_shelved_run(*object);
  resource_version_ = std::move(written.resource_version);
  finalizers_ = std::move(written.finalizers);
  deleting_ = written.deleting;
  set_stored(written.error.empty() ? documents::write_status(written.run) : std::string());
  if (written.run.abort_requested) run_->abort_requested = true;
  if (!is_stored()) {
    // Not what we meant: the schema cut something off, or a conclusion came meanwhile. A journal that is not kept whole must not be
    // acted on.
    log_.debug("stored run differs", {{"run", name_}});
    again_ = true;
  }
  if (again_) return step_soon();
  if (finalizer_due()) return write_finalizer();
  act();
}

bool RunAttendant::finalizer_fits() const {
  if (!run_) return true;
  const bool has = std::find(finalizers_.begin(), finalizers_.end(), kRollbackFinalizer) != finalizers_.end();
  if (!run::over(run_->phase)) return has || deleting_;  // none can be added to what is being deleted
  return !has;
}

// Records that nobody can write must not keep a run for ever.
bool RunAttendant::finalizer_due() const {
  if (finalizer_fits()) return false;
  if (!run::over(run_->phase)) return true;
  if (recorded_phase_ == run_->phase && surroundings_.records_kept(name_)) return true;
  return over_since_ && loop_.instant() - *over_since_ > kRecordsPatience;
}

void RunAttendant::write_finalizer() {
  std::vector<std::string> wanted = finalizers_;
  if (!run::over(run_->phase))
    wanted.emplace_back(kRollbackFinalizer);
  else
    std::erase(wanted, kRollbackFinalizer);
  wire::Tree list = wire::Tree::array();
  for (const std::string& finalizer : wanted) list.append(finalizer);
  busy_ = true;
  request_ = client_.patch(
      net::kConsolidationRuns, "", name_, "", net::PatchType::Json,
      net::make_json_patch(resource_version_, {{"add", "/metadata/finalizers", wire::to_json(list)}}),
      [this](net::Reply reply) {
        busy_ = false;
        const auto object = reply.ok() ? wire::read_tree(reply.body) : Result<wire::Tree>(Error{""});
        if (!object) {
          if (!reply.ok() && reply.error->reason == "Fenced") return;
          if (!reply.ok() && reply.error->kind == net::ApiError::Kind::NotFound) return;
          retry_ = loop_.after(kRetryAfter, [this] { read(); });
          return;
        }
        adopt(read_shelved_run(*object));
      });
}

// ---- acting

// Entries about one object one at a time, in order: a release that overtakes a cordon would leave it.
void RunAttendant::act() {
  std::set<std::pair<std::string_view, std::string_view>> touched;  // objects of entries that are open
  for (const run::Mutation& entry : run_->journal.entries) {
    if (!entry.open()) continue;
    if (!touched.insert({entry.ns, entry.name}).second || errands_.contains(entry.id)) continue;
    const std::uint32_t id = entry.id;
    auto& errand = errands_[id];
    errand = std::make_unique<Errand>(client_, *run_, entry, [this, id](Deed deed) {
      deeds_.emplace_back(id, std::move(deed));
      step_soon();
    });
    if (entry.kind == run::MutationKind::Evict) evictions_tried_[id] = loop_.instant();
    errand->begin();
  }
}

void RunAttendant::did(std::uint32_t id, Deed deed) {
  errands_.erase(id);
  if (deed.fenced) return;
  if (evictions_tried_.contains(id)) evictions_tried_[id] = loop_.instant();
  if (!deed.resource_version.empty() && !shown(deed.resource_version, node_version_))
    node_version_ = deed.resource_version;
  run::conclude(*run_, id, deed.conclusion, loop_.now());
  const run::Mutation* entry = run_->journal.find(id);
  if (entry == nullptr) return;
  log_.info("mutation", {{"run", name_},
                         {"id", static_cast<std::int64_t>(id)},
                         {"kind", run::word(entry->kind)},
                         {"object", entry->ns.empty() ? entry->name : entry->ns + "/" + entry->name},
                         {"state", run::word(deed.conclusion.state)},
                         {"reason", deed.conclusion.reason}});
  surroundings_.concluded(*run_, *entry);
}

// ---- what a step asks for

void RunAttendant::revalidate(const std::shared_ptr<const Outlook>& outlook) {
  if (revalidating_) return;
  auto plan = surroundings_.plan(run_->plan_hash);
  if (!plan) {
    // Another process took it in: its structure is what must still be equal.
    std::vector<std::string> victims;
    for (const run::Victim& victim : run_->victims) victims.push_back(victim.node);
    plan = std::make_shared<const proof::ConsolidationPlan>(proof::published_plan(
        run_->plan_hash, run_->plan_structure, std::move(victims), run_->approved_at, run_->plan_expires));
  }
  revalidating_ = true;
  const auto answer = std::make_shared<proof::Revalidation>();
  const bool measured = run_->pressure_guards;
  revalidation_work_ = loop_.offload(
      [outlook, plan, answer, measured, now = loop_.now()] {
        const Cluster& cluster = outlook->reading->cluster;
        const situation::Context context{cluster, outlook->settings, now, outlook->last_node_deleted,
                                         cluster.find_node(outlook->leader_node)};
        static const Observations kNone;
        *answer = proof::revalidate(
            {context, measured ? outlook->observations : kNone, measured, outlook->requests_published,
             outlook->autoscaler ? &*outlook->autoscaler : nullptr},
            *plan);
      },
      [this, answer] {
        revalidating_ = false;
        revalidation_ = std::move(*answer);
        step();
      });
}

void RunAttendant::rehearse(const std::vector<std::size_t>& moves) {
  for (const std::size_t i : moves) {
    if (rehearsing_.size() >= kRehearsalsAtOnce) return;
    const run::Departing& move = run_->moves.at(i);
    if (rehearsing_.contains(move.uid)) continue;
    // One that was refused is asked again, but not at once.
    const auto last = rehearsed_.find(move.uid);
    if (last != rehearsed_.end() && loop_.instant() - last->second < kRehearseAgain) continue;
    rehearsed_[move.uid] = loop_.instant();
    auto& rehearsal = rehearsing_[move.uid];
    rehearsal =
        std::make_unique<Rehearsal>(client_, move, [this, uid = move.uid](run::Conclusion conclusion) {
          rehearsals_[uid] = std::move(conclusion);
          step_soon();
        });
    rehearsal->begin();
  }
}

}  // namespace tamp::controller

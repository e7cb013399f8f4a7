#include "controller/controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "explain/words.h"
#include "proof/prover.h"

namespace tamp::controller {
namespace {

constexpr Duration kTick = Duration::seconds(1);
// A pass is followed by a pause of at least so many times its own length.
constexpr std::int64_t kPausePerPass = 4;
// How long a new leader waits for the agents' first answers.
constexpr Duration kFirstRound = Duration::seconds(30);
constexpr Duration kFactsEvery = Duration::seconds(30);
constexpr std::string_view kDefaultPolicy = "default";

controller::WatchState watch_state(net::ReflectorState::Phase phase) {
  using Phase = net::ReflectorState::Phase;
  switch (phase) {
    case Phase::Starting:
      return controller::WatchState::Starting;
    case Phase::Listing:
      return controller::WatchState::Listing;
    case Phase::Current:
      return controller::WatchState::Current;
    case Phase::Absent:
      return controller::WatchState::Absent;
    case Phase::Broken:
      break;
  }
  return controller::WatchState::Broken;
}

StatusCondition plan_condition(const PassOutcome& outcome) {
  if (!outcome.withheld_reason.empty())
    return {"PlanPublished", false, outcome.withheld_reason, outcome.withheld_message, outcome.withheld_key};
  if (!outcome.plan)
    return {"PlanPublished", false, "NothingToDo", "no consolidation passes every gate; see reasons"};
  std::string message =
      fmt::format("{} would go, saving {}", explain::count(outcome.victims, "node", "nodes"),
                  explain::per_hour(outcome.savings));
  if (outcome.plan->planner == "SLO") return {"PlanPublished", true, "Proven", std::move(message)};
  message += "; planner Requests: not proven from measurements";
  for (const proof::Check& check : outcome.plan->checks)
    if (!check.passed)
      return {"PlanPublished", true, "Decided", message + "; cannot be carried out: " + check.message()};
  return {"PlanPublished", true, "Decided", std::move(message)};
}

}  // namespace

Controller::Controller(net::Loop& loop, net::ApiTransport& transport, ControllerOptions options,
                       store::ClusterStore store, const Log& log, controller::Metrics& metrics,
                       controller::Health& health)
    : loop_(loop),
      options_(std::move(options)),
      log_(log),
      metrics_(metrics),
      health_(health),
      client_(loop, transport, options_.client),
      store_(std::move(store)),
      election_(loop, client_, options_.election,
                {[this] { lead(); }, [this] { follow(); },
                 [this](const std::string& holder) {
                   log_.info("leader changed", {{"holder", holder}});
                   if (feed_ != nullptr) feed_->leader_is(holder);
                 }}),
      recorder_(loop, client_,
                [this] {
                  net::EventRecorderOptions recorder;
                  recorder.host = options_.pod_name;
                  return recorder;
                }()),
      announcer_(loop, recorder_, metrics),
      informers_(loop, client_, store_),
      autoscaler_(loop, client_),
      application_(loop, log),
      runs_(loop, client_, log, recorder_, metrics, options_.election.ns,
            {[this] { return outlook(); },
             [this] {
               return informers_.reflector(static_cast<std::size_t>(wire::ObjectKind::Node))
                   .state()
                   .resource_version;
             },
             [this] { return on_offer(); }}) {
  client_.set_may_write([this] { return election_.may_write(); });
  client_.set_observer([this](const net::RequestRecord& record) {
    metrics_.api_request(record.verb, record.resource, record.status, record.duration);
    metrics_.api_throttled(record.waited);
  });
  relists_told_.resize(informers_.size());
}

std::optional<PublishedPlan> Controller::on_offer() const {
  std::optional<PublishedPlan> offer = on_offer_;
  if (!offer || !offer->plan) return offer;
  for (const store::PolicyObject& policy : store_.policies()) {
    if (policy.name != kDefaultPolicy || policy.dismissed.empty()) continue;
    const auto dismissal = documents::read_dismissal(policy.dismissed);
    if (dismissal && dismissal->plan_hash == offer->plan->hash)
      offer->dismissed_by = dismissal->by.empty() ? "somebody" : dismissal->by;
  }
  const auto writer = writers_.find(std::string(kDefaultPolicy));
  const wire::PublishedStatus* shown = writer == writers_.end() ? nullptr : writer->second->published();
  offer->written = shown != nullptr && shown->plan_hash == offer->plan->hash;
  return offer;
}

void Controller::observe_with(ObservationSource& source) {
  collector_.emplace(loop_, source, log_, metrics_, options_.collector);
}

void Controller::ask_applications_with(ApplicationReader::Connect connect) {
  application_.connect_with(std::move(connect));
}

void Controller::start() {
  log_.info("controller started", {{"identity", options_.election.identity}, {"node", options_.node_name}});
  metrics_.set_leader(false);
  started_ = loop_.instant();
  informers_.start();
  runs_.start();
  election_.start();
  tick();
}

void Controller::stop(std::function<void()> done) {
  log_.info("controller stops");
  tick_.cancel();
  pass_.cancel();
  for (auto& [name, writer] : writers_) writer->reset();
  announcer_.reset();
  runs_.stop();
  if (collector_) collector_->stop();
  autoscaler_.stop();
  application_.stop();
  informers_.stop();
  election_.release(std::move(done));
}

std::shared_ptr<const documents::ClusterFacts> Controller::facts() const {
  const std::lock_guard lock(facts_mutex_);
  return facts_;
}

void Controller::set_facts(documents::ClusterFacts facts) {
  auto shared = std::make_shared<const documents::ClusterFacts>(std::move(facts));
  const std::lock_guard lock(facts_mutex_);
  facts_ = std::move(shared);
}

void Controller::lead() {
  log_.info("leading", {{"identity", options_.election.identity}});
  metrics_.set_leader(true);
  writers_.clear();
  announcer_.reset();
  decided_generation_.reset();
  plan_.reset();
  surveyed_.reset();
  threshold_logged_.clear();
  logged_plan_.clear();
  // What happened before is not known, so it may have been a node's deletion a moment ago.
  last_node_deleted_ = loop_.now();
  seen_deletion_.reset();
  node_names_.clear();
  on_offer_.reset();
  runs_.lead();
}

void Controller::follow() {
  // Without an error it was given back.
  if (election_.last_error().empty())
    log_.info("no longer leading");
  else
    log_.warn("no longer leading", {{"error", election_.last_error()}});
  metrics_.set_leader(false);
  pass_.cancel();
  passing_ = false;
  if (collector_) collector_->stop();
  autoscaler_.stop();
  application_.stop();
  writers_.clear();
  announcer_.reset();
  if (feed_ != nullptr) feed_->followed();
  runs_.follow();
}

void Controller::tick() {
  tick_ = loop_.after(kTick, [this] { tick(); });
  health_.tick();
  tell_watches();
  const auto problem = distrust();
  if (!informers_.synced())
    health_.set_not_ready("caches", informers_.problem(loop_.instant(), options_.watch_patience));
  else
    health_.set_ready("caches");
  log_problem(problem ? problem->second : std::string());
  if (feed_ != nullptr) {
    feed_->look_at_runs(runs_.shelf().runs());
    for (const store::PolicyObject& policy : store_.policies())
      if (policy.name == kDefaultPolicy) feed_->dismissed(policy.dismissed);
  }

  if (!election_.leading()) return refresh_facts();
  attend_to_guards();
  if (problem) {
    // Before the first sync there may be a good plan of the last leader: it stays until more is known.
    if (informers_.synced()) withdraw(problem->first, problem->second);
    return;
  }
  consider();
}

// The leader asks the agents of all nodes, as long as the policy wants to know. A new leader hears them before it judges what
// the last one published. Returns whether it is time to decide.
bool Controller::heard_agents() {
  if (!collector_) return true;
  if (!surveyed_) {
    const wire::Reading reading = store_.view();
    measuring_ = planner_measures(reading.cluster);
    note_nodes(reading.cluster);
    surveyed_ = loop_.instant();
  }
  if (!measuring_) {
    collector_->stop();
    return true;
  }
  collector_->look_after(node_names_);
  return collector_->rounds() > 0 || loop_.instant() - *surveyed_ > kFirstRound;
}

// What the guards of runs read is fetched more often than plans need it, and only while there is a run.
void Controller::attend_to_guards() {
  if (collector_) collector_->look_closely_at(runs_.measured_nodes());
  if (runs_.guarding() && outlook_)
    application_.ask(outlook_->settings.guards.run.prometheus);
  else
    application_.stop();
}

// Once when it comes, once when it goes. That the first lists take a moment is no problem.
void Controller::log_problem(const std::string& problem) {
  if (!informers_.synced() && loop_.instant() - started_ < options_.watch_patience) return;
  if (!problem.empty() && problem != logged_problem_) log_.warn("no plan is made", {{"problem", problem}});
  if (problem.empty() && !logged_problem_.empty()) log_.info("plans are made again");
  logged_problem_ = problem;
}

void Controller::tell_watches() {
  const net::Instant now = loop_.instant();
  for (std::size_t i = 0; i < informers_.size(); ++i) {
    const net::Reflector& watched = informers_.reflector(i);
    const net::ReflectorState& state = watched.state();
    metrics_.set_watch(watched.type().plural, watch_state(state.phase), now - state.last_contact);
    for (; relists_told_[i] < state.relists; ++relists_told_[i])
      metrics_.watch_relisted(watched.type().plural);
  }
}

std::optional<std::pair<std::string, std::string>> Controller::distrust() const {
  if (std::string problem = informers_.problem(loop_.instant(), options_.watch_patience); !problem.empty())
    return std::pair{std::string("WatchBroken"), std::move(problem)};
  for (const store::UnreadableObject& object : store_.unreadable())
    if (store::forbids_plan(object)) return std::pair{std::string("UnreadableObject"), object.message};
  return std::nullopt;
}

bool Controller::pass_due(net::Instant now) const {
  if (passing_) return false;
  if (!decided_generation_ || runs_.at_work() != pass_run_) return true;
  const Duration since = now - last_pass_;
  if (since >= options_.idle_interval) return true;
  const Duration pause = std::max(options_.poll_interval, Duration{last_pass_took_.ns * kPausePerPass});
  const bool measured = measuring_ && collector_ && collector_->rounds() != decided_round_;
  return (measured || store_.generation() != *decided_generation_) && since >= pause;
}

void Controller::consider() {
  autoscaler_.start();
  if (!autoscaler_.looked() || !heard_agents() || !runs_.synced() || !pass_due(loop_.instant())) return;
  // A new leader first reads what the last one said, to go on from there.
  for (const store::PolicyObject& policy : store_.policies())
    if (policy.name == kDefaultPolicy && !writer_of(policy.name).known()) return;
  begin_pass();
}

PolicyWriter& Controller::writer_of(const std::string& policy) {
  auto& writer = writers_[policy];
  if (!writer) writer = std::make_unique<PolicyWriter>(loop_, client_, log_, policy);
  return *writer;
}

void Controller::begin_pass() {
  passing_ = true;
  const net::Instant began = loop_.instant();
  auto input = std::make_shared<PassInput>();
  const std::uint64_t generation = store_.generation();
  pass_policy_generation_ = default_policy_generation();
  input->reading = store_.view();
  note_nodes(input->reading.cluster);
  input->reading.autoscaler = autoscaler_.status();
  input->flags = options_.flags;
  input->now = loop_.now();
  input->last_node_deleted = last_node_deleted_;
  input->leader_node = options_.node_name;
  input->requests_published = options_.requests_published;
  input->run_at_work = pass_run_ = runs_.at_work();
  if (collector_) {
    decided_round_ = collector_->rounds();
    input->observations = collector_->observations();
  }
  input->published = plan_ ? plan_ : found_plan();
  // What an earlier leader has seen stays published until a later deletion is seen.
  if (const auto writer = writers_.find(std::string(kDefaultPolicy));
      !seen_deletion_ && writer != writers_.end() && writer->second->published() != nullptr)
    seen_deletion_ = writer->second->published()->last_node_deleted;
  metrics_.phase_took(controller::PlanPhase::View, loop_.instant() - began);
  auto outcome = std::make_shared<PassOutcome>();
  pass_ = loop_.offload(
      [input, outcome] { *outcome = run_pass(*input); },
      [this, generation, began, input, outcome] { pass_ended(generation, began, input, outcome); });
}

// What the last leader published.
std::optional<proof::ConsolidationPlan> Controller::found_plan() const {
  const auto writer = writers_.find(std::string(kDefaultPolicy));
  if (writer == writers_.end() || writer->second->published() == nullptr) return std::nullopt;
  const wire::PublishedStatus& found = *writer->second->published();
  if (found.plan_hash.empty() || found.plan_structure.empty() ||
      found.plan_nodes != static_cast<std::int64_t>(found.plan_victims.size()))
    return std::nullopt;
  return proof::published_plan(found.plan_hash, found.plan_structure, found.plan_victims,
                               found.plan_created_at, found.plan_expires_at);
}

void Controller::pass_ended(std::uint64_t generation, net::Instant began,
                            const std::shared_ptr<const PassInput>& input,
                            const std::shared_ptr<PassOutcome>& outcome) {
  passing_ = false;
  last_pass_ = loop_.instant();
  last_pass_took_ = last_pass_ - began;
  decided_generation_ = generation;
  metrics_.phase_took(controller::PlanPhase::Decide, last_pass_took_);
  tell_metrics(*outcome);
  log_threshold_blocks(*outcome);
  set_facts(outcome->facts);
  plan_ = outcome->plan;
  on_offer_.emplace();
  if (plan_) on_offer_->plan = std::make_shared<const proof::ConsolidationPlan>(*plan_);
  on_offer_->pressure_guards = outcome->measuring;
  measuring_ = outcome->measuring;
  if (outcome->status.plan_hash != logged_plan_) {
    logged_plan_ = outcome->status.plan_hash;
    if (outcome->status.plan_hash.empty())
      log_.info("no plan", {{"nodes", outcome->nodes}, {"candidates", outcome->candidates}});
    else
      log_.info("plan", {{"hash", outcome->status.plan_hash},
                         {"planner", outcome->plan->planner},
                         {"victims", outcome->victims},
                         {"dollarsPerHour", outcome->savings.dollars()},
                         {"nodes", outcome->nodes},
                         {"ms", last_pass_took_.to_seconds() * 1000}});
  }
  for (const std::string& warning : outcome->warnings) log_.debug("warning", {{"text", warning}});
  publish(*outcome);
  if (feed_ != nullptr) feed_->passed(input, *outcome);
  announcer_.announce(std::move(outcome->remarks));
}

// Called with every view, before anything is decided on it: a deletion that it shows counts for that
// decision already.
void Controller::note_nodes(const Cluster& cluster) {
  std::vector<std::string> names;
  names.reserve(cluster.nodes.size());
  for (const Node& node : cluster.nodes) names.emplace_back(cluster.text(node.name));
  std::sort(names.begin(), names.end());
  const bool gone = std::any_of(node_names_.begin(), node_names_.end(), [&](const std::string& name) {
    return !std::binary_search(names.begin(), names.end(), name);
  });
  if (gone) seen_deletion_ = last_node_deleted_ = loop_.now();
  node_names_ = std::move(names);
}

void Controller::tell_metrics(const PassOutcome& outcome) {
  controller::PlanFigures figures;
  figures.candidates = static_cast<std::int64_t>(outcome.candidates);
  for (const auto& [reason, nodes] : outcome.blocked)
    figures.blocked_nodes[std::string(gates::name(reason))] = nodes;
  figures.savings = outcome.savings;
  figures.cluster_cost = outcome.cost;
  figures.nodes = static_cast<std::int64_t>(outcome.nodes);
  figures.pods = static_cast<std::int64_t>(outcome.pods);
  metrics_.set_plan(figures);
  std::map<std::string, std::int64_t, std::less<>> unreadable;
  for (const store::UnreadableObject& object : store_.unreadable())
    ++unreadable[std::string(wire::info(object.kind).kind)];
  metrics_.set_unreadable(unreadable);
}

// "Consolidation Savings Threshold": every consolidation that it holds back is counted, and logged with its numbers when
// they are news.
void Controller::log_threshold_blocks(const PassOutcome& outcome) {
  std::unordered_map<std::string, std::string> logged;
  for (const ThresholdBlock& block : outcome.threshold_blocks) {
    metrics_.threshold_blocked(block.pool);
    const auto before = threshold_logged_.find(block.node);
    if (before == threshold_logged_.end() || before->second != block.message)
      log_.info("consolidation blocked by its savings threshold",
                {{"node", block.node}, {"nodepool", block.pool}, {"numbers", block.message}});
    logged.emplace(block.node, block.message);
  }
  threshold_logged_ = std::move(logged);
}

void Controller::publish(const PassOutcome& outcome) {
  WantedStatus wanted;
  wanted.conditions.push_back({"Ready", true, "Deciding",
                               fmt::format("decides on {}", explain::count(outcome.nodes, "node", "nodes"))});
  wanted.conditions.push_back(plan_condition(outcome));
  wanted.members = outcome.status;
  wanted.last_node_deleted = seen_deletion_;
  wanted.generation = pass_policy_generation_;
  write_status(wanted);
}

std::int64_t Controller::default_policy_generation() const {
  for (const store::PolicyObject& policy : store_.policies())
    if (policy.name == kDefaultPolicy) return policy.generation;
  return 0;
}

void Controller::withdraw(std::string_view reason, const std::string& problem) {
  on_offer_.reset();
  decided_generation_.reset();
  plan_.reset();
  if (feed_ != nullptr) feed_->withdrawn(reason, problem);
  WantedStatus wanted;
  wanted.conditions.push_back({"Ready", false, std::string(reason), problem});
  wanted.conditions.push_back(
      {"PlanPublished", false, "NotReady", "the cluster is not known well enough to decide"});
  wanted.members.emplace();
  wanted.last_node_deleted = seen_deletion_;
  wanted.generation = default_policy_generation();
  write_status(wanted);
}

void Controller::write_status(const WantedStatus& wanted) {
  const std::vector<store::PolicyObject> policies = store_.policies();
  std::erase_if(writers_, [&](const auto& entry) {
    return std::none_of(policies.begin(), policies.end(),
                        [&](const auto& p) { return p.name == entry.first; });
  });
  const net::Instant began = loop_.instant();
  for (const store::PolicyObject& policy : policies) {
    WantedStatus own;
    if (policy.name == kDefaultPolicy) {
      own = wanted;
    } else {
      own.conditions.push_back({"Ignored", true, "NotDefault", "only the TemperPolicy named default counts"});
      own.generation = policy.generation;
    }
    writer_of(policy.name)
        .want(std::move(own), [this, began,
                               counts = policy.name == kDefaultPolicy](PolicyWriter::Outcome outcome) {
          if (!counts) return;
          metrics_.phase_took(controller::PlanPhase::Publish, loop_.instant() - began);
          metrics_.pass_ended(outcome == PolicyWriter::Outcome::Written ? controller::PassResult::Published
                              : outcome == PolicyWriter::Outcome::Unchanged
                                  ? controller::PassResult::Unchanged
                                  : controller::PassResult::Failed);
        });
  }
}

std::shared_ptr<const Outlook> Controller::outlook() {
  if (!informers_.synced()) return nullptr;
  const auto problem = distrust();
  const std::string why = problem ? problem->second : std::string();
  const std::uint64_t generation = store_.generation();
  const std::uint64_t news = (collector_ ? collector_->news() : 0) + application_.news();
  const bool same_cluster = outlook_ && outlook_generation_ == generation;
  if (same_cluster && outlook_news_ == news && outlook_->distrust == why &&
      outlook_->autoscaler == autoscaler_.status() && outlook_->last_node_deleted == last_node_deleted_)
    return outlook_;
  auto fresh = std::make_shared<Outlook>();
  fresh->reading = same_cluster ? outlook_->reading : std::make_shared<const wire::Reading>(store_.view());
  if (!same_cluster) note_nodes(fresh->reading->cluster);
  fresh->last_node_deleted = last_node_deleted_;
  fresh->leader_node = options_.node_name;
  fresh->settings = controller_settings(fresh->reading->cluster, options_.flags);
  fresh->limits = run::limits_of(fresh->settings.guards, fresh->settings.reap);
  if (collector_) fresh->observations = collector_->observations();
  fresh->requests_published = options_.requests_published;
  fresh->autoscaler = autoscaler_.status();
  if (const auto& query = fresh->settings.guards.run.prometheus)
    fresh->application = application_.signal(*query);
  fresh->distrust = why;
  outlook_generation_ = generation;
  outlook_news_ = news;
  outlook_ = std::move(fresh);
  return outlook_;
}

// A follower answers the webhook, too, and needs to know the pools for it.
void Controller::refresh_facts() {
  const net::Instant now = loop_.instant();
  if (!informers_.synced() || facts_generation_ == store_.generation()) return;
  if (facts_generation_ && now - facts_at_ < kFactsEvery) return;
  facts_generation_ = store_.generation();
  facts_at_ = now;
  set_facts(documents::cluster_facts(store_.view().cluster));
}

}  // namespace tamp::controller

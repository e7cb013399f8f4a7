#include "sim/campaign/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "sim/campaign/agents.h"
#include "sim/campaign/mischief.h"
#include "sim/world/staging.h"
#include "wire/tree.h"

namespace tamp::sim {
namespace {

using wire::Tree;
using world::Dice;
using world::api::ResourceId;

constexpr Duration kPlanWithin = Duration::seconds(35);    // no plan by then: nothing to see here
constexpr Duration kTroubleFor = Duration::minutes(8);     // after the first approval; then everything heals
constexpr Duration kEndWithin = Duration::minutes(20);     // after that every run must be over
constexpr Duration kCleanWithin = Duration::seconds(150);  // and then nothing may be left
constexpr Duration kWholeWithin = Duration::minutes(4);    // nor any pod be missing
constexpr Duration kPlanAgain = Duration::seconds(90);     // and what was feasible is proposed again
constexpr Duration kStillFor = Duration::seconds(45);
constexpr std::uint64_t kStillEvery = 8;            // seeds: it takes time
constexpr Duration kNotice = Duration::seconds(8);  // to see what others did, on a good day
constexpr Duration kNoticeInTrouble = Duration::seconds(120);
constexpr Time kStart{1'794'700'800'000'000'000};

// One place where controllers run, one after the other, with its way to the API server.
struct Replica {
  std::unique_ptr<Wire> wire;
  std::unique_ptr<ProcessLoop> loop;
  std::unique_ptr<Agents> agents;
  std::unique_ptr<controller::Controller> controller;
  std::string identity;
  int starts = 0;
  bool stopping = false;
  net::Pending restart;
};

class Trial {
 public:
  Trial(Stock& stock, const Recipe& recipe, const TrialOptions& options);
  TrialResult run();

 private:
  void prepare();
  void start(std::size_t replica);
  void crash(std::size_t replica, Duration for_how_long);
  std::size_t leader() const;
  void after_step();
  void person_looks();
  void strike(const Trouble& trouble);
  void spoil_weather(const Trouble& trouble, const std::function<void(Weather&)>& spoil);
  void heal();
  void upgrade(std::size_t replica);
  bool undisturbed() const;
  void judge_end();
  void stay_still();
  void make_occasion();
  void inject_bug(std::size_t replica, const Call& call);
  bool all_over() const;
  bool watched_late() const;
  bool clean() const;
  bool advance(Duration time, const std::function<bool()>& until);

  Stock& stock_;
  const Recipe& recipe_;
  const TrialOptions& options_;
  Coverage coverage_;
  world::World world_;
  embed::WorldLoop loop_;
  std::string log_text_;
  controller::Log log_;
  Auditor auditor_;
  Mischief mischief_;
  std::vector<Replica> replicas_;
  std::vector<net::Pending> plans_;  // of people and troubles
  std::vector<net::Pending> ghosts_;
  std::set<std::size_t> struck_;
  std::vector<TroubleKind> happened_;
  std::string first_run_, seen_phase_;
  std::string considered_;  // the hash that a person looks at
  int approvals_ = 0;
  std::optional<Time> first_approval_;
  Time troubled_until_;  // watches may lag until then
  bool healed_ = false, bug_done_ = false;
};

Trial::Trial(Stock& stock, const Recipe& recipe, const TrialOptions& options)
    : stock_(stock),
      recipe_(recipe),
      options_(options),
      world_(stock.bare()),
      loop_(world_, recipe.seed),
      log_(
          options.keep_log ? controller::LogLevel::Debug : controller::LogLevel::Error,
          controller::LogFormat::Text, [this] { return loop_.now(); },
          [this](std::string_view line) {
            if (options_.keep_log) log_text_ += line;
          }),
      auditor_(world_.api(), coverage_),
      mischief_(world_) {}

void Trial::prepare() {
  world::Scenario scenario = recipe_.scenario;
  scenario.start = stock_.start() + recipe_.scenario.warmup;
  const Status furnished = world::furnish(world_, scenario, recipe_.seed);
  assert(furnished.ok());
  (void)furnished;
  world::api::Server& api = world_.api();
  Dice dice(recipe_.seed ^ 0xfeedu);
  std::vector<std::string> nodes;
  for (const auto& [key, node] : api.objects(ResourceId::Nodes)) nodes.push_back(key.second);
  if (recipe_.foreign_marks && !nodes.empty()) {
    coverage_.count("F25 foreign marks");
    for (int i = 0; i < 2; ++i) {
      const std::string& node = nodes[dice.below(nodes.size())];
      api.patch(
          ResourceId::Nodes, "", node, world::api::PatchType::Merge,
          *wire::read_tree(
              dice.chance(0.5)
                  ? R"({"metadata":{"annotations":{"cluster-autoscaler.kubernetes.io/scale-down-disabled":"true"}}})"
                  : R"({"metadata":{"annotations":{"autoscaling.cast.ai/removal-disabled":"by ops"}}})"));
    }
  }
  if (recipe_.human_cordon && !nodes.empty()) {
    coverage_.count("a person's cordon");
    api.patch(ResourceId::Nodes, "", nodes[dice.below(nodes.size())], world::api::PatchType::Merge,
              *wire::read_tree(R"({"spec":{"unschedulable":true}})"));
  }
  world_.deliver();
  auditor_.set_ailing(&mischief_.ailing(), &mischief_.unpressured());
  auditor_.begin();
  for (int i = 0; i < recipe_.controllers; ++i) {
    const auto index = static_cast<std::size_t>(i);
    Replica& replica = replicas_.emplace_back();
    Wire::Ears ears;
    ears.arriving = [this, index](const Call& call) { auditor_.arriving(replicas_[index].identity, call); };
    ears.done = [this, index](const Call& call, const world::api::Answer& answer) {
      auditor_.done(replicas_[index].identity, call, answer);
      inject_bug(index, call);
    };
    ears.crash = [this, index] { crash(index, Duration::seconds(5)); };
    ears.count = [this](std::string_view what) { coverage_.count(what); };
    replica.wire = std::make_unique<Wire>(loop_, api, "tamp", recipe_.seed * 31 + index, std::move(ears));
    replica.wire->set_tamper(make_tamper(options_.mutant, api, auditor_.runs(), auditor_.published()));
    replica.wire->set_blind(options_.mutant == Mutant::BlindWatch);
    // What these do not see must have been there for a while when they act.
    if (options_.mutant == Mutant::BlindWatch || options_.mutant == Mutant::SkipRevalidation)
      replica.wire->weather().slow = Duration::nanoseconds(1'500'000'000);
  }
  if (options_.mutant == Mutant::UnknownIsZero) mischief_.hide_pressure();
  for (std::size_t i = 0; i < replicas_.size(); ++i) start(i);
}

void Trial::start(std::size_t index) {
  Replica& replica = replicas_[index];
  if (replica.controller) return;
  replica.loop = std::make_unique<ProcessLoop>(loop_);
  replica.wire->attach(*replica.loop);
  replica.identity = fmt::format("tamp-{}-{}", index, ++replica.starts);
  store::ClusterStore store;
  [[maybe_unused]] const Status types =
      store.set_instance_types({"machines", wire::to_json(recipe_.scenario.machines)});
  assert(types.ok());
  controller::ControllerOptions options;
  options.pod_name = "tamp";
  options.election.identity = replica.identity;
  options.requests_published = false;
  replica.controller = std::make_unique<controller::Controller>(
      *replica.loop, *replica.wire, options, std::move(store), log_, stock_.metrics(), stock_.health());
  if (recipe_.slo) {
    replica.agents = std::make_unique<Agents>(*replica.loop, world_, mischief_.forgeries(),
                                              options_.mutant == Mutant::UnknownIsZero);
    replica.controller->observe_with(*replica.agents);
  }
  replica.controller->start();
}

// As SIGKILL: nothing is finished, nothing is given back.
void Trial::crash(std::size_t index, Duration for_how_long) {
  Replica& replica = replicas_[index];
  if (!replica.controller) return;
  coverage_.count("F1 crash");
  replica.stopping = false;
  replica.controller.reset();
  replica.agents.reset();
  replica.wire->detach();
  replica.loop.reset();
  replica.restart = loop_.after(for_how_long, [this, index] { start(index); });
}

// As a Deployment does: the old one ends in good order, the new one has another name.
void Trial::upgrade(std::size_t index) {
  Replica& replica = replicas_[index];
  if (!replica.controller) return;
  replica.stopping = true;
  replica.controller->stop([] {});
  replica.restart = loop_.after(Duration::seconds(2), [this, index] { crash(index, Duration::seconds(1)); });
}

std::size_t Trial::leader() const {
  for (std::size_t i = 0; i < replicas_.size(); ++i)
    if (replicas_[i].controller && replicas_[i].controller->leading()) return i;
  return 0;
}

void Trial::spoil_weather(const Trouble& trouble, const std::function<void(Weather&)>& spoil) {
  for (Replica& replica : replicas_) spoil(replica.wire->weather());
  const Time over = loop_.now() + trouble.lasting;
  troubled_until_ = std::max(troubled_until_, over + Duration::seconds(60));
  plans_.push_back(loop_.after(trouble.lasting, [this] {
    for (Replica& replica : replicas_) replica.wire->weather() = {};
  }));
}

void Trial::strike(const Trouble& trouble) {
  if (healed_) return;
  Dice dice(trouble.salt ^ 0x7);
  const auto& runs = auditor_.runs();
  const auto found = runs.find(first_run_);
  const RunView run = found == runs.end() ? RunView{} : found->second;
  const double often = 0.1 + 0.6 * dice.unit();
  bool did = true;
  using enum TroubleKind;
  switch (trouble.kind) {
    case Crash:
      if (dice.chance(0.8)) {
        const std::size_t index = leader();
        replicas_[index].wire->crash_at_next_write(static_cast<CrashPoint>(dice.below(3)));
        plans_.push_back(
            loop_.after(trouble.lasting, [this, index] { replicas_[index].wire->forget_crash(); }));
      } else {
        crash(leader(), Duration::seconds(dice.between(1, 40)));
      }
      break;
    case StaleLists:
      // Only who must list again can be told something old.
      spoil_weather(trouble, [&](Weather& w) { w.stale_lists = 0.8, w.gone_watches = often; });
      break;
    case CutWatches:
      spoil_weather(trouble, [&](Weather& w) { w.cut_watches = often; });
      break;
    case GoneWatches:
      spoil_weather(trouble, [&](Weather& w) { w.gone_watches = often; });
      break;
    case StalledWatches:
      spoil_weather(trouble, [&](Weather& w) { w.stalled = true; });
      break;
    case AnswersLost:
      spoil_weather(trouble, [&](Weather& w) { w.lost_after = often; });
      break;
    case RequestsLost:
      spoil_weather(trouble, [&](Weather& w) { w.lost_before = often; });
      break;
    case Conflicts:
      spoil_weather(trouble, [&](Weather& w) { w.conflicts = often; });
      break;
    case ServerErrors:
      spoil_weather(trouble, [&](Weather& w) { w.server_errors = often; });
      break;
    case Throttled:
      spoil_weather(trouble, [&](Weather& w) { w.throttled = often; });
      break;
    case AdmissionDenies:
      spoil_weather(trouble, [&](Weather& w) { w.denied = 1, w.denied_kind = "nodes"; });
      break;
    case RightsRemoved:
      spoil_weather(trouble, [&](Weather& w) { w.denied = 1, w.denied_kind = "eviction"; });
      break;
    case OneNodeDenied:
      did = !run.survivors.empty();
      if (did)
        spoil_weather(trouble, [&](Weather& w) {
          w.denied = 1, w.denied_kind = "nodes", w.denied_name = run.survivors.begin()->first;
        });
      break;
    case Freeze:
    case TakeOver: {
      Replica& replica = replicas_[leader()];
      did = replica.loop != nullptr;
      if (did) replica.loop->freeze(trouble.kind == TakeOver ? Duration::seconds(60) : trouble.lasting);
      troubled_until_ = std::max(troubled_until_, loop_.now() + Duration::seconds(120));
      break;
    }
    case ClockJump: {
      Replica& replica = replicas_[leader()];
      did = replica.loop != nullptr;
      if (did) replica.loop->shift_wall(Duration::seconds(dice.between(-600, 600)));
      break;
    }
    case Upgraded:
      upgrade(leader());
      break;
    default:
      did = mischief_.strike(trouble, run);
      if (trouble.kind == KillSwitch)
        plans_.push_back(loop_.after(trouble.lasting, [this] { mischief_.heal(); }));
      // Shorter than the time from one sample to the next.
      if (did && trouble.kind == Spike)
        plans_.push_back(loop_.after(Duration{dice.between(200'000'000, 900'000'000)},
                                     [this] { mischief_.end_spikes(); }));
      break;
  }
  if (!did) return;
  coverage_.count(name_of(trouble.kind));
  happened_.push_back(trouble.kind);
}

void Trial::person_looks() {
  const std::string& hash = auditor_.published();
  if (hash.empty() || hash == considered_ || approvals_ >= recipe_.approvals) return;
  considered_ = hash;
  plans_.push_back(loop_.after(recipe_.approve_after, [this] {
    // What is on the page now, which may be another plan, or none.
    if (auditor_.published().empty()) {
      considered_.clear();
      return;
    }
    if (mischief_.approve(fmt::format("run-{}", ++approvals_), auditor_.published()))
      coverage_.count("approval");
  }));
}

// Some bugs show only when something happens that they overlook.
void Trial::make_occasion() {
  if (bug_done_ || options_.mutant != Mutant::SkipRevalidation || auditor_.published().empty()) return;
  bug_done_ = true;
  const auto policies = world_.api().find_resource("temper.codes", "temperpolicies");
  const auto policy = policies ? world_.api().get(*policies, "", "default") : nullptr;
  if (!policy) return;
  for (Replica& replica : replicas_) replica.wire->set_blind(true);
  for (const Tree& victim : policy->status()["plan"]["victims"].elements())
    mischief_.intrude(std::string(victim.string()));
}

void Trial::after_step() {
  auditor_.look();
  make_occasion();
  const bool troubled = loop_.now() < troubled_until_;
  auditor_.set_notice(troubled ? kNoticeInTrouble : kNotice);
  if (!healed_) person_looks();
  if (first_run_.empty()) {
    if (auditor_.runs().empty()) return;
    first_run_ = auditor_.runs().begin()->first;
    first_approval_ = loop_.now();
  }
  const auto found = auditor_.runs().find(first_run_);
  if (found == auditor_.runs().end() || found->second.phase == seen_phase_) return;
  seen_phase_ = found->second.phase;
  for (std::size_t i = 0; i < recipe_.troubles.size(); ++i) {
    const Trouble& trouble = recipe_.troubles[i];
    if (trouble.phase != seen_phase_ || options_.without.contains(i) || !struck_.insert(i).second) continue;
    plans_.push_back(loop_.after(trouble.delay, [this, &trouble] { strike(trouble); }));
  }
}

// Bugs that no change of a request can stand for: the controller would send something more.
void Trial::inject_bug(std::size_t index, const Call& call) {
  const auto send = [this, index](net::Request request, Duration after) {
    ghosts_.push_back(loop_.after(after, [this, index, request] {
      if (replicas_[index].loop) replicas_[index].wire->send(request, [](const net::Exchange&) {}).detach();
    }));
  };
  switch (options_.mutant) {
    case Mutant::RepeatEviction:
      if (call.subresource == "eviction" && !call.dry_run && !std::exchange(bug_done_, true))
        send(*call.request, Duration::seconds(1));
      break;
    case Mutant::ReleaseEarly:
      if (bug_done_ || call.subresource != "eviction" || call.dry_run) break;
      for (const auto& [name, run] : auditor_.runs())
        for (const auto& [node, uid] : run.survivors) {
          if (bug_done_ || run.phase != "Draining") continue;
          const auto live = world_.api().get(ResourceId::Nodes, "", node);
          if (!live || !live->metadata()["annotations"].has("karpenter.sh/do-not-disrupt")) continue;
          net::Request request;
          request.method = net::Method::Patch;
          request.target = "/api/v1/nodes/" + node;
          request.content_type = "application/merge-patch+json";
          request.body = R"({"metadata":{"annotations":{"karpenter.sh/do-not-disrupt":null}}})";
          send(std::move(request), Duration{1'000'000});
          bug_done_ = true;
        }
      break;
    case Mutant::EvictAfterAbort:
      if (bug_done_ || call.resource != "consolidationruns") break;
      for (const auto& [name, run] : auditor_.runs()) {
        if (run.phase != "Aborting") continue;
        for (const RunView::Move& move : run.moves) {
          const auto pod = world_.api().get(ResourceId::Pods, move.ns, move.name);
          if (!pod || pod->uid() != move.uid || bug_done_) continue;
          net::Request request;
          request.method = net::Method::Post;
          request.target = fmt::format("/api/v1/namespaces/{}/pods/{}/eviction", move.ns, move.name);
          request.content_type = "application/json";
          request.body =
              fmt::format(R"({{"apiVersion":"policy/v1","kind":"Eviction","metadata":{{"name":"{}",)"
                          R"("namespace":"{}"}},"deleteOptions":{{"preconditions":{{"uid":"{}"}}}}}})",
                          move.name, move.ns, move.uid);
          send(std::move(request), Duration{1'000'000});
          bug_done_ = true;
        }
      }
      break;
    case Mutant::ApproveByItself:
      if (bug_done_ || auditor_.published().empty()) break;
      {
        net::Request request;
        request.method = net::Method::Post;
        request.target = "/apis/temper.codes/v1alpha1/consolidationruns";
        request.content_type = "application/json";
        request.body =
            fmt::format(R"({{"apiVersion":"temper.codes/v1alpha1","kind":"ConsolidationRun","metadata":)"
                        R"({{"name":"own"}},"spec":{{"planHash":"{}","approvedBy":"tamp"}}}})",
                        auditor_.published());
        send(std::move(request), Duration{1'000'000});
        bug_done_ = true;
      }
      break;
    default:
      break;
  }
}

void Trial::heal() {
  healed_ = true;
  plans_.clear();
  mischief_.heal();
  mischief_.end_automatic_approval();
  auditor_.find_kinds();
  for (std::size_t i = 0; i < replicas_.size(); ++i) {
    Replica& replica = replicas_[i];
    replica.wire->weather() = {};
    replica.wire->forget_crash();
    if (replica.loop) replica.loop->thaw(), replica.loop->correct_wall();
    if (replica.stopping) crash(i, Duration{});
    replica.restart.cancel();
    start(i);
  }
  world_.deliver();
}

bool Trial::all_over() const {
  for (const auto& [name, run] : auditor_.runs())
    if (!run.over()) return false;
  return true;
}

// As conclude() will see it; cheap enough to ask every second.
bool Trial::clean() const {
  for (const auto& [key, node] : world_.api().objects(ResourceId::Nodes))
    if (node->metadata()["annotations"].has("temper.codes/run")) return false;
  if (const auto claims = world_.api().find_resource("karpenter.sh", "nodeclaims"))
    for (const auto& [key, claim] : world_.api().objects(*claims))
      if (claim->metadata()["annotations"].has("temper.codes/run")) return false;
  const auto runs = world_.api().find_resource("temper.codes", "consolidationruns");
  if (!runs) return true;
  for (const auto& [key, run] : world_.api().objects(*runs))
    if (!run->metadata()["finalizers"].empty()) return false;
  return true;
}

// The first run has ended well, its survivors are still watched, and they are to be squeezed.
bool Trial::watched_late() const {
  const auto first = auditor_.runs().find(first_run_);
  return first != auditor_.runs().end() && first->second.watched_late &&
         std::any_of(recipe_.troubles.begin(), recipe_.troubles.end(),
                     [](const Trouble& trouble) { return trouble.kind == TroubleKind::LateSqueeze; });
}

bool Trial::advance(Duration time, const std::function<bool()>& until) {
  const Time end = loop_.now() + time;
  std::int64_t asked = 0;
  while (loop_.next() && *loop_.next() <= end) {
    loop_.step();
    after_step();
    if (!auditor_.violations().empty()) return true;
    // Once a second is enough.
    if (const std::int64_t second = loop_.now().ns / 1'000'000'000; second != asked) {
      asked = second;
      if (until()) return true;
    }
  }
  return until();
}

// Nothing happened to nodes, workloads and budgets but what the controller did.
bool Trial::undisturbed() const { return std::none_of(happened_.begin(), happened_.end(), disturbs_pods); }

void Trial::judge_end() {
  if (!undisturbed()) return;
  advance(kWholeWithin, [this] { return auditor_.short_of_pods().empty(); });
  auditor_.judge_availability();
  if (!auditor_.violations().empty() || recipe_.seed % kStillEvery != 0 || recipe_.automatic) return;
  const auto& work = recipe_.scenario.workloads;
  if (std::none_of(work.begin(), work.end(), [](const auto& plan) { return plan.kind == "Job"; }))
    stay_still();
}

// L3–L5: what was feasible and did not happen is proposed again; a restart changes nothing; no plan comes and goes.
void Trial::stay_still() {
  bool as_it_was = !recipe_.slo && auditor_.evictions() == 0;
  for (const auto& [name, run] : auditor_.runs()) as_it_was = as_it_was && run.phase == "RolledBack";
  if (as_it_was && !advance(kPlanAgain, [this] { return !auditor_.published().empty(); }))
    auditor_.violate("L3", "a plan that was approved and came to nothing is not proposed again");
  if (as_it_was) coverage_.count("L3 judged");
  auditor_.keep_still();
  for (std::size_t i = 0; i < replicas_.size(); ++i) crash(i, Duration::seconds(1));
  advance(kStillFor, [] { return false; });
  coverage_.count("L4 L5 judged");
}

TrialResult Trial::run() {
  prepare();
  const Time began = loop_.now();
  const auto quiet = [this] {
    return first_approval_ && all_over() && (recipe_.automatic || approvals_ >= recipe_.approvals) &&
           !watched_late();
  };
  advance(kPlanWithin, [this] { return !auditor_.runs().empty(); });
  if (first_approval_) {
    if (auditor_.violations().empty()) {
      advance(kTroubleFor, [&] { return quiet() && loop_.now() - *first_approval_ > Duration::seconds(20); });
      heal();
      advance(kEndWithin, [this] { return all_over(); });
      advance(kCleanWithin, [this] { return clean(); });
    }
    if (auditor_.violations().empty()) auditor_.conclude();
    if (auditor_.violations().empty()) judge_end();
    coverage_.count("trial with a run");
  } else {
    coverage_.count("trial without a plan");
  }
  if (options_.keep_log) {
    const auto policies = world_.api().find_resource("temper.codes", "temperpolicies");
    if (const auto policy = policies ? world_.api().get(*policies, "", "default") : nullptr)
      log_text_ += "status of the policy: " + wire::to_json(policy->status()) + "\n";
  }
  TrialResult result;
  result.violations = auditor_.violations();
  result.runs = auditor_.runs().size();
  result.digest = auditor_.digest();
  result.lived = loop_.now() - began;
  result.deeds = auditor_.deeds();
  result.coverage = coverage_;
  result.log = std::move(log_text_);
  // Processes first: what they have under way is on the loop.
  for (Replica& replica : replicas_) replica.controller.reset();
  return result;
}

}  // namespace

Stock::Stock() : start_(kStart), metrics_("sim", "sim"), health_({"caches"}) {
  auto bare = world::make_bare_world(1, start_);
  assert(bare.ok());
  bare_ = std::make_unique<world::World>(*std::move(bare));
  world::api::Server& api = bare_->api();
  api.track_managers(false);
  api.add_token("tamp", {.user = "system:serviceaccount:tamp-system:tamp-controller",
                         .uid = {},
                         .groups = {"system:masters", "system:authenticated"},
                         .manager = "tamp"});
  for (const char* name : {"tamp-system", "shop"})
    api.create(
        ResourceId::Namespaces, "",
        Tree::object(
            {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", Tree::object({{"name", name}})}}));
}

TrialResult run_trial(Stock& stock, const Recipe& recipe, const TrialOptions& options) {
  const Recipe cooked = with_occasion(recipe, options.mutant);
  Trial trial(stock, cooked, options);
  return trial.run();
}

}  // namespace tamp::sim

#include "sim/campaign/auditor.h"

#include <fmt/format.h>

#include <algorithm>

#include "wire/tree.h"

namespace tamp::sim {
namespace {

using net::Method;
using wire::Tree;
using world::api::Change;
using world::api::Object;
using world::api::ResourceId;

constexpr Duration kPatience = Duration::seconds(5);  // an eviction of one pod is not asked for again before
// Rounds of 10 s, 15 s for the newest answer, and a little.
constexpr Duration kTelemetry = Duration::seconds(40);
// A request takes so long at most, on a day without trouble on the wire.
constexpr Duration kFlight = Duration{20'000'000};
constexpr std::size_t kDeedsKept = 4000;

// What the controller may write at all.
bool permitted(const Call& call) {
  if (call.resource == "leases" || call.resource == "events" || call.resource == "selfsubjectreviews")
    return call.method != Method::Delete;
  if (call.resource == "temperpolicies") return call.subresource == "status";
  if (call.resource == "consolidationruns" || call.resource == "nodeclaims") return true;
  if (call.resource == "configmaps" || call.resource == "secrets") return call.ns == "tamp-system";
  if (call.resource == "pods") return call.subresource == "eviction" && call.method == Method::Post;
  if (call.resource == "nodes") return call.method == Method::Patch && call.subresource.empty();
  return false;
}

std::set<std::string> runs_in_note(const std::string& note) {
  std::set<std::string> runs;
  if (const auto tree = wire::read_tree(note))
    for (const Tree& run : (*tree)["runs"].elements()) runs.emplace(run.string());
  return runs;
}

std::string verb(Method method) {
  constexpr std::array<const char*, 5> kNames = {"GET", "POST", "PUT", "PATCH", "DELETE"};
  return kNames.at(static_cast<std::size_t>(method));
}

}  // namespace

Auditor::Auditor(world::api::Server& server, Coverage& coverage) : server_(server), coverage_(coverage) {}

void Auditor::violate(std::string_view rule, std::string text) {
  if (violations_.size() < 50) violations_.push_back({server_.now(), std::string(rule), std::move(text)});
}

void Auditor::mix(std::string_view text) {
  for (const char c : text) digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
}

void Auditor::find_kinds() {
  policies_ = server_.find_resource("temper.codes", "temperpolicies");
  consolidation_runs_ = server_.find_resource("temper.codes", "consolidationruns");
  claims_ = server_.find_resource("karpenter.sh", "nodeclaims");
}

void Auditor::begin() {
  find_kinds();
  std::vector<ResourceId> kinds = {ResourceId::Nodes,       ResourceId::Pods,
                                   ResourceId::ReplicaSets, ResourceId::StatefulSets,
                                   ResourceId::Jobs,        ResourceId::ReplicationControllers};
  if (policies_) kinds.push_back(*policies_);
  for (const ResourceId kind : kinds)
    for (const auto& [key, object] : server_.objects(kind)) {
      Change change;
      change.resource = kind;
      change.after = object;
      hear(change, false, nullptr);
    }
  heard_ = server_.revision();
  for (const auto& [uid, owner] : truth_.owners())
    if (owner.exists && owner.desired > 0 && owner.ready >= owner.desired) whole_before_.insert(uid);
}

void Auditor::look() {
  catch_up(false, nullptr);
  judge_remains();
}

void Auditor::catch_up(bool ours, const Call* call) {
  while (const Change* next = server_.change_after(heard_)) {
    const Change change = *next;
    heard_ = change.revision;
    hear(change, ours, call);
  }
}

void Auditor::hear(const Change& change, bool ours, const Call* /*call*/) {
  const Time now = server_.now();
  if (change.resource == ResourceId::Nodes) {
    if (!ours) {
      marks_.foreign(change, now);
    } else {
      judge_node_write(change);
      marks_.own(change, now,
                 [this](std::string_view rule, std::string text) { violate(rule, std::move(text)); });
    }
  } else if (consolidation_runs_ && change.resource == *consolidation_runs_) {
    judge_run_write(change, ours);
  } else if (policies_ && change.resource == *policies_) {
    if (change.object().name() != "default") return;
    const Tree& policy = change.object().tree();
    std::string hash(policy.at({"status", "plan", "hash"}).string());
    if (!change.after) hash.clear();
    if (hash != published_) {
      if (!published_.empty()) was_published_[published_] = now;
      if (!hash.empty()) coverage_.count("plan published");
      if (!hash.empty() && still_since_ && was_published_.contains(hash) &&
          was_published_[hash] > *still_since_)
        violate("L5",
                "nothing happened, and plan " + hash.substr(0, 12) + " was withdrawn and published again");
      published_ = std::move(hash);
    }
    const bool automatic = change.after && policy["spec"]["approval"].string() == "Automatic";
    if (!automatic && automatic_) manual_since_ = now;
    automatic_ = automatic;
    const bool paused = policy.at({"metadata", "annotations", "temper.codes/pause"}).string() == "true";
    if (!paused)
      paused_at_.reset();
    else if (!paused_at_)
      paused_at_ = now;
  } else if (claims_ && change.resource == *claims_) {
    if (ours) judge_claim_write(change);
  } else if (change.resource == ResourceId::Leases) {
    if (change.object().ns() == "tamp-system")
      holder_ = change.after ? change.object().spec()["holderIdentity"].string() : "";
  } else {
    truth_.hear(change, now);
    if (change.resource == ResourceId::Pods && !change.before) notice_namesake(change.object());
  }
}

// F18: a StatefulSet gives the next pod the name of the one that was evicted.
void Auditor::notice_namesake(const Object& pod) {
  for (const auto& [name, run] : runs_)
    for (const RunView::Move& move : run.moves)
      if (!run.over() && move.ns == pod.ns() && move.name == pod.name() && move.uid != pod.uid())
        coverage_.count("F18 replaced under the same name");
}

// ---- requests

void Auditor::arriving(const std::string& identity, const Call& call) {
  catch_up(false, nullptr);
  judge_permission(call);
  judge_leadership(identity, call);
  if (call.subresource == "eviction") judge_eviction(call);
}

void Auditor::done(const std::string& identity, const Call& call, const world::api::Answer& answer) {
  if (still_since_ && !call.dry_run && answer.status < 300 &&
      (call.resource == "nodes" || call.resource == "pods" || call.resource == "nodeclaims"))
    violate("L4", fmt::format("{} {} after everything was over", verb(call.method), call.request->target));
  catch_up(!call.dry_run, &call);
  mix(fmt::format("{}|{}|{}|{}|{}|{}\n", server_.now().ns, identity, verb(call.method), call.request->target,
                  call.request->body, answer.status));
  if (call.subresource == "eviction" && !call.dry_run && answer.status < 300) {
    ++evictions_;
    coverage_.count("eviction");
  }
  if (call.subresource == "eviction" && answer.status == 429) coverage_.count("F7 429 of a budget");
  if (call.subresource == "eviction" && answer.status == 500) coverage_.count("F7 500 of two budgets");
  if (call.resource != "leases" && call.resource != "events" && deeds_.size() < kDeedsKept)
    deeds_.push_back(fmt::format("{} {} {} {} -> {}{}", format_rfc3339(server_.now()), identity,
                                 verb(call.method), call.request->target, answer.status,
                                 call.resource == "nodes" ? " " + call.request->body : ""));
}

void Auditor::judge_permission(const Call& call) {
  if (!permitted(call)) violate("I2", verb(call.method) + " " + call.request->target + " is never allowed");
}

void Auditor::judge_leadership(const std::string& identity, const Call& call) {
  if (call.resource == "leases" || call.resource == "events" || call.resource == "selfsubjectreviews") return;
  if (call.dry_run) return;
  if (!holder_.empty() && holder_ != identity)
    violate("I5", fmt::format("{} wrote {} while {} leads", identity, call.request->target, holder_));
}

const RunView* Auditor::run_intending(std::string_view kind, std::string_view name, std::string_view uid,
                                      bool* in_flight) const {
  for (const auto& [run_name, run] : runs_)
    if (!run.over() && run.intended(kind, name, uid) != nullptr) return &run;
  // Sent while it was intended, and on its way when that changed, or when others deleted the run.
  for (const auto& [run_name, gone] : deleted_) {
    if (server_.now() - gone.second > kFlight || gone.first.intended(kind, name, uid) == nullptr) continue;
    if (in_flight != nullptr) *in_flight = true;
    return &gone.first;
  }
  const auto recent = recently_intended_.find(fmt::format("{}|{}|{}", kind, name, uid));
  if (recent == recently_intended_.end() || server_.now() - recent->second.second > kFlight) return nullptr;
  const auto run = runs_.find(recent->second.first);
  if (run == runs_.end()) return nullptr;
  if (in_flight != nullptr) *in_flight = true;
  return &run->second;
}

void Auditor::judge_protection(const RunView& run, std::string_view before_what) {
  const Time now = server_.now();
  marks_.touch_protected(now);
  for (const auto& [node, uid] : run.survivors) {
    const MarkedNode* marked = marks_.find(uid);
    if (marked == nullptr) continue;  // gone: other rules say when that must be noticed
    if (!marked->protected_at || (now - *marked->protected_at > notice_))
      violate("I9",
              fmt::format("survivor {} is not protected before {} (run {})", node, before_what, run.name));
  }
}

void Auditor::judge_eviction(const Call& call) {
  const Time now = server_.now();
  const auto body = wire::read_tree(call.request->body);
  const Tree none;
  const Tree& options = body ? (*body)["deleteOptions"] : none;
  const std::string uid(options.at({"preconditions", "uid"}).string());
  const std::string pod_name = call.ns + "/" + call.name;
  if (uid.empty()) violate("I2", "eviction of " + pod_name + " without its uid");
  const auto live = server_.get(ResourceId::Pods, call.ns, call.name);
  if (call.dry_run) {
    rehearsed_.insert(uid);
    coverage_.count("dry run");
    return;
  }
  if (options.has("gracePeriodSeconds"))
    violate("I2", "eviction of " + pod_name + " with a grace period of our own");
  if (!live) return;
  if (!uid.empty() && live->uid() != uid) {
    coverage_.count("F18 eviction of a pod that was replaced");
    return;
  }
  const std::string live_uid(live->uid());
  if (const auto last = last_eviction_.find(live_uid);
      last != last_eviction_.end() && now - last->second < kPatience)
    violate("I5", "evicted " + pod_name + " again after less than 5 s: a refusal costs a budget, too");
  last_eviction_[live_uid] = now;

  bool in_flight = false;
  const RunView* run = run_intending("Evict", call.name, live_uid, &in_flight);
  if (run == nullptr)
    return violate("I7", "evicted " + pod_name + " without an intent in any stored journal");
  if (in_flight) coverage_.count("an eviction held back while in flight");
  if (run->phase != "Draining")
    violate("I10", fmt::format("evicted {} in phase {} of run {}", pod_name, run->phase, run->name));
  if (!run->tripped.empty())
    violate("I10", fmt::format("evicted {} after guard {} had tripped", pod_name, run->tripped));
  const RunView::Move* move = run->move(live_uid);
  if (move == nullptr) return violate("I1", "evicted " + pod_name + ", which is not in the plan");
  if (!rehearsed_.contains(live_uid)) violate("I5", "evicted " + pod_name + " without a dry run");
  if (paused_at_ && now - *paused_at_ > notice_)
    violate("I5", "evicted " + pod_name + " while the policy is paused");

  const PodTruth* pod = truth_.pod(live_uid);
  if (pod != nullptr && !pod->owner.empty() && !truth_.owner(pod->owner).whole())
    violate("I4", "evicted " + pod_name + " before its controller was whole again");
  for (const RunView::Move& other : run->moves) {
    if (other.tier >= move->tier || other.uid == live_uid) continue;
    const PodTruth* there = truth_.pod(other.uid);
    if (there != nullptr && there->movable && server_.get(ResourceId::Nodes, "", there->node))
      violate("I6", fmt::format("evicted {} of tier {} while {} of tier {} is still there", pod_name,
                                move->tier, other.name, other.tier));
    if (!other.owner.empty() && !truth_.owner(other.owner).whole())
      violate("I6",
              fmt::format("evicted {} while {} of a lower tier has no replacement", pod_name, other.name));
  }
  judge_protection(*run, "an eviction");
  if (!run->requests_only) judge_telemetry(*run, pod_name);
  for (const auto& [node, node_uid] : run->victims) {
    const MarkedNode* marked = marks_.find(node_uid);
    if (marked == nullptr) continue;
    if (!marked->now.contains("cordon") && !marked->now.contains("taint") &&
        !(marked->foreign_at && now - *marked->foreign_at <= notice_))
      violate("I9", "evicted " + pod_name + " while victim " + node + " is not cordoned");
    if (marked->paused_at && now - *marked->paused_at > notice_)
      violate("I5", "evicted " + pod_name + " although node " + node + " is paused");
    for (const auto& [other_uid, other] : truth_.pods())
      if (other.node == node && other.movable && !other.terminating && other.bound &&
          now - *other.bound > notice_ && run->move(other_uid) == nullptr)
        violate("I1", fmt::format("evicted {} although {}/{}, which the plan does not know, is on {}",
                                  pod_name, other.ns, other.name, node));
  }
  const std::int64_t ready_before = move->ready_before ? *move->ready_before
                                    : pod == nullptr   ? 0
                                                       : truth_.owner(pod->owner).ready;
  // Counts from the moment at which the pod stops being ready, which is now.
  if (pod != nullptr) truth_.evicted(pod->owner, ready_before);
}

void Auditor::judge_telemetry(const RunView& run, const std::string& pod_name) {
  const Time now = server_.now();
  coverage_.count("eviction under pressure guards");
  for (const auto& [node, since] : *ailing_)
    if (run.survivors.contains(node) && now - since > kTelemetry)
      violate("I3", fmt::format("evicted {} while survivor {} has not been measured for {}", pod_name, node,
                                format_duration(now - since)));
  // Pressure is asked of the cgroups of protected pods and of nothing else ("Automated node consolidation under an SLO guard": a node whose
  // Background pods soak up what is idle looks saturated and is healthy). So a survivor without any has no pressure to know; once one
  // has landed there and could be measured, it must be.
  for (const auto& [node, since] : *unpressured_) {
    if (!run.survivors.contains(node) || now - since <= kTelemetry) continue;
    for (const auto& [uid, pod] : truth_.pods())
      if (pod.node == node && pod.is_protected && pod.ready && pod.bound && now - *pod.bound > kTelemetry)
        violate("I3", fmt::format("evicted {} while nobody knows the pressure of {}/{} on survivor {}",
                                  pod_name, pod.ns, pod.name, node));
  }
}

// ---- what was written

void Auditor::judge_node_write(const Change& change) {
  if (!change.before || !change.after) return;  // the ledger complains
  const std::string name(change.after->name()), uid(change.after->uid());
  const Marks before = marks_of(*change.before), after = marks_of(*change.after);
  const auto added = [&](const std::string& mark) { return after.contains(mark) && !before.contains(mark); };
  const auto removed = [&](const std::string& mark) {
    return before.contains(mark) && !after.contains(mark);
  };
  const auto intent = [&](std::string_view kind) -> const RunView* {
    const RunView* run = run_intending(kind, name, uid);
    if (run == nullptr) violate("I7", fmt::format("{} of node {} without a stored intent", kind, name));
    return run;
  };
  bool adds = false;
  for (const auto& [mark, value] : after)
    if (is_protection(mark) && added(mark)) adds = true;
  if (adds) {
    const RunView* run = intent("Protect");
    if (run != nullptr && !run->survivors.contains(name) && run->claim.empty())
      violate("I9", "protected " + name + ", which is no survivor");
  }
  if (added("cordon") || added("no-load-balancer")) {
    if (const RunView* run = intent("Cordon")) {
      if (!run->victims.contains(name)) violate("I1", "cordoned " + name + ", which is no victim");
      judge_protection(*run, "a cordon");
      // The first touch of a victim: nothing may have changed since the plan, and every eviction was tried.
      for (const RunView::Move& move : run->moves)
        if (truth_.pod(move.uid) != nullptr && truth_.pod(move.uid)->movable &&
            !rehearsed_.contains(move.uid))
          violate("I1", fmt::format("cordoned {} without a dry run of {}", name, move.name));
      for (const auto& [pod_uid, pod] : truth_.pods())
        if (pod.node == name && pod.movable && !pod.terminating && pod.bound &&
            server_.now() - *pod.bound > notice_ && run->move(pod_uid) == nullptr)
          violate("I1", fmt::format("cordoned {} although {}/{}, which the plan does not know, is on it",
                                    name, pod.ns, pod.name));
    }
  }
  if (added("taint")) intent("Taint");
  if (adds || added("cordon") || added("taint")) {
    for (const auto& [run_name, run] : runs_)
      if ((run.phase == "Aborting" || run.over()) &&
          runs_in_note(after.contains("note") ? after.at("note") : "").contains(run_name))
        violate("I8", fmt::format("marked {} for run {}, which is {}", name, run_name, run.phase));
  }
  const bool leaves = run_intending("Leave", name, uid) != nullptr;
  if ((removed("cordon") || removed("taint")) && !after.contains("taint") && !after.contains("cordon") &&
      run_intending("Release", name, uid) == nullptr)
    for (const auto& [run_name, run] : runs_)
      if (!run.over() && run.victims.contains(name) && run.touched())
        violate("I11", fmt::format("node {} is schedulable while run {} holds it", name, run_name));
  bool lets_go = removed("taint");
  for (const auto& [mark, value] : before)
    if (is_protection(mark) && removed(mark)) lets_go = true;
  if (removed("cordon") && run_intending("Uncordon", name, uid) == nullptr) lets_go = true;
  if (leaves && removed("note") && before.contains("cordon")) {
    // The run promised to leave it so. From now on the cordon is nobody's.
    if (!after.contains("cordon")) violate("I11", "left " + name + " empty without a cordon");
    left_cordoned_.insert(uid);
    coverage_.count("left empty and cordoned");
  }
  if (lets_go && !leaves && run_intending("Release", name, uid) == nullptr) {
    // Only where no living run holds the node.
    const auto note = before.find("note");
    for (const std::string& run : note == before.end() ? std::set<std::string>{} : runs_in_note(note->second))
      if (const auto found = runs_.find(run); found != runs_.end() && !found->second.over())
        violate("I7", fmt::format("released {} while run {} holds it", name, run));
    coverage_.count("sweep");
  }
}

void Auditor::judge_claim_write(const Change& change) {
  const std::string name(change.object().name()), uid(change.object().uid());
  const Time now = server_.now();
  if (!change.before) {
    const RunView* run = run_intending("CreateClaim", name, "");
    if (run == nullptr) violate("I7", "created claim " + name + " without a stored intent");
    if (!change.object().metadata()["annotations"].has("karpenter.sh/do-not-disrupt"))
      violate("I9", "claim " + name + " is not protected from its birth on");
    coverage_.count("claim created");
    return;
  }
  if (change.after && change.after->terminating() == change.before->terminating()) return;  // released
  const RunView* run = run_intending("DeleteClaim", name, uid);
  if (run == nullptr) return violate("I7", "deleted claim " + name + " without a stored intent");
  coverage_.count("claim deleted");
  const std::string_view node = change.before->status()["nodeName"].string();
  // Where the Node is gone there is nothing left to take from anybody: its pods are about to be collected, and the claim is what keeps the
  // machine on the bill. One that was made anew under the name counts: its pods run on the claim's machine.
  if (!server_.get(ResourceId::Nodes, "", node)) return;
  if (const PodTruth* pod = truth_.resident(node, now - notice_))
    violate("I11", fmt::format("deleted claim {} while {}/{} runs on its node", name, pod->ns, pod->name));
}

void Auditor::judge_run_write(const Change& change, bool ours) {
  const std::string name(change.object().name());
  if (!change.after) {
    if (const auto found = runs_.find(name);
        found != runs_.end() && found->second.touched() && !found->second.over()) {
      for (const auto* nodes : {&found->second.victims, &found->second.survivors})
        for (const auto& [node, uid] : *nodes) journal_lost_.insert(node);
      journal_lost_.insert(found->second.claim_node);
    }
    if (auto gone = runs_.extract(name)) deleted_[name] = {std::move(gone.mapped()), server_.now()};
    late_trips_.erase(name);
    return;
  }
  const bool created = !change.before;
  const RunView after = read_run_view(*change.after);
  RunView before = created ? RunView{} : read_run_view(*change.before);
  if (created) {
    entered_[name + "/Approved"] = server_.now();
    // Nobody can know at once that the policy has changed; such a run must not begin, see judge_step().
    if (ours && !automatic_ && server_.now() - manual_since_ > notice_)
      violate("I1", "approved a plan by itself under approval Manual");
    if (ours) of_policy_.insert(name);
    for (const auto& [run, at] : late_trips_)
      if (ours && server_.now() - at > kFlight)
        violate("I10", "approved a plan by itself although a guard tripped after run " + run);
    if (!ours) of_people_.insert(name);
  }
  judge_step(before, after, created);
  runs_[name] = after;
}

void Auditor::judge_step(const RunView& before, const RunView& after, bool created) {
  const Time now = server_.now();
  // Several phases may pass in one step, where there is nothing to do in them: the journal has them all.
  if (after.phases.size() < before.phases.size() ||
      !std::equal(before.phases.begin(), before.phases.end(), after.phases.begin()))
    violate("I14", "run " + after.name + " forgot phases");
  for (std::size_t i = std::max<std::size_t>(before.phases.size(), 1); i < after.phases.size(); ++i) {
    coverage_.count(fmt::format("{} > {}", after.phases[i - 1], after.phases[i]));
    if (!phase_steps().contains({after.phases[i - 1], after.phases[i]}))
      violate("I14",
              fmt::format("run {} went from {} to {}", after.name, after.phases[i - 1], after.phases[i]));
    if (after.phases[i] != "Validating") continue;
    const auto was = was_published_.find(after.hash);
    if (after.hash != published_ && (was == was_published_.end() || now - was->second > notice_))
      violate("I1", fmt::format("run {} began with a hash that is not published", after.name));
    if (of_policy_.contains(after.name) && !automatic_ && now - manual_since_ > notice_)
      violate("I1", fmt::format("run {} began by approval of a policy that is Manual now", after.name));
    // An approval is used once it was taken in. Nobody can know what a run used that was deleted since.
    const std::string user = std::exchange(used_hashes_[after.hash], after.name);
    if (!user.empty() && user != after.name && runs_.contains(user))
      violate("I1", fmt::format("run {} began with a hash that was used before", after.name));
  }
  if (after.phase != before.phase) {
    if (after.phase == "Aborting" || after.over()) coverage_.count("reason " + after.reason);
    if (after.over()) over_since_[after.name] = now;
    // Whoever approved it knew, and it went well.
    if (after.phase == "Succeeded" && of_people_.contains(after.name)) late_trips_.clear();
    if (!created && (after.phases.empty() || after.phases.back() != after.phase))
      violate("I14", "run " + after.name + " is in a phase that it did not enter");
    entered_[after.name + "/" + after.phase] = now;
    if (after.at_work())
      for (const auto& [other_name, other] : runs_) {
        if (other_name == after.name || other.over()) continue;
        if (other.at_work()) violate("I5", fmt::format("runs {} and {} are at work", after.name, other_name));
        for (const auto& [node, uid] : after.victims)
          if (other.touched() && (other.victims.contains(node) || other.survivors.contains(node)))
            violate("I13", fmt::format("runs {} and {} both own {}", after.name, other_name, node));
        for (const auto& [node, uid] : after.survivors)
          if (other.touched() && other.victims.contains(node))
            violate("I13", fmt::format("runs {} and {} both own {}", after.name, other_name, node));
      }
    if (after.phase == "AwaitingReap" || (after.phase == "Succeeded" && before.phase == "Settling"))
      for (const auto& [node, uid] : after.victims)
        if (const PodTruth* pod = truth_.resident(node, now - notice_);
            pod != nullptr && marks_.find(uid) != nullptr)
          violate("I11",
                  fmt::format("run {} hands {} over with {}/{} on it", after.name, node, pod->ns, pod->name));
  }
  if (!before.tripped.empty() && after.tripped.empty() && !created)
    violate("I10", "run " + after.name + " forgot that a guard had tripped");
  if (!after.tripped.empty() && before.tripped.empty()) coverage_.count("tripped " + after.tripped);
  if (!after.late_trip.empty() && before.late_trip.empty()) {
    coverage_.count("F36 late trip");
    late_trips_[after.name] = now;
  }
  // The journal only grows, and what is settled stays so.
  if (after.entries.size() < before.entries.size())
    violate("I14", "the journal of " + after.name + " shrank");
  for (std::size_t i = 0; i < before.entries.size() && i < after.entries.size(); ++i) {
    const RunView::Entry &was = before.entries[i], &is = after.entries[i];
    if (was.id != is.id || was.kind != is.kind || was.name != is.name)
      violate("I14", fmt::format("entry {} of the journal of {} became another", was.id, after.name));
    else if (was.state == "Done" && is.state != "Done")
      violate("I14", fmt::format("entry {} of the journal of {} went from Done to {}", was.id, after.name,
                                 is.state));
    if (was.state == "Intended" && is.state != "Intended")
      recently_intended_[fmt::format("{}|{}|{}", was.kind, was.name, was.uid)] = {after.name, now};
    if (was.state != is.state) coverage_.count(fmt::format("{} {}", is.kind, is.state));
  }
}

}  // namespace tamp::sim

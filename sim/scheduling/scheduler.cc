#include "sim/scheduling/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "oracle/preemption.h"
#include "oracle/score.h"
#include "sim/scheduling/claims.h"
#include "sim/scheduling/pod_group.h"
#include "sim/scheduling/waking.h"

namespace tamp::world {
namespace {

using api::Object;
using api::ObjectPtr;
using api::ResourceId;
using wire::Tree;

// How long one pod takes the scheduler.
constexpr std::int64_t kShortestCycle = 1'000'000, kLongestCycle = 3'000'000;  // ns

// A large cluster is not searched to its end: half of it less 1 % for each 125 nodes, 5 % and 100 nodes at least.
std::size_t enough_of(std::size_t nodes) {
  if (nodes < 100) return nodes;
  const std::size_t percent = nodes / 125 >= 45 ? 5 : 50 - nodes / 125;
  return std::max<std::size_t>(100, nodes * percent / 100);
}

bool is_ours(const Object& pod) {
  return pod.spec()["schedulerName"].string(kSchedulerName) == kSchedulerName;
}

bool waits(const Object& pod) {
  const std::string_view phase = pod.status()["phase"].string("Pending");
  return pod.spec()["nodeName"].string().empty() && !pod.terminating() && phase == "Pending" && is_ours(pod);
}

PodName name_of(const Object& pod) { return {std::string(pod.ns()), std::string(pod.name())}; }
std::string pod_title(const PodName& name) { return fmt::format("pod {}/{}", name.first, name.second); }

bool being_preempted(const Object& pod) {
  const Tree* condition = api::find_condition(pod.tree(), "DisruptionTarget");
  return pod.terminating() && condition && (*condition)["status"].string() == "True" &&
         (*condition)["reason"].string() == "PreemptionByScheduler";
}

void nominate_in(Tree& pod, std::string_view node) {
  if (node.empty())
    pod.ensure("status").erase("nominatedNodeName");
  else
    pod.ensure("status").set("nominatedNodeName", node);
}

}  // namespace

void Scheduler::changed(Stage& stage, const api::Change& change) {
  const bool news = board_.apply(change);
  if (change.resource == ResourceId::Pods) pod_changed(stage, change);
  if (change.resource == ResourceId::PersistentVolumeClaims) claim_changed(stage, change);
  if (news && queue_.size() > 0 && may_help_anyone(change))
    queue_.wake(
        [&](const PodName& name, const WaitingPod& how) {
          const PodId pod = board_.find_pod(name.first, name.second);
          return pod.valid() && may_help(board_, change, pod, how);
        },
        stage.now);
  look_when_due(stage);
}

void Scheduler::pod_changed(Stage& stage, const api::Change& change) {
  const Object& pod = change.object();
  const PodName name = name_of(pod);
  if (!change.after || !waits(pod)) {
    if (!queue_.has(name) && change.after) return;
    queue_.remove(name);
    announcer_.forget(pod.uid());
    return;
  }
  const std::int64_t priority = pod.spec()["priority"].integer();
  std::string uid(pod.uid());
  if (!pod.spec()["schedulingGates"].empty()) {
    if (!queue_.gated(name)) queue_.add_gated(name, std::move(uid), priority, stage.now);
    return;
  }
  const bool same = queue_.has(name) && !queue_.gated(name) && change.before &&
                    change.before->uid() == pod.uid() && change.before->spec() == pod.spec() &&
                    change.before->metadata()["labels"] == pod.metadata()["labels"];
  if (!same) queue_.add(name, std::move(uid), priority, stage.now);
}

void Scheduler::claim_changed(Stage& stage, const api::Change& change) {
  const Object& claim = change.object();
  if (!change.after) {
    if (const std::string_view volume = claim.spec()["volumeName"].string(); !volume.empty())
      stage.soon({Actor::Scheduler, kRelease, "", std::string(volume), 0});
  } else if (!change.before && wants_volume_now(board_, claim)) {
    stage.soon({Actor::Scheduler, kProvision, std::string(claim.ns()), std::string(claim.name()), 0});
  }
}

void Scheduler::look_when_due(Stage& stage) {
  std::optional<Time> when = queue_.next();
  if (queue_.ready()) when = stage.now + Duration{stage.dice.between(kShortestCycle, kLongestCycle)};
  if (!when || (look_ && *look_ <= *when)) return;
  look_ = *when;
  stage.queue.at(*when, {Actor::Scheduler, kLook, "", "", 0});
}

void Scheduler::happen(Stage& stage, const Event& event) {
  if (event.what == kProvision) {
    provision(stage, board_, event.ns, event.name, "");
    return;
  }
  if (event.what == kRelease) return release(stage, event.name);

  if (look_ && *look_ <= stage.now) look_.reset();
  queue_.advance(stage.now);
  if (auto next = queue_.take()) attempt(stage, next->first, std::move(next->second));
  look_when_due(stage);
}

void Scheduler::attempt(Stage& stage, const PodName& name, WaitingPod waiting) {
  const PodId pod = board_.find_pod(name.first, name.second);
  const ObjectPtr object = stage.api.get(ResourceId::Pods, name.first, name.second);
  // Whoever comes back under the same name is another pod, and a change of its own.
  if (!pod.valid() || !object || object->uid() != waiting.uid || !waits(*object)) return;
  if (board_.nodes().empty()) {
    waiting.refused_by.clear();
    return fail(stage, name, std::move(waiting), "no nodes available to schedule pods", "");
  }

  const Pod& p = board_.pod(pod);
  const bool never = object->spec()["preemptionPolicy"].string() == "Never";
  const bool comparable = p.volumes.empty() && board_.text(p.nominated_node).empty();
  const Likeness likeness{p.spec, p.labels, p.ns, priority_of(p), never};
  if (futile_on_ != board_.generation()) futile_.clear();
  if (const auto known = futile_.find(likeness); comparable && known != futile_.end()) {
    waiting.refused_by = known->second.refused_by;
    return fail(stage, name, std::move(waiting), known->second.message, "");
  }

  Survey survey(board_.placement(), board_.census(), pod);
  const Findings findings = look_at_nodes(pod, survey);
  if (!findings.feasible.empty()) {
    const NodeRef node = choose(stage, pod, *object, findings.feasible);
    if (bind(stage, pod, name, node)) return;
    // An error, not a refusal: tried again after its backoff.
    waiting.refused_by.clear();
    queue_.put_back(name, std::move(waiting), stage.now);
    return;
  }
  waiting.refused_by = findings.refused_by;
  const PreemptionAnswer answer = preempt(stage, pod, *object, survey, findings);
  std::string message = findings.message;
  if (!answer.message.empty()) message += fmt::format(" preemption: {}", answer.message);
  if (comparable && answer.nominate.value_or("").empty()) {
    futile_on_ = board_.generation();
    futile_[likeness] = {findings.refused_by, message};
  }
  fail(stage, name, std::move(waiting), message, answer.nominate);
}

Scheduler::Findings Scheduler::look_at_nodes(PodId pod, Survey& survey) {
  const std::vector<NodeRef>& nodes = board_.nodes();
  const auto verdict = [&](NodeRef node) {
    return verdict_with_nominated(board_.scratch(), survey, pod, node, board_.nominated());
  };
  Findings findings;
  if (const std::string_view plugin = survey.refused_everywhere(); !plugin.empty()) {
    findings.refused_by.emplace(plugin);
    findings.message = fmt::format("0/{} nodes are available: {}.", nodes.size(),
                                   refusal_everywhere(board_.placement(), pod, plugin));
    return findings;
  }
  // The node that it was promised is asked first, and taken if it fits.
  if (const NodeRef nominated = board_.find_node(board_.text(board_.pod(pod).nominated_node));
      nominated.valid() && verdict(nominated).fits) {
    findings.feasible = {nominated};
    return findings;
  }

  const std::size_t enough = enough_of(nodes.size());
  ReasonCounts reasons;
  std::size_t seen = 0;
  start_ %= nodes.size();
  for (; seen < nodes.size() && findings.feasible.size() < enough; ++seen) {
    const NodeRef node = nodes[(start_ + seen) % nodes.size()];
    const FilterVerdict answer = verdict(node);
    if (answer.fits) {
      findings.feasible.push_back(node);
      continue;
    }
    findings.refused_by.emplace(answer.plugin);
    if (!findings.feasible.empty()) continue;  // nobody will ask why
    const Refusal refusal = refusal_of(board_.placement(), pod, node, answer.plugin);
    for (const std::string& reason : refusal.reasons) ++reasons[reason];
    if (refusal.resolvable) findings.resolvable.push_back(node);
  }
  start_ = (start_ + seen) % nodes.size();
  if (findings.feasible.empty()) findings.message = unavailable(nodes.size(), reasons);
  return findings;
}

NodeRef Scheduler::choose(Stage& stage, PodId pod, const Object& object,
                          const std::vector<NodeRef>& feasible) {
  if (feasible.size() == 1) return feasible.front();
  const Scores total =
      scores({board_.placement(), board_.census(), pod, feasible, group_of(stage.api, board_, object)});
  const std::int64_t best = *std::max_element(total.begin(), total.end());
  std::vector<NodeRef> winners;
  for (std::size_t i = 0; i < total.size(); ++i)
    if (total[i] == best) winners.push_back(feasible[i]);
  return winners[stage.dice.below(winners.size())];
}

bool Scheduler::bind(Stage& stage, PodId pod, const PodName& name, NodeRef node) {
  const std::string host(board_.text(board_.node(node).name));
  if (!bind_claims(stage, board_, pod, node)) return false;
  const api::Outcome bound = stage.api.bind(name.first, name.second, host);
  if (!bound.ok()) return false;
  board_.assume(pod, node);
  if (const ObjectPtr object = stage.api.get(ResourceId::Pods, name.first, name.second)) {
    announcer_.announce(stage, *object, "Normal", "Scheduled", "Binding",
                        fmt::format("Successfully assigned {}/{} to {}", name.first, name.second, host));
    announcer_.forget(object->uid());
  }
  stage.story.tell(stage.now, "scheduler", "Bound", pod_title(name), "to " + host);
  return true;
}

Scheduler::PreemptionAnswer Scheduler::preempt(Stage& stage, PodId pod, const Object& object, Survey& survey,
                                               const Findings& findings) {
  if (object.spec()["preemptionPolicy"].string() == "Never")
    return {{}, "not eligible due to preemptionPolicy=Never."};
  const NodeRef promised_node = board_.find_node(board_.text(board_.pod(pod).nominated_node));
  const auto& resolvable = findings.resolvable;
  if (std::find(resolvable.begin(), resolvable.end(), promised_node) != resolvable.end())
    for (PodId other : board_.placement().all_on(promised_node)) {
      const Pod& o = board_.pod(other);
      if (priority_of(o) >= priority_of(board_.pod(pod))) continue;
      const ObjectPtr victim = stage.api.get(ResourceId::Pods, board_.text(o.ns), board_.text(o.name));
      if (victim && being_preempted(*victim))
        return {{}, "not eligible due to a terminating pod on the nominated node."};
    }

  PreemptionSearch search;
  if (!resolvable.empty())
    search = search_preemption(board_.scratch(), survey, pod, resolvable, board_.nominated(), stage.now,
                               stage.dice.below(resolvable.size()));
  if (!search.found) {
    const std::size_t others = board_.nodes().size() - resolvable.size();
    if (others > 0) search.reasons["Preemption is not helpful for scheduling"] += others;
    return {"", unavailable(board_.nodes().size(), search.reasons)};
  }

  const NodeRef node = search.found->node;
  const std::string host(board_.text(board_.node(node).name));
  // Promises to pods of lower priority may not hold any more.
  const std::vector<PodId> nominated = board_.nominated();
  for (PodId other : nominated) {
    const Pod& o = board_.pod(other);
    if (other == pod || board_.text(o.nominated_node) != host ||
        priority_of(o) >= priority_of(board_.pod(pod)))
      continue;
    stage.api.modify(ResourceId::Pods, board_.text(o.ns), board_.text(o.name),
                     [](Tree& t) { nominate_in(t, ""); }, {.subresource = "status"});
  }
  for (PodId victim : search.found->victims) evict(stage, object, victim, node);
  return {host, ""};
}

void Scheduler::evict(Stage& stage, const Object& preemptor, PodId victim, NodeRef node) {
  const PodName name{std::string(board_.text(board_.pod(victim).ns)),
                     std::string(board_.text(board_.pod(victim).name))};
  const ObjectPtr object = stage.api.get(ResourceId::Pods, name.first, name.second);
  if (!object || object->terminating()) return;
  stage.api.modify(ResourceId::Pods, name.first, name.second,
                   [&](Tree& pod) {
                     api::set_condition(
                         pod, "DisruptionTarget", "True", "PreemptionByScheduler",
                         fmt::format("{}: preempting to accommodate a higher priority pod", kSchedulerName),
                         stage.now);
                   },
                   {.subresource = "status"});
  announcer_.announce(
      stage, *object, "Normal", "Preempted", "Preempting",
      fmt::format("Preempted by pod {} on node {}", preemptor.uid(), board_.text(board_.node(node).name)));
  stage.story.tell(stage.now, "scheduler", "Preempted", pod_title(name),
                   fmt::format("for {}/{}", preemptor.ns(), preemptor.name()));
  stage.api.remove(ResourceId::Pods, name.first, name.second);
}

void Scheduler::fail(Stage& stage, const PodName& name, WaitingPod waiting, const std::string& message,
                     const std::optional<std::string>& nominate) {
  if (waiting.failures == 0)
    stage.story.tell(stage.now, "scheduler", "Unschedulable", pod_title(name), message);
  queue_.put_back(name, std::move(waiting), stage.now);
  const ObjectPtr object = stage.api.get(ResourceId::Pods, name.first, name.second);
  if (!object) return;
  announcer_.announce(stage, *object, "Warning", "FailedScheduling", "Scheduling", message);
  stage.api.modify(ResourceId::Pods, name.first, name.second,
                   [&](Tree& pod) {
                     api::set_condition(pod, "PodScheduled", "False", "Unschedulable", message, stage.now);
                     if (nominate) nominate_in(pod, *nominate);
                   },
                   {.subresource = "status"});
}

}  // namespace tamp::world

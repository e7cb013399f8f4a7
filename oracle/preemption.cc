#include "oracle/preemption.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "oracle/selecting.h"

namespace tamp::world {
namespace {

// kube-scheduler looks for a tenth of the nodes, and no fewer than these.
constexpr std::size_t kFewestCandidates = 100;

Time start_of(const Pod& pod, Time now) { return pod.started.value_or(now); }

class Search {
 public:
  Search(Placement& placement, Survey& survey, PodId pod, const std::vector<PodId>& nominated, Time now)
      : placement_(placement), survey_(survey), pod_(pod), nominated_(nominated), now_(now) {}

  std::optional<Preemption> on_node(NodeRef node, ReasonCounts& reasons);
  // What a node is chosen by, the smallest first: victims beyond their budgets, the highest priority among the victims, the
  // sum of priorities, their number, and how long the longest-running of the highest priority has been running.
  auto price(const Preemption& p) const;

 private:
  bool fits(NodeRef node) { return verdict(node).fits; }
  FilterVerdict verdict(NodeRef node) {
    return verdict_with_nominated(placement_, survey_, pod_, node, nominated_);
  }
  void lift(PodId other, NodeRef node) {
    placement_.lift(other);
    survey_.left(other, node);
  }
  void set_down(PodId other, NodeRef node) {
    placement_.set_down(other, node);
    survey_.came(other, node);
  }
  const Pod& pod(PodId id) const { return placement_.cluster().pods[id.index()]; }
  bool more_important(PodId a, PodId b) const;
  void sort_by_importance(std::vector<PodId>& pods) const;
  std::vector<bool> violating(const std::vector<PodId>& victims) const;

  Placement& placement_;
  Survey& survey_;
  PodId pod_;
  const std::vector<PodId>& nominated_;
  Time now_;
};

bool Search::more_important(PodId a, PodId b) const {
  const Pod &x = pod(a), &y = pod(b);
  if (priority_of(x) != priority_of(y)) return priority_of(x) > priority_of(y);
  // Neither has started: the scheduler takes the time anew for each, so whichever it asks about first is the older.
  if (!x.started && !y.started) return true;
  return start_of(x, now_) < start_of(y, now_);
}

// By insertion, as Go's library sorts up to 12 elements: it makes a difference for pods that have not started, which no order
// binds. Beyond 12 pods Go's way is another, and there is nothing to follow.
void Search::sort_by_importance(std::vector<PodId>& pods) const {
  for (std::size_t i = 1; i < pods.size(); ++i)
    for (std::size_t j = i; j > 0 && more_important(pods[j], pods[j - 1]); --j)
      std::swap(pods[j], pods[j - 1]);
}

// Taken one after the other, which of them exceed a budget? Every victim counts against each budget that selects it.
std::vector<bool> Search::violating(const std::vector<PodId>& victims) const {
  const Cluster& cluster = placement_.cluster();
  std::vector<std::int64_t> left;
  left.reserve(cluster.budgets.size());
  for (const PodDisruptionBudget& budget : cluster.budgets) left.push_back(budget.disruptions_allowed);
  std::vector<bool> violates;
  for (PodId victim : victims) {
    const Pod& p = pod(victim);
    bool over = false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const PodDisruptionBudget& budget = cluster.budgets[i];
      // Here, unlike elsewhere, a selector without requirements selects nothing, and a pod without labels is never selected.
      if (budget.ns != p.ns || !budget.selector || budget.selector->requirements.empty()) continue;
      if (cluster.labels(p).empty() || !selects(budget.selector, cluster.labels(p))) continue;
      if (--left[i] < 0) over = true;
    }
    violates.push_back(over);
  }
  return violates;
}

std::optional<Preemption> Search::on_node(NodeRef node, ReasonCounts& reasons) {
  std::vector<PodId> lower;
  for (PodId other : placement_.all_on(node))
    if (other != pod_ && priority_of(pod(other)) < priority_of(pod(pod_))) lower.push_back(other);
  if (lower.empty()) {
    ++reasons["No preemption victims found for incoming pod"];
    return {};
  }
  for (PodId other : lower) lift(other, node);
  if (const FilterVerdict after = verdict(node); !after.fits) {
    for (const std::string& reason : refusal_of(placement_, pod_, node, after.plugin).reasons)
      ++reasons[reason];
    for (PodId other : lower) set_down(other, node);
    return {};
  }

  sort_by_importance(lower);
  const std::vector<bool> violates = violating(lower);
  Preemption result{node, {}, 0};
  for (const bool turn : {true, false})
    for (std::size_t i = 0; i < lower.size(); ++i) {
      if (violates[i] != turn) continue;
      set_down(lower[i], node);
      if (fits(node)) continue;
      lift(lower[i], node);
      result.victims.push_back(lower[i]);
      if (turn) ++result.budget_violations;
    }
  // The scheduler sorts again only where there were two turns: it turns pods that have not started round once more.
  const auto protected_ones = std::count(violates.begin(), violates.end(), true);
  const bool two_turns = protected_ones > 0 && protected_ones < std::ssize(violates);
  if (two_turns) sort_by_importance(result.victims);
  for (PodId victim : result.victims) set_down(victim, node);
  if (result.victims.empty()) return {};
  return result;
}

auto Search::price(const Preemption& p) const {
  const std::int64_t highest = priority_of(pod(p.victims.front()));
  // Shifted, so that fewer pods of negative priority are worth less than more of them.
  std::int64_t sum = 0;
  Time earliest{std::numeric_limits<std::int64_t>::max()};
  for (PodId victim : p.victims) {
    const std::int64_t priority = priority_of(pod(victim));
    sum += priority + (std::int64_t{1} << 31);
    if (priority == highest) earliest = std::min(earliest, start_of(pod(victim), now_));
  }
  return std::tuple(p.budget_violations, highest, sum, p.victims.size(), now_ - earliest);
}

}  // namespace

std::int64_t priority_of(const Pod& pod) { return pod.priority.value_or(0); }

std::vector<PodId> nominated_pods(const Placement& placement) {
  const Cluster& cluster = placement.cluster();
  std::vector<PodId> nominated;
  for (std::size_t i = 0; i < cluster.pods.size(); ++i) {
    const Pod& pod = cluster.pods[i];
    if (!cluster.text(pod.nominated_node).empty() && pod.active() && !placement.where(PodId(i)).valid())
      nominated.emplace_back(i);
  }
  return nominated;
}

FilterVerdict verdict_with_nominated(Placement& placement, const Survey& survey, PodId pod, NodeRef node,
                                     const std::vector<PodId>& nominated) {
  const Cluster& cluster = placement.cluster();
  std::vector<PodId> coming;
  for (PodId other : nominated) {
    const Pod& o = cluster.pods[other.index()];
    if (other != pod && o.nominated_node == placement.node(node).name && !placement.where(other).valid() &&
        priority_of(o) >= priority_of(cluster.pods[pod.index()]))
      coming.push_back(other);
  }
  if (coming.empty()) return survey.verdict(node);
  Survey crowded = survey;
  for (PodId other : coming) {
    placement.set_down(other, node);
    crowded.came(other, node);
  }
  const FilterVerdict with_them = crowded.verdict(node);
  for (PodId other : coming) placement.lift(other);
  return with_them.fits ? survey.verdict(node) : with_them;
}

PreemptionSearch search_preemption(Placement& placement, Survey& survey, PodId pod,
                                   const std::vector<NodeRef>& nodes, const std::vector<PodId>& nominated,
                                   Time now, std::size_t offset) {
  PreemptionSearch result;
  Search search(placement, survey, pod, nominated, now);
  const std::size_t enough = std::min(std::max(nodes.size() / 10, kFewestCandidates), nodes.size());
  std::size_t found = 0, within_budgets = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    auto candidate = search.on_node(nodes[(offset + i) % nodes.size()], result.reasons);
    if (!candidate) continue;
    ++found;
    if (candidate->budget_violations == 0) ++within_budgets;
    if (!result.found || search.price(*candidate) < search.price(*result.found))
      result.found = std::move(candidate);
    if (within_budgets > 0 && found >= enough) break;
  }
  return result;
}

std::optional<Preemption> preemption(const Placement& placement, PodId pod, Time now) {
  Placement scratch = placement;
  const std::vector<PodId> nominated = nominated_pods(placement);
  const Census census = take_census(placement);
  Survey survey(scratch, census, pod);
  std::vector<NodeRef> resolvable;
  for (NodeRef node : placement.nodes()) {
    const FilterVerdict verdict = verdict_with_nominated(scratch, survey, pod, node, nominated);
    if (verdict.fits) return {};
    if (refusal_of(placement, pod, node, verdict.plugin).resolvable) resolvable.push_back(node);
  }
  return search_preemption(scratch, survey, pod, resolvable, nominated, now).found;
}

}  // namespace tamp::world

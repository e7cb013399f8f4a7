#include "proof/other_placements.h"

#include <algorithm>
#include <deque>
#include <tuple>

namespace tamp::proof {

OtherPlacements::OtherPlacements(const Motion& motion, fit::Simulation& simulation)
    : motion_(motion), simulation_(simulation) {
  const auto& victims = motion.intent.victims;
  const fit::Index& index = simulation.index();
  for (std::size_t i = 0; i < motion.cluster().nodes.size(); ++i)
    if (std::find(victims.begin(), victims.end(), NodeId(i)) == victims.end() &&
        index.site(index.site_of(NodeId(i))).closed == fit::Closed::No)
      sites_.push_back(index.site_of(NodeId(i)));
  for (const fit::Seeker& seeker : simulation.background()) {
    seekers_.push_back(seeker.pod);
    if (seeker.role == fit::Role::Pending) waiting_anyway_.insert(seeker.pod);
  }
  // A pod of a victim that somebody else removes, too, is one of the background already.
  for (const PodId pod : motion.moved)
    if (!simulation.leaving(pod)) seekers_.push_back(pod);
}

void OtherPlacements::seat(PodId pod, SiteId site) {
  simulation_.seat(pod, site);
  seated_[pod] = site;
  log_.push_back({Step::Kind::Seated, pod, site});
}

void OtherPlacements::push_out(PodId pod, SiteId site) {
  if (seated_.erase(pod) > 0) {
    simulation_.unseat(pod, site);
    log_.push_back({Step::Kind::Unseated, pod, site});
  } else {
    simulation_.lift(pod);
    gone_from_home_.insert(pod);
    log_.push_back({Step::Kind::Lifted, pod, site});
  }
}

void OtherPlacements::revert(std::size_t to) {
  while (log_.size() > to) {
    const Step step = log_.back();
    log_.pop_back();
    switch (step.kind) {
      case Step::Kind::Seated:
        simulation_.unseat(step.pod, step.site);
        seated_.erase(step.pod);
        break;
      case Step::Kind::Unseated:
        simulation_.seat(step.pod, step.site);
        seated_[step.pod] = step.site;
        break;
      case Step::Kind::Lifted:
        simulation_.put_back(step.pod);
        gone_from_home_.erase(step.pod);
        break;
    }
  }
}

std::vector<fit::SiteId> OtherPlacements::legal_sites(PodId pod) const {
  const Pod& p = pod_of(pod);
  std::vector<SiteId> legal;
  // A DaemonSet's pod comes back where it was or not at all.
  if (p.daemon()) {
    const SiteId home = simulation_.index().site_of(p.node);
    if (fits(pod, home)) legal.push_back(home);
    return legal;
  }
  for (const SiteId s : sites_)
    if (fits(pod, s)) legal.push_back(s);
  return legal;
}

fit::SiteId OtherPlacements::any_legal_site(PodId pod) {
  const std::size_t begin = sites_.empty() ? 0 : dice_.roll() % sites_.size();
  for (std::size_t i = 0; i < sites_.size(); ++i)
    if (const SiteId site = sites_[(begin + i) % sites_.size()]; fits(pod, site)) return site;
  return {};
}

// Of the pods that wait anyway there may be thousands, and all that matters of them is that they take room:
// for them the first legal site will do.
fit::SiteId OtherPlacements::find_site(PodId pod) {
  if (waiting_anyway_.contains(pod)) return any_legal_site(pod);
  const std::vector<SiteId> sites = legal_sites(pod);
  return sites.empty() ? SiteId() : choose(sites);
}

fit::SiteId OtherPlacements::choose(const std::vector<SiteId>& sites) {
  if (taste_ == Taste::Random) return sites[dice_.roll() % sites.size()];
  const auto free = [&](SiteId s) {
    return std::tuple(simulation_.room().free(s, kCpu), simulation_.room().free(s, kMemory), s);
  };
  return taste_ == Taste::Emptiest ? *std::ranges::max_element(sites, {}, free)
                                   : *std::ranges::min_element(sites, {}, free);
}

std::vector<PodId> OtherPlacements::lower_pods(PodId pod, SiteId site) const {
  const std::int32_t priority = pod_of(pod).priority.value_or(0);
  std::vector<PodId> pods;
  const auto consider = [&](PodId p) {
    if (!pod_of(p).mirror && pod_of(p).priority.value_or(0) < priority) pods.push_back(p);
  };
  for (const PodId p : live_pods(motion_.cluster(), simulation_.index().site(site).node))
    if (!gone_from_home_.contains(p) && !seated_.contains(p)) consider(p);
  for (const auto& [p, where] : seated_)
    if (where == site) consider(p);
  // The least important leave first, so that the most important come back first.
  std::ranges::sort(pods, {}, [&](PodId p) { return std::tuple(pod_of(p).priority.value_or(0), p); });
  return pods;
}

// As kube-scheduler does it: all pods of lower priority leave, the pod comes, and as many as still fit come back, the most
// important first.
bool OtherPlacements::preempt(PodId pod, std::vector<PodId>& pushed_out) {
  if (pod_of(pod).daemon()) return false;
  std::vector<SiteId> sites = sites_;
  dice_.shuffle(sites);
  for (const SiteId site : sites) {
    const std::vector<PodId> lower = lower_pods(pod, site);
    if (lower.empty()) continue;
    const std::size_t mark = log_.size();
    for (const PodId p : lower) push_out(p, site);
    if (!fits(pod, site)) {
      revert(mark);
      continue;
    }
    seat(pod, site);
    for (std::size_t i = lower.size(); i-- > 0;) {
      if (fits(lower[i], site))
        seat(lower[i], site);
      else
        pushed_out.push_back(lower[i]);
    }
    return true;
  }
  return false;
}

Course OtherPlacements::play(std::vector<PodId> order, Taste taste, std::uint64_t seed) {
  taste_ = taste;
  dice_ = Dice(seed);
  Course course;
  std::deque<PodId> queue(order.begin(), order.end());
  std::vector<PodId> waiting;
  bool progress = true;
  // Preemption only ever goes down in priority, so that it ends; the bound is for peace of mind.
  std::size_t steps = 0;
  const std::size_t most = 64 * (order.size() + 16);
  while (progress && !queue.empty()) {
    progress = false;
    waiting.clear();
    refused_.clear();
    while (!queue.empty() && ++steps < most) {
      const PodId pod = queue.front();
      queue.pop_front();
      const bool anyway = waiting_anyway_.contains(pod) && pod_of(pod).volumes.empty();
      if (anyway && refused_.contains(simulation_.index().shape_id(pod))) {
        waiting.push_back(pod);
        continue;
      }
      if (const SiteId site = find_site(pod); site.valid()) {
        seat(pod, site);
        progress = true;
        continue;
      }
      std::vector<PodId> pushed_out;
      if (!preempt(pod, pushed_out)) {
        waiting.push_back(pod);
        if (anyway) refused_.insert(simulation_.index().shape_id(pod));
        continue;
      }
      progress = true;
      course.preempted.insert(course.preempted.end(), pushed_out.begin(), pushed_out.end());
      queue.insert(queue.end(), pushed_out.begin(), pushed_out.end());
    }
    // Others may have made room, or brought the company that an affinity asks for.
    waiting.insert(waiting.end(), queue.begin(), queue.end());
    queue.assign(waiting.begin(), waiting.end());
  }
  course.homeless = waiting;
  if (queue.empty()) course.homeless.clear();
  std::erase_if(course.homeless, [&](PodId pod) { return waiting_anyway_.contains(pod); });
  std::sort(course.homeless.begin(), course.homeless.end());
  revert(0);
  return course;
}

}  // namespace tamp::proof
